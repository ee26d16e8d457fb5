// What every subcommand is made of: a name, a run function, and one way to read its options.
//
//   int run_schema(const Arguments& args) {
//     Options options("schema", "Print the JSON Schema of the policy file",
//                     {"weir schema -o weir-policy.v1.schema.json"});
//     std::string file;
//     options.app.add_option("-o,--output", file, "write to FILE");
//     if (const auto code = options.parse(args)) return *code;
//     ...
//   }
//
// Exit codes: 0 done; 1 the answer is no; 2 could not start (usage, unreadable input).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kCouldNotStart = 2;

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&);
};

// All that this version has, in the order of `weir --help`.
std::span<const Command> commands();

// The options of one command.
class Options {
 public:
  // `examples` are whole command lines that work as printed.
  Options(std::string_view command, std::string_view summary, std::vector<std::string> examples);

  // An exit code where there is nothing more to do: help was printed, or the usage is wrong. An
  // unknown option is named with the nearest one that exists.
  std::optional<int> parse(const Arguments& args);
  // "weir check: MESSAGE" on stderr; the exit code for it.
  int usage_error(std::string_view message) const;

  CLI::App app;

 private:
  int unknown(const std::string& argument);

  std::string command_;
};

int run_init(const Arguments&);
int run_serve(const Arguments&);
int run_check(const Arguments&);
int run_explain(const Arguments&);
int run_lint(const Arguments&);
int run_test(const Arguments&);
int run_accounts(const Arguments&);
int run_schema(const Arguments&);

}  // namespace weir::cli
