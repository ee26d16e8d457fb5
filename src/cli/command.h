// What every subcommand is: a name and a run function, which reads its Options (options.h) first.
//
// Exit codes: 0 done; 1 the answer is no; 2 could not start (usage, unreadable input).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kCouldNotStart = 2;

// Below examples in a help.
inline constexpr const char* kWhereExamplesAre =
    "(examples/ is in the source, and in share/doc/weir of an installed weir)";

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&);
};

// All that this version has, in the order of `weir --help`.
std::span<const Command> commands();

int run_init(const Arguments&);
int run_serve(const Arguments&);
int run_check(const Arguments&);
int run_explain(const Arguments&);
int run_lint(const Arguments&);
int run_replay(const Arguments&);
int run_bench(const Arguments&);
int run_simulate(const Arguments&);
int run_test(const Arguments&);
int run_accounts(const Arguments&);
int run_store(const Arguments&);
int run_schema(const Arguments&);

}  // namespace weir::cli
