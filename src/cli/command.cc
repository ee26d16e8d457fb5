#include "cli/command.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "policy/loader.h"

namespace weir::cli {

Options::Options(std::string_view command, std::string_view summary,
                 std::vector<std::string> examples)
    : app(std::string(summary), "weir " + std::string(command)), command_(command) {
  std::string footer = examples.size() == 1 ? "\nExample:" : "\nExamples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  app.footer(footer);
  app.allow_extras();
  app.set_help_flag("-h,--help", "print this help");
}

int Options::usage_error(std::string_view message) const {
  std::cerr << "weir " << command_ << ": " << message << "\nsee `weir " << command_ << " --help`\n";
  return kCouldNotStart;
}

int Options::unknown(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') {
    return usage_error("`" + argument + "` is one argument too many");
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const std::string typed = argument.substr(0, argument.find('='));
  const std::string_view near = policy::nearest(typed, names);
  return usage_error("unknown option `" + typed + "`" +
                     (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?"));
}

std::optional<int> Options::parse(const Arguments& args) {
  try {
    app.parse(Arguments(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kDone;
  } catch (const CLI::ParseError& e) {
    // A misspelt option is the cause of much that CLI11 finds missing afterwards.
    for (const std::string& rest : app.remaining()) {
      if (!rest.empty() && rest[0] == '-') return unknown(rest);
    }
    return usage_error(e.what());
  }
  if (!app.remaining().empty()) {
    const std::vector<std::string> rest = app.remaining();
    const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
      return word.size() > 1 && word[0] == '-';
    });
    return unknown(option == rest.end() ? rest.front() : *option);
  }
  return std::nullopt;
}

}  // namespace weir::cli
