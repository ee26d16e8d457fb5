// The options of one command: their names, their help, and the variables that take their values.
//
//   Options options("schema", "Print the JSON Schema of the policy file",
//                   {"weir schema -o weir-policy.v1.schema.json"});
//   std::string file;
//   options.add("-o,--output", file, "write to FILE").type("FILE");
//   if (const auto exit = options.parse(args)) return *exit;
//
// Variables outlive their Options and keep what they hold where an option is not given. CLI11 stays
// inside: it is the dearest header to compile. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weir::cli {

// One option, to say more of it; valid as long as its Options.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  // The word for the value in the help, "FILE".
  Option type(const char* word);
  Option group(const char* heading);
  // Known, and not in the help.
  Option hidden();
  Option shows_default();
  Option one_of(std::vector<std::string> words);
  Option between(std::uint64_t least, std::uint64_t most);
  // Each mention of an option that may be repeated takes one value, not all that follow.
  Option one_value_each();

  bool given() const;

 private:
  CLI::Option* option_;
};

class Options {
 public:
  // `examples` are whole command lines that work as printed.
  Options(std::string_view command, std::string_view summary,
          const std::vector<std::string>& examples);
  ~Options();

  // `names` is "-o,--output"; without dashes it is an argument by its place.
  Option add(const char* names, std::string& value, const char* help);
  Option add(const char* names, std::vector<std::string>& values, const char* help);
  Option add(const char* names, unsigned& value, const char* help);
  Option add(const char* names, std::uint64_t& value, const char* help);
  Option add_flag(const char* names, bool& value, const char* help);

  // An exit code where there is nothing more to do: help was printed, or the usage is wrong. An
  // unknown option is named with the nearest one that exists.
  std::optional<int> parse(const Arguments& args);
  // "weir check: MESSAGE" on stderr; the exit code for it.
  int usage_error(std::string_view message) const;

 private:
  int unknown(const std::string& argument);

  std::unique_ptr<CLI::App> app_;
  std::string command_;
};

}  // namespace weir::cli
