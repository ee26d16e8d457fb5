// A table of wrong files: each line says what a person sees for it.
#include <gtest/gtest.h>

#include <string>

#include "policy/loader.h"

namespace weir::policy {
namespace {

struct Case {
  const char* name;
  const char* text;  // after "version: 1\n"
  const char* says;  // a part of one finding's text
};

// A case a line.
// clang-format off
const Case kCases[] = {
    // YAML itself
    {"Tab", "limits:\n\t- {name: a}\n", "p:3:1: error: a tab where YAML wants spaces"},
    {"Syntax", "limits: [\n", "error: not YAML: "},
    {"Alias", "name: &a x\ndefaults: *a\n", "error: an alias; anchors and aliases are refused"},
    {"Anchor", "name: &a x\nglobal: 9/s\n", "error: an anchor"},
    {"Tag", "name: !!str x\nglobal: 9/s\n", "error: a tag"},
    {"MergeKey", "defaults: {<<: {mode: off}}\n", "error: a merge key `<<`"},
    {"DuplicateKey", "name: a\nname: b\n", "p:3:1: error: duplicate key `name`; the first is in line 2"},
    {"SecondDocument", "name: a\n---\nname: b\n", "error: a second document"},
    {"ComplexKey", "? [a]\n: b\n", "error: a key that is a list or a mapping"},
    {"NotUtf8", "name: \xff\n", "p:2:7: error: not UTF-8"},
    {"Overlong", "name: \xc0\xaf\n", "error: not UTF-8"},
    {"Escape", "name: \xc3\xa9 \x1b[31m\n", "p:2:9: error: a control character, U+001B"},
    {"Delete", "name: a\nglobal: 9\x7f/s\n", "p:3:10: error: a control character, U+007F"},
    {"ControlC1", "name: \xc2\x9b\n", "p:2:7: error: a control character, U+009B"},
    {"NoCharacter", "name: \xef\xbf\xbf\n", "p:2:7: error: a control character, U+FFFF"},
    // keys
    {"UnknownKey", "limts: []\n", "unknown key `limts`; did you mean `limits`?"},
    {"UnknownInside", "defaults: {algoritm: quota}\n", "unknown key `algoritm`; did you mean `algorithm`?"},
    {"FarAway", "paths: {zzzzzz: 1}\n", "unknown key `zzzzzz`; known here: `case`, `slash`, `encoded_slash`"},
    {"MissingName", "limits: [{key: [ip], rate: 1/s}]\n", "`name` is missing"},
    {"MissingKey", "limits: [{name: a, rate: 1/s}]\n", "`key` is missing"},
    // types
    {"NumberInQuotes", "limits: [{name: a, key: [ip], rate: 1/s, burst: \"5\"}]\n", "`burst` is a number in quotes"},
    {"NotANumber", "limits: [{name: a, key: [ip], rate: 1/s, burst: .nan}]\n", "`.nan` is no whole number"},
    {"Infinite", "limits: [{name: a, key: [ip], rate: 1/s, burst: .inf}]\n", "`.inf` is no whole number"},
    {"Octal", "limits: [{name: a, key: [ip], rate: 1/s, burst: 010}]\n", "`010` begins with 0"},
    {"Hexadecimal", "limits: [{name: a, key: [ip], rate: 1/s, burst: 0x10}]\n", "unknown suffix `x10`"},
    {"Negative", "limits: [{name: a, key: [ip], rate: 1/s, burst: -1}]\n", "`-1` is no whole number"},
    {"Fractional", "limits: [{name: a, key: [ip], rate: 1/s, burst: 1.5}]\n", "`1.5` is not whole"},
    {"WordForBool", "response: {cors_expose: yes}\n", "`cors_expose` is `yes`; write `true` or `false`"},
    {"ListForMapping", "paths: []\n", "`paths` is a list; write a mapping"},
    {"MappingForList", "limits: {}\n", "`limits` is a mapping; write a list"},
    {"TextForMapping", "paths: exact\n", "`paths` is a single value; write a mapping"},
    {"Empty", "name:\nglobal: 9/s\n", "`name` is empty; write a text, or remove it"},
    {"BoolForText", "name: true\n", "`name` is `true`, not a text; put it in quotes"},
    {"UnknownWord", "defaults: {mode: shadwo}\n", "unknown word `shadwo` for `mode`; did you mean `shadow`?"},
    {"BadName", "tiers: {\"a b\": 1/s}\n", "`a b` is no name"},
    {"Environment", "name: \"${env:HOME}\"\n", "`${env:...}` is not read here"},
    {"Version", "instances: 0\n", "`instances` is 0; the least is 1"},
    // rates, durations and counts (C29)
    {"Horu", "global: 5/horu\n", "unknown period `horu`; did you mean `hour`?"},
    {"Minutess", "global: 5/minutess\n", "unknown period `minutess`; did you mean `minute`?"},
    {"Min", "global: 5/Min\n", "unknown period `Min`; did you mean `min`?"},
    {"Mo", "global: 5/mo\n", "`mo` is no period: months, years and weeks are calendar windows, of algorithm `quota`"},
    {"M", "global: 5/M\n", "unknown period `M`"},
    {"Month", "global: 10/month\n", "`month` is no period: months, years and weeks are calendar windows, of algorithm `quota`"},
    {"NoPeriod", "global: 60\n", "`60` has no period; a rate is `60/min` or `5/15m`"},
    {"EmptyPeriod", "global: 60/\n", "the period is missing"},
    {"NoUnitOfTime", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: 5, window: 60}]\n", "`60` has no unit"},
    {"WindowMonth", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: 5, window: 1month}]\n", "`month` is no period"},
    {"TwiceAUnit", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: 5, window: 1m1m}]\n", "unknown unit `m` in `1m1m`"},
    {"Suffix", "global: 5K/s\n", "unknown suffix `K` of a number; `k`, `M` and `G` are known"},
    {"TooMany", "global: 9007199254740993/day\n", "is larger than 2^53"},
    {"TooFast", "global: 2G/s\n", "2000000000/s is above 1000000000/s"},
    {"TooLongDuration", "global: 5/999999999999d\n", "is longer than 584 years"},
    // zero (C31)
    {"ControlCharacter", "\"\\x9bzork\\e\": 1\n", "unknown key `\\u009bzork\\x1b`"},
    {"RateZero", "global: 0/s\n", "a rate of 0; 0 is not a limit: `deny` and `unlimited` are for tiers; write a rate, or remove it"},
    {"RateZeroOfATier", "tiers: {free: 0/s}\n", "a rate of 0; 0 is not a limit: write `deny` or `unlimited` for the tier"},
    {"RateDeny", "limits: [{name: a, key: [ip], rate: deny}]\n", "`rate` is `deny`; in place of the numbers write `tiers: {\"*\": deny}` or `tiers: {\"*\": unlimited}`"},
    {"LimitUnlimited", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: unlimited, window: 1m}]\n", "`limit` is `unlimited`; in place of"},
    {"GlobalDeny", "global: deny\n", "`global` is `deny`; `deny` and `unlimited` are for tiers; write"},
    {"PeriodZero", "global: 5/0s\n", "a period of 0; 0 is not a limit: `deny` and `unlimited` are for tiers"},
    {"LimitZero", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: 0, window: 1m}]\n", "`limit` is 0; 0 is not a limit: in place of the numbers write `tiers: {\"*\": deny}` or"},
    {"BurstZero", "limits: [{name: a, key: [ip], rate: 1/s, burst: 0}]\n", "`burst` is 0; 0 is not a limit: in place of the numbers write `tiers: {\"*\": deny}` or"},
    {"WindowZero", "limits: [{name: a, key: [ip], algorithm: fixed_window, limit: 1, window: 0s}]\n", "`window` is 0; 0 is not a limit: in place of the numbers write `tiers: {\"*\": deny}` or"},
    {"GuaranteeMaxZero", "global: 9/s\nguarantees: [{name: g, max: 0, window: 1s}]\n", "`max` is 0; the least is 1"},
    {"GuaranteeWindowZero", "global: 9/s\nguarantees: [{name: g, max: 9, window: 0s}]\n", "`window` is 0; write a time like `1s`"},
    // the short form
    {"TwoRatesAPeriod", "tiers: {a: [5/min, 6/min]}\n", "tier `a` has two rates a minute; the first is in line 2"},
    {"UnitsOfAPeriod", "tiers: {a: 5 request/s, b: 6/s}\n", "this rate counts points, but the one in line 2 counts requests"},
    {"TierWithoutLimits", "tiers: {a: 5/s, b: {label: B}}\n", "tier `b` has no limits, and others do; give it rates, `deny` or `unlimited` [WR133]"},
    {"TwoCosts", "tiers: {a: {limits: 5/s, costs: {/x: 2}}}\ncosts: {/x: {a: 3}}\n", "`/x` has two costs for tier `a`; the first is in line 2"},
    {"CostOfNoTier", "tiers: {free: 5/s}\ncosts: {/x: {fre: 3}}\n", "unknown tier `fre`; did you mean `free`?"},
    {"TierWord", "tiers: {free: unlimted}\n", "unknown word `unlimted` for `free`; did you mean `unlimited`?"},
    // stores
    {"FileStore", "store: \"file:/var/lib/weir/state\"\n", "store `file` is not enforced in this version; write `store: memory` or `store: \"redis://host:6379/0\"`"},
    {"FileType", "store: {type: file}\n", "`type: file` is not enforced in this version; write `memory` or `redis`"},
    {"UnknownStore", "store: postgres\n", "unknown store; write `store: memory`"},
    {"Sentinel", "store: \"redis+sentinel://a,b\"\n", "`store` has no name of a primary; write `redis+sentinel://host1,host2,host3/NAME`"},
    {"Cluster", "store: {type: redis, url: \"redis+cluster://a,b/3\"}\n", "`url` has a database, and a cluster has none but 0; leave it out"},
    {"NoScheme", "store: redis-cache:6379\n", "p:2:8: error: `store` is no Redis URL; write `redis://host:6379/0`, or `rediss://` for TLS"},
    {"NoHost", "store: {type: redis, url: \"redis://:hunter2@:6379\"}\n", "p:2:27: error: `url` has no host"},
    {"BadPort", "store: \"redis://h:65536\"\n", "`store` has a port that is none"},
    {"BadDatabase", "store: \"redis://h/one\"\n", "`store` has a database that is no number"},
    {"Query", "store: \"redis://h/0?password=x\"\n", "`store` has a `?` or `#`"},
    {"NoUrl", "store: {type: redis}\n", "`url` is missing; write `url: \"redis://host:6379/0\"`"},
    {"MemoryKeyOfRedis", "store: {type: redis, url: \"redis://h\", max_keys: 20k}\n", "p:2:40: error: `max_keys` is a key of the memory store, and `type` is `redis`; remove it"},
    {"RedisKeyOfMemory", "store: {type: memory, timeout: 15ms}\n", "`timeout` is a key of the redis store, and `type` is `memory`; write `type: redis`, or remove it"},
    {"UrlWithoutType", "store: {url: \"redis://h\"}\n", "`url` is a key of the redis store, and `type` is `memory`; write `type: redis`"},
    {"NumberForPassword", "store: {type: redis, url: \"redis://h\", password: 12345}\n", "`password` is not a text; put it in quotes"},
    {"TimeoutTooShort", "store: {type: redis, url: \"redis://h\", timeout: 11s}\n", "`timeout` is 11s; it may be 1ms to 10s"},
    {"Connections", "store: {type: redis, url: \"redis://h\", connections: 65}\n", "`connections` is 65; it may be 1 to 64"},
    {"StorePrefix", "store: {type: redis, url: \"redis://h\", prefix: \"a{b}\"}\n", "`prefix` is no prefix; write 1 to 64 printable"},
    {"Breaker", "store: {type: redis, url: \"redis://h\", breaker: {errors: 0}}\n", "`errors` is 0; the least is 1"},
    {"BreakerWindow", "store: {type: redis, url: \"redis://h\", breaker: {window: 2h}}\n", "`window` is 2h; it may be 1ms to 1h"},
    {"Share", "store: {type: redis, url: \"redis://h\", local: {share: all}}\n", "unknown word `all` for `share`"},
    {"TlsOverPlain", "store: {type: redis, url: \"redis://h\", tls: {ca: ca.pem}}\n", "`tls` is given, and `url` is not `rediss://`"},
    {"CertificateWithoutKey", "store: {type: redis, url: \"rediss://h\", tls: {cert: c.pem}}\n", "`cert` without `key`; give both, or neither"},
    {"VariableNotSet", "store: {type: redis, url: \"redis://h\", password: \"${env:NOBODY_SETS_THIS}\"}\n", "p:2:50: error: the environment variable `NOBODY_SETS_THIS` is not set"},
    {"NoSecretFile", "store: {type: redis, url: \"redis://h\", secret: \"file:/nowhere/at/all\"}\n", "`/nowhere/at/all` cannot be read"},
    {"PrefetchInMemory", "limits: [{name: a, key: [ip], rate: 1/s, prefetch: true}]\n", "`prefetch` with `store: memory`; remove it: every decision is made in the process already"},
    {"PrefetchOfAQueue", "store: {type: redis, url: \"redis://h\"}\nlimits: [{name: a, key: [ip], algorithm: leaky_bucket, rate: 1/s, queue: 9, prefetch: true}]\n", "`prefetch` of a leaky_bucket"},
    {"PrefetchUnderAGuarantee", "store: {type: redis, url: \"redis://h\"}\ninstances: 2\nlimits: [{name: all, key: global, rate: 200/s, burst: 200, prefetch: true}]\nguarantees: [{name: g, max: 400, window: 1s}]\n", "guarantee `g` is refuted: all: 200 + 200/s x 1s + 24 prefetched = 424 > 400; without `prefetch` it would be less"},
    // identity and listeners
    {"UnknownSource", "identity: {keys: {a: {from: \"heder:x\"}}}\n", "unknown source `heder:x`; did you mean `header:`?"},
    {"Underscore", "identity: {keys: {a: {from: \"header:x_a\"}}}\n", "header `x_a` has a `_`"},
    {"CookieName", "identity: {keys: {a: {from: \"cookie:a=b\"}}}\n", "`a=b` is no cookie name; no request could ever have it"},
    {"BuiltIn", "identity: {keys: {ip: {from: \"header:x\"}}}\n", "`ip` is built in"},
    {"NoVerifier", "identity: {keys: {a: {from: \"jwt:a\"}}}\n", "nothing says who verifies the token of `jwt:a`"},
    {"UserNoVerifier", "limits: [{name: a, key: [user], rate: 1/s}]\n", "nothing says who verifies the token that `user` reads"},
    {"DefaultTier", "tiers: {free: 1/s}\nidentity: {tier: {default: fre}}\n", "unknown tier `fre`; did you mean `free`?"},
    {"Prefix", "identity: {ip_prefix: {v6: 129}}\n", "`v6` is 129; it may be 1 to 128"},
    {"ApiKeyWarns", "limits: [{name: a, key: [api_key], rate: 1/s}]\n", "warning: no API key is ever believed: there are no accounts"},
    {"Multiplier", "identity: {shared_ip: {networks: [203.0.113.0/24], multiplier: 1M}}\nlimits: [{name: a, key: [ip], rate: 1M/s}]\n", "1000000/s times identity.shared_ip.multiplier (1000000): "},
    {"Network", "listeners: {trusted_proxies: [10.0.0.0/33]}\n", "`10.0.0.0/33` is no network"},
    {"AddressHeader", "listeners: {client_address: x-forwarded-fro}\n", "unknown word `x-forwarded-fro` for `client_address`; did you mean `x-forwarded-for`?"},
    {"AddressUnderscore", "listeners: {client_address: x_client}\n", "headers with `_` are never used for identity"},
    // classes
    {"DuplicateClass", "classes:\n  - {name: a, match: [/a]}\n  - {name: a, match: [/b]}\nglobal: 9/s\n", "p:4:12: error: duplicate class `a`; the first is in line 3"},
    {"MatchesNothing", "classes: [{name: a}]\nglobal: 9/s\n", "class `a` matches nothing"},
    {"BuiltInClass", "classes: [{name: default, match: [/a]}]\nglobal: 9/s\n", "`default` is built in"},
    {"BadPattern", "classes: [{name: a, match: [\"get /a\"]}]\nglobal: 9/s\n", "error: pattern `get /a`"},
    {"NoLimit", "classes: [{name: a, match: [/a]}]\nlimits: [{name: x, classes: [default], key: [ip], rate: 1/s}]\n", "class `a` has no limit; name it in a limit's `classes`, or write `exempt: true`"},
    {"ExemptCovered", "classes: [{name: a, match: [/a], exempt: true}]\nlimits: [{name: x, classes: [a], key: [ip], rate: 1/s}]\n", "class `a` is exempt: no limit covers it"},
    {"UnitNobodyCounts", "classes: [{name: a, match: [/a], cost: {pionts: 5}}]\nglobal: 9/s\n", "unknown unit `pionts`: no limit counts it; did you mean `points`?"},
    {"UnitNobodyCharges", "limits: [{name: a, key: [ip], rate: 1/s, unit: tokns}]\n", "unknown unit `tokns` of limit `a`: no class has a cost in it; did you mean `tokens`?"},
    {"UnitUnused", "costs: {/x: 5}\nglobal: 9/s\n", "warning: no limit counts `points`"},
    // limits
    {"DuplicateLimit", "global: 9/s\nlimits: [{name: global, key: [ip], rate: 1/s}]\n", "duplicate limit `global`; the first is in line 3"},
    {"SameLimit", "limits:\n  - {name: a, key: [ip], rate: 1/s}\n  - {name: b, key: ip, rate: 1/1000ms, burst: 1}\n", "p:4:5: error: `b` is the same limit as `a` in line 3"},
    {"UnknownClass", "costs: {/search: 1}\nlimits: [{name: a, classes: [/serch], key: [ip], rate: 1/s}]\n", "unknown class `/serch`; did you mean `/search`?"},
    {"UnknownKeyName", "limits: [{name: a, key: [clinet], rate: 1/s}]\n", "unknown key `clinet`; did you mean `client`?"},
    {"ClassInChain", "limits: [{name: a, key: [\"class | ip\"], rate: 1/s}]\n", "`class` in a chain"},
    {"KeyTwice", "limits: [{name: a, key: [ip, ip], rate: 1/s}]\n", "`ip` is in the key twice"},
    {"ChainTwice", "limits: [{name: a, key: [\"client | ip\"], rate: 1/s}]\n", "`ip` is in the chain twice"},
    {"UnknownTier", "tiers: {free: {}}\nlimits: [{name: a, key: [ip], tiers: {fre: 1/s, \"*\": 2/s}}]\n", "unknown tier `fre`; did you mean `free`?"},
    {"MissingTier", "tiers: {free: {}, pro: {}}\nlimits: [{name: a, key: [ip], tiers: {free: 1/s}}]\n", "no numbers for tier `pro`; add it, or `\"*\"` for the tiers that are not named [WR133]"},
    {"PreAuth", "limits: [{name: a, stage: pre_auth, key: [client], rate: 1/s}]\n", "`client` is only known after authentication, and the limit is `pre_auth`; use `ip`, or `stage: post_auth` [WR179]"},
    {"PreAuthOwnKey", "identity: {jwt: {verify: gateway}, keys: {org: {from: \"jwt:org\"}}}\nlimits: [{name: a, stage: pre_auth, key: [org], rate: 1/s}]\n", "`org` is only known after authentication"},
    {"Status", "limits: [{name: a, key: [ip], rate: 1/s, status: 430}]\n", "a denial with status 430"},
    {"BurstOfWindow", "limits: [{name: a, key: [ip], algorithm: fixed_window, rate: 1/s, burst: 5}]\n", "`burst` of a fixed_window; window algorithms have `limit` and `window`"},
    {"LimitOfBucket", "limits: [{name: a, key: [ip], limit: 5, window: 1m}]\n", "`limit` of a token_bucket; a token_bucket has `rate` and `burst`"},
    {"NoNumbers", "limits: [{name: a, key: [ip]}]\n", "`rate` is missing; a token_bucket has `rate` and `burst`"},
    {"NoWindow", "limits: [{name: a, key: [ip], algorithm: sliding_log, limit: 5}]\n", "`window` is missing"},
    {"NoQueue", "limits: [{name: a, key: [ip], algorithm: leaky_bucket, rate: 5/s}]\n", "`queue` is missing"},
    {"RateAndWindow", "limits: [{name: a, key: [ip], algorithm: sliding_log, rate: 5/s, window: 1s}]\n", "`rate` beside `limit` or `window`"},
    {"BesideTiers", "limits: [{name: a, key: [ip], rate: 5/s, tiers: {\"*\": 1/s}}]\n", "`rate` beside `tiers`"},
    {"AlignOfBucket", "limits: [{name: a, key: [ip], rate: 5/s, align: first}]\n", "`align` of a token_bucket; it belongs to fixed_window and sliding_window"},
    {"HoldOfBucket", "limits: [{name: a, key: [ip], rate: 5/s, hold: 2s}]\n", "`hold` of a token_bucket"},
    {"RateUnit", "limits: [{name: a, key: [ip], unit: points, rate: 5 tokens/s}]\n", "this rate counts tokens, and the limit counts points"},
    {"LogTooLong", "limits: [{name: a, key: [ip], algorithm: sliding_log, limit: 100M, window: 1h}]\n", "limit 100000000 is above 16777216"},
    {"WarnAt", "limits: [{name: a, key: [ip], rate: 5/s, warn_at: [0.8, 1]}]\n", "a warning at 1; write a share between 0 and 1"},
    {"WarnAtPercent", "limits: [{name: a, key: [ip], rate: 5/s, warn_at: [80]}]\n", "`80` is no number from 0 to 1"},
    {"OnMissingGlobal", "limits: [{name: a, key: global, rate: 5/s, on_missing: deny}]\n", "`on_missing` of a limit whose key has no part"},
    {"Queue", "limits: [{name: a, key: [ip], algorithm: leaky_bucket, rate: 5/s, queue: 5}]\n", "info: `a` is a queue: `/v1/check` and the library return the delay"},
    // guarantees and overrides
    {"Refuted", "limits: [{name: all, key: global, rate: 200/s, burst: 201}]\nguarantees: [{name: g, max: 400, window: 1s}]\n", "guarantee `g` is refuted: all: 201 + 200/s x 1s = 401 > 400; raise `max`, or lower the limit's numbers [WR127]"},
    {"Unbounded", "limits: [{name: all, key: [ip], rate: 2/s}]\nguarantees: [{name: g, max: 400, window: 1s}]\n", "guarantee `g` is refuted: no enforced limit with `key: global`"},
    {"OverrideOfNothing", "global: 9/s\nlimits: [{name: plan, key: [ip], rate: 1/s}]\noverrides: [{limit: plna, key: {ip: 203.0.113.7}, rate: 2/s, contract: C}]\n", "unknown limit `plna`; did you mean `plan`?"},
    {"OverrideForever", "limits: [{name: plan, key: [ip], rate: 1/s}]\noverrides: [{limit: plan, key: {ip: 203.0.113.7}, rate: 2/s}]\n", "an override without `until` and `reason`; say when it ends and why, or name a `contract` [WR171]"},
    {"OverrideDate", "limits: [{name: plan, key: [ip], rate: 1/s}]\noverrides: [{limit: plan, key: {ip: 203.0.113.7}, rate: 2/s, until: 2027-02-30, reason: x}]\n", "`2027-02-30` is no date"},
    {"OverrideNoAccounts", "limits: [{name: plan, key: [ip], rate: 1/s}]\noverrides: [{limit: plan, key: {account: a}, rate: 2/s, contract: C}]\n", "there are no accounts"},
    {"OverrideGlobal", "global: 9/s\noverrides: [{limit: global, key: {ip: 203.0.113.7}, rate: 2/s, contract: C}]\n", "`global` has one counter for all callers"},
    {"OverrideTwice", "limits: [{name: plan, key: [ip], rate: 1/s}]\noverrides:\n  - {limit: plan, key: {ip: 203.0.113.7}, rate: 2/s, contract: C}\n  - {limit: plan, key: {ip: \"::ffff:203.0.113.7\"}, rate: 3/s, contract: D}\n", "two overrides of `plan` for the same caller; the first is in line 4"},
    // response
    {"DialectTwice", "response: {headers: [ietf, ietf]}\nglobal: 9/s\n", "`ietf` is in the list twice"},
    {"DialectsClash", "response: {headers: [ietf, ietf-07]}\nglobal: 9/s\n", "two dialects send `RateLimit` with different meanings"},
    {"NoTemplate", "response: {body: {template: no-such.json}}\nglobal: 9/s\n", "`no-such.json` cannot be read"},
    {"Jitter", "response: {retry_after: {jitter: 1.1}}\nglobal: 9/s\n", "`1.1` is no number from 0 to 1"},
};
// clang-format on

class Message : public ::testing::TestWithParam<Case> {};

TEST_P(Message, IsSaid) {
  const Loaded loaded = load_text(std::string("version: 1\n") + GetParam().text, "p");
  std::string all;
  bool errors = false;
  for (const Finding& f : loaded.findings) {
    all += f.text() + "\n";
    errors = errors || f.severity == Severity::error;
  }
  EXPECT_NE(all.find(GetParam().says), std::string::npos) << all;
  EXPECT_EQ(loaded.policy == nullptr, errors);
  const bool expects_error = std::string(GetParam().says).find("warning:") == std::string::npos &&
                             std::string(GetParam().says).find("info:") == std::string::npos;
  EXPECT_EQ(errors, expects_error) << all;
}

INSTANTIATE_TEST_SUITE_P(All, Message, ::testing::ValuesIn(kCases),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(Messages, ComeAllAtOnceAndInFileOrder) {
  const Loaded loaded = load_text(
      "version: 1\nlimts: []\ndefaults: {mode: of}\nlimits: [{name: a, key: [ipp], rate: "
      "1/horu}]\n",
      "p");
  ASSERT_EQ(loaded.findings.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(loaded.findings[i].at.line, 2u);
  EXPECT_EQ(loaded.findings[0].at.line, 2u);
  EXPECT_EQ(loaded.findings[1].at.line, 3u);
  EXPECT_EQ(loaded.findings[3].at.line, 4u);
}

TEST(Messages, ANulIsNamedWithItsPlace) {
  const std::string text("version: 1\n# a\nname: a\0b\n", 25);
  const Loaded loaded = load_text(text, "p");
  EXPECT_FALSE(loaded.policy);
  ASSERT_EQ(loaded.findings.size(), 1u);
  EXPECT_EQ(loaded.findings[0].text().find("p:3:8: error: a control character, U+0000"), 0u)
      << loaded.findings[0].text();
}

TEST(Messages, TabsAndOtherLineEndsAreNoControlCharacters) {
  EXPECT_TRUE(load_text("version: 1\r\n#\ta \xc2\x85\xe2\x80\xa8\r\nglobal: 9/s\r\n", "p").policy);
}

TEST(Messages, AVersionIsNeededAndIsOne) {
  EXPECT_NE(load_text("global: 9/s\n", "p").findings.at(0).text().find("`version` is missing"),
            std::string::npos);
  EXPECT_FALSE(load_text("version: 2\nglobal: 9/s\n", "p").policy);
  EXPECT_FALSE(load_text("version: \"1\"\nglobal: 9/s\n", "p").policy);
  EXPECT_FALSE(load_text("", "p").policy);
  EXPECT_FALSE(load_text("# nothing\n", "p").policy);
  EXPECT_FALSE(load_text("[1, 2]\n", "p").policy);
}

TEST(Messages, DepthIsBounded) {
  std::string text = "version: 1\nname: ";
  for (int i = 0; i < 40; ++i) text += "[";
  for (int i = 0; i < 40; ++i) text += "]";
  EXPECT_NE(load_text(text + "\n", "p").findings.at(0).text().find("nested deeper than 32"),
            std::string::npos);
}

TEST(Messages, AtMost16LimitsMatchARequest) {
  std::string text = "version: 1\nlimits:\n";
  for (int i = 1; i <= 17; ++i) {
    text +=
        "  - {name: l" + std::to_string(i) + ", key: [ip], rate: " + std::to_string(i) + "/s}\n";
    const Loaded loaded = load_text(text, "p");
    EXPECT_EQ(loaded.policy != nullptr, i <= 16) << i;
  }
}

}  // namespace
}  // namespace weir::policy
