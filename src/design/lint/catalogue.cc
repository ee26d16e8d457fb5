#include "design/lint/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "policy/words.h"

namespace weir::design::lint {
namespace {

using policy::Severity;
constexpr Severity kE = Severity::error;
constexpr Severity kW = Severity::warning;
constexpr Severity kI = Severity::info;

constexpr std::string_view kRegions = "regions in the policy";
constexpr std::string_view kTokens = "reserve and settle";
constexpr std::string_view kLogs = "the access logs of real traffic";
constexpr std::string_view kLevels = "`degradation`";

// code, severity, title, why, what to do, check or null, what a null one needs
constexpr std::array kCatalogue{
    Rule{"WR101", kE, "the memory store behind several instances",
         "Each instance counts only what it sees itself, so n instances together admit n times "
         "every limit: 3 x 100/min = 300/min.",
         "count together (`store: {type: redis, ...}`), run one instance, or divide the limits by "
         "the "
         "number of instances",
         memory_store_on_many_instances, ""},
    Rule{"WR102", kE, "instances without a common clock",
         "Windows that begin at different instants on different machines admit too much.", "",
         nullptr, "nothing: instances that share a store decide by the store's own clock"},
    Rule{"WR103", kW, "a remote store without a tight timeout",
         "When the store is slow, every request waits for it up to the timeout, and its own client "
         "waits too.",
         "set `store: {timeout: 15ms}`, the default, or some other budget up to 50ms", slow_store,
         ""},
    Rule{"WR104", kE, "every address is a trusted proxy",
         "The client's address is read from a header that trusted proxies set. If everybody is "
         "trusted, a client writes another address there and gets a fresh counter.",
         "list only the networks of your own gateways", trusts_every_proxy, ""},
    Rule{"WR105", kW, "an address prefix that is too long or too short",
         "A home or a server owns at least an IPv6 /64: counted by longer prefixes it can change "
         "its "
         "address for every request. Under /32 (IPv4: /24) strangers share a counter.",
         "use `ip_prefix: {v4: 32, v6: 64}`, or a v6 prefix from 32 to 64", odd_address_prefix, ""},
    Rule{"WR106", kW, "a credential is the whole key",
         "Whoever can make a new credential gets a fresh counter with it, and a rotation for "
         "security "
         "resets a quota.",
         "name an `accounts` file, or count by an account, tenant or user", credential_as_key, ""},
    Rule{"WR107", kE, "a raw path in a key",
         "A client can spell paths without end, and each spelling is a counter that starts full.",
         "use the word `class` in the key: it is the route class, of which there are few",
         path_as_key, ""},
    Rule{"WR108", kW, "no bound on the number of keys",
         "Counters that a client can create without end exhaust the memory.", "", nullptr,
         "nothing: the store is always bounded (`store.max_keys`, 1,000,000 where omitted)"},
    Rule{"WR109", kW, "known callers counted by address only",
         "Many customers behind one address share a counter, and one customer with many addresses "
         "has many.",
         "use `key: [client]`, or `key: [\"api_key | ip\"]`", address_only_for_known_callers, ""},
    Rule{"WR110", kE, "a hard guarantee behind a limit that fails open",
         "When the store does not answer, the limit admits everything and the guarantee is void.",
         "give the limit `on_store_failure: closed` (or `local`)", guarantee_fails_open, ""},
    Rule{"WR111", kW, "a login that fails open",
         "Whoever can disturb the store can then guess passwords without limit.",
         "give one of its limits `on_store_failure: closed` or `local`", login_fails_open, ""},
    Rule{"WR112", kI, "the failure policy is the default",
         "`open` keeps the API up without limits when the store fails. It is a choice; make it.",
         "write `defaults: {on_store_failure: open}`, or `closed` where a limit protects something",
         failure_policy_defaulted, ""},
    Rule{"WR113", kW, "no circuit breaker", "Each request waits for a dead store's timeout.", "",
         nullptr, "nothing: a shared store always has one (`store.breaker`)"},
    Rule{"WR114", kW, "a shared store without a secret",
         "Callers are hashed with a key that everybody knows. Whoever reads the store can try "
         "addresses and API keys until a hash is the same, and who writes to it can find keys that "
         "collide.",
         "set `store: {secret: \"${env:WEIR_SECRET}\"}`, the same on every instance",
         store_without_secret, ""},
    Rule{"WR115", kE, "prefetch under a guarantee",
         "What is taken ahead is admitted later than it was charged. The proof adds what all "
         "`instances` may hold; one process more than that, and the guarantee is not kept.",
         "remove `prefetch` from the limit that the guarantee rests on", prefetch_under_a_guarantee,
         ""},
    Rule{"WR116", kW, "prefetch of a burst that is used up in milliseconds",
         "A process that got less than it asked for asks again after 20 ms. A bucket that is full "
         "again long before that loses what it would have earned meanwhile.",
         "set a burst of at least a tenth of a second of the rate, or remove `prefetch`",
         prefetch_of_a_small_burst, ""},
    Rule{"WR117", kW, "a local failure policy without `instances`",
         "While the store is away each process counts for itself, the limit divided by "
         "`instances`. "
         "That is 1 where nobody says it: n processes then admit n times the limit.",
         "write `instances: N`, the number of processes that share the store",
         local_without_instances, ""},
    Rule{"WR120", kE, "a fixed window under a guarantee",
         "A fixed window admits its whole limit at the end of one window and again at the start of "
         "the next: twice the limit in an instant.",
         "use token_bucket with burst + rate x window <= max, or sliding_log", nullptr,
         "nothing: reading the policy finds it"},
    Rule{"WR121", kW, "a sliding window under a guarantee",
         "The two-counter estimate admits up to twice its limit in an interval of its length.",
         "use sliding_log, or halve the limit", nullptr, "nothing: reading the policy finds it"},
    Rule{"WR122", kW, "a burst larger than the rate's own period",
         "A full bucket admits its burst at once and the rate on top. Clients that read \"N per "
         "minute\" see far more pass, until one day it does not.",
         "lower the burst, or publish the burst as the limit", burst_beyond_the_period, ""},
    Rule{"WR123", kW, "a log that needs much memory",
         "sliding_log keeps an entry for every request in the window, for every key.",
         "use sliding_window (16 bytes a key) or token_bucket (8)", log_memory, ""},
    Rule{
        "WR124", kE, "a queue longer than clients wait",
        "A request at the end of the queue is answered after its client has gone: work for nobody, "
        "and a retry behind it.",
        "shorten the queue, or set `max_wait`", queue_longer_than_patience, ""},
    Rule{"WR125", kW, "a burst of one second",
         "Real clients send several requests together: pages, batches, retries after a pause. With "
         "no more burst than a second of the rate they are denied while far below it.",
         "set burst to the largest number of requests a good client sends at once",
         burst_of_one_second, ""},
    Rule{"WR126", kW, "a burst of more than an hour",
         "Whoever paused may send an hour's worth in an instant; the backend sees no limit at all.",
         "lower the burst, or add a shorter limit beside it", burst_of_an_hour, ""},
    Rule{
        "WR127", kE, "a guarantee that the limits do not keep",
        "The envelope of every limit that covers the guarantee is above its `max`.",
        "lower the limit, add one with `key: global`, or raise `max`; `weir explain` shows the sum",
        nullptr, "nothing: reading the policy finds it"},
    Rule{"WR128", kW, "a hold that is longer than the wait",
         "A gateway's answer is held no longer than `max_wait`: what waits longer is denied at "
         "once. The rest of `hold` does nothing.",
         "lower `hold` to `max_wait`, or raise `max_wait`", hold_beyond_the_wait, ""},
    Rule{"WR130", kW, "classes that make no difference",
         "A search may cost the backend a hundred times what a read costs. The same limit for both "
         "is too tight for one or too loose for the other.",
         "give the expensive classes a cost or a limit of their own", classes_make_no_difference,
         ""},
    Rule{
        "WR131", kE, "a class that is never reached",
        "Patterns are tried in file order and the first match wins, so a wider pattern above hides "
        "a narrower one below. (A warning where only some of a class's patterns are hidden.)",
        "move the narrower pattern up", unreachable_class, ""},
    Rule{"WR132", kW, "nothing covers `default`",
         "A request that matches no class is in the class `default`. Where no limit covers it, a "
         "path that was forgotten, or is new, is unlimited.",
         "add a limit without `classes`, or with `classes: \"*\"`", default_not_covered, ""},
    Rule{"WR133", kE, "a tier that a limit forgot",
         "The callers of that tier are not limited by it.",
         "add the tier, or \"*\" for all others; `unlimited` says that it is meant", tier_missing,
         ""},
    Rule{"WR134", kW, "a higher tier gets less",
         "The order of tiers in the file is their rank: an upgrade would take something away.",
         "reorder the tiers or correct the numbers", tiers_not_monotone, ""},
    Rule{"WR135", kW, "a limit that never decides",
         "Another limit with the same or a wider key denies whenever this one would.",
         "remove it, or correct its numbers", dead_limit, ""},
    Rule{"WR136", kW, "a long window alone",
         "A day's quota can be spent in a second. The backend feels it, and the caller is locked "
         "out until the window ends.",
         "add a limit of a second or a minute beside it", long_window_alone, ""},
    Rule{"WR137", kI, "no global limit", "Limits by caller do not bound the sum of all callers.",
         "add `global: RATE` with what the backend can take", no_global_limit, ""},
    Rule{"WR138", kW, "tiers that add up to more than the capacity", "", "", nullptr, kLogs},
    Rule{"WR139", kW, "an account of a custom tier without numbers",
         "A tier with `custom: true` takes its numbers from the account. Neither has any here.",
         "give the account numbers (`weir accounts set`), or the tier",
         custom_account_without_numbers, ""},
    Rule{"WR140", kI, "patterns that overlap",
         "Some requests match both, and the order in the file decides which class they are in.",
         "check that the order is the one you mean", overlapping_patterns, ""},
    Rule{"WR150", kE, "a cost that never fits",
         "A request that costs more than a limit can ever hold is denied for ever, whatever the "
         "caller does.",
         "raise the burst or limit above the cost, lower the cost, or count requests in this limit",
         cost_never_fits, ""},
    Rule{"WR151", kW, "tokens charged afterwards only", "", "", nullptr, kTokens},
    Rule{"WR152", kW, "a reservation without a cap", "", "", nullptr, kTokens},
    Rule{"WR153", kW, "a streaming class without a concurrency limit", "", "", nullptr,
         "`algorithm: concurrency`"},
    Rule{"WR154", kW, "a hold shorter than real requests", "", "", nullptr, kLogs},
    Rule{"WR160", kE, "no headers",
         "A client that cannot see its limit can only run into it, and then retry blindly.",
         "leave `response.headers` out: the default is `[ietf, fields]`", no_headers, ""},
    Rule{"WR161", kW, "two meanings of Reset",
         "A client that takes a Unix time for seconds sleeps for fifty years.",
         "keep one family of headers, or set `reset` so that they agree", resets_disagree, ""},
    Rule{"WR162", kE, "a Retry-After that may be 0", "", "", nullptr,
         "nothing: weir never sends less than 1"},
    Rule{"WR163", kW, "everybody comes back at once",
         "The windows of all callers end together. Without jitter all that were denied return in "
         "the same second.",
         "set `response: {retry_after: {jitter: 0.2}}`, or use another algorithm", no_jitter, ""},
    Rule{"WR164", kW, "a denial answered 200", "", "", nullptr,
         "nothing: a denial is always 429 or 503"},
    Rule{"WR165", kI, "no link to the documentation",
         "A developer who is denied for the first time has to guess what your limits are.",
         "set `response: {docs: URL}`", no_docs, ""},
    Rule{"WR166", kW, "a wall without a warning",
         "Nothing tells a client that it comes close to its limit.",
         "send headers, or set `warn_at: [0.8]` on the limit", no_headers_and_no_warning, ""},
    Rule{"WR170", kW, "enforced without a shadow period",
         "A limit that never ran in shadow has denied nobody yet: you do not know whom it will.",
         "start with `mode: shadow`", nullptr, "the policy that is running now"},
    Rule{"WR171", kW, "an override that ended",
         "An override whose `until` has passed does nothing; the caller is back at the tier's "
         "numbers, perhaps unnoticed.",
         "remove it, or extend `until`", override_ended, ""},
    Rule{"WR172", kW, "degradation without hysteresis", "", "", nullptr, kLevels},
    Rule{"WR173", kE, "degradation blocks health checks", "", "", nullptr, kLevels},
    Rule{"WR174", kW, "a quota without a time zone", "", "", nullptr, "`algorithm: quota`"},
    Rule{"WR175", kW, "internal callers are exempt",
         "Most floods come from inside: a job in a loop, a retry without a pause.",
         "give the class a generous limit of its own instead of `exempt`", internal_callers_exempt,
         ""},
    Rule{"WR176", kW, "the scope of a region is not stated", "", "", nullptr, kRegions},
    Rule{"WR177", kW, "documented limits that differ from the policy", "", "", nullptr,
         "the API's OpenAPI document"},
    Rule{"WR178", kW, "no limit for your own services",
         "Internal callers share the limits of customers, or slip in as one of them. One's own "
         "batch "
         "job is the most frequent flood.",
         "add a tier `internal`, or a class such as `{name: jobs, when: {service: billing}}`",
         no_internal_callers, ""},
    Rule{"WR179", kE, "identity before authentication",
         "A limit at `stage: pre_auth` runs before anybody has checked who calls: the key is what "
         "the client claims.",
         "count by `ip` there, or use `stage: post_auth`", identity_before_authentication, ""},
    Rule{"WR180", kI, "limits only at the edge", "", "", nullptr, "more than one listener"},
    Rule{"WR181", kW, "an empty `allow_from`",
         "An empty list is no list: it means loopback, as if the key were not there. Whoever wrote "
         "it meant nobody, or everybody.",
         "name the networks of your gateways, or leave the key out", nobody_named_may_ask, ""},
};

}  // namespace

std::span<const Rule> catalogue() { return kCatalogue; }

const Rule* find(std::string_view code) {
  const std::string wanted = lower(code);
  const auto found = std::find_if(kCatalogue.begin(), kCatalogue.end(),
                                  [&](const Rule& rule) { return lower(rule.code) == wanted; });
  return found == kCatalogue.end() ? nullptr : &*found;
}

// The loader itself reports it: such a policy is refused.
bool found_at_load(const Rule& rule) {
  return rule.needs == "nothing: reading the policy finds it";
}

std::string page(const Rule& rule) {
  std::string text = fmt::format("{} ({}): {}\n", rule.code, name(rule.severity), rule.title);
  if (!rule.why.empty()) text += fmt::format("\nWhy: {}\n", rule.why);
  if (!rule.help.empty()) text += fmt::format("\nWhat to do: {}.\n", rule.help);
  if (rule.check != nullptr) return text;
  if (found_at_load(rule)) return text + "\nEvery command finds it as it reads the policy.\n";
  return text + (rule.needs.substr(0, 8) == "nothing:"
                     ? fmt::format("\nNever reported: {}.\n", rule.needs.substr(9))
                     : fmt::format("\nNeeds {}: not in this version.\n", rule.needs));
}

std::string catalogue_markdown() {
  std::string text =
      "# Lint codes\n\n"
      "`weir lint POLICY` finds these without any traffic; `weir lint --explain CODE` prints one "
      "entry. Exit 1 when there is an error (with `--strict`: or a warning). This page is written "
      "by `weir lint --catalogue`.\n";
  for (const Rule& rule : kCatalogue) {
    if (rule.check == nullptr && !found_at_load(rule)) continue;
    text += fmt::format("\n## {}: {}\n\n{}. {}\n\nWhat to do: {}.\n", rule.code, rule.title,
                        name(rule.severity), rule.why, rule.help);
  }
  text +=
      "\n## Codes that this version does not report\n\n| code | title | why not |\n|---|---|---|\n";
  for (const Rule& rule : kCatalogue) {
    if (rule.check != nullptr || found_at_load(rule)) continue;
    const bool never = rule.needs.substr(0, 8) == "nothing:";
    text += fmt::format("| {} | {} | {} |\n", rule.code, rule.title,
                        never ? std::string(rule.needs.substr(9))
                              : fmt::format("needs {}: not in this version", rule.needs));
  }
  return text;
}

}  // namespace weir::design::lint
