// Who a key belongs to: sha256 of an API key -> tier, account, and numbers of its own.
//
// The file is CSV without a header line, `sha256(key),tier,account[,overrides]` (hash in lower-case
// hex; overrides `limit=600/min burst 120;other=...`), or YAML with the same names. Loaded whole,
// then immutable; `weir accounts` edits it (edit_accounts.h). All findings at once, with
// file:line:column. Thread-safe to read. Lookup does not allocate.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/policy.h"
#include "policy/position.h"

namespace weir::identity {

using KeyHash = std::array<std::uint8_t, 32>;

KeyHash hash_api_key(std::string_view key);  // SHA-256
std::string to_hex(const KeyHash& hash);

struct Account {
  policy::TierId tier = 0;
  std::string name;  // the account, never a key
  std::vector<std::pair<policy::LimitId, policy::LimitNumbers>> overrides;
  policy::Position at;
};

class Accounts {
 public:
  struct Loaded {
    std::shared_ptr<Accounts> accounts;  // null when any finding is an error
    policy::Findings findings;
  };
  // Tiers, limits and numbers are those of `policy`.
  static Loaded load_file(const std::string& path, const policy::Policy& policy);
  static Loaded load_text(std::string_view text, const std::string& file,
                          const policy::Policy& policy);

  const Account* find(const KeyHash& hash) const;
  std::size_t size() const { return entries_.size(); }
  // For the engine (slots) and for `weir accounts list`.
  std::vector<std::pair<KeyHash, Account>>& entries() { return entries_; }
  const std::vector<std::pair<KeyHash, Account>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<KeyHash, Account>> entries_;  // sorted by hash
};

}  // namespace weir::identity
