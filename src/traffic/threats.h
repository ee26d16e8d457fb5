// What limits are for, as experiments: the same requests against the same server, without a policy
// and with it, and what becomes of those who do no harm.
//
//   for (const Threat& t : all_threats()) {
//     const Experiment e = try_threat(t, engine, seed);
//     e.without.good / e.without.offered;
//   }
//
// The server (Backend) serves 200 ordinary requests a second. Who does no harm tries again up to 10
// times: 100 ms after no answer or an error, and when the answer said after a denial. Who does harm
// comes at its own rate whatever is answered.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "decide/engine.h"
#include "traffic/backend.h"
#include "weir/result.h"

namespace weir::traffic {

// Requests of one kind: `clients` addresses that send `rate` a second together.
struct Stream {
  std::uint32_t clients = 0;
  double rate = 0;
  std::string_view method = "GET";
  std::string_view path = "/items/";  // ends with '/': a number follows
  Duration from{};
  Duration to = seconds(120);
};

struct Threat {
  std::string_view name;
  std::string_view what;
  Stream others;  // who do no harm
  Stream harm{};
  BackendNumbers backend{};
  std::string_view costly_path{};  // its requests make costly_work, all others 20 ms
  Duration costly_work{};
  Duration measured_from = seconds(30);  // of the others: requests first sent since
};

std::span<const Threat> all_threats();
Result<const Threat*> find_threat(std::string_view name);

struct Goodput {
  std::uint64_t offered = 0;  // first tries of the others
  std::uint64_t good = 0;     // of these: answered in time, at whatever try
  std::uint64_t harm_offered = 0;
  std::uint64_t harm_passed = 0;  // reached the server
};

struct Experiment {
  Goodput without;
  Goodput with;
};

Experiment try_threat(const Threat& threat, decide::Engine& engine, std::uint64_t seed);

}  // namespace weir::traffic
