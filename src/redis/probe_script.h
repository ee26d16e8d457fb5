// The part of `probe` that tries what a decision needs: the rights to its commands, and the script.
//
//   ScriptProbe script{link, seconds(2), "weir", "limiter", digest};
//   if (auto finding = script.commands()) found.push_back(*finding);
//
// Nothing: the connection was lost (link.lost()).
#pragma once

#include <optional>
#include <string>

#include "base/digest.h"
#include "redis/probe.h"
#include "redis/probe_link.h"
#include "weir/clock.h"

namespace weir::redis {

struct ScriptProbe {
  ProbeLink& link;
  Duration step;
  const std::string& prefix;
  std::string user;
  base::Digest digest;  // of a counter that nobody else has

  std::optional<ProbeFinding> commands() const;
  std::optional<ProbeFinding> script() const;

 private:
  std::string key() const;
  std::optional<ProbeFinding> decide(bool peek) const;
};

}  // namespace weir::redis
