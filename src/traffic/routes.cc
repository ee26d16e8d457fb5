#include "traffic/routes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace weir::traffic {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t count_if(std::string_view text, bool (*what)(char)) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), what));
}

// Numbers, dates and versions of more than one part ("2026-11-30", "12_40"); "v1" is a name.
bool is_number_like(std::string_view text) {
  const std::size_t digits = count_if(text, is_digit);
  const auto joins = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return c == '-' || c == '_' || c == '.' || c == ':';
  }));
  return digits > 0 && digits + joins == text.size();
}

// Random texts: hexadecimal of some length with a digit (UUIDs with their dashes), or a long token
// of letters and several digits.
bool is_random(std::string_view text) {
  const std::size_t digits = count_if(text, is_digit);
  const auto dashes = static_cast<std::size_t>(std::count(text.begin(), text.end(), '-'));
  if (text.size() >= 8 && digits > 0 && count_if(text, is_hex) + dashes == text.size()) return true;
  const std::size_t plain = digits + count_if(text, is_letter);
  return text.size() >= 16 && digits >= 3 && dashes < 2 && plain + dashes + 2 >= text.size();
}

bool is_identifier(std::string_view text) {
  return is_number_like(text) || is_random(text) || text.find('@') != std::string_view::npos ||
         text.find("%40") != std::string_view::npos;
}

}  // namespace

std::string route_segment(std::string_view segment) {
  if (is_identifier(segment)) return "{id}";
  const std::size_t dot = segment.rfind('.');
  const bool extension = dot != std::string_view::npos && dot > 0 && segment.size() - dot <= 6;
  if (extension && is_identifier(segment.substr(0, dot))) {
    return "{id}" + std::string(segment.substr(dot));
  }
  return std::string(segment);
}

void RouteFinder::add(std::string_view method, std::string_view target, bool found, Count count) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  (found && path.starts_with('/') ? items_ : unknown_).push_back({method, path, count});
}

std::vector<Route> RouteFinder::find() const {
  std::vector<Route> routes;
  split(items_, "", 0, routes);
  emit(unknown_, "", routes);
  std::sort(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    return std::tuple(b.count.requests, a.path, a.method) <
           std::tuple(a.count.requests, b.path, b.method);
  });
  return routes;
}

void RouteFinder::split(std::vector<Item> items, const std::string& prefix, std::size_t depth,
                        std::vector<Route>& routes) const {
  if (depth == kMostSegments) return emit(items, prefix + "/...", routes);
  std::map<std::string, std::vector<Item>> groups;
  std::vector<Item> ended;
  std::uint64_t requests = 0;
  for (Item& item : items) {
    requests += item.count.requests;
    if (item.rest.empty()) {
      ended.push_back(item);
      continue;
    }
    const std::size_t slash = std::min(item.rest.find('/', 1), item.rest.size());
    const std::string segment = route_segment(item.rest.substr(1, slash - 1));
    item.rest.remove_prefix(slash);
    groups[segment].push_back(item);
  }
  emit(ended, prefix.empty() ? "/" : prefix, routes);
  if (groups.size() > kMostNames) {
    std::vector<Item> light;
    for (auto at = groups.begin(); at != groups.end();) {
      std::uint64_t of_group = 0;
      for (const Item& item : at->second) of_group += item.count.requests;
      const bool keep = of_group * 100 >= requests || at->first.starts_with("{id}");
      if (!keep) light.insert(light.end(), at->second.begin(), at->second.end());
      at = keep ? std::next(at) : groups.erase(at);
    }
    std::vector<Item>& names = groups["{name}"];
    names.insert(names.end(), light.begin(), light.end());
  }
  items.clear();
  for (auto& [segment, group] : groups) {
    split(std::move(group), prefix + "/" + segment, depth + 1, routes);
  }
}

void RouteFinder::emit(const std::vector<Item>& items, const std::string& path,
                       std::vector<Route>& routes) {
  std::map<std::string_view, Route> by_method;
  for (const Item& item : items) {
    Route& route = by_method[item.method];
    route.count.requests += item.count.requests;
    route.count.denied += item.count.denied;
    ++route.paths;
  }
  for (auto& [method, route] : by_method) {
    route.method = method;
    route.path = path;
    routes.push_back(std::move(route));
  }
}

}  // namespace weir::traffic
