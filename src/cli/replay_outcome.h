// What `weir replay` found out, for its reports: text, JSON, HTML.
//
// Owns the events and the engines that its views belong to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decide/engine.h"
#include "traffic/clients.h"
#include "traffic/compare.h"
#include "traffic/profile.h"
#include "traffic/reader.h"
#include "traffic/replay.h"
#include "traffic/tally.h"

namespace weir::cli {

// One policy on the log.
struct PolicyRun {
  std::string file;
  std::unique_ptr<decide::Engine> engine;
  std::shared_ptr<const decide::Snapshot> snapshot;
  std::unique_ptr<traffic::Keys> keys;
  std::unique_ptr<traffic::Tally> tally;
  traffic::LoopCounts loop;  // of a closed loop
};

// The policy with all its limits under another algorithm.
struct AlgorithmRun {
  Algorithm algorithm = Algorithm::token_bucket;
  std::optional<PolicyRun> run;  // none: it cannot be
  std::string why_not;
};

struct ReplayOutcome {
  traffic::ReadLogs logs;
  PolicyRun policy;
  std::string clients = "gives-up";  // the model, as it was given
  bool closed_loop = false;
  std::vector<AlgorithmRun> algorithms;  // empty: not asked for
  std::optional<PolicyRun> other;        // of --vs
  std::unique_ptr<traffic::Comparison> comparison;
  traffic::Profile profile;            // of the log
  std::vector<traffic::Route> routes;  // with what the policy did
  std::size_t top = 10;                // so many keys, routes, addresses are named
};

// "12.3 %"; "0.0012 %" where that is less than a tenth; "0 %".
std::string share_text(std::uint64_t part, std::uint64_t whole);
// To a tenth of the second, or finer where it is shorter; "never".
std::string wait_text(Duration wait);
// The lines that could not be read, by reason, each with the first: "3 of 9 lines ...:\n...".
std::string rejections_text(const traffic::ReadReport& report);
// What the log says without a policy: sessions, repeats, suspects, shared addresses.
std::string profile_text(const ReplayOutcome& outcome);
std::string replay_text(const ReplayOutcome& outcome);
// {requests, admitted, denied, unparsed, limits, tiers, classes, keys, ...}: docs/replay.md.
std::string replay_json(const ReplayOutcome& outcome);
// A page by itself: no script, nothing fetched.
std::string replay_html(const ReplayOutcome& outcome);

}  // namespace weir::cli
