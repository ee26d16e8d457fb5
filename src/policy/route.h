// Which route class a request belongs to: paths normalised as routers do, then matched.
//
// A path is normalised once: cut at `?` or `#`, each escape decoded once except %2F, %5C and %00
// (which stay, in upper-case hex), dot segments resolved, `//` merged, one trailing `/` removed
// (`paths:` changes case and slash). What cannot be parsed (NUL, bad escape, invalid UTF-8, over
// 8 KiB, not starting with `/`) is malformed: one shared class. No allocation; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/position.h"
#include "weir/result.h"

namespace weir::policy {

struct PathRules {
  bool fold_case = false;             // case: exact | fold
  bool strip_slash = true;            // slash: strip | keep
  bool decode_encoded_slash = false;  // encoded_slash: keep | decode
};

inline constexpr std::size_t kMaxPath = 8192;

// The normal form of a raw request target, without its query string, written into `out` (at least
// kMaxPath bytes). nullopt: malformed.
std::optional<std::string_view> normalize_path(std::string_view target, const PathRules& rules,
                                               std::span<char> out);

// "GET /v1/users/{id}", "/v1/**": an optional method, then segments. `*` and `{name}` are one
// segment, a last `**` is any rest, empty included.
struct Pattern {
  std::string method;  // empty: any. HEAD requests count as GET
  std::string path;    // as typed
  std::vector<std::string> segments;
  bool any_rest = false;
  Position at;

  static Result<Pattern> parse(std::string_view text);
};

class Segments;

// First match in the order of `add` wins. Lookup costs a hash per segment, not a scan of patterns.
class RouteTable {
 public:
  RouteTable();
  ~RouteTable();
  RouteTable(RouteTable&&) noexcept;
  RouteTable& operator=(RouteTable&&) noexcept;

  // Before the first `add`: patterns are folded and split by these rules too.
  void set_rules(const PathRules& rules);
  void add(const Pattern& pattern, std::uint16_t class_id);
  // Cuts the path of a raw target, normalised by the rules, into what `match` looks up. False:
  // malformed. The target outlives the segments.
  bool cut(std::string_view target, Segments& segments) const;
  // The class of the earliest pattern that matches, from those whose order is at least `from` (so
  // that a class whose `when` did not hold can be passed over).
  struct Match {
    std::uint16_t class_id;
    std::uint32_t order;  // of the pattern, by `add`
  };
  std::optional<Match> match(std::string_view method, const Segments& path,
                             std::uint32_t from = 0) const;
  // A pattern that can never be reached because an earlier one matches all it would: (later,
  // earlier) orders. For lint.
  struct Shadowed {
    std::uint32_t later;
    std::uint32_t earlier;
  };
  std::vector<Shadowed> shadowed() const;
  // Pairs that overlap without one covering the other; file order decides. For lint.
  std::vector<Shadowed> overlapping() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::policy
