#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "policy/loader.h"

namespace weir::cli {

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type(const char* word) {
  option_->type_name(word);
  return *this;
}

Option Option::group(const char* heading) {
  option_->group(heading);
  return *this;
}

Option Option::hidden() { return group(""); }

Option Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::one_of(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}

Option Option::between(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

Options::Options(std::string_view command, std::string_view summary,
                 const std::vector<std::string>& examples)
    : app_(std::make_unique<CLI::App>(std::string(summary), "weir " + std::string(command))),
      command_(command) {
  std::string footer = examples.size() == 1 ? "\nExample:" : "\nExamples:";
  bool of_source = false;
  for (const std::string& example : examples) {
    footer += "\n  " + example;
    of_source = of_source || example.find(" examples/") != std::string::npos;
  }
  if (of_source) footer += std::string("\n") + kWhereExamplesAre;
  app_->footer(footer);
  app_->allow_extras();
  app_->set_help_flag("-h,--help", "print this help");
}

Options::~Options() = default;

Option Options::add(const char* names, std::string& value, const char* help) {
  return Option(app_->add_option(names, value, help));
}

Option Options::add(const char* names, std::vector<std::string>& values, const char* help) {
  return Option(app_->add_option(names, values, help));
}

Option Options::add(const char* names, unsigned& value, const char* help) {
  return Option(app_->add_option(names, value, help));
}

Option Options::add(const char* names, std::uint64_t& value, const char* help) {
  return Option(app_->add_option(names, value, help));
}

Option Options::add_flag(const char* names, bool& value, const char* help) {
  return Option(app_->add_flag(names, value, help));
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
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_group().empty()) continue;
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
    app_->parse(Arguments(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app_->help();
    return kDone;
  } catch (const CLI::ParseError& e) {
    // A misspelt option is the cause of much that CLI11 finds missing afterwards.
    for (const std::string& rest : app_->remaining()) {
      if (!rest.empty() && rest[0] == '-') return unknown(rest);
    }
    return usage_error(e.what());
  }
  if (!app_->remaining().empty()) {
    const std::vector<std::string> rest = app_->remaining();
    const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
      return word.size() > 1 && word[0] == '-';
    });
    return unknown(option == rest.end() ? rest.front() : *option);
  }
  return std::nullopt;
}

}  // namespace weir::cli
