#include "serve/later.h"

#include <utility>

namespace weir::serve {

LaterDecision::LaterDecision(Service& service, std::shared_ptr<net::Completions> completions,
                             Endpoint endpoint, const identity::Facts& facts,
                             std::chrono::steady_clock::time_point begin)
    : Later(std::move(completions)),
      service_(service),
      endpoint_(endpoint),
      method_(facts.method),
      begin_(begin) {
  facts_.method = method_;
  facts_.client = facts.client;
  facts_.max_delay = facts.max_delay;
  facts_.may_hold = facts.may_hold;
}

Duration LaterDecision::answer(wire::HttpResponse& response) {
  return service_.answer({endpoint_, snapshot(), decision(), facts_, begin_}, response);
}

LaterUsage::LaterUsage(Service& service, std::shared_ptr<net::Completions> completions,
                       std::shared_ptr<const decide::Snapshot> snapshot,
                       const identity::Facts& facts, Now now)
    : Later(std::move(completions)),
      UsageQuery(std::move(snapshot), facts, now),
      service_(service) {}

Duration LaterUsage::answer(wire::HttpResponse& response) {
  service_.answer(*this, response);
  return {};
}

}  // namespace weir::serve
