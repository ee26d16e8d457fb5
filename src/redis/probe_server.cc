#include "redis/probe_server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/redis_url.h"
#include "redis/key_name.h"
#include "redis/probe_judge.h"
#include "redis/probe_link.h"
#include "redis/probe_script.h"
#include "redis/transport.h"

namespace weir::redis {
namespace {

using Steady = std::chrono::steady_clock;

Duration since(Steady::time_point start) {
  return {static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - start).count())};
}

std::string milliseconds_text(Duration d) {
  const std::uint64_t tenths = d.ns / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

class Probe {
 public:
  explicit Probe(const ProbedServer& probed)
      : options_(probed.options),
        step_(probed.limits.step),
        instances_(probed.limits.instances),
        url_(probed.url),
        address_(probed.address),
        cluster_(probed.cluster) {
    if (!options_.username.empty()) url_.username = options_.username;
    if (!options_.password.empty()) url_.password = options_.password;
  }

  std::vector<ProbeFinding> run();

 private:
  std::string tls_advice(const std::string& text) const;
  bool is_open() const;
  bool connect();
  bool login();
  void no_login(const Trouble& trouble);
  void add_tls();
  void gather();
  void gather_hello();
  void gather_config();
  void judge();
  void latency();
  void clock();
  void try_out();
  void lost();

  Answer ask(const std::vector<std::string_view>& words) { return link_->ask(words, step_); }
  void add(std::string what, Grade grade, std::string value, std::string advice = "") {
    found_.push_back({std::move(what), grade, std::move(value), std::move(advice)});
  }
  void failed(std::string what, const Trouble& trouble) {
    add(std::move(what), Grade::error, trouble.text, std::string(reaction(trouble.failure).advice));
  }
  std::string who() const { return url_.username.empty() ? "default" : url_.username; }
  bool keeps(const base::Digest& digest) const;

  const Options& options_;
  Duration step_;
  unsigned instances_;
  base::RedisUrl url_;
  const Address address_;
  const Directory* cluster_;
  std::unique_ptr<ProbeLink> link_;
  ServerFacts facts_;
  bool serves_ = false;  // a primary that has greeted: the script can be tried
  base::Digest digest_;  // of a counter that nobody else has
  std::vector<ProbeFinding> found_;
};

std::vector<ProbeFinding> Probe::run() {
  do {
    const base::HashSecret random = base::HashSecret::random();
    digest_ = {random.k0, random.k1};
  } while (!keeps(digest_));
  if (!connect() || !login()) return std::move(found_);
  gather();
  judge();
  latency();
  clock();
  try_out();
  lost();
  return std::move(found_);
}

// In a cluster, whether a counter of that name is this node's.
bool Probe::keeps(const base::Digest& digest) const {
  if (cluster_ == nullptr) return true;
  store::Charge charge;
  charge.key = digest;
  const Address* keeper = cluster_->keeper(slot_of(charge));
  return keeper != nullptr && *keeper == address_;
}

// What is wrong with a certificate is said in OpenSSL's words.
std::string Probe::tls_advice(const std::string& text) const {
  const auto says = [&](std::string_view words) { return text.find(words) != text.npos; };
  if (says("mismatch")) {
    return "its certificate is not for " + address_.host +
           ": use a name that it holds in store.url";
  }
  if (says("self-signed") || says("issuer")) {
    return options_.tls_ca.empty()
               ? "set store.tls.ca to the authority that signed its certificate"
               : "its certificate is not signed by store.tls.ca: is that the right authority?";
  }
  if (says("expired") || says("not yet valid")) return "renew its certificate, or see the clocks";
  return "does the server speak TLS on this port? " + std::string(reaction(Failure::tls).advice);
}

// Whether the server asks nobody for a password; then it takes any.
bool Probe::is_open() const {
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (url_.tls) {
    auto made = make_tls(options_);
    if (!made) return false;
    tls = std::move(*made);
  }
  ProbeLink stranger(address_, std::move(tls), Login{"", "", 0, "weir-store-check"});
  if (stranger.connect(step_)) return false;
  const auto trouble = stranger.greet(step_);
  return !trouble || trouble->failure == Failure::readonly;
}

bool Probe::connect() {
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (url_.tls) {
    auto made = make_tls(options_);
    if (!made) {
      add("tls", Grade::error, made.error().text(), "see store.tls");
      return false;
    }
    tls = std::move(*made);
  }
  link_ = std::make_unique<ProbeLink>(
      address_, std::move(tls),
      Login{url_.username, url_.password, url_.database, "weir-store-check"});
  const Steady::time_point start = Steady::now();
  if (const auto trouble = link_->connect(step_)) {
    if (trouble->failure == Failure::tls) {
      add("connect", Grade::ok, text_of(address_));
      add("tls", Grade::error, trouble->text, tls_advice(trouble->text));
    } else {
      add("connect", Grade::error, text_of(address_) + ": " + trouble->text,
          std::string(reaction(trouble->failure).advice));
    }
    return false;
  }
  add("connect", Grade::ok, text_of(address_) + " in " + milliseconds_text(since(start)));
  return true;
}

// Where the greeting fails: in TLS 1.3 a server refuses a client's certificate only then.
void Probe::no_login(const Trouble& trouble) {
  const bool hung_up = trouble.failure == Failure::lost;
  if (url_.tls && (hung_up || trouble.failure == Failure::tls)) {
    return add("tls", Grade::error, trouble.text,
               "does the server want a client's certificate? set store.tls.cert and key");
  }
  add_tls();
  if (!hung_up) return failed("login", trouble);
  add("login", Grade::error, trouble.text,
      "does the server want TLS? then the URL begins with rediss://");
}

void Probe::add_tls() {
  if (url_.tls) return add("tls", Grade::ok, "on, the certificate is valid for " + address_.host);
  add("tls", Grade::info, "off", "a rediss:// URL encrypts, also the password");
}

bool Probe::login() {
  const auto trouble = link_->greet(step_);
  const bool logs_in = !url_.username.empty() || !url_.password.empty();
  const std::string in_database = ", database " + std::to_string(url_.database);
  if (trouble && trouble->failure != Failure::readonly) {
    no_login(*trouble);
    return false;
  }
  add_tls();
  serves_ = !trouble;
  if (logs_in && who() == "default" && is_open()) {
    add("login", Grade::info, "user default, of whom the server takes any password" + in_database,
        "whoever reaches the server can change the counters: give weir an ACL user");
  } else if (logs_in) {
    add("login", Grade::ok, "user " + who() + in_database);
  } else {
    add("login", Grade::info, "no password" + in_database,
        "whoever reaches the server can change the counters: give weir an ACL user");
  }
  return true;
}

void Probe::gather_hello() {
  const Answer hello = ask({"HELLO"});
  if (!hello.ok()) return;
  for (std::size_t i = 0; i + 1 < hello.items.size(); i += 2) {
    facts_.hello[hello.items[i]] = hello.items[i + 1];
  }
}

void Probe::gather_config() {
  // One by one: Redis before 7 takes no more.
  for (const char* key : {"appendfsync", "maxclients", "maxmemory", "maxmemory-policy",
                          "min-replicas-to-write", "save", "timeout"}) {
    const Answer answer = ask({"CONFIG", "GET", key});
    if (!answer.ok()) {
      facts_.config_refused = answer.trouble->text;
      return;
    }
    if (answer.items.size() == 2) facts_.config[key] = answer.items[1];
  }
}

void Probe::gather() {
  gather_hello();
  const Answer info = ask({"INFO"});
  if (info.ok()) {
    facts_.info = parse_info(info.text);
  } else {
    facts_.info_refused = info.trouble->text;
  }
  gather_config();
}

void Probe::judge() {
  if (link_->lost()) return;
  found_.push_back(judge_server(facts_));
  ProbeFinding role = judge_role(facts_);
  if (!serves_ && role.grade == Grade::unknown) {
    role = {"role", Grade::error, "replica", std::string(reaction(Failure::readonly).advice)};
  }
  found_.push_back(std::move(role));
  found_.push_back(judge_replicas(facts_));
  found_.push_back(judge_cluster(facts_, cluster_ != nullptr));
  found_.push_back(judge_eviction(facts_));
  found_.push_back(judge_persistence(facts_));
  found_.push_back(judge_clients(facts_, options_.connections, instances_));
  found_.push_back(judge_idle(facts_));
}

void Probe::latency() {
  std::vector<Duration> trips;
  for (int i = 0; i < 20; ++i) {
    const Steady::time_point start = Steady::now();
    const Answer pong = ask({"PING"});
    if (link_->lost()) return;
    trips.push_back(since(start));
    if (!pong.ok() && pong.trouble->failure != Failure::noperm) {
      return failed("latency", *pong.trouble);
    }
  }
  std::sort(trips.begin(), trips.end());
  found_.push_back(judge_latency(trips.front(), trips[trips.size() / 2], options_.timeout));
}

// The answer was made between sending and receiving: the shortest trip says most.
void Probe::clock() {
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  std::int64_t offset = 0;
  for (int i = 0; i < 5; ++i) {
    const auto wall = std::chrono::system_clock::now();
    const Steady::time_point start = Steady::now();
    const Answer time = ask({"TIME"});
    const auto trip = static_cast<std::int64_t>(since(start).ns / 1'000);
    if (link_->lost()) return;
    if (!time.ok() || time.items.size() != 2) {
      const std::string why = time.ok() ? "no time came" : time.trouble->text;
      return add("clock", Grade::unknown, "not to be asked: " + why);
    }
    if (trip >= best) continue;
    best = trip;
    const std::int64_t theirs = std::strtoll(time.items[0].c_str(), nullptr, 10) * 1'000'000 +
                                std::strtoll(time.items[1].c_str(), nullptr, 10);
    const std::int64_t ours =
        std::chrono::duration_cast<std::chrono::microseconds>(wall.time_since_epoch()).count();
    offset = theirs - (ours + trip / 2);
  }
  found_.push_back(judge_clock(offset, best / 2 + 1));
}

void Probe::try_out() {
  const ScriptProbe script{*link_, step_, options_.prefix, who(), digest_};
  if (const auto finding = script.commands()) found_.push_back(*finding);
  if (!serves_) return;
  if (const auto finding = script.script()) found_.push_back(*finding);
}

void Probe::lost() {
  if (!link_->lost()) return;
  const Answer end = ask({"PING"});
  failed("connection", *end.trouble);
}

}  // namespace

std::vector<ProbeFinding> probe_server(const ProbedServer& probed) { return Probe(probed).run(); }

}  // namespace weir::redis
