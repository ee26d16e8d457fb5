// The report of a replay for a terminal: tables of what a person asks first.
#include <fmt/format.h>

#include <algorithm>

#include "cli/replay_outcome.h"
#include "cli/table.h"
#include "design/text.h"

namespace weir::cli {
namespace {

using design::count_text;
using design::duration_text;

std::string instant_text(std::int64_t ns) {
  const std::uint64_t ms = 1'000'000;
  return design::instant_text({static_cast<std::uint64_t>(ns) / ms * ms});
}

std::string waits_text(const traffic::WaitHistogram& waits) {
  return "half wait " + wait_text(waits.quantile(500'000)) + " at most, 99 % " +
         wait_text(waits.quantile(990'000)) + ", the longest " + wait_text(waits.max());
}

std::string what_was_read(const traffic::ReadReport& report) {
  std::string text =
      count_text(report.requests) + (report.requests == 1 ? " request of " : " requests of ") +
      report.format + " from " + instant_text(report.first_ns) + " to " +
      instant_text(report.last_ns) + " (" +
      wait_text({static_cast<std::uint64_t>(report.last_ns - report.first_ns)}) + ")\n";
  return report.rejected == 0 ? text : text + rejections_text(report);
}

// What makes the result less certain than it looks.
std::string notes(const traffic::ReadReport& report) {
  std::string text;
  const auto note = [&](const std::string& line) { text += "note: " + line + "\n"; };
  if (report.named_clients > 0) {
    note(count_text(report.named_clients) +
         " clients are names, not addresses: each counts as a client of its own, and networks in "
         "the policy match none of them");
  }
  if (report.odd_requests > 0) {
    note(count_text(report.odd_requests) +
         " requests have no method and path in the log; they count in the class of what has no "
         "route");
  }
  if (report.limited > 0) {
    note(count_text(report.limited) +
         " requests were refused by a limiter then; what those clients sent again is in the log");
  }
  if (report.out_of_order > 0) {
    note(count_text(report.out_of_order) + " requests were out of order by up to " +
         wait_text({static_cast<std::uint64_t>(report.largest_step_back_ns)}) +
         "; they were put in order");
  }
  if (report.resolution_ns >= 1'000'000'000) {
    note(
        "the log tells time in whole seconds: requests of one second come at once here, and a "
        "bucket of rate r needs up to r x 1 s less burst in truth");
  }
  return text;
}

std::string verdict_text(const ReplayOutcome& o) {
  const traffic::Totals& t = o.policy.tally->totals();
  std::string text = "admitted " + count_text(t.all.admitted()) + " (" +
                     share_text(t.all.admitted(), t.all.requests) + "), denied " +
                     count_text(t.all.denied) + " (" + share_text(t.all.denied, t.all.requests) +
                     "); hurt " + count_text(t.hurt_keys) + " of " + count_text(t.keys) +
                     " keys (" + share_text(t.hurt_keys, t.keys) + ")\n";
  if (t.waits.count() > 0) text += "after a denial " + waits_text(t.waits) + "\n";
  if (t.never > 0) text += count_text(t.never) + " denials end with no wait\n";
  if (t.delays.count() > 0) {
    text += count_text(t.delays.count()) +
            " requests are held back first: " + waits_text(t.delays) + "\n";
  }
  if (o.closed_loop) {
    const traffic::LoopCounts& loop = o.policy.loop;
    text += "clients (" + o.clients + ") sent " + count_text(loop.first_tries) + " requests and " +
            count_text(loop.retries) + " retries; " + count_text(loop.served_later) +
            " were served later, " + count_text(loop.given_up) + " never\n";
  }
  return text;
}

std::string limits_table(const ReplayOutcome& o) {
  const policy::Policy& policy = *o.policy.snapshot->policy;
  Table table({"limit", "asked", "no room", "governed", "hurt keys", "p99 wait"});
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const policy::Limit& limit = policy.limits[i];
    const traffic::LimitTally& tally = o.policy.tally->limits()[i];
    const char* mode = limit.mode == policy::Mode::shadow ? " (shadow)"
                       : limit.mode == policy::Mode::off  ? " (off)"
                                                          : "";
    table.add({limit.name + mode, count_text(tally.asked), count_text(tally.denied),
               count_text(tally.governed), count_text(tally.hurt_keys),
               tally.waits.count() > 0 ? wait_text(tally.waits.quantile(990'000)) : "-"});
  }
  return table.text();
}

template <typename Named>
std::string counts_table(const char* what, const std::vector<Named>& named,
                         const std::vector<traffic::Count>& counts) {
  Table table({what, "requests", "admitted", "denied", ""});
  for (std::size_t i = 0; i < named.size(); ++i) {
    const traffic::Count& c = counts[i];
    if (c.requests == 0) continue;
    table.add({named[i].name, count_text(c.requests), count_text(c.admitted()),
               count_text(c.denied), share_text(c.denied, c.requests)});
  }
  return table.text();
}

std::string keys_table(const ReplayOutcome& o) {
  const std::vector<std::uint32_t> hurt = o.policy.tally->hurt(o.top);
  if (hurt.empty()) return "";
  const policy::Policy& policy = *o.policy.snapshot->policy;
  Table table({"key with the most denials", "requests", "denied", "from", "to", "by"});
  for (const std::uint32_t id : hurt) {
    const traffic::KeyTally& key = o.policy.tally->keys()[id];
    const bool named = key.governing != traffic::KeyTally::kNone;
    table.add({o.policy.keys->name(id), count_text(key.count.requests),
               count_text(key.count.denied), instant_text(key.first_denied_ns),
               instant_text(key.last_denied_ns),
               named ? policy.limits[key.governing].name : std::string("-")});
  }
  return "\n" + table.text();
}

std::string routes_table(const ReplayOutcome& o) {
  Table table({"route", "requests", "denied", "", "paths"});
  for (std::size_t i = 0; i < std::min(o.top, o.routes.size()); ++i) {
    const traffic::Route& r = o.routes[i];
    const std::string path = r.path.empty() ? "(not found)" : r.path;
    table.add({r.method.empty() ? path : r.method + " " + path, count_text(r.count.requests),
               count_text(r.count.denied), share_text(r.count.denied, r.count.requests),
               count_text(r.paths)});
  }
  return o.top == 0 ? "" : "\n" + table.text();
}

std::string algorithms_table(const ReplayOutcome& o) {
  if (o.algorithms.empty()) return "";
  Table table({"algorithm, same budget", "admitted", "denied", "", "hurt keys", "p99 wait",
               "longest delay"});
  std::string refused;
  for (const AlgorithmRun& a : o.algorithms) {
    const std::string name(weir::name(a.algorithm));
    if (!a.run) {
      refused += "  " + name + ": not replayed: " + a.why_not + "\n";
      continue;
    }
    const traffic::Totals& t = a.run->tally->totals();
    table.add({name, count_text(t.all.admitted()), count_text(t.all.denied),
               share_text(t.all.denied, t.all.requests), count_text(t.hurt_keys),
               t.waits.count() > 0 ? wait_text(t.waits.quantile(990'000)) : "-",
               t.delays.count() > 0 ? wait_text(t.delays.max()) : "-"});
  }
  return "\n" + table.text() + refused;
}

std::string comparison_text(const ReplayOutcome& o) {
  if (!o.comparison) return "";
  const traffic::Change& all = o.comparison->all();
  std::string text = "\nwith " + o.other->file + " in place of " + o.policy.file + ": " +
                     count_text(all.newly_denied) + " requests newly denied, " +
                     count_text(all.newly_admitted) + " newly admitted\n";
  Table classes({"class", "requests", "newly denied", "newly admitted"});
  bool any = false;
  const auto& named = o.policy.snapshot->policy->classes;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const traffic::Change& c = o.comparison->classes()[i];
    if (c.newly_denied + c.newly_admitted == 0) continue;
    any = true;
    classes.add({named[i].name, count_text(c.requests), count_text(c.newly_denied),
                 count_text(c.newly_admitted)});
  }
  if (any) text += classes.text();
  Table keys({"key", "requests", "newly denied", "newly admitted"});
  const auto changed = o.comparison->most_changed(o.top);
  for (const std::uint32_t id : changed) {
    const traffic::Change& c = o.comparison->key(id);
    keys.add({o.policy.keys->name(id), count_text(c.requests), count_text(c.newly_denied),
              count_text(c.newly_admitted)});
  }
  if (!changed.empty()) text += keys.text();
  return text;
}

}  // namespace

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent >= 0.095) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.2g} %", percent);
}

std::string wait_text(Duration wait) {
  if (wait == Duration::max()) return "never";
  const std::uint64_t unit = wait >= seconds(10)        ? seconds(1).ns
                             : wait >= milliseconds(10) ? milliseconds(1).ns
                             : wait >= microseconds(10) ? microseconds(1).ns
                                                        : 1;
  return duration_text({wait.ns / unit * unit + (wait.ns % unit != 0 ? unit : 0)});
}

std::string rejections_text(const traffic::ReadReport& report) {
  std::string text = count_text(report.rejected) + " of " + count_text(report.lines) +
                     " lines could not be read:\n";
  for (const auto& [reason, r] : report.rejections) {
    text += "  " + count_text(r.count) + "  " + reason + "; first: " + r.file + ":" +
            std::to_string(r.line) + ": " + r.sample + "\n";
  }
  return text;
}

std::string replay_text(const ReplayOutcome& o) {
  const policy::Policy& policy = *o.policy.snapshot->policy;
  return what_was_read(o.logs.report) + notes(o.logs.report) + "\n" + o.policy.file + ": " +
         verdict_text(o) + "\n" + limits_table(o) + "\n" +
         counts_table("tier", policy.tiers, o.policy.tally->tiers()) + "\n" +
         counts_table("class", policy.classes, o.policy.tally->classes()) + keys_table(o) +
         routes_table(o) + algorithms_table(o) + comparison_text(o) + profile_text(o);
}

}  // namespace weir::cli
