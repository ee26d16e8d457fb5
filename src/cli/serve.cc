// `weir serve`: reads the command line; serve/ does the rest.
#include "serve/run.h"

#include <chrono>

#include "cli/options.h"
#include "policy/loader.h"

namespace weir::cli {

int run_serve(const Arguments& args) {
  Options options(
      "serve",
      "Answer decisions over HTTP until SIGTERM, which drains. The policy and its accounts are "
      "read again when one of the files changes, and on SIGHUP. Prints `listening http ADDR:PORT` "
      "and `listening admin "
      "ADDR:PORT`; port 0 takes a free one.",
      {"weir serve examples/plans.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0"});
  serve::ServeOptions serve;
  std::string grpc;
  std::string resp;
  std::string drain = "10s";
  options.add("POLICY", serve.policy_file, "policy file").required();
  options.add("--listen", serve.listen, "decisions: HTTP/1.1, for gateways and programs")
      .shows_default()
      .type("ADDR:PORT");
  options.add("--admin", serve.admin, "metrics and health").shows_default().type("ADDR:PORT");
  options.add("--threads", serve.threads, "event loops; 0: one a core")
      .between(0, 256)
      .shows_default()
      .type("N");
  options
      .add("--decision-log", serve.decision_log,
           "write every decision to FILE, a line of JSON each; forces one event loop")
      .type("FILE");
  options.add("--log-level", serve.log_level, "debug, info, warn or error")
      .one_of({"debug", "info", "warn", "error"})
      .shows_default()
      .type("LEVEL");
  bool no_watch = false;
  options.add_flag("--no-watch", no_watch, "read the files again on SIGHUP only");
  options.add("--drain", drain, "how long a stop waits for requests in flight")
      .shows_default()
      .type("DURATION");
  // Known, so that they are refused by name; not in the help until they are built.
  options.add("--grpc", grpc, "Envoy RLS").hidden();
  options.add("--resp", resp, "Redis protocol").hidden();
  if (const auto exit = options.parse(args)) return *exit;
  serve.watch = !no_watch;
  if (!grpc.empty()) return options.usage_error("--grpc is not in this version");
  if (!resp.empty()) return options.usage_error("--resp is not in this version");
  const auto wait = policy::parse_duration(drain);
  if (!wait) return options.usage_error("--drain: " + wait.error().message);
  serve.drain = std::chrono::duration_cast<std::chrono::milliseconds>(wait->to_chrono());
  return serve::run(serve);
}

}  // namespace weir::cli
