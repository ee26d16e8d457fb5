// What a surface knows about one request: the input of a decision, as views.
//
// A surface (HTTP listener, library, replay) fills it; identity and decide only read. Every view
// must stay valid until the decision is made. No member owns memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "policy/cidr.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::identity {

// Header names in any case; names with `_` are never used for identity.
using Field = weir::Field;

// A cost the caller states (`/v1/check`, the library): in one unit, or, unit empty, in every unit.
struct StatedCost {
  std::string_view unit;
  std::uint64_t cost = 1;
};

enum class StageFilter : std::uint8_t { all, pre_auth, post_auth };

struct Facts {
  std::string_view method;
  std::string_view target;  // raw, undecoded, with its query string
  // The connection's other end. Address headers are believed when it is in trusted_proxies.
  std::optional<policy::Address> peer;
  // The client address, where the surface was told it outright (`/v1/check`): headers are not read.
  std::optional<policy::Address> client;
  std::span<const Field> headers;
  std::span<const Field>
      attributes;  // stated by a trusted program: name an identity key, or `when:`
  std::span<const StatedCost> costs;
  StageFilter stage = StageFilter::all;
  bool peek = false;
  // The longest delay of a leaky_bucket this surface can wait out; a limit's `hold` raises it on
  // surfaces that can hold an answer (`may_hold`).
  Duration max_delay = Duration::max();
  bool may_hold = false;
};

}  // namespace weir::identity
