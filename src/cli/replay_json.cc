// The report of a replay for programs; docs/replay.md has its members.
#include <algorithm>

#include "base/json_writer.h"
#include "cli/replay_outcome.h"
#include "design/text.h"

namespace weir::cli {
namespace {

using base::JsonWriter;

std::string instant_text(std::int64_t ns) {
  return design::instant_text({static_cast<std::uint64_t>(ns)});
}

void write_count(JsonWriter& json, const traffic::Count& count) {
  json.member("requests", count.requests);
  json.member("admitted", count.admitted());
  json.member("denied", count.denied);
}

// Milliseconds, rounded up, as everywhere in weir's JSON.
void write_waits(JsonWriter& json, std::string_view name, const traffic::WaitHistogram& waits) {
  json.key(name);
  json.begin_object();
  json.member("count", waits.count());
  json.member("p50", waits.quantile(500'000).milliseconds_up());
  json.member("p99", waits.quantile(990'000).milliseconds_up());
  json.member("max", waits.max().milliseconds_up());
  json.end_object();
}

void write_log(JsonWriter& json, const traffic::ReadReport& report) {
  json.key("log");
  json.begin_object();
  json.member("format", report.format);
  json.key("files");
  json.begin_array();
  for (const std::string& file : report.files) json.value(file);
  json.end_array();
  json.member("lines", report.lines);
  json.member("requests", report.requests);
  json.member("nothing", report.nothing);
  json.member("rejected", report.rejected);
  json.key("rejections");
  json.begin_array();
  for (const auto& [reason, r] : report.rejections) {
    json.begin_object();
    json.member("reason", reason);
    json.member("count", r.count);
    json.member("file", r.file);
    json.member("line", r.line);
    json.member("sample", r.sample);
    json.end_object();
  }
  json.end_array();
  json.member("odd_requests", report.odd_requests);
  json.member("named_clients", report.named_clients);
  json.member("limited", report.limited);
  json.member("out_of_order", report.out_of_order);
  json.member("largest_step_back_ms",
              Duration{static_cast<std::uint64_t>(report.largest_step_back_ns)}.milliseconds_up());
  json.member("resolution_ns", static_cast<std::uint64_t>(report.resolution_ns));
  if (report.requests > 0) {
    json.member("first", instant_text(report.first_ns));
    json.member("last", instant_text(report.last_ns));
  }
  json.end_object();
}

void write_totals(JsonWriter& json, const traffic::Tally& tally) {
  const traffic::Totals& t = tally.totals();
  write_count(json, t.all);
  json.member("skipped", t.skipped);
  write_waits(json, "wait_ms", t.waits);
  write_waits(json, "delay_ms", t.delays);
  json.member("no_wait_ends", t.never);
}

void write_limits(JsonWriter& json, const PolicyRun& run) {
  const policy::Policy& policy = *run.snapshot->policy;
  json.key("limits");
  json.begin_array();
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const traffic::LimitTally& limit = run.tally->limits()[i];
    const policy::Mode mode = policy.limits[i].mode;
    json.begin_object();
    json.member("name", policy.limits[i].name);
    json.member("mode", mode == policy::Mode::shadow ? "shadow"
                        : mode == policy::Mode::off  ? "off"
                                                     : "enforce");
    json.member("algorithm", weir::name(policy.limits[i].algorithm));
    json.member("asked", limit.asked);
    json.member("no_room", limit.denied);
    json.member("governed", limit.governed);
    json.member("hurt_keys", limit.hurt_keys);
    write_waits(json, "wait_ms", limit.waits);
    json.end_object();
  }
  json.end_array();
}

template <typename Named>
void write_counts(JsonWriter& json, std::string_view what, const std::vector<Named>& named,
                  const std::vector<traffic::Count>& counts) {
  json.key(what);
  json.begin_array();
  for (std::size_t i = 0; i < named.size(); ++i) {
    json.begin_object();
    json.member("name", named[i].name);
    write_count(json, counts[i]);
    json.end_object();
  }
  json.end_array();
}

void write_keys(JsonWriter& json, const PolicyRun& run, std::size_t top) {
  const traffic::Totals& t = run.tally->totals();
  const policy::Policy& policy = *run.snapshot->policy;
  json.key("keys");
  json.begin_object();
  json.member("count", t.keys);
  json.member("hurt", t.hurt_keys);
  json.key("top");
  json.begin_array();
  for (const std::uint32_t id : run.tally->hurt(top)) {
    const traffic::KeyTally& key = run.tally->keys()[id];
    json.begin_object();
    json.member("key", run.keys->name(id));
    json.member("tier", policy.tiers[key.tier].name);
    write_count(json, key.count);
    json.member("first_denied", instant_text(key.first_denied_ns));
    json.member("last_denied", instant_text(key.last_denied_ns));
    json.key("governing");
    if (key.governing == traffic::KeyTally::kNone) {
      json.null();
    } else {
      json.value(policy.limits[key.governing].name);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_routes(JsonWriter& json, const ReplayOutcome& o) {
  json.key("routes");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(o.top, o.routes.size()); ++i) {
    const traffic::Route& route = o.routes[i];
    json.begin_object();
    json.member("method", route.method);
    json.member("path", route.path);  // empty: not found
    write_count(json, route.count);
    json.member("paths", route.paths);
    json.end_object();
  }
  json.end_array();
}

void write_suspects(JsonWriter& json, const ReplayOutcome& o) {
  const auto& suspects = o.profile.suspects;
  json.member("suspect_keys", static_cast<std::uint64_t>(suspects.size()));
  json.key("suspects");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(o.top, suspects.size()); ++i) {
    const traffic::Suspect& s = suspects[i];
    json.begin_object();
    json.member("key", o.policy.keys->name(s.key));
    json.member("why", traffic::name(s.why));
    json.member("requests", s.requests);
    json.member("busiest_minute", s.busiest_minute);
    json.member("failed", s.failed);
    json.member("refused", s.refused);
    json.member("denied", o.policy.tally->keys()[s.key].count.denied);
    json.end_object();
  }
  json.end_array();
}

void write_shared(JsonWriter& json, const ReplayOutcome& o) {
  const auto& shared = o.profile.shared;
  json.member("shared_addresses", static_cast<std::uint64_t>(shared.size()));
  json.key("shared");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(o.top, shared.size()); ++i) {
    const traffic::SharedAddress& s = shared[i];
    json.begin_object();
    json.member("address", s.address);
    json.member("requests", s.requests);
    json.member("identities", std::uint64_t{s.identities});
    json.member("user_agents", std::uint64_t{s.agents});
    json.member("mixed_minutes", std::uint64_t{s.mixed_minutes});
    json.end_object();
  }
  json.end_array();
}

void write_profile(JsonWriter& json, const ReplayOutcome& o) {
  const traffic::Profile& p = o.profile;
  json.key("traffic");
  json.begin_object();
  json.member("sessions", p.sessions);
  json.member("median_session_requests", p.median_session_requests);
  json.member("median_session_ms",
              Duration{static_cast<std::uint64_t>(p.median_session_ns)}.milliseconds_up());
  json.member("refused", p.refused);
  json.member("repeats", p.repeats);
  write_suspects(json, o);
  write_shared(json, o);
  json.end_object();
}

void write_timeline(JsonWriter& json, const traffic::Timeline& timeline) {
  json.key("timeline");
  json.begin_object();
  json.member("begin", instant_text(timeline.begin_ns));
  json.member("step_ms", static_cast<std::uint64_t>(timeline.step_ns) / 1'000'000);
  for (const bool admitted : {true, false}) {
    json.key(admitted ? "admitted" : "denied");
    json.begin_array();
    for (const traffic::Count& c : timeline.steps) json.value(admitted ? c.admitted() : c.denied);
    json.end_array();
  }
  json.end_object();
}

void write_algorithms(JsonWriter& json, const ReplayOutcome& o) {
  json.key("algorithms");
  json.begin_array();
  for (const AlgorithmRun& a : o.algorithms) {
    json.begin_object();
    json.member("algorithm", weir::name(a.algorithm));
    if (a.run) {
      write_totals(json, *a.run->tally);
      json.member("hurt_keys", a.run->tally->totals().hurt_keys);
    } else {
      json.member("not_replayed", a.why_not);
    }
    json.end_object();
  }
  json.end_array();
}

void write_change(JsonWriter& json, const traffic::Change& change) {
  json.member("requests", change.requests);
  json.member("newly_denied", change.newly_denied);
  json.member("newly_admitted", change.newly_admitted);
}

void write_comparison(JsonWriter& json, const ReplayOutcome& o) {
  json.key("vs");
  json.begin_object();
  json.member("policy", o.other->file);
  write_change(json, o.comparison->all());
  json.key("classes");
  json.begin_array();
  const auto& classes = o.policy.snapshot->policy->classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    json.begin_object();
    json.member("name", classes[i].name);
    write_change(json, o.comparison->classes()[i]);
    json.end_object();
  }
  json.end_array();
  json.key("keys");
  json.begin_array();
  for (const std::uint32_t id : o.comparison->most_changed(o.top)) {
    json.begin_object();
    json.member("key", o.policy.keys->name(id));
    write_change(json, o.comparison->key(id));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_loop(JsonWriter& json, const ReplayOutcome& o) {
  const traffic::LoopCounts& loop = o.policy.loop;
  json.key("clients");
  json.begin_object();
  json.member("model", o.clients);
  json.member("first_tries", loop.first_tries);
  json.member("retries", loop.retries);
  json.member("served_later", loop.served_later);
  json.member("given_up", loop.given_up);
  json.end_object();
}

}  // namespace

std::string replay_json(const ReplayOutcome& o) {
  std::string out;
  JsonWriter json(out);
  const policy::Policy& policy = *o.policy.snapshot->policy;
  json.begin_object();
  json.member("policy", o.policy.file);
  json.member("policy_id", policy.id);
  write_totals(json, *o.policy.tally);
  json.member("unparsed", o.logs.report.rejected);
  write_log(json, o.logs.report);
  write_limits(json, o.policy);
  write_counts(json, "tiers", policy.tiers, o.policy.tally->tiers());
  write_counts(json, "classes", policy.classes, o.policy.tally->classes());
  write_keys(json, o.policy, o.top);
  write_routes(json, o);
  write_timeline(json, o.policy.tally->timeline());
  write_profile(json, o);
  if (!o.algorithms.empty()) write_algorithms(json, o);
  if (o.comparison) write_comparison(json, o);
  if (o.closed_loop) write_loop(json, o);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace weir::cli
