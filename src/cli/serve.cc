// `weir serve`: reads the command line; serve/ does the rest.
#include "serve/run.h"

#include <chrono>

#include "cli/command.h"
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
  options.app.add_option("POLICY", serve.policy_file, "policy file")->required();
  options.app
      .add_option("--listen", serve.listen, "decisions: HTTP/1.1, for gateways and programs")
      ->capture_default_str()
      ->type_name("ADDR:PORT");
  options.app.add_option("--admin", serve.admin, "metrics and health")
      ->capture_default_str()
      ->type_name("ADDR:PORT");
  options.app.add_option("--threads", serve.threads, "event loops; 0: one a core")
      ->check(CLI::Range(0U, 256U))
      ->capture_default_str()
      ->type_name("N");
  options.app
      .add_option("--decision-log", serve.decision_log,
                  "write every decision to FILE, a line of JSON each; forces one event loop")
      ->type_name("FILE");
  options.app.add_option("--log-level", serve.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str()
      ->type_name("LEVEL");
  options.app.add_flag("!--no-watch", serve.watch, "read the files again on SIGHUP only");
  options.app.add_option("--drain", drain, "how long a stop waits for requests in flight")
      ->capture_default_str()
      ->type_name("DURATION");
  options.app.add_option("--grpc", grpc, "Envoy RLS; not in this version")->type_name("ADDR:PORT");
  options.app.add_option("--resp", resp, "Redis protocol; not in this version")
      ->type_name("ADDR:PORT");
  if (const auto exit = options.parse(args)) return *exit;
  if (!grpc.empty()) return options.usage_error("--grpc is not in this version");
  if (!resp.empty()) return options.usage_error("--resp is not in this version");
  const auto wait = policy::parse_duration(drain);
  if (!wait) return options.usage_error("--drain: " + wait.error().message);
  serve.drain = std::chrono::duration_cast<std::chrono::milliseconds>(wait->to_chrono());
  return serve::run(serve);
}

}  // namespace weir::cli
