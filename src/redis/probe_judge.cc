#include "redis/probe_judge.h"

#include <charconv>
#include <cstdlib>

namespace weir::redis {
namespace {

using Map = ServerFacts::Map;

std::optional<std::string> at(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  if (found == map.end()) return {};
  return found->second;
}

std::optional<std::uint64_t> number(const std::optional<std::string>& text) {
  std::uint64_t n = 0;
  if (!text || text->empty()) return {};
  const char* end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, n);
  if (error != std::errc{} || stopped != end) return {};
  return n;
}

std::string count(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// To a thousandth: "0.412 ms".
std::string milliseconds_text(std::uint64_t us) {
  const std::string rest = std::to_string(us % 1'000);
  return std::to_string(us / 1'000) + "." + std::string(3 - rest.size(), '0') + rest + " ms";
}

std::string megabytes(std::uint64_t bytes) {
  const bool small = bytes < (1 << 20);
  const std::uint64_t unit = small ? 1 << 10 : 1 << 20;
  const std::uint64_t tenths = (bytes * 10 + unit / 2) / unit;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         (small ? " KiB" : " MiB");
}

ProbeFinding unknown(std::string what, const std::string& refused) {
  return {std::move(what), Grade::unknown,
          refused.empty() ? "the server does not say" : "not to be asked: " + refused, ""};
}

// "7.0.15" -> 7 * 1000 + 0; nothing where that is no version.
std::optional<std::uint64_t> major_minor(const std::string& version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return {};
  const auto major = number(version.substr(0, dot));
  const auto minor = number(version.substr(dot + 1, version.find('.', dot + 1) - dot - 1));
  if (!major || !minor) return {};
  return *major * 1'000 + *minor;
}

std::optional<std::string> role_of(const ServerFacts& facts) {
  auto role = facts.from_hello("role");
  return role ? role : facts.from_info("role");
}

std::optional<std::string> mode_of(const ServerFacts& facts) {
  auto mode = facts.from_hello("mode");
  return mode ? mode : facts.from_info("redis_mode");
}

}  // namespace

std::string_view name(Grade grade) {
  switch (grade) {
    case Grade::ok:
      return "ok";
    case Grade::info:
      return "info";
    case Grade::unknown:
      return "unknown";
    case Grade::warning:
      return "warning";
    case Grade::error:
      break;
  }
  return "error";
}

std::optional<std::string> ServerFacts::from_hello(std::string_view key) const {
  return at(hello, key);
}
std::optional<std::string> ServerFacts::from_info(std::string_view key) const {
  return at(info, key);
}
std::optional<std::string> ServerFacts::from_config(std::string_view key) const {
  return at(config, key);
}

Map parse_info(std::string_view text) {
  Map map;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    map.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return map;
}

ProbeFinding judge_server(const ServerFacts& facts) {
  if (const auto valkey = facts.from_info("valkey_version")) {
    return {"server", Grade::ok, "Valkey " + *valkey, ""};
  }
  auto server = facts.from_hello("server");
  if (!server && facts.from_info("redis_version")) server = "redis";
  auto version = facts.from_hello("version");
  if (!version) version = facts.from_info("redis_version");
  if (!server || !version) return unknown("server", facts.info_refused);
  if (*server == "valkey") return {"server", Grade::ok, "Valkey " + *version, ""};
  for (const char* other : {"dragonfly_version", "keydb_version"}) {
    if (facts.from_info(other)) server = other;
  }
  if (*server != "redis") {
    return {"server", Grade::warning, *server + " " + *version,
            "weir is tested with Redis 6.2 and later, and made for Valkey"};
  }
  const auto known = major_minor(*version);
  if (!known) return {"server", Grade::unknown, "Redis " + *version, ""};
  if (*known < 6'002) {
    return {"server", Grade::error, "Redis " + *version, "weir needs Redis 6.2, or Valkey"};
  }
  return {"server", Grade::ok, "Redis " + *version, ""};
}

ProbeFinding judge_role(const ServerFacts& facts) {
  if (mode_of(facts) == "sentinel") {
    return {"role", Grade::error, "a Sentinel, which keeps no keys",
            "write store.url: redis+sentinel://HOST,.../NAME, with the name of the primary that "
            "they watch"};
  }
  const auto role = role_of(facts);
  if (!role) return unknown("role", facts.info_refused);
  if (*role == "master" || *role == "primary") return {"role", Grade::ok, "primary", ""};
  std::string value = "replica";
  const auto host = facts.from_info("master_host");
  const auto port = facts.from_info("master_port");
  if (host && port) value += " of " + *host + ":" + *port;
  return {"role", Grade::error, value, "point store.url at the primary: a replica cannot count"};
}

ProbeFinding judge_replicas(const ServerFacts& facts) {
  const auto replicas = number(facts.from_info("connected_slaves"));
  if (!replicas) return unknown("replicas", facts.info_refused);
  const auto least = number(facts.from_config("min-replicas-to-write"));
  std::string value = *replicas == 0 ? "none" : std::to_string(*replicas);
  if (least && *least > 0) value += ", min-replicas-to-write " + std::to_string(*least);
  if (least && *least > *replicas) {
    return {"replicas", Grade::error, value,
            "the server refuses writes: connect replicas, or lower min-replicas-to-write"};
  }
  if (*replicas > 0 && least && *least == 0) {
    return {"replicas", Grade::info, value + ", min-replicas-to-write 0",
            "a failover forgets what was not replicated yet; min-replicas-to-write 1 stops a "
            "primary that has lost its replicas from counting on"};
  }
  return {"replicas", Grade::ok, value, ""};
}

ProbeFinding judge_cluster(const ServerFacts& facts, bool expected) {
  const auto mode = mode_of(facts);
  if (mode == "cluster" || facts.from_info("cluster_enabled") == "1") {
    if (expected) return {"cluster", Grade::ok, "a node of it", ""};
    return {"cluster", Grade::error, "a node of a cluster",
            "write store.url: redis+cluster://HOST,..., with some of its nodes"};
  }
  if (!mode) return unknown("cluster", facts.info_refused);
  return {"cluster", Grade::ok, "off", ""};
}

ProbeFinding judge_eviction(const ServerFacts& facts) {
  auto policy = facts.from_info("maxmemory_policy");
  if (!policy) policy = facts.from_config("maxmemory-policy");
  auto most = number(facts.from_info("maxmemory"));
  if (!most) most = number(facts.from_config("maxmemory"));
  if (!policy || !most) {
    return unknown("eviction",
                   facts.info_refused.empty() ? facts.config_refused : facts.info_refused);
  }
  std::string value = *policy;
  const auto used = number(facts.from_info("used_memory"));
  value += *most == 0 ? ", no maxmemory" : ", maxmemory " + megabytes(*most);
  if (*most > 0 && used) value += ", " + megabytes(*used) + " used";
  if (*policy != "noeviction") {
    const std::string advice =
        "set maxmemory-policy noeviction: a counter that is evicted is a "
        "full one, and its caller may use the limit once more";
    return {"eviction", *most == 0 ? Grade::info : Grade::warning, value, advice};
  }
  if (*most > 0 && used && *used >= *most - *most / 10) {
    return {"eviction", Grade::warning, value,
            "raise maxmemory: where it is used up every decision is left to on_store_failure"};
  }
  return {"eviction", Grade::ok, value, ""};
}

ProbeFinding judge_persistence(const ServerFacts& facts) {
  const auto aof = facts.from_info("aof_enabled");
  const auto save = facts.from_config("save");
  if (!aof) return unknown("persistence", facts.info_refused);
  if (facts.from_info("aof_last_write_status") == "err" ||
      (facts.from_info("rdb_last_bgsave_status") == "err" && save != "")) {
    return {"persistence", Grade::warning, "the last write to disk failed",
            "see the server's log: it may refuse writes (MISCONF) until it can persist"};
  }
  if (*aof == "1") {
    const auto sync = facts.from_config("appendfsync");
    if (sync == "always") return {"persistence", Grade::ok, "append-only file, always synced", ""};
    if (!sync) return {"persistence", Grade::ok, "append-only file", ""};
    return {"persistence", Grade::info, "append-only file, appendfsync " + *sync,
            *sync == "everysec" ? "a crash forgets up to the last second of counts"
                                : "a crash forgets what the system had not written yet"};
  }
  if (!save) return unknown("persistence", facts.config_refused);
  if (save->empty()) {
    return {"persistence", Grade::info, "none",
            "a restart forgets all counts: each limit may then be used once more"};
  }
  return {"persistence", Grade::info, "snapshots (save " + *save + ")",
          "a restart forgets what was counted since the last snapshot"};
}

ProbeFinding judge_clients(const ServerFacts& facts, unsigned connections, unsigned instances) {
  auto most = number(facts.from_info("maxclients"));
  if (!most) most = number(facts.from_config("maxclients"));
  const auto connected = number(facts.from_info("connected_clients"));
  if (!most || !connected) return unknown("clients", facts.info_refused);
  const std::uint64_t all = std::uint64_t{connections} * instances;
  const std::string value = std::to_string(*connected) + " of maxclients " + std::to_string(*most) +
                            "; weir uses up to " + count(all, "connection") + " (" +
                            count(instances, "instance") + ")";
  if (all > *most || *connected + connections > *most) {
    return {"clients", Grade::warning, value,
            "raise maxclients: a connection beyond it is refused"};
  }
  return {"clients", Grade::ok, value, ""};
}

ProbeFinding judge_idle(const ServerFacts& facts) {
  const auto idle = number(facts.from_config("timeout"));
  if (!idle) return unknown("idle", facts.config_refused);
  if (*idle == 0) return {"idle", Grade::ok, "connections stay open", ""};
  return {"idle", Grade::info, "idle connections are closed after " + std::to_string(*idle) + " s",
          "set timeout 0: the first decisions after a silence may find no connection"};
}

ProbeFinding judge_latency(Duration least, Duration median, Duration timeout) {
  const std::string value = "PING " + milliseconds_text(least.ns / 1'000) + " at least, " +
                            milliseconds_text(median.ns / 1'000) + " median; store.timeout " +
                            milliseconds_text(timeout.ns / 1'000);
  if (least >= timeout) {
    return {"latency", Grade::error, value,
            "no decision can come in time: raise store.timeout, or move the server nearer"};
  }
  if (median.ns > timeout.ns / 2) {
    return {"latency", Grade::warning, value,
            "many decisions will not come in time: raise store.timeout, or move the server nearer"};
  }
  return {"latency", Grade::ok, value, ""};
}

ProbeFinding judge_clock(std::int64_t offset_us, std::int64_t doubt_us) {
  const std::int64_t size = std::abs(offset_us);
  const std::string value =
      milliseconds_text(static_cast<std::uint64_t>(size)) + (offset_us < 0 ? " behind" : " ahead") +
      " of this machine, to within " + milliseconds_text(static_cast<std::uint64_t>(doubt_us));
  if (size - doubt_us > 50'000) {
    return {"clock", Grade::warning, value,
            "synchronise the clocks: verdicts stay exact, but dates that clients are told "
            "(Retry-After, resets) come from the server's clock"};
  }
  return {"clock", Grade::ok, value, ""};
}

}  // namespace weir::redis
