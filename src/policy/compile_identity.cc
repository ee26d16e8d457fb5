// `identity`: addresses, keys and how a tier is found.
#include <algorithm>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

constexpr std::string_view kSources = "header:, query:, cookie:, jwt: or attribute:";

struct From {
  Source source = Source::header;
  std::string argument;
};

bool is_token(std::string_view name) {
  static constexpr std::string_view kToken = "!#$%&'*+-.^`|~";
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kToken.find(c) != std::string_view::npos;
  });
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<From> header_source(Build& build, const Node& node, std::string_view name) {
  if (name.find('_') != name.npos) {
    build.report.error(
        node.at, "header " + quoted(name) + " has a `_`",
        "gateways drop or rewrite such headers, so a client could forge it; use `-`");
    return std::nullopt;
  }
  if (!is_token(name)) {
    build.report.error(node.at, quoted(name) + " is no header name", "write `header:x-tenant`");
    return std::nullopt;
  }
  return From{Source::header, lowered(name)};
}

std::optional<From> parse_from(Build& build, const Node& node) {
  const std::size_t colon = node.text.find(':');
  const std::string kind = node.text.substr(0, colon);
  const std::string name = colon == std::string::npos ? "" : node.text.substr(colon + 1);
  if (kind == "json" || kind == "mtls") {
    build.report.error(node.at, "`" + kind + ":` is not enforced in this version",
                       "read " + std::string(kSources));
    return std::nullopt;
  }
  static const std::vector<std::string> kKinds{"header", "query", "cookie", "jwt", "attribute"};
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
    const std::string_view near = nearest(kind, kKinds);
    build.report.error(node.at, "unknown source " + quoted(node.text),
                       near.empty() ? "write " + std::string(kSources)
                                    : "did you mean `" + std::string(near) + ":`?");
    return std::nullopt;
  }
  if (name.empty() || name.size() > 128) {
    build.report.error(node.at, quoted(node.text) + " names nothing",
                       "write `" + kind + ":NAME`, at most 128 bytes");
    return std::nullopt;
  }
  if (kind == "cookie" && !is_token(name)) {
    build.report.error(node.at, quoted(name) + " is no cookie name",
                       "no request could ever have it; write `cookie:session`");
    return std::nullopt;
  }
  if (kind == "header") return header_source(build, node, name);
  if (kind == "query") return From{Source::query, name};
  if (kind == "cookie") return From{Source::cookie, name};
  if (kind == "jwt") return From{Source::jwt, name};
  return From{Source::attribute, name};
}

void built_in(Identity& identity) {
  IdentityKey ip;
  ip.name = "ip";
  ip.source = Source::ip;
  ip.show = Show::plain;
  IdentityKey api_key;
  api_key.name = "api_key";
  api_key.source = Source::header;
  api_key.argument = "x-api-key";
  api_key.authenticated = true;
  api_key.is_api_key = true;
  IdentityKey user;
  user.name = "user";
  user.source = Source::jwt;
  user.argument = "sub";
  user.authenticated = true;
  identity.keys = {ip, api_key, user};
}

void compile_addresses(Build& build, const Node& identity) {
  Identity& out = build.policy.identity;
  if (const Node* prefix = get(identity, "ip_prefix")) {
    out.prefix_v4 = static_cast<unsigned>(count_of(*prefix, "v4").value_or(32));
    out.prefix_v6 = static_cast<unsigned>(count_of(*prefix, "v6").value_or(64));
  }
  const Node* shared = get(identity, "shared_ip");
  if (shared == nullptr) return;
  out.shared_multiplier = count_of(*shared, "multiplier").value_or(1);
  if (const Node* networks = get(*shared, "networks")) {
    for (const Node& item : networks->items) {
      if (const auto network = Cidr::parse(item.text)) out.shared_networks.push_back(*network);
    }
    if (networks->items.empty() && out.shared_multiplier > 1) {
      build.report.error(networks->at, "`multiplier` without `networks`",
                         "list the networks that many people share");
    }
  }
}

Show parse_show(std::string_view word) {
  if (word == "plain") return Show::plain;
  return word == "last4" ? Show::last4 : Show::hash;
}

void compile_own_key(Build& build, const Entry& entry) {
  Identity& identity = build.policy.identity;
  static const std::vector<std::string> kReserved{"ip",     "user",    "client", "class",
                                                  "global", "account", "default"};
  if (std::find(kReserved.begin(), kReserved.end(), entry.key) != kReserved.end()) {
    build.report.error(entry.at, quoted(entry.key) + " is built in", "choose another name");
    return;
  }
  if (identity.keys.size() == kMaxIdentityKeys) {
    build.report.error(entry.at, "more than " + std::to_string(kMaxIdentityKeys) + " keys",
                       "use fewer; ip, api_key and user count too");
    return;
  }
  if (const Node* trusted = get(entry.value, "trusted")) {
    build.report.error(trusted->at, "`trusted` is of `api_key` only", "remove it");
  }
  IdentityKey key;
  key.name = entry.key;
  key.at = entry.at;
  const Node* from = get(entry.value, "from");
  if (from != nullptr) {
    const auto parsed = parse_from(build, *from);
    if (parsed) {
      key.source = parsed->source;
      key.argument = parsed->argument;
    }
    if (parsed && parsed->source == Source::jwt && !identity.jwt_from_gateway) {
      const Node* whole = get(build.root, "identity");
      const Node* jwt = whole == nullptr ? nullptr : whole->find("jwt");
      if (jwt == nullptr) {
        build.report.error(from->at, "nothing says who verifies the token of " + quoted(from->text),
                           "write `jwt: {verify: gateway}` if only verified tokens reach weir");
      }
    }
  }
  key.authenticated = key.source == Source::jwt;
  if (const Node* said = get(entry.value, "authenticated"))
    key.authenticated = said->text == "true";
  key.lower = text_of(entry.value, "normalize") == "lower";
  key.show = parse_show(text_of(entry.value, "show"));
  identity.keys.push_back(std::move(key));
}

void compile_api_key(Build& build, const Node& identity) {
  const Node* given = get(identity, "api_key");
  if (given == nullptr) return;
  Identity& out = build.policy.identity;
  IdentityKey& key = out.keys[kApiKey];
  if (const Node* from = get(*given, "from")) {
    const auto parsed = parse_from(build, *from);
    if (parsed && (parsed->source == Source::jwt || parsed->source == Source::attribute)) {
      build.report.error(from->at, "an API key from " + quoted(from->text),
                         "write `header:NAME`, `query:NAME` or `cookie:NAME`");
    } else if (parsed) {
      key.source = parsed->source;
      key.argument = parsed->argument;
    }
  }
  out.api_key_trusted = text_of(*given, "trusted") == "gateway";
  for (const std::string_view only : {"authenticated", "normalize"}) {
    const Node* said = get(*given, only);
    if (said == nullptr) continue;
    build.report.error(said->at, quoted(only) + " of the built-in `api_key`", "remove it");
  }
  if (const Node* show = get(*given, "show")) key.show = parse_show(show->text);
}

void compile_tier(Build& build, const Node& identity) {
  Identity& out = build.policy.identity;
  const Node* tier = get(identity, "tier");
  if (tier == nullptr) return;
  if (const Node* from = get(*tier, "from")) {
    out.tier_from_accounts = false;
    for (const Node& item : from->items) {
      if (item.bad) continue;
      if (item.text == "accounts" && !out.tier_from_accounts && out.tier_claim.empty()) {
        out.tier_from_accounts = true;
      } else if (item.text.starts_with("jwt:") && item.text.size() > 4 && out.tier_claim.empty()) {
        out.tier_claim = item.text.substr(4);
        if (!out.jwt_from_gateway && identity.find("jwt") == nullptr) {
          build.report.error(item.at, "nothing says who verifies the token of " + quoted(item.text),
                             "write `jwt: {verify: gateway}` if only verified tokens reach weir");
        }
      } else {
        build.report.error(item.at, "a tier from " + quoted(item.text),
                           "write `accounts`, then `jwt:CLAIM`, each at most once");
      }
    }
  }
  const Node* fallback = get(*tier, "default");
  if (fallback == nullptr) return;
  const auto found = build.tiers.find(fallback->text);
  if (found != build.tiers.end()) {
    out.default_tier = found->second;
  } else if (!build.tiers_bad) {
    build.report.error(fallback->at, "unknown tier " + quoted(fallback->text),
                       build.near_name(fallback->text, names_of(build.tiers)));
  }
}

}  // namespace

void compile_identity(Build& build) {
  built_in(build.policy.identity);
  const Node* identity = get(build.root, "identity");
  if (identity == nullptr) return;
  if (const Node* jwt = get(*identity, "jwt")) {
    build.policy.identity.jwt_from_gateway = text_of(*jwt, "verify") == "gateway";
  }
  compile_addresses(build, *identity);
  compile_api_key(build, *identity);
  if (const Node* keys = get(*identity, "keys")) {
    for (const Entry& entry : keys->entries) {
      if (!entry.value.bad) compile_own_key(build, entry);
    }
  }
  compile_tier(build, *identity);
}

}  // namespace weir::policy
