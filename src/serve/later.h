// What a Service remembers of a request while a store that answers later is asked.
//
// Made on the loop's thread by `handle`, done on the store's, answered on the loop's. Each owns
// what it needs of the request, whose bytes are gone by then. An answer calls the Service, which
// outlives its loop; see net/later.h for who deletes them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "decide/pending.h"
#include "identity/facts.h"
#include "net/later.h"
#include "serve/service.h"
#include "serve/usage.h"

namespace weir::serve {

class LaterDecision final : public net::Later, public decide::Pending {
 public:
  // `facts` as the decision log needs them: no header, the client's address told outright.
  LaterDecision(Service& service, std::shared_ptr<net::Completions> completions, Endpoint endpoint,
                const identity::Facts& facts, std::chrono::steady_clock::time_point begin);

  Duration answer(wire::HttpResponse& response) override;

 private:
  void done() override { complete(); }

  Service& service_;
  Endpoint endpoint_;
  std::string method_;
  identity::Facts facts_;
  std::chrono::steady_clock::time_point begin_;
};

class LaterUsage final : public net::Later, public UsageQuery {
 public:
  LaterUsage(Service& service, std::shared_ptr<net::Completions> completions,
             std::shared_ptr<const decide::Snapshot> snapshot, const identity::Facts& facts,
             Now now);

  Duration answer(wire::HttpResponse& response) override;

 private:
  void done() override { complete(); }

  Service& service_;
};

}  // namespace weir::serve
