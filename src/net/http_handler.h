// What answers the requests of an event loop.
//
// One handler serves one loop, and is called on that loop's thread only: it needs no locks. It
// answers before it returns, and must not block.
#pragma once

#include <array>
#include <cstdint>

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
  Duration hold;  // the answer leaves after this long; requests behind it wait too
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Writes one whole answer: `start` to `finish`. Views of `request` die with the call.
  virtual Handled handle(const wire::HttpRequest& request, const Peer& peer,
                         wire::HttpResponse& response) = 0;
};

}  // namespace weir::net
