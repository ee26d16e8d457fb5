// `weir init`: a policy to start from, for each of the four situations that weir is for.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "cli/files.h"
#include "cli/init_texts.h"
#include "cli/options.h"
#include "policy/files.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

struct Situation {
  std::string_view name;
  std::string_view text;
  std::string_view accounts = {};  // the file that it names
};
constexpr std::array kSituations{
    Situation{"abuse", kAbusePolicy},
    Situation{"plans", kPlansPolicy, "keys.csv"},
    Situation{"replicas", kReplicasPolicy},
    Situation{"downstream", kDownstreamPolicy},
};

// A policy does not load without its accounts: one without an account, unless a file is there.
int make_accounts(const std::string& policy, std::string_view name) {
  const std::string path = policy::resolve_path(policy::folder_of(policy), name);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno != EEXIST) {
    std::cerr << "weir init: cannot write " << path << ": " << std::strerror(errno) << "\n";
    return kCouldNotStart;
  }
  if (fd >= 0) {
    ::close(fd);
    std::cerr << "wrote " << path << ", which has no account yet; `weir accounts add " << policy
              << " --tier pro --account NAME` makes a key\n";
  }
  return kDone;
}

// Where the policy went, and what to do next.
int say_what_is_next(const Situation& situation, const std::string& output) {
  if (output.empty()) {
    if (!situation.accounts.empty()) {
      std::cerr << "it names " << situation.accounts << ", which must be there, if only empty\n";
    }
    return kDone;
  }
  std::cerr << "wrote " << output << "; `weir explain " << output << "` says what it does\n";
  return situation.accounts.empty() ? kDone : make_accounts(output, situation.accounts);
}

}  // namespace

int run_init(const Arguments& args) {
  Options options(
      "init",
      "Write a policy to start from:\n"
      "  abuse       one client must not take it all; guessing of passwords\n"
      "  plans       free and paid plans, API keys: makes an empty keys.csv beside it too\n"
      "  replicas    several instances of the API share one count\n"
      "  downstream  a fragile or paid service behind the API",
      {"weir init abuse -o policy.yaml"});
  std::string name;
  std::string output;
  bool force = false;
  options.add("SITUATION", name, "abuse, plans, replicas or downstream").required();
  options.add("-o,--output", output, "write to FILE instead of standard output").type("FILE");
  options.add_flag("--force", force, "overwrite FILE");
  if (const auto exit = options.parse(args)) return *exit;

  std::vector<std::string> names;
  for (const Situation& s : kSituations) {
    names.emplace_back(s.name);
    if (s.name != name) continue;
    struct stat existing {};
    if (!output.empty() && !force && ::stat(output.c_str(), &existing) == 0) {
      return options.usage_error("`" + output + "` exists already; --force overwrites it");
    }
    const int code = write_output(output, s.text);
    return code == kDone ? say_what_is_next(s, output) : code;
  }
  const std::string_view near = policy::nearest(name, names);
  return options.usage_error("unknown situation `" + name + "`" +
                             (near.empty() ? "; there are abuse, plans, replicas and downstream"
                                           : "; did you mean `" + std::string(near) + "`?"));
}

}  // namespace weir::cli
