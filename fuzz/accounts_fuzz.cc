// An accounts file, read as CSV and as YAML.
//
// Whatever it holds: nothing crashes, what loads is found again by its hash, and what does not load
// says where and why, and never shows a cell that could be a key.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "identity/accounts.h"
#include "policy/loader.h"

namespace {

using weir::identity::Accounts;

void check(bool good) {
  if (!good) std::abort();
}

std::shared_ptr<weir::policy::Policy> make_policy() {
  auto loaded = weir::policy::load_text(
      "version: 1\n"
      "tiers:\n"
      "  free: {limits: [30/min]}\n"
      "  enterprise: {limits: [10 request/s, 300/min], custom: true}\n"
      "accounts: keys.csv\n",
      "policy.yaml");
  check(loaded.policy != nullptr);
  return loaded.policy;
}

void check_load(std::string_view text, const char* file) {
  static const auto kPolicy = make_policy();
  const Accounts::Loaded loaded = Accounts::load_text(text, file, *kPolicy);
  if (!loaded.accounts) {
    check(!loaded.findings.empty());
    for (const auto& finding : loaded.findings) check(!finding.message.empty());
    return;
  }
  for (const auto& [hash, account] : loaded.accounts->entries()) {
    const auto* found = loaded.accounts->find(hash);
    check(found != nullptr && found->name == account.name && !account.name.empty());
    check(account.tier < kPolicy->tiers.size() && account.at.line > 0);
    check(account.overrides.empty() || kPolicy->tiers[account.tier].custom);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_load(text, "keys.csv");
  check_load(text, "keys.yaml");
  return 0;
}
