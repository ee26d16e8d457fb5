// `weir check`: one decision, by a policy or by a running server.
#include <algorithm>
#include <iostream>

#include "cli/decision_text.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/request.h"
#include "cli/server.h"
#include "cli/session.h"
#include "decide/engine.h"
#include "weir/clock.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

struct Asked {
  std::string policy;
  std::string server;
  std::string format = "text";
  std::uint64_t count = 1;
  bool exit_code = false;
};

// Gives one verdict after the other.
class Source {
 public:
  static Result<Source> open(const Asked& asked, const RequestSpec& spec, policy::Findings& why) {
    Source source;
    source.spec_ = spec;
    source.server_ = asked.server;
    if (!asked.server.empty()) return source;
    auto bound = BoundRequest::bind(spec);
    if (!bound) return bound.error();
    source.bound_ = std::make_unique<BoundRequest>(std::move(*bound));
    auto opened = decide::Engine::open(asked.policy);
    why = std::move(opened.findings);
    if (!opened.engine) return Error{ErrorCode::invalid_argument, "the policy does not load", ""};
    if (auto unknown = unknown_unit(spec, *opened.engine->snapshot()->policy)) return *unknown;
    note_stand_in(*opened.engine->snapshot()->policy);
    source.session_ = std::make_unique<Session>(std::move(opened.engine));
    return source;
  }

  Result<json::object> next() {
    if (session_ == nullptr) return ask_server(server_, spec_);
    session_->ask(bound_->facts(), clock_->now());
    json::error_code ec;
    json::value parsed = json::parse(session_->verdict_json(), ec);
    if (ec || !parsed.is_object())
      return Error{ErrorCode::internal, "no verdict: " + ec.message(), ""};
    return std::move(parsed.get_object());
  }

 private:
  RequestSpec spec_;
  std::string server_;
  std::unique_ptr<BoundRequest> bound_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<SystemClock> clock_ = std::make_unique<SystemClock>();
};

int ask(const Options& options, const Asked& asked, Source& source) {
  bool denied = false;
  for (std::uint64_t i = 0; i < asked.count; ++i) {
    const auto verdict = source.next();
    if (!verdict) return options.usage_error(verdict.error().text());
    denied = denied || text_of(*verdict, "admit") != "true";
    if (asked.format == "json") {
      std::cout << json::serialize(*verdict) << "\n";
    } else {
      std::cout << (i > 0 ? "\n" : "") << verdict_text(*verdict);
    }
  }
  return asked.exit_code && denied ? kNo : kDone;
}

}  // namespace

int run_check(const Arguments& args) {
  Options options(
      "check",
      "Decide one request. With POLICY every counter starts full; with --server the counters are "
      "those of a running weir.",
      {"weir check examples/plans.yaml --method POST --path /api/generate --header 'X-Api-Key: "
       "demo-pro'"});
  Asked asked;
  options.add("POLICY", asked.policy, "policy file");
  options.add("--server", asked.server, "ask a running weir, e.g. http://127.0.0.1:8080")
      .type("URL");
  RequestOptions request(options);
  options.add("--count", asked.count, "ask so many times")
      .between(1, 1'000'000)
      .shows_default()
      .type("N");
  options.add_flag("--exit-code", asked.exit_code, "exit 1 when a request is denied");
  options.add("--format", asked.format, "text or json (one verdict a line)")
      .one_of({"text", "json"})
      .shows_default()
      .type("FORMAT");
  if (const auto exit = options.parse(args)) return *exit;
  if (asked.policy.empty() == asked.server.empty()) {
    return options.usage_error("give either a POLICY or --server URL");
  }
  const auto spec = request.spec();
  if (!spec) return options.usage_error(spec.error().text());
  policy::Findings findings;
  auto source = Source::open(asked, *spec, findings);
  if (!source) {
    print_findings(findings);
    const bool refused = std::ranges::any_of(
        findings, [](const auto& f) { return f.severity == policy::Severity::error; });
    if (refused) return exit_for_unloadable(asked.policy);
    return options.usage_error(source.error().text());
  }
  return ask(options, asked, *source);
}

}  // namespace weir::cli
