// A decision as a client sees it: status, header fields in the policy's dialects, and the body.
//
//   answer::Answer a;         // reusable: its buffers keep their capacity
//   answer::render(a, view);
//   for (const answer::Header& h : a.headers) write(h.name, h.value);
//   write(a.body);
//
// Formatting only: nothing here decides. Costs one pass over the limits; allocates only while the
// buffers of a fresh Answer grow. Not thread-safe: one Answer a thread. An Answer stays where it is
// (its header values point into it). docs/http.md describes every field and the bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "answer/view.h"

namespace weir::answer {

struct Header {
  std::string_view name;   // static storage
  std::string_view value;  // into Answer::text
};

// The first `signals` headers are for the client; those behind them (`Weir-Tier`, `Weir-Reason`,
// `Weir-Violated`) tell the gateway what was decided.
struct Answer {
  Answer() = default;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  std::uint16_t status = 200;
  std::vector<Header> headers;  // each name once
  std::size_t signals = 0;
  std::string_view content_type;  // static; empty when there is no body
  std::string body;               // ASCII JSON on one line, at most kMaxBody; empty on an admission
  std::string text;               // backs the header values
};

// A body fits into one header field of a gateway.
inline constexpr std::size_t kMaxBody = 2048;

// Everything the policy asks for: dialects, Retry-After, Cache-Control, CORS, `Weir-*`, body.
void render(Answer& answer, const View& view);

}  // namespace weir::answer
