// Timelines out of YAML: every key known, every mistake named with its place.
#include <algorithm>
#include <filesystem>

#include "cli/files.h"
#include "cli/timeline.h"
#include "cli/timeline_reader.h"
#include "identity/accounts.h"
#include "policy/loader.h"
#include "policy/quantity.h"

namespace weir::cli {
namespace {

using policy::Node;
using policy::Report;

constexpr std::uint64_t kMostRequests = 100'000'000;  // in one step

class Loader : private TimelineReader {
 public:
  Loader(std::string_view text, const std::string& file)
      : TimelineReader(report_), text_(text), report_(file) {
    timeline_.file = file;
  }

  LoadedTimeline load() {
    const policy::YamlTree tree =
        policy::parse_yaml(text_, report_, {"a timeline", "a timeline needs `policy` and `steps`"});
    if (tree.root != nullptr) root(*tree.root);
    LoadedTimeline loaded;
    loaded.findings = report_.take();
    if (loaded.findings.empty()) loaded.timeline = std::move(timeline_);
    return loaded;
  }

 private:
  void root(const Node& node);
  void policy_source(const Node& root);
  std::string inline_text(const Node& root, const Node& value) const;
  std::size_t offset_of(policy::Position at) const;
  void accounts(const Node& node);
  void account(const Node& node);
  void steps(const Node& node);
  Step step(const Node& node);
  void range(const Node& node, Step& step);
  void at(const Node& node, Step& step);
  void wall_step(const Node& node, Step& step);
  std::string read_policy(const Node& node, std::string& path);

  std::string_view text_;
  Report report_;
  Timeline timeline_;
  RequestSpec defaults_;
  const Node* root_ = nullptr;
};

void Loader::root(const Node& node) {
  root_ = &node;
  bool policy = false;
  bool steps_given = false;
  // Defaults come first, wherever they stand.
  if (const Node* common = node.is_mapping() ? node.find("request") : nullptr) {
    defaults_ = read_request(*this, *common, {});
  }
  each_key(node, "a timeline",
           {{"policy",
             [&](const Node&) {
               policy = true;
               policy_source(node);
             }},
            {"start",
             [&](const Node& n) {
               const auto t = policy::parse_until(scalar(n, "`start`"));
               if (!t) {
                 report_.error(n.at, "`start`: " + t.error().message);
               } else {
                 timeline_.start = *t;
               }
             }},
            {"accounts", [&](const Node& n) { accounts(n); }},
            {"engines",
             [&](const Node& n) {
               timeline_.engines = count(n, "`engines`");
               if (timeline_.engines == 0 || timeline_.engines > 64) {
                 report_.error(n.at, "`engines` must be 1 to 64");
               }
             }},
            {"request", [](const Node&) {}},
            {"steps", [&](const Node& n) {
               steps_given = true;
               steps(n);
             }}});
  if (!node.is_mapping()) return;
  if (!policy) report_.error(node.at, "a timeline needs `policy`, a file or a policy in place");
  if (!steps_given) report_.error(node.at, "a timeline needs `steps`");
}

std::string Loader::read_policy(const Node& node, std::string& path) {
  const std::filesystem::path typed(node.text);
  path = typed.is_absolute()
             ? typed.string()
             : (std::filesystem::path(timeline_.file).parent_path() / typed).string();
  auto text = read_file(path);
  if (text) return *text;
  report_.error(node.at, text.error().text(), "paths are relative to the timeline");
  return {};
}

void Loader::policy_source(const Node& root) {
  const Node& value = *root.find("policy");
  if (value.is_mapping()) {
    timeline_.policy_text = inline_text(root, value);
    timeline_.policy_file = timeline_.file;
  } else if (value.is_scalar() && !value.text.empty()) {
    timeline_.policy_text = read_policy(value, timeline_.policy_file);
  } else {
    report_.error(value.at, "`policy` must be a file name or a policy in place");
  }
}

// Columns count characters; the text is UTF-8.
std::size_t Loader::offset_of(policy::Position at) const {
  std::size_t offset = 0;
  for (std::uint32_t line = 1; line < at.line; ++line) offset = text_.find('\n', offset) + 1;
  for (std::uint32_t column = 1; column < at.column; ++column) {
    ++offset;
    while (offset < text_.size() && (static_cast<unsigned char>(text_[offset]) & 0xc0) == 0x80) {
      ++offset;
    }
  }
  return offset;
}

// The policy's own source, moved to where it stands in the timeline so that its findings point
// there.
std::string Loader::inline_text(const Node& root, const Node& value) const {
  std::size_t end = text_.size();
  for (const policy::Entry& entry : root.entries) {
    if (entry.at.line > value.at.line) end = std::min(end, offset_of({entry.at.line, 1}));
  }
  const std::size_t begin = offset_of(value.at);
  return std::string(value.at.line - 1, '\n') + std::string(value.at.column - 1, ' ') +
         std::string(text_.substr(begin, end - begin));
}

void Loader::accounts(const Node& node) {
  if (!node.is_sequence()) {
    report_.error(node.at, "`accounts` must be a list of {key, tier, account}");
    return;
  }
  for (const Node& item : node.items) account(item);
  if (timeline_.accounts_text.empty()) timeline_.accounts_text = "\n";
}

std::string replaced(std::string text, const std::string& variable, std::uint64_t n) {
  if (variable.empty()) return text;
  const std::string placeholder = "{" + variable + "}";
  const std::string digits = std::to_string(n);
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    text.replace(at, placeholder.size(), digits);
    at += digits.size();
  }
  return text;
}

void Loader::account(const Node& node) {
  std::string key;
  std::string tier;
  std::string name;
  std::string overrides;
  Step loop;
  each_key(node, "an account",
           {{"key", [&](const Node& n) { key = scalar(n, "`key`"); }},
            {"tier", [&](const Node& n) { tier = scalar(n, "`tier`"); }},
            {"account", [&](const Node& n) { name = scalar(n, "`account`"); }},
            {"overrides", [&](const Node& n) { overrides = scalar(n, "`overrides`"); }},
            {"for", [&](const Node& n) { range(n, loop); }}});
  if (key.empty() || tier.empty() || name.empty()) {
    report_.error(node.at, "an account needs `key`, `tier` and `account`");
    return;
  }
  for (std::uint64_t n = loop.first; n <= loop.last; ++n) {
    const std::string own_key = replaced(key, loop.variable, n);
    timeline_.accounts_text += identity::to_hex(identity::hash_api_key(own_key)) + "," + tier +
                               "," + replaced(name, loop.variable, n) +
                               (overrides.empty() ? "" : "," + overrides) + "\n";
  }
}

void Loader::steps(const Node& node) {
  if (!node.is_sequence() || node.items.empty()) {
    report_.error(node.at, "`steps` must be a list of at least one step");
    return;
  }
  for (const Node& item : node.items) timeline_.steps.push_back(step(item));
}

void Loader::range(const Node& node, Step& step) {
  if (!node.is_mapping() || node.entries.size() != 1 || !node.entries[0].value.is_scalar()) {
    report_.error(node.at, "`for` must name one range, as in {n: 1..101}");
    return;
  }
  const std::string& text = node.entries[0].value.text;
  const std::size_t dots = text.find("..");
  const auto first = policy::parse_count(text.substr(0, dots));
  const auto last = policy::parse_count(dots == std::string::npos ? "" : text.substr(dots + 2));
  if (!first || !last || *first > *last || *last - *first >= kMostRequests) {
    report_.error(node.entries[0].value.at, "`" + text + "` is not a range such as 1..101");
    return;
  }
  step.variable = node.entries[0].key;
  step.first = *first;
  step.last = *last;
}

void Loader::at(const Node& node, Step& step) {
  std::string text = scalar(node, "`at`");
  step.relative = !text.empty() && text[0] == '+';
  if (step.relative) text.erase(0, 1);
  const auto d = policy::parse_duration(text);
  if (d) {
    step.at = *d;
  } else {
    report_.error(node.at, "`at`: " + d.error().message,
                  "write 70s for an instant after the start, +1s for one after the step before");
  }
}

void Loader::wall_step(const Node& node, Step& step) {
  std::string text = scalar(node, "`wall_step`");
  const bool back = !text.empty() && text[0] == '-';
  if (back) text.erase(0, 1);
  const auto d = policy::parse_duration(text);
  if (!d) {
    report_.error(node.at, "`wall_step`: " + d.error().message);
    return;
  }
  const std::int64_t ns = d->to_chrono().count();
  step.wall_step_ns = back ? -ns : ns;
}

Step Loader::step(const Node& node) {
  Step step;
  step.at_line = node.at;
  step.relative = true;
  each_key(node, "a step",
           {{"at", [&](const Node& n) { at(n, step); }},
            {"repeat", [&](const Node& n) { step.repeat = count(n, "`repeat`"); }},
            {"for", [&](const Node& n) { range(n, step); }},
            {"every", [&](const Node& n) { step.every = duration(n, "`every`"); }},
            {"skew",
             [&](const Node& n) {
               if (n.is_scalar()) step.skew.push_back(duration(n, "`skew`"));
               for (const Node& item : n.items) step.skew.push_back(duration(item, "`skew`"));
             }},
            {"request", [&](const Node& n) { step.request = read_request(*this, n, defaults_); }},
            {"expect", [&](const Node& n) { step.expected = read_expected(report_, n); }},
            {"reload",
             [&](const Node& n) {
               std::string path;
               step.reload = read_policy(n, path);
             }},
            {"wall_step", [&](const Node& n) { wall_step(n, step); }}});
  if (!node.is_mapping()) return step;
  if (step.reload || step.wall_step_ns != 0) {
    if (step.request || node.find("expect") != nullptr) {
      report_.error(node.at, "a step either asks or changes something: make two steps of it");
    }
    return step;
  }
  if (!step.request) step.request = defaults_;
  const Node* expected = node.find("expect");
  if (expected == nullptr || (expected->is_mapping() && expected->entries.empty())) {
    report_.error(node.at, "a step needs `expect`, with at least one value");
  }
  const std::uint64_t rounds = step.last - step.first + 1;
  if (step.repeat == 0 || step.repeat > kMostRequests / rounds) {
    report_.error(node.at, "a step makes 1 to 100M requests");
  }
  return step;
}

}  // namespace

LoadedTimeline load_timeline_text(std::string_view text, const std::string& file) {
  return Loader(text, file).load();
}

LoadedTimeline load_timeline(const std::string& file) {
  const auto text = read_file(file);
  if (text) return load_timeline_text(*text, file);
  LoadedTimeline loaded;
  loaded.unreadable = true;
  loaded.findings.push_back({policy::Severity::error, "", file, {}, text.error().message, ""});
  return loaded;
}

}  // namespace weir::cli
