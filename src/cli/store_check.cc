// `weir store check`: whether the Redis of a policy can keep its limits.
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "base/redis_url.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "policy/loader.h"
#include "redis/error.h"
#include "redis/probe.h"
#include "remote/open_store.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using redis::Grade;
using redis::ProbeFinding;
using Found = std::vector<ProbeFinding>;

// Without user and password.
std::string server_of(const std::string& text) {
  const auto url = base::parse_redis_url(text);
  return url ? base::shown(*url) : "";
}

std::size_t count(const Found& found, Grade grade) {
  return static_cast<std::size_t>(std::count_if(
      found.begin(), found.end(), [&](const ProbeFinding& f) { return f.grade == grade; }));
}

std::string padded(std::string_view word, std::size_t width) {
  return std::string(word) + std::string(width - std::min(width, word.size()), ' ');
}

const std::string& colour_of(Grade grade, const Colours& colours) {
  static const std::string none;
  if (grade == Grade::error) return colours.error;
  if (grade == Grade::warning) return colours.warning;
  return grade == Grade::ok ? none : colours.info;
}

void print_text(const std::string& server, const std::string& prefix, const Found& found) {
  const Colours colours = Colours::of(STDOUT_FILENO);
  std::cout << server << ", prefix " << prefix << "\n\n";
  for (const ProbeFinding& f : found) {
    const std::string& colour = colour_of(f.grade, colours);
    std::cout << colour << padded(name(f.grade), 9) << (colour.empty() ? "" : colours.reset)
              << padded(f.what, 13) << redis::shown(f.value) << "\n";
    if (!f.advice.empty()) std::cout << std::string(22, ' ') << redis::shown(f.advice) << "\n";
  }
  const auto some = [](std::size_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  std::cout << "\n"
            << some(count(found, Grade::error), "error") << ", "
            << some(count(found, Grade::warning), "warning");
  const std::size_t hidden = count(found, Grade::unknown);
  if (hidden > 0) {
    std::cout << ", " << hidden
              << " not checked: the user may not ask; for once, `ACL SETUSER USER "
              << "+info '+config|get'`";
  }
  std::cout << "\n";
}

void print_json(json::object out, const Found& found) {
  json::array list;
  for (const ProbeFinding& f : found) {
    list.push_back({{"what", f.what},
                    {"grade", name(f.grade)},
                    {"value", redis::shown(f.value)},
                    {"advice", redis::shown(f.advice)}});
  }
  out["findings"] = std::move(list);
  out["errors"] = count(found, Grade::error);
  out["warnings"] = count(found, Grade::warning);
  std::cout << json::serialize(out) << "\n";
}

struct Asked {
  std::string policy;
  std::string timeout = "2s";
  std::string format = "text";
  bool as_json = false;
};

int check_memory(const Asked& asked) {
  if (asked.format == "json") {
    print_json({{"store", "memory"}}, {});
  } else {
    std::cout << "store: memory. There is nothing to check: counts are kept in each process.\n";
  }
  return kDone;
}

int check_redis(const Asked& asked, const policy::Policy& policy, Duration step) {
  const redis::Options store = remote::redis_options(policy.store);
  const Found found = redis::probe(store, {.step = step, .instances = policy.instances});
  const std::string server = server_of(store.url);
  if (asked.format == "json") {
    print_json({{"store", "redis"}, {"server", server}, {"prefix", store.prefix}}, found);
  } else {
    print_text(server, store.prefix, found);
  }
  return count(found, Grade::error) > 0 ? kNo : kDone;
}

int run_store_check(const Arguments& args) {
  Options options("store check",
                  "Ask the Redis of a policy whether it can keep limits: one connection, as the "
                  "policy's user, which leaves no key. Exit 1 where it cannot.",
                  {"weir store check examples/plans.yaml"});
  Asked asked;
  options.add("POLICY", asked.policy, "policy file").required();
  options.add("--timeout", asked.timeout, "for each question, 1ms to 1m")
      .shows_default()
      .type("DURATION");
  options.add("--format", asked.format, "text or json")
      .one_of({"text", "json"})
      .shows_default()
      .type("FORMAT");
  options.add_flag("--json", asked.as_json, "the same as --format json");
  if (const auto exit = options.parse(args)) return *exit;
  if (asked.as_json) asked.format = "json";
  const auto step = policy::parse_duration(asked.timeout);
  if (!step || *step < milliseconds(1) || *step > minutes(1)) {
    return options.usage_error("--timeout `" + asked.timeout + "` is not a time of 1ms to 1m");
  }
  const policy::Loaded loaded = policy::load_file(asked.policy);
  if (!loaded.policy) {
    print_findings(loaded.findings);
    return exit_for_unloadable(asked.policy);
  }
  if (loaded.policy->store.type == policy::StoreType::memory) return check_memory(asked);
  return check_redis(asked, *loaded.policy, *step);
}

}  // namespace

int run_store(const Arguments& args) {
  Options options("store",
                  "Ask the store of a policy whether it can keep limits.\n"
                  "`weir store check --help` has the options.",
                  {"weir store check examples/plans.yaml"});
  if (args.empty()) return options.usage_error("which action? `weir store check POLICY`");
  if (args.front() == "check") return run_store_check(Arguments(args.begin() + 1, args.end()));
  if (args.front() == "--help" || args.front() == "-h") return *options.parse(args);
  const std::vector<std::string> actions{"check"};
  const std::string_view near = policy::nearest(args.front(), actions);
  return options.usage_error(
      "unknown action `" + args.front() + "`" +
      (near.empty() ? "; there is check" : "; did you mean `" + std::string(near) + "`?"));
}

}  // namespace weir::cli
