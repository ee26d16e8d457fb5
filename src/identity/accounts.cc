// Rows of an accounts file, checked against a policy.
#include "identity/accounts.h"

#include <algorithm>
#include <filesystem>

#include "identity/account_rows.h"
#include "policy/files.h"
#include "policy/findings.h"
#include "policy/loader.h"
#include "policy/unicode.h"
#include "policy/utf8.h"

namespace weir::identity {

namespace {

constexpr std::uintmax_t kMaxFile = std::uintmax_t{1} << 30;
constexpr std::size_t kMaxName = 256;

using policy::Policy;
using policy::Report;

std::string in_ticks(std::string_view text) { return "`" + policy::printable(text) + "`"; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool is_header(std::string_view text) {
  return text == "sha256" || text == "sha256(key)" || text == "key" || text == "hash";
}

// Builds the entries from rows.
class Builder {
 public:
  Builder(const Policy& policy, Report& report) : policy_(policy), report_(report) {}

  void take(const AccountRow& row) {
    if (is_header(row.hash.text)) {
      report_.error(row.hash.at, "a header line", "the file has none: remove it");
      return;
    }
    Account account;
    account.at = row.at;
    const auto hash = read_hash(row.hash);
    const auto tier = read_tier(row.tier);
    read_name(row.account, account);
    if (tier) {
      account.tier = *tier;
      read_overrides(row, account);
    }
    if (hash) entries_.emplace_back(*hash, std::move(account));
  }

  std::vector<std::pair<KeyHash, Account>> finish() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].first != entries_[i - 1].first) continue;
      report_.error(
          entries_[i].second.at, "a key that is in the file twice",
          "it is in line " + std::to_string(entries_[i - 1].second.at.line) + " too; remove one");
    }
    return std::move(entries_);
  }

 private:
  // Never shows the cell: somebody may have put the key itself there.
  std::optional<KeyHash> read_hash(const Cell& cell) {
    KeyHash hash;
    const std::string& text = cell.text;
    const bool hex = std::all_of(text.begin(), text.end(), [](char c) {
      return hex_value(c) >= 0 || (c >= 'A' && c <= 'F');
    });
    const bool lower =
        std::all_of(text.begin(), text.end(), [](char c) { return hex_value(c) >= 0; });
    if (text.size() != 2 * hash.size() || !lower) {
      std::string help = "`weir accounts add` makes a key and writes its hash";
      if (text.size() == 2 * hash.size() && hex) {
        help = "write it in lower case";
      }
      report_.error(cell.at, "not a SHA-256 in 64 lower-case hex digits", help);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < hash.size(); ++i) {
      hash[i] = static_cast<std::uint8_t>(hex_value(text[2 * i]) << 4 | hex_value(text[2 * i + 1]));
    }
    return hash;
  }

  std::optional<policy::TierId> read_tier(const Cell& cell) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policy_.tiers.size(); ++i) {
      if (policy_.tiers[i].name == cell.text) return static_cast<policy::TierId>(i);
      names.push_back(policy_.tiers[i].name);
    }
    unknown(cell, "tier", names);
    return std::nullopt;
  }

  void read_name(const Cell& cell, Account& account) {
    const bool bad = std::any_of(cell.text.begin(), cell.text.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (cell.text.empty() || cell.text.size() > kMaxName) {
      report_.error(cell.at, "an account's name has 1 to 256 bytes", "write a name");
    } else if (bad || !policy::valid_utf8(cell.text)) {
      report_.error(cell.at, "an account's name with control characters or not in UTF-8",
                    "write plain text");
    }
    account.name = cell.text;
  }

  void read_overrides(const AccountRow& row, Account& account) {
    const policy::Tier& tier = policy_.tiers[account.tier];
    if (!row.overrides.empty() && !tier.custom) {
      report_.error(row.overrides[0].limit.at,
                    "numbers of its own for an account of tier " + in_ticks(tier.name),
                    "only a tier with `custom: true` takes them; or use `overrides` of the policy");
      return;
    }
    for (const OverrideCell& cell : row.overrides) read_override(cell, account);
  }

  void read_override(const OverrideCell& cell, Account& account) {
    const auto limit = find_limit(cell.limit);
    if (!limit) return;
    for (const auto& other : account.overrides) {
      if (other.first != *limit) continue;
      report_.error(cell.limit.at, in_ticks(cell.limit.text) + " twice for one key", "remove one");
      return;
    }
    auto numbers = policy::parse_numbers(cell.numbers.text, policy_, policy_.limits[*limit]);
    if (!numbers) {
      report_.error(cell.numbers.at, in_ticks(cell.numbers.text) + ": " + numbers.error().message,
                    "write `600/min burst 120`, `deny` or `unlimited`");
      return;
    }
    numbers->at = cell.numbers.at;
    account.overrides.emplace_back(*limit, std::move(*numbers));
  }

  std::optional<policy::LimitId> find_limit(const Cell& cell) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policy_.limits.size(); ++i) {
      if (policy_.limits[i].name == cell.text) return static_cast<policy::LimitId>(i);
      names.push_back(policy_.limits[i].name);
    }
    unknown(cell, "limit", names);
    return std::nullopt;
  }

  void unknown(const Cell& cell, const char* what, const std::vector<std::string>& names) {
    const std::string_view near = policy::nearest(cell.text, names);
    std::string help = near.empty() ? "known:" : "did you mean `" + std::string(near) + "`?";
    if (near.empty()) {
      for (const std::string& name : names) help += " " + name;
    }
    report_.error(cell.at, "unknown " + std::string(what) + " " + in_ticks(cell.text),
                  std::move(help));
  }

  const Policy& policy_;
  Report& report_;
  std::vector<std::pair<KeyHash, Account>> entries_;
};

}  // namespace

std::string to_hex(const KeyHash& hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : hash) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

Result<std::string> read_accounts_text(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  constexpr std::uintmax_t kRoom = 64 * 1024;  // it may grow while it is read, or be a pipe
  const std::uintmax_t most = error ? kRoom : std::min(kMaxFile, size + kRoom);
  return policy::read_file(path, static_cast<std::size_t>(most));
}

Accounts::Loaded Accounts::load_text(std::string_view text, const std::string& file,
                                     const Policy& policy) {
  Report report(file);
  Builder builder(policy, report);
  const auto take = [&](const AccountRow& row) { builder.take(row); };
  is_yaml(file) ? read_yaml_rows(text, report, take) : read_csv_rows(text, report, take);
  auto accounts = std::make_shared<Accounts>();
  accounts->entries_ = builder.finish();
  Loaded loaded;
  if (!report.failed()) loaded.accounts = std::move(accounts);
  loaded.findings = report.take();
  return loaded;
}

Accounts::Loaded Accounts::load_file(const std::string& path, const Policy& policy) {
  const Result<std::string> text = read_accounts_text(path);
  if (text) return load_text(*text, path, policy);
  Report report(policy.file);
  const std::string tier = policy.tiers.empty() ? "TIER" : policy.tiers.back().name;
  report.unreadable(policy.accounts_at, text.error(),
                    "`weir accounts add " + policy.file + " --tier " + tier +
                        " --account NAME` makes it with a first key, and an empty file will do");
  return {nullptr, report.take()};
}

const Account* Accounts::find(const KeyHash& hash) const {
  const auto it =
      std::lower_bound(entries_.begin(), entries_.end(), hash,
                       [](const auto& entry, const KeyHash& h) { return entry.first < h; });
  return it != entries_.end() && it->first == hash ? &it->second : nullptr;
}

}  // namespace weir::identity
