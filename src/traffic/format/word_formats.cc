#include "traffic/format/word_formats.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "traffic/format/field.h"
#include "traffic/format/words.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// Records hold views of their names.
const FieldSpec kClient{FieldKind::client};
const FieldSpec kUser{FieldKind::attribute, "user"};
const FieldSpec kHost{FieldKind::header, "host"};
const FieldSpec kUserAgent{FieldKind::user_agent};
const FieldSpec kRequest{FieldKind::request};
const FieldSpec kMethod{FieldKind::method};
const FieldSpec kTarget{FieldKind::target};
const FieldSpec kStatus{FieldKind::status};
const FieldSpec kBytes{FieldKind::bytes};
const FieldSpec kEnvoyFlag{FieldKind::limited, "RL"};
const FieldSpec kDurationMs{FieldKind::duration, "", kMs};
const FieldSpec kStartIso{FieldKind::time_iso};
const FieldSpec kEndIso{FieldKind::time_iso, "", 1'000 * kMs, true};
const FieldSpec kEndSeconds{FieldKind::time_number, "", 1'000 * kMs, true};
const FieldSpec kStartHaproxy{FieldKind::time_haproxy};
const FieldSpec kStartSlashed{FieldKind::time_slashed};

constexpr std::string_view kShort = "the line ends before the format does";
constexpr std::string_view kOpen = "a quote or a bracket has no end";
constexpr std::string_view kOther = "the line does not begin as the format does";

// Parsers that fill `sink_` word by word; the first value that cannot be read is the reason.
class WordParser : public Parser {
 public:
  Parsed parse(std::string_view line, Record& record) final {
    record.clear();
    scratch_.clear();
    why_ = {};
    if (line.find_first_not_of(' ') == std::string_view::npos) return Parsed::nothing;
    scratch_.reserve(2 * line.size() + 1);
    FieldSink sink(record);
    sink_ = &sink;
    const Parsed parsed = read(line, record);
    if (parsed != Parsed::request) return parsed;
    if (why_.empty()) why_ = sink.finish(scratch_);
    return why_.empty() ? Parsed::request : reject(why_);
  }

 protected:
  virtual Parsed read(std::string_view line, Record& record) = 0;

  void put(FieldSpec&& spec, std::string_view value) = delete;
  void put(const FieldSpec& spec, std::string_view value) {
    if (why_.empty()) why_ = sink_->put(spec, value, common_);
  }
  bool split(std::string_view line) { return split_words(line, words_, scratch_); }

  Words words_;

 private:
  FieldSink* sink_ = nullptr;  // of this line
  std::string_view why_;
  std::string scratch_;
  CommonTime common_;
};

// Up to the last colon: an IPv6 address has colons itself.
std::string_view without_port(std::string_view client) {
  return client.substr(0, client.rfind(':'));
}

// 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ----
// 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1", behind whatever syslog puts in front.
// (HAProxy configuration manual, 8.2.3.) The time is that of the accept; the last of the timers is
// the whole duration, with a `+` before it where the log was written early.
class Haproxy final : public WordParser {
 protected:
  Parsed read(std::string_view line, Record&) override {
    std::size_t bracket = 0;
    for (;; ++bracket) {
      bracket = line.find(" [", bracket);
      if (bracket == std::string_view::npos) return reject(kOther);
      if (parse_haproxy_time(line.substr(bracket + 2, kTime))) break;
    }
    const std::size_t before = bracket == 0 ? std::string_view::npos : line.rfind(' ', bracket - 1);
    const std::size_t client = before == std::string_view::npos ? 0 : before + 1;
    put(kClient, without_port(line.substr(client, bracket - client)));
    // The request may hold quotes and is the last: not a matter of words.
    const std::size_t quote = line.find(" \"", bracket);
    if (quote == std::string_view::npos) return Parsed::nothing;  // TCP, or an event of a server
    if (!split(line.substr(bracket, quote - bracket))) return reject(kOpen);
    if (words_.count < 6) return reject(kShort);
    put(kStartHaproxy, words_[0]);
    const std::string_view timers = words_[3];
    std::string_view whole = timers.substr(std::min(timers.rfind('/') + 1, timers.size()));
    if (whole.starts_with('+')) whole.remove_prefix(1);
    put(kDurationMs, whole);
    put(kStatus, words_[4]);
    std::string_view bytes = words_[5];
    if (bytes.starts_with('+')) bytes.remove_prefix(1);
    put(kBytes, bytes);
    std::string_view request = line.substr(quote + 2);
    request = request.substr(0, request.rfind('"'));
    put(kRequest, request);
    return Parsed::request;
  }

 private:
  static constexpr std::size_t kTime = 24;  // 06/Feb/2009:12:14:14.655
};

// [2016-04-15T20:17:00.310Z] "POST /api HTTP/2" 204 - 154 0 226 100 "10.0.35.28, 192.0.2.1" "agent"
// "id" "host" "tcp://10.0.2.1:80", with a word (details in newer ones) between flags and bytes.
// (Envoy's access logging, "Default format string".) The last address of X-Forwarded-For is the one
// that Envoy wrote.
class Envoy final : public WordParser {
 protected:
  Parsed read(std::string_view line, Record&) override {
    if (!line.starts_with('[')) return reject(kOther);
    if (!split(line)) return reject(kOpen);
    if (words_.count < 13) return reject(kShort);
    put(kStartIso, words_[0]);
    put(kRequest, words_[1]);
    put(kStatus, words_[2]);
    flags(words_[3]);
    // From the end of the short form: newer ones have words more before the bytes.
    const std::size_t bytes = 4 + std::min<std::size_t>(words_.count, 16) - 13;
    put(kBytes, words_[bytes + 1]);
    put(kDurationMs, words_[bytes + 2]);
    const std::string_view forwarded = words_[bytes + 4];
    const std::size_t comma = forwarded.rfind(',');
    std::string_view client =
        comma == std::string_view::npos ? forwarded : forwarded.substr(comma + 1);
    while (client.starts_with(' ')) client.remove_prefix(1);
    put(kClient, client);
    put(kUserAgent, words_[bytes + 5]);
    put(kHost, words_[bytes + 7]);
    return Parsed::request;
  }

 private:
  // "RL": limited by the rate limit service; one of several, with commas.
  void flags(std::string_view list) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      put(kEnvoyFlag, list.substr(at, comma - at));
      at = comma + 1;
    }
  }
};

// (AWS, "Access logs for your Application Load Balancer", entry syntax.) The first time is when the
// answer was made, the 22nd word when the request came.
class AwsAlb final : public WordParser {
 protected:
  Parsed read(std::string_view line, Record&) override {
    if (!split(line)) return reject(kOpen);
    if (words_.count < 14) return reject(kShort);
    constexpr std::string_view kTypes[] = {"http", "https", "h2", "grpcs", "ws", "wss"};
    if (std::find(std::begin(kTypes), std::end(kTypes), words_[0]) == std::end(kTypes)) {
      return reject(kOther);
    }
    put(kEndIso, words_[1]);
    put(kClient, without_port(words_[3]));
    put(kStatus, words_[8]);
    put(kBytes, words_[11]);
    put(kRequest, words_[12]);
    put(kUserAgent, words_[13]);
    put(kStartIso, words_[21]);
    return Parsed::request;
  }
};

// 1066036250.603    310 192.0.2.1 TCP_MISS/304 1029 GET http://e.org/ - DIRECT/192.0.2.9 -
// (Squid's `logformat squid`.) The time is that of the end.
class Squid final : public WordParser {
 protected:
  Parsed read(std::string_view line, Record&) override {
    if (!split(line)) return reject(kOpen);
    if (words_.count < 9) return reject(kShort);
    const std::string_view result = words_[3];
    const std::size_t slash = result.find('/');
    if (slash == std::string_view::npos) return reject(kOther);
    put(kEndSeconds, words_[0]);
    put(kDurationMs, words_[1]);
    put(kClient, words_[2]);
    put(kStatus, result.substr(slash + 1));
    put(kBytes, words_[4]);
    put(kMethod, words_[5]);
    put(kTarget, words_[6]);
    put(kUser, words_[7]);
    return Parsed::request;
  }
};

// 2013/12/31 23:59:59 [error] 1#0: *1 limiting requests, excess: 1.852 by zone "one", client:
// 192.0.2.1, server: localhost, request: "GET / HTTP/1.1", host: "localhost". Other messages are no
// requests; what was delayed, or would have been refused in a dry run, was admitted.
class NginxError final : public WordParser {
 protected:
  Parsed read(std::string_view line, Record& record) override {
    constexpr std::size_t kTime = 19;
    if (!parse_slashed_time(line.substr(0, kTime))) return reject(kOther);
    const bool refused = line.find(": *") != std::string_view::npos &&
                         (has(line, " limiting requests") || has(line, " limiting connections"));
    if (!refused && !has(line, " delaying request")) return Parsed::nothing;
    put(kStartSlashed, line.substr(0, kTime));
    put(kClient, between(line, ", client: ", ","));
    put(kRequest, between(line, ", request: \"", "\""));
    put(kHost, between(line, ", host: \"", "\""));
    record.limited = refused && !has(line, ", dry run");
    return Parsed::request;
  }

 private:
  static bool has(std::string_view line, std::string_view text) {
    return line.find(text) != std::string_view::npos;
  }
  static std::string_view between(std::string_view line, std::string_view before,
                                  std::string_view after) {
    const std::size_t found = line.find(before);
    if (found == std::string_view::npos) return {};
    const std::string_view rest = line.substr(found + before.size());
    return rest.substr(0, rest.find(after));
  }
};

}  // namespace

std::unique_ptr<Parser> haproxy_format() { return std::make_unique<Haproxy>(); }
std::unique_ptr<Parser> envoy_format() { return std::make_unique<Envoy>(); }
std::unique_ptr<Parser> aws_alb_format() { return std::make_unique<AwsAlb>(); }
std::unique_ptr<Parser> squid_format() { return std::make_unique<Squid>(); }
std::unique_ptr<Parser> nginx_error_format() { return std::make_unique<NginxError>(); }

}  // namespace weir::traffic
