// The owner's own denial body: JSON with {{placeholders}}, checked when the policy is loaded.
//
//   {"code": 4290, "why": "{{message}}", "wait": {{retry_after}}}
//
// Inside a JSON string a placeholder is the bare text (nothing where there is no value); elsewhere
// it is a whole JSON value (a number, a quoted text, or null). So a template that is JSON with
// sample values is JSON with any. Thread-safe; scanning does not allocate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/result.h"

namespace weir::policy {

enum class Placeholder : std::uint8_t {
  status,
  reason,
  message,
  policy,
  unit,
  limit,
  remaining,
  used,
  window,
  window_seconds,
  retry_after,
  resets_at,
  tier,
  docs,
  upgrade_label,
  upgrade_url,
};

struct PlaceholderRow {
  Placeholder id;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array<PlaceholderRow, 16> kPlaceholders{{
    {Placeholder::status, "status", "429 or 503"},
    {Placeholder::reason, "reason", "limit_exceeded, cost_exceeds_limit, not_in_plan, ..."},
    {Placeholder::message, "message", "a sentence for people"},
    {Placeholder::policy, "policy", "the name of the governing limit"},
    {Placeholder::unit, "unit", "what it counts: requests"},
    {Placeholder::limit, "limit", "how many of them"},
    {Placeholder::remaining, "remaining", "how many are left"},
    {Placeholder::used, "used", "how many are gone"},
    {Placeholder::window, "window", "the window in words: 1m"},
    {Placeholder::window_seconds, "window_seconds", "the window in seconds: 60"},
    {Placeholder::retry_after, "retry_after", "the number of the Retry-After field"},
    {Placeholder::resets_at, "resets_at", "when nothing is used any more: 2026-11-30T15:32:01Z"},
    {Placeholder::tier, "tier", "the caller's tier"},
    {Placeholder::docs, "docs", "response.docs"},
    {Placeholder::upgrade_label, "upgrade_label", "the next public tier"},
    {Placeholder::upgrade_url, "upgrade_url", "where to get it"},
}};

std::optional<Placeholder> placeholder(std::string_view name);

// Takes a template apart, from left to right.
class TemplateScanner {
 public:
  explicit TemplateScanner(std::string_view text) : text_(text) {}

  struct Piece {
    std::string_view text;  // as it stands, or the name between the braces
    bool is_placeholder = false;
    bool in_string = false;  // where a placeholder stands
    bool closed = true;      // false: `{{` without `}}`
  };
  std::optional<Piece> next();
  std::size_t offset() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool in_string_ = false;
};

// With sample values a template may have this many bytes: the rest of a body's 2 KiB is for values.
inline constexpr std::size_t kMaxTemplate = 1536;

// A template is one JSON object once its placeholders have values; the error names the line.
Result<void> check_template(std::string_view text);

}  // namespace weir::policy
