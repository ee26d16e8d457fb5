// What answers the requests of an event loop.
//
// One handler serves one loop, and is called on that loop's thread only: it needs no locks. It
// answers before it returns, or later (later.h), and must not block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "net/later.h"
#include "weir/clock.h"
#include "wire/http1.h"
#include "wire/http_response.h"

namespace weir::net {

// The connection's other end.
struct Peer {
  std::array<std::uint8_t, 16> address{};  // IPv4 is held IPv4-mapped
  std::uint16_t port = 0;
};

struct Handled {
  Duration hold = {};      // the answer leaves after this long; requests behind it wait too
  Later* later = nullptr;  // nothing is written yet: this will answer
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Once, before anything is handled: where answers that come later are completed.
  virtual void attach(const std::shared_ptr<Completions>& completions) {
    static_cast<void>(completions);
  }
  // Writes one whole answer: `start` to `finish`; or nothing, and says who will. Views of `request`
  // die with the call.
  virtual Handled handle(const wire::HttpRequest& request, const Peer& peer,
                         wire::HttpResponse& response) = 0;
};

}  // namespace weir::net
