// `tiers`: their order is their rank; a file without any has one.
#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

void compile_tiers(Build& build) {
  const Node* tiers = build.root.find("tiers");
  build.tiers_bad = tiers != nullptr && has_bad(*tiers);
  if (const Node* good = get(build.root, "tiers")) {
    for (const Entry& entry : good->entries) {
      if (!is_name(entry.key)) continue;
      if (build.policy.tiers.size() == kMaxTiers) {
        build.report.error(entry.at, "more than " + std::to_string(kMaxTiers) + " tiers",
                           "use fewer; accounts of a `custom` tier have their own numbers");
        break;
      }
      Tier tier;
      tier.name = entry.key;
      tier.label = text_of(entry.value, "label");
      if (tier.label.empty()) tier.label = tier.name;
      tier.is_public = true_of(entry.value, "public");
      tier.custom = true_of(entry.value, "custom");
      tier.upgrade_url = text_of(entry.value, "upgrade_url");
      tier.at = entry.at;
      build.tiers.emplace(tier.name, static_cast<TierId>(build.policy.tiers.size()));
      build.policy.tiers.push_back(std::move(tier));
    }
    if (good->entries.empty()) build.report.error(good->at, "`tiers` is empty", "remove it");
  }
  if (build.policy.tiers.empty()) {
    Tier tier;
    tier.name = "default";
    tier.label = "default";
    build.tiers.emplace(tier.name, 0);
    build.policy.tiers.push_back(std::move(tier));
  }
}

}  // namespace weir::policy
