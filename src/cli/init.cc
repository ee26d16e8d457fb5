// `weir init`: a policy to start from, for each of the four situations that weir is for.
#include <sys/stat.h>

#include <array>
#include <iostream>

#include "cli/files.h"
#include "cli/init_texts.h"
#include "cli/options.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

struct Situation {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kSituations{
    Situation{"abuse", kAbusePolicy},
    Situation{"plans", kPlansPolicy},
    Situation{"replicas", kReplicasPolicy},
    Situation{"downstream", kDownstreamPolicy},
};

}  // namespace

int run_init(const Arguments& args) {
  Options options("init",
                  "Write a policy to start from:\n"
                  "  abuse       one client must not take it all; guessing of passwords\n"
                  "  plans       free and paid plans, API keys\n"
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
    if (code == kDone && !output.empty()) {
      std::cerr << "wrote " << output << "; `weir explain " << output << "` says what it does\n";
    }
    return code;
  }
  const std::string_view near = policy::nearest(name, names);
  return options.usage_error("unknown situation `" + name + "`" +
                             (near.empty() ? "; there are abuse, plans, replicas and downstream"
                                           : "; did you mean `" + std::string(near) + "`?"));
}

}  // namespace weir::cli
