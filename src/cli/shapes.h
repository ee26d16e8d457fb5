// Shapes of traffic as options say them, for `weir simulate` and `weir bench`.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "traffic/synthetic.h"
#include "weir/result.h"

namespace weir::cli {

struct ShapesAsked {
  std::vector<std::string> shapes;  // "flash-crowd:50:200": a shape, requests a second, clients
  std::string duration;
};

// --shape and --duration, with the default that `asked` has.
void add_shape_options(Options& options, ShapesAsked& asked);

struct Shapes {
  std::vector<traffic::Synthetic> parts;
  Duration duration;
};

// Errors name the option.
Result<Shapes> parse_shapes(const ShapesAsked& asked);

}  // namespace weir::cli
