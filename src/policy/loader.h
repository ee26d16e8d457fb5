// YAML text in, a compiled policy out, or every finding at once.
//
//   policy::Loaded loaded = policy::load_file("policy.yaml");
//   for (const policy::Finding& f : loaded.findings) std::cerr << f.text() << "\n";
//   if (!loaded.policy) return 1;
//
// Both forms of docs/policy.md are read; the short one is expanded first, and errors point at what
// was typed. What this version knows but does not enforce is refused by name. Never throws; memory
// and depth are bounded (1 MiB of text, depth 32). Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "policy/policy.h"
#include "policy/position.h"

namespace weir::policy {

struct Loaded {
  std::shared_ptr<Policy> policy;  // null when any finding is an error
  Findings findings;               // in file order
};

Loaded load_file(const std::string& path);
// `file` is what messages and relative paths start from.
Loaded load_text(std::string_view text, const std::string& file);

// The long form of what was loaded, as YAML that loads to the same policy (`explain --expanded`).
std::string expanded(const Policy& policy);

// JSON Schema (2020-12) of the policy file, generated from the table the loader itself uses.
std::string schema_json();
// Markdown: every key with its type, default and meaning, from the same table.
std::string reference_markdown();

// Parses "N [unit]/period", "N/15m", with k, M, G. `unit` empty where none was written.
struct Rate {
  std::uint64_t count = 0;
  Duration period;
  std::string unit;
};
Result<Rate> parse_rate(std::string_view text);
Result<Duration> parse_duration(std::string_view text);
Result<std::uint64_t> parse_count(std::string_view text);  // "20k", "1M"

// "600/min", "600/min burst 120", "deny", "unlimited" for a limit of the policy: what the accounts
// file and overrides give. Fills numbers and shared.
Result<LimitNumbers> parse_numbers(std::string_view text, const Policy& policy, const Limit& limit);

// The nearest of `words` to a misspelt one; empty when none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string>& words);
std::string_view nearest(std::string_view word, std::vector<std::string>&& words) = delete;

}  // namespace weir::policy
