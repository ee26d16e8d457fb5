// `weir accounts add|set|remove|list`: changes to the CSV accounts file.
//
//   auto added = add_account("keys.csv", policy, {.tier = "pro", .account = "acme"});
//   if (added) std::cout << added->key << "\n";   // the only time it is ever seen
//
// Every change leaves a file that loads with the policy, or changes nothing and says why (all
// findings, a line each). Comments, order and other lines stay as they were; see edit_file.h for
// how it is written. A YAML accounts file is refused: it is edited by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "weir/result.h"

namespace weir::identity {

struct NewAccount {
  std::string tier;
  std::string account;
  std::string overrides;  // "limit=600/min burst 120;other=deny"; empty: none
  std::string key = {};   // one that exists already; empty: a new one is made
};

struct AddedKey {
  std::string key;     // for its owner; nowhere kept
  std::string sha256;  // what the file has
};

struct AccountChange {
  std::optional<std::string> tier;
  std::optional<std::string> overrides;  // empty text: none
};

struct AccountLine {
  std::string sha256;
  std::string tier;
  std::string account;
  std::string overrides;
  std::uint32_t line = 0;
};

// "wk_" and 43 letters and digits: 256 bits of the system's randomness.
std::string generate_api_key();

Result<AddedKey> add_account(const std::string& path, const policy::Policy& policy,
                             const NewAccount& account);

// `who` is an account's name, or "sha256:" and at least 8 hex digits of one key's hash. Both return
// how many lines they changed: an account may have several keys.
Result<std::size_t> set_account(const std::string& path, const policy::Policy& policy,
                                std::string_view who, const AccountChange& change);
Result<std::size_t> remove_account(const std::string& path, const policy::Policy& policy,
                                   std::string_view who);

Result<std::vector<AccountLine>> list_accounts(const std::string& path,
                                               const policy::Policy& policy);

}  // namespace weir::identity
