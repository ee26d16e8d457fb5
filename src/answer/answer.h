// A decision as a client sees it: status, header fields in the policy's dialects, and the body.
//
//   answer::Answer a;                       // reusable: its buffers keep their capacity
//   answer::render(a, policy, decision);
//   for (const answer::Header& h : a.headers) write(h.name, h.value);
//   write(a.body);
//
// Formatting only: nothing here decides. Costs one pass over the limits; allocates only while the
// buffers of a fresh Answer grow. Not thread-safe: one Answer a thread.
#pragma once

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

struct Answer {
  std::uint16_t status = 200;
  std::vector<Header> headers;
  std::string_view content_type;  // static; empty when there is no body
  std::string body;               // ASCII JSON; empty on an admission
  std::string text;               // backs the header values
};

// Everything the policy asks for: dialects, Retry-After, Cache-Control, CORS, `Weir-*`, body.
void render(Answer& answer, const View& view);

}  // namespace weir::answer
