#include "serve/gateway_mistakes.h"

#include <string>

#include "host/log.h"

namespace weir::serve {

std::optional<std::uint64_t> GatewayMistakes::count(GatewayMistake kind, const Now& now) {
  Kind& mine = kinds_[static_cast<std::size_t>(kind)];
  mine.total.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t quiet_until = mine.quiet_until_ns.load(std::memory_order_relaxed);
  // Of threads that come together one writes the line.
  if (now.steady.ns < quiet_until ||
      !mine.quiet_until_ns.compare_exchange_strong(quiet_until, (now.steady + seconds(1)).ns)) {
    mine.left_out.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  return mine.left_out.exchange(0, std::memory_order_relaxed);
}

void GatewayMistakes::note(GatewayMistake kind, const Where& where, const Now& now) {
  const auto left_out = count(kind, now);
  if (!left_out) return;
  const std::string peer = where.peer.text();
  if (where.field.empty()) {
    host::log(host::LogLevel::warning, "gateway mistake",
              {{"kind", name(kind)},
               {"endpoint", where.endpoint},
               {"peer", peer},
               {"suppressed", *left_out}});
    return;
  }
  host::log(host::LogLevel::warning, "gateway mistake",
            {{"kind", name(kind)},
             {"endpoint", where.endpoint},
             {"field", where.field},
             {"peer", peer},
             {"suppressed", *left_out}});
}

}  // namespace weir::serve
