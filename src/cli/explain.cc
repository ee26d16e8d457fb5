// `weir explain`: what a policy does, or what it does with one request, and why.
#include <array>
#include <iostream>

#include "cli/decision_text.h"
#include "cli/explain_policy.h"
#include "cli/explain_request.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/request.h"
#include "cli/server.h"
#include "cli/session.h"
#include "decide/engine.h"
#include "policy/loader.h"
#include "weir/clock.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

struct Asked {
  std::string policy;
  std::string server;
  std::string format = "text";
  bool expanded = false;
};

int live(const Options& options, const Asked& asked, RequestSpec spec) {
  spec.peek = true;
  const auto verdict = ask_server(asked.server, spec);
  if (!verdict) return options.usage_error(verdict.error().text());
  if (asked.format == "json") {
    std::cout << json::serialize(*verdict) << "\n";
  } else {
    std::cout << "as " << asked.server << " would answer now; nothing was charged\n\n"
              << verdict_text(*verdict);
  }
  return kDone;
}

int one_request(const Options& options, const Asked& asked, const RequestSpec& spec,
                std::unique_ptr<decide::Engine> engine) {
  const auto bound = BoundRequest::bind(spec);
  if (!bound) return options.usage_error(bound.error().text());
  Session session(std::move(engine));
  const Answered& answered = session.ask(bound->facts(), SystemClock().now());
  session.answer();
  const json::object explained = explain_request(answered, bound->facts());
  std::cout << (asked.format == "json" ? json::serialize(explained) + "\n"
                                       : request_text(explained));
  return kDone;
}

}  // namespace

int run_explain(const Arguments& args) {
  Options options(
      "explain",
      "Say what a policy does: every limit with its envelope, every class, whether the guarantees "
      "hold. With a request: what happens to it, and why. With --server: by the live counters of a "
      "running weir, charging nothing.",
      {"weir explain examples/plans.yaml",
       "weir explain examples/plans.yaml --method POST --path /api/generate --header 'X-Api-Key: "
       "demo-free'"});
  Asked asked;
  options.add("POLICY", asked.policy, "policy file");
  options.add("--server", asked.server, "ask a running weir, e.g. http://127.0.0.1:8080")
      .type("URL");
  options.add_flag("--expanded", asked.expanded, "print the policy in its long form");
  RequestOptions request(options, Charging::never);
  options.add("--format", asked.format, "text or json")
      .one_of({"text", "json"})
      .shows_default()
      .type("FORMAT");
  if (const auto exit = options.parse(args)) return *exit;
  if (asked.policy.empty() == asked.server.empty()) {
    return options.usage_error("give either a POLICY or --server URL");
  }
  const auto spec = request.spec();
  if (!spec) return options.usage_error(spec.error().text());
  if (!asked.server.empty()) {
    if (asked.expanded) return options.usage_error("--expanded needs a POLICY");
    if (!request.given()) return options.usage_error("--server needs a request, e.g. --path /v1/x");
    return live(options, asked, *spec);
  }

  auto opened = decide::Engine::open(asked.policy);
  print_findings(opened.findings);
  if (!opened.engine) return exit_for_unloadable(asked.policy);
  if (const auto unknown = unknown_unit(*spec, *opened.engine->snapshot()->policy)) {
    return options.usage_error(unknown->text());
  }
  if (asked.expanded) return write_output("", policy::expanded(*opened.engine->snapshot()->policy));
  if (request.given()) note_stand_in(*opened.engine->snapshot()->policy);
  if (request.given()) return one_request(options, asked, *spec, std::move(opened.engine));
  const json::object explained = explain_policy(*opened.engine->snapshot());
  std::cout << (asked.format == "json" ? json::serialize(explained) + "\n"
                                       : policy_text(explained));
  return kDone;
}

}  // namespace weir::cli
