// A policy after loading: checked, expanded from the short form, and compiled to ids and tables.
//
// Made once by loader.h, then immutable (but for `slot` and `key`, which the engine assigns before
// it publishes the policy); any number of threads may read it. Names are kept for messages;
// decisions use ids: a TierId, ClassId, UnitId, KeyId or LimitId is an index into the vector of its
// kind.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algo/numbers.h"
#include "base/digest.h"
#include "policy/cidr.h"
#include "policy/position.h"
#include "policy/route.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::policy {

using TierId = std::uint16_t;
using ClassId = std::uint16_t;
using UnitId = std::uint8_t;
using KeyId = std::uint8_t;
using LimitId = std::uint16_t;

enum class Stage : std::uint8_t { pre_auth, post_auth };
enum class Mode : std::uint8_t { enforce, shadow, off };
enum class OnMissing : std::uint8_t { address, deny, skip, shared };  // address: it stands in
enum class OnStoreFailure : std::uint8_t { open, closed, local };
enum class OnFull : std::uint8_t { shared, deny };
enum class Show : std::uint8_t { plain, last4, hash };

struct Tier {
  std::string name;   // the id in the file
  std::string label;  // for people; the name where the file gives none
  bool is_public = false;
  bool custom = false;  // numbers may come from the account
  std::string upgrade_url;
  Position at;
};

// ---- identity -----------------------------------------------------------------------------------

enum class Source : std::uint8_t { ip, header, query, cookie, jwt, attribute };

// One thing a caller can be known by. Built in: ip, api_key, user; `client` is a chain of them and
// never a leaf.
struct IdentityKey {
  std::string name;
  Source source = Source::header;
  std::string argument;        // lower-case header name, query or cookie name, claim, attribute
  bool authenticated = false;  // only after authentication: not in a pre_auth limit
  bool is_api_key = false;     // believed when an account knows it, or `trusted: gateway`
  bool lower = false;          // normalize: lower
  Show show = Show::hash;
  Position at;
};

inline constexpr KeyId kIpKey = 0;
inline constexpr KeyId kApiKey = 1;
inline constexpr KeyId kUserKey = 2;

// One position of a key tuple: the first alternative that is present (and known) fills it.
struct KeyPart {
  bool is_class = false;            // the word `class`: the route class's name
  std::vector<KeyId> alternatives;  // leaves, `client` already taken apart
  std::string text;                 // as typed, for messages

  // Nothing but the client address.
  bool is_address() const { return alternatives.size() == 1 && alternatives[0] == kIpKey; }
};

enum class ClientAddress : std::uint8_t { peer, x_forwarded_for, forwarded, single_header };

struct Listeners {
  std::vector<Cidr> trusted_proxies;
  ClientAddress client_address = ClientAddress::x_forwarded_for;
  std::string client_address_header;  // lower case; for single_header
  std::vector<Cidr> allow_from;       // default: loopback
};

struct Identity {
  unsigned prefix_v4 = 32;
  unsigned prefix_v6 = 64;
  std::vector<Cidr> shared_networks;
  std::uint64_t shared_multiplier = 1;
  bool jwt_from_gateway = false;  // jwt: {verify: gateway}
  bool api_key_trusted = false;   // the gateway refuses unknown keys
  std::vector<IdentityKey> keys;  // [0] ip, [1] api_key, [2] user, then the file's own
  bool tier_from_accounts = true;
  std::string tier_claim;  // tier.from "jwt:CLAIM"; empty: none
  TierId default_tier = 0;
};

// ---- classes ------------------------------------------------------------------------------------

struct Class {
  std::string name;
  std::vector<Pattern> match;  // empty: by attributes only
  // Every pair must hold: an identity key's value, or an attribute the caller's gateway states.
  std::vector<std::pair<std::string, std::string>> when;
  bool exempt = false;
  std::vector<std::vector<std::uint64_t>> cost;  // [unit][tier]; 1 where nothing was said
  Position at;
};

// ---- limits -------------------------------------------------------------------------------------

enum class NumbersKind : std::uint8_t { absent, deny, unlimited, numbers };

// What a limit says for one tier, one account or one override.
struct LimitNumbers {
  NumbersKind kind = NumbersKind::absent;
  algo::Numbers numbers;
  algo::Numbers shared;  // the same times shared_ip.multiplier, for callers counted by address
  // Assigned by the engine: where the store files the counters, and what the limit adds to the key
  // of each of them.
  std::uint16_t slot = 0;
  base::Digest key;
  std::string text;  // as typed: "600/min"
  Position at;
};

struct Override {
  LimitNumbers numbers;
  std::string account;  // either an account,
  KeyId key = kIpKey;   // or a value of an identity key
  std::string value;
  Instant until = {~std::uint64_t{0}};  // Unix time; the end of time under a contract
  std::string reason;                   // or the contract
  bool contract = false;                // no end: `reason` names the contract
  Position at;
};

struct Limit {
  std::string name;
  Algorithm algorithm = Algorithm::token_bucket;
  Stage stage = Stage::post_auth;
  Mode mode = Mode::enforce;
  UnitId unit = 0;
  std::uint16_t status = 429;       // or 503
  std::vector<KeyPart> key;         // empty: global
  std::vector<bool> covers;         // by ClassId; false for exempt classes
  std::vector<LimitNumbers> tiers;  // by TierId
  OnMissing on_missing = OnMissing::address;
  OnStoreFailure on_store_failure = OnStoreFailure::open;
  bool prefetch = false;                   // tokens of its busy counters are taken ahead
  std::vector<std::uint32_t> warn_at_ppm;  // ascending, in millionths of the limit
  Duration hold;                           // leaky_bucket: /v1/auth waits this long; 0 not at all
  std::vector<Override> overrides;
  Position at;
};

struct Guarantee {
  std::string name;
  std::vector<bool> covers;  // by ClassId
  UnitId unit = 0;
  std::uint64_t max = 0;
  Duration window;
  Position at;
};

// ---- answers and the rest -----------------------------------------------------------------------

enum class Dialect : std::uint8_t {
  draft_11,  // alias ietf
  draft_03,
  draft_06,
  draft_07,
  fields,  // RateLimit-Limit, -Remaining, -Reset of the governing limit
  envoy,
  x_ratelimit,
  github,
  twitter,
};
enum class BodyKind : std::uint8_t { problem, error, both, owner_template };

struct Response {
  std::vector<Dialect> headers{Dialect::draft_11, Dialect::fields};
  bool reset_epoch = false;
  BodyKind body = BodyKind::both;
  std::string body_template;     // the text of response.body.template
  std::uint32_t jitter_ppm = 0;  // retry_after.jitter, upward only
  bool cors_expose = true;
  std::string docs;
};

enum class StoreType : std::uint8_t { memory, redis };

// Texts hold what their references resolved to: they are for the store, and never shown.
struct StoreConfig {
  StoreType type = StoreType::memory;
  // memory
  std::uint64_t max_keys = 1'000'000;
  OnFull on_full = OnFull::shared;
  // redis
  std::string url;
  std::string username, password;         // where not empty, instead of the url's
  std::string tls_ca, tls_cert, tls_key;  // paths; empty: the system's authorities, no certificate
  Duration timeout = milliseconds(15);    // of one whole decision
  unsigned connections = 4;
  std::string prefix = "weir";
  base::HashSecret secret{};  // made from `store.secret`; zero, which everybody knows, without it
  bool has_secret = false;
  struct Breaker {
    unsigned errors = 5;
    Duration window = seconds(10);
    Duration retry = seconds(2);
    friend bool operator==(const Breaker&, const Breaker&) = default;
  } breaker;

  friend bool operator==(const StoreConfig&, const StoreConfig&) = default;
};

struct Observe {
  std::uint32_t log_denied_ppm = 0;  // decision log: share of denials, of admissions
  std::uint32_t log_allowed_ppm = 0;
};

struct Policy {
  std::string name;
  std::string id;         // first 16 hex digits of SHA-256 of the expanded long form
  std::string file;       // as given to the loader; relative paths start at its folder
  std::string long_form;  // what `expanded` returns: every key, nothing resolved from elsewhere
  std::uint32_t instances = 1;
  PathRules paths;
  StoreConfig store;
  Position store_at;  // where the policy describes it
  Listeners listeners;
  Identity identity;
  std::string accounts_file;       // resolved; empty: none
  Position accounts_at;            // where the policy names it
  std::vector<std::string> units;  // [0] is "requests"
  std::vector<Tier> tiers;         // at least one; order is rank
  std::vector<Class> classes;      // the last two are `default` and `malformed`
  std::vector<Limit> limits;       // file order
  std::vector<Guarantee> guarantees;
  Response response;
  Observe observe;
  RouteTable routes;  // classes by path

  ClassId default_class() const { return static_cast<ClassId>(classes.size() - 2); }
  ClassId malformed_class() const { return static_cast<ClassId>(classes.size() - 1); }

  // The limits that cover a class at a stage, in charging order: most key parts first, global last,
  // then file order. Modes `off` left out.
  const std::vector<LimitId>& limits_of(ClassId c, Stage s) const {
    return by_class_[c][static_cast<std::size_t>(s)];
  }
  std::vector<std::array<std::vector<LimitId>, 2>> by_class_;
};

}  // namespace weir::policy
