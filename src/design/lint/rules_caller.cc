// Lint rules about who is counted.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

using policy::IdentityKey;
using policy::Limit;
using policy::Policy;

// The name of a header or attribute that carries a path as the client spelt it.
bool carries_a_path(const IdentityKey& key) {
  constexpr std::array<std::string_view, 8> kNames{
      "x-original-uri", "x-forwarded-uri", "x-original-url", "x-rewrite-url", "path", "uri", "url",
      "request_uri"};
  const bool named = std::find(kNames.begin(), kNames.end(), lower(key.argument)) != kNames.end();
  return named && (key.source == policy::Source::header || key.source == policy::Source::attribute);
}

bool uses(const Limit& limit, policy::KeyId id) {
  return std::any_of(limit.key.begin(), limit.key.end(), [id](const policy::KeyPart& part) {
    return std::find(part.alternatives.begin(), part.alternatives.end(), id) !=
           part.alternatives.end();
  });
}

bool covers_class_before_authentication_only(const Policy& policy, std::size_t c) {
  return std::none_of(policy.limits.begin(), policy.limits.end(), [c](const Limit& limit) {
    return limit.covers[c] && limit.stage == policy::Stage::post_auth && !is_global(limit);
  });
}

}  // namespace

void trusts_every_proxy(const Context& context, Report& report) {
  for (const policy::Cidr& network : context.policy.listeners.trusted_proxies) {
    const unsigned own_prefix = network.base.is_v4() ? network.prefix - 96 : network.prefix;
    if (network.prefix != 0 && own_prefix != 0) continue;
    report.add(
        context.keys.at("listeners.trusted_proxies"),
        fmt::format("`trusted_proxies` holds {}: every client may say who it is", network.text()));
  }
}

void odd_address_prefix(const Context& context, Report& report) {
  const policy::Identity& identity = context.policy.identity;
  if (identity.prefix_v6 > 64) {
    report.add(context.keys.at("identity.ip_prefix.v6"),
               fmt::format("IPv6 addresses are counted by /{}: one client owns at least a /64 and "
                           "can take a fresh counter for every request",
                           identity.prefix_v6));
  } else if (identity.prefix_v6 < 32) {
    report.add(context.keys.at("identity.ip_prefix.v6"),
               fmt::format("IPv6 addresses are counted by /{}: a whole provider shares one counter",
                           identity.prefix_v6));
  }
  if (identity.prefix_v4 < 24) {
    report.add(
        context.keys.at("identity.ip_prefix.v4"),
        fmt::format("IPv4 addresses are counted by /{}: {} of them share one counter",
                    identity.prefix_v4, count_text(std::uint64_t{1} << (32 - identity.prefix_v4))));
  }
}

void credential_as_key(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    for (const policy::KeyPart& part : limit.key) {
      if (part.alternatives.size() != 1) continue;
      const IdentityKey& key = policy.identity.keys[part.alternatives[0]];
      const bool unknown_account = key.is_api_key && policy.accounts_file.empty();
      const bool token = key.source == policy::Source::header && key.argument == "authorization";
      if (!unknown_account && !token) continue;
      report.add(limit.at, fmt::format("{} counts by {} alone: a new credential starts a fresh "
                                       "counter",
                                       quoted(limit.name), quoted(key.name)));
    }
  }
}

void path_as_key(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (std::size_t k = 0; k < policy.identity.keys.size(); ++k) {
    const IdentityKey& key = policy.identity.keys[k];
    if (!carries_a_path(key)) continue;
    for (const Limit& limit : policy.limits) {
      if (!uses(limit, static_cast<policy::KeyId>(k))) continue;
      report.add(limit.at, fmt::format("{} counts by the raw path in {}: every spelling of a path "
                                       "is a counter of its own",
                                       quoted(limit.name), quoted(key.name)));
    }
  }
}

void address_only_for_known_callers(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  if (!knows_callers(policy)) return;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (c == policy.malformed_class() || covers_class_before_authentication_only(policy, c)) {
      continue;
    }
    const Limit* first = nullptr;
    bool only_addresses = true;
    for (const Limit& limit : policy.limits) {
      if (!limit.covers[c] || !enforced(limit) || is_global(limit)) continue;
      if (limit.stage == policy::Stage::pre_auth) continue;
      if (first == nullptr) first = &limit;
      only_addresses = only_addresses && by_address_only(limit);
    }
    if (first == nullptr || !only_addresses) continue;
    report.add(declared(policy, c) ? policy.classes[c].at : first->at,
               fmt::format("callers of class {} are counted by address only, though the policy "
                           "knows who they are",
                           quoted(policy.classes[c].name)));
  }
}

void identity_before_authentication(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.stage != policy::Stage::pre_auth) continue;
    for (const policy::KeyPart& part : limit.key) {
      for (const policy::KeyId id : part.alternatives) {
        const IdentityKey& key = policy.identity.keys[id];
        const bool built_in = id == policy::kApiKey || id == policy::kUserKey;
        if (!built_in && !key.authenticated && !key.is_api_key) continue;
        report.add(limit.at, fmt::format("{} runs before authentication but counts by {}, which is "
                                         "only known after it",
                                         quoted(limit.name), quoted(key.name)));
      }
    }
  }
}

}  // namespace weir::design::lint
