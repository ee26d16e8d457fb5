// What a server says of itself, and what that means for limits. No I/O.
//
//   ServerFacts facts;
//   facts.info = parse_info(text);   facts.config["timeout"] = "0";
//   ProbeFinding f = judge_eviction(facts);
//
// Values; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "redis/probe.h"
#include "weir/clock.h"

namespace weir::redis {

struct ServerFacts {
  using Map = std::map<std::string, std::string, std::less<>>;

  Map hello;   // HELLO: server, version, mode, role
  Map info;    // INFO
  Map config;  // CONFIG GET
  // Why INFO or CONFIG were not answered: the server's words.
  std::string info_refused;
  std::string config_refused;

  std::optional<std::string> from_hello(std::string_view key) const;
  std::optional<std::string> from_info(std::string_view key) const;
  std::optional<std::string> from_config(std::string_view key) const;
};

// The lines `key:value` of INFO.
ServerFacts::Map parse_info(std::string_view text);

ProbeFinding judge_server(const ServerFacts& facts);
ProbeFinding judge_role(const ServerFacts& facts);
ProbeFinding judge_replicas(const ServerFacts& facts);
// `expected`: the URL says that it is a node of one.
ProbeFinding judge_cluster(const ServerFacts& facts, bool expected);
ProbeFinding judge_eviction(const ServerFacts& facts);
ProbeFinding judge_persistence(const ServerFacts& facts);
ProbeFinding judge_clients(const ServerFacts& facts, unsigned connections, unsigned instances);
ProbeFinding judge_idle(const ServerFacts& facts);
// Of round trips, against the time that a whole decision has.
ProbeFinding judge_latency(Duration least, Duration median, Duration timeout);
// The server's clock minus this machine's, known to within `doubt`.
ProbeFinding judge_clock(std::int64_t offset_us, std::int64_t doubt_us);

}  // namespace weir::redis
