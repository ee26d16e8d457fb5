// The routes of an API as its log shows them: `/users/123` and `/users/124` are one,
// `/users/{id}`.
//
//   RouteFinder finder;
//   finder.add("GET", "/users/123?x=1", 200, {.requests = 7, .denied = 1});
//   std::vector<Route> routes = finder.find();    // the busiest first
//
// A segment that reads like an identifier (a number, a UUID, hexadecimal, a date, an e-mail, a long
// token) is `{id}`; where a place has more than kMostNames names, those with less than a hundredth
// of its requests are `{name}`. Paths that the server did not know (404, 405, 400) make no route:
// a scanner's guesses would drown those that there are. For one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/tally.h"

namespace weir::traffic {

struct Route {
  std::string method;
  std::string path;  // "/users/{id}/posts"; "" of what was not found
  Count count;
  std::uint64_t paths = 0;  // different ones
};

class RouteFinder {
 public:
  static constexpr std::size_t kMostNames = 50;
  static constexpr std::size_t kMostSegments = 12;  // deeper: "/..."

  // One distinct request of the log; the views outlive the finder.
  void add(std::string_view method, std::string_view target, bool found, Count count);
  std::vector<Route> find() const;

 private:
  struct Item {
    std::string_view method;
    std::string_view rest;  // of the path, from a '/' on; empty: the path has ended
    Count count;
  };
  void split(std::vector<Item> items, const std::string& prefix, std::size_t depth,
             std::vector<Route>& routes) const;
  static void emit(const std::vector<Item>& items, const std::string& path,
                   std::vector<Route>& routes);

  std::vector<Item> items_;
  std::vector<Item> unknown_;
};

// "{id}" or "{id}.jpg" for what reads like an identifier, else the segment itself.
std::string route_segment(std::string_view segment);

}  // namespace weir::traffic
