#include "cli/timeline_reader.h"

#include <algorithm>

#include "policy/cidr.h"
#include "policy/loader.h"

namespace weir::cli {

using policy::Node;

void TimelineReader::each_key(const Node& node, std::string_view what, const Handlers& handlers) {
  if (!node.is_mapping()) {
    errors_.error(node.at, std::string(what) + " must be a mapping");
    return;
  }
  std::vector<std::string> words;
  for (const auto& [name, handler] : handlers) words.push_back(name);
  for (const policy::Entry& entry : node.entries) {
    const auto found = std::find(words.begin(), words.end(), entry.key);
    if (found == words.end()) {
      const std::string_view near = policy::nearest(entry.key, words);
      errors_.error(entry.at, "unknown key `" + entry.key + "` in " + std::string(what),
                    near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
      continue;
    }
    handlers[static_cast<std::size_t>(found - words.begin())].second(entry.value);
  }
}

std::string TimelineReader::scalar(const Node& node, std::string_view what) {
  if (node.is_scalar()) return node.text;
  errors_.error(node.at, std::string(what) + " must be a single value");
  return {};
}

Duration TimelineReader::duration(const Node& node, std::string_view what) {
  const auto d = policy::parse_duration(scalar(node, what));
  if (d) return *d;
  errors_.error(node.at, std::string(what) + ": " + d.error().message);
  return {};
}

std::uint64_t TimelineReader::count(const Node& node, std::string_view what) {
  const auto n = policy::parse_count(scalar(node, what));
  if (n) return *n;
  errors_.error(node.at, std::string(what) + ": " + n.error().message);
  return 0;
}

bool TimelineReader::flag(const Node& node, std::string_view what) {
  const std::string text = scalar(node, what);
  if (text != "true" && text != "false") {
    errors_.error(node.at, std::string(what) + " must be true or false");
  }
  return text == "true";
}

RequestSpec::Pairs TimelineReader::pairs(const Node& node, std::string_view what) {
  RequestSpec::Pairs result;
  if (!node.is_mapping()) {
    errors_.error(node.at, std::string(what) + " must be a mapping of names to values");
    return result;
  }
  for (const policy::Entry& entry : node.entries) {
    result.emplace_back(entry.key, scalar(entry.value, what));
  }
  return result;
}

namespace {

// A mapping such as headers adds to the file's own; what it names again is replaced.
void merge(RequestSpec::Pairs& into, RequestSpec::Pairs from) {
  for (auto& pair : from) {
    const auto same = [&](const auto& old) { return old.first == pair.first; };
    into.erase(std::remove_if(into.begin(), into.end(), same), into.end());
  }
  for (auto& pair : from) into.push_back(std::move(pair));
}

void read_cost(TimelineReader& r, const Node& node, RequestSpec& spec) {
  spec.costs.clear();
  if (!node.is_mapping()) {
    spec.costs.emplace_back("", r.count(node, "`cost`"));
    return;
  }
  for (const policy::Entry& entry : node.entries) {
    spec.costs.emplace_back(entry.key, r.count(entry.value, "`cost`"));
  }
}

}  // namespace

RequestSpec read_request(TimelineReader& r, const Node& node, RequestSpec spec) {
  r.each_key(
      node, "a request",
      {{"method", [&](const Node& n) { spec.method = r.scalar(n, "`method`"); }},
       {"path", [&](const Node& n) { spec.path = r.scalar(n, "`path`"); }},
       {"client_ip",
        [&](const Node& n) {
          spec.client_ip = r.scalar(n, "`client_ip`");
          if (spec.client_ip.find('{') != std::string::npos) return;  // filled in by `for`
          if (!spec.client_ip.empty() && !policy::Address::parse(spec.client_ip)) {
            r.error(n, "`" + spec.client_ip + "` is not an IP address");
          }
        }},
       {"headers", [&](const Node& n) { merge(spec.headers, r.pairs(n, "`headers`")); }},
       {"attributes", [&](const Node& n) { merge(spec.attributes, r.pairs(n, "`attributes`")); }},
       {"cost", [&](const Node& n) { read_cost(r, n, spec); }},
       {"peek", [&](const Node& n) { spec.peek = r.flag(n, "`peek`"); }},
       {"max_delay", [&](const Node& n) { spec.max_delay = r.duration(n, "`max_delay`"); }},
       {"stage", [&](const Node& n) {
          const std::string stage = r.scalar(n, "`stage`");
          if (stage == "pre") {
            spec.stage = identity::StageFilter::pre_auth;
          } else if (stage == "post") {
            spec.stage = identity::StageFilter::post_auth;
          } else {
            r.error(n, "`stage` must be pre or post");
          }
        }}});
  return spec;
}

}  // namespace weir::cli
