// One tier's numbers: what the algorithm takes, nothing else, in the range that is exact.
#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

bool is_bucket(Algorithm a) { return a == Algorithm::token_bucket || a == Algorithm::leaky_bucket; }

// Which keys of numbers an algorithm has; the others are errors.
bool takes(Algorithm a, std::string_view key) {
  if (key == "rate") return true;
  if (key == "burst") return a == Algorithm::token_bucket;
  if (key == "queue") return a == Algorithm::leaky_bucket;
  return !is_bucket(a);  // limit, window
}

std::string_view what_it_takes(Algorithm a) {
  if (a == Algorithm::token_bucket) return "a token_bucket has `rate` and `burst`";
  if (a == Algorithm::leaky_bucket) return "a leaky_bucket has `rate` and `queue`";
  return "window algorithms have `limit` and `window`, or `rate` as N/window";
}

class Reader {
 public:
  Reader(Build& build, const Shape& shape, const Limit& limit, const Node& node)
      : build_(build), shape_(shape), limit_(limit), node_(node) {}

  std::optional<LimitNumbers> read() {
    if (node_.bad) return std::nullopt;
    LimitNumbers out;
    out.at = node_.at;
    if (node_.is_scalar() && (node_.text == "deny" || node_.text == "unlimited")) {
      out.kind = node_.text == "deny" ? NumbersKind::deny : NumbersKind::unlimited;
      out.text = node_.text;
      return out;
    }
    if (!fits_algorithm()) return std::nullopt;
    const std::optional<Result<algo::Numbers>> made =
        is_bucket(shape_.algorithm) ? bucket() : window();
    if (!made) return std::nullopt;
    if (!*made) return error(place((*made).error().where), (*made).error().message);
    out.kind = NumbersKind::numbers;
    out.numbers = **made;
    out.text = print_numbers(out.numbers);
    return out;
  }

 private:
  std::nullopt_t error(Position at, std::string message, std::string help = {}) {
    build_.report.error(at, std::move(message), std::move(help));
    return std::nullopt;
  }

  Position place(std::string_view key) const {
    const Node* value = node_.find(key);
    return value != nullptr ? value->at : node_.at;
  }

  bool fits_algorithm() {
    bool fits = true;
    for (const std::string_view key : {"rate", "burst", "limit", "window", "queue"}) {
      const Entry* entry = node_.find_entry(key);
      if (entry == nullptr) continue;
      if (entry->value.bad) {
        fits = false;
      } else if (!takes(shape_.algorithm, key)) {
        fits = false;
        error(entry->at, "`" + std::string(key) + "` of a " + std::string(name(shape_.algorithm)),
              std::string(what_it_takes(shape_.algorithm)));
      }
    }
    return fits;
  }

  // The rate as text: the node itself, or its key `rate`. nullopt: none, or reported.
  std::optional<Rate> rate() {
    const Node* node = node_.is_scalar() ? &node_ : get(node_, "rate");
    if (node == nullptr) return std::nullopt;
    const Result<Rate> rate = parse_rate(node->text);
    if (!rate) return std::nullopt;
    if (!rate->unit.empty() && rate->unit != build_.policy.units[limit_.unit]) {
      error(node->at,
            "this rate counts " + printable(rate->unit) + ", and the limit counts " +
                build_.policy.units[limit_.unit],
            "write `unit: " + printable(rate->unit) + "` at the limit, or no unit here");
      return std::nullopt;
    }
    return *rate;
  }

  std::optional<Result<algo::Numbers>> bucket() {
    if (!node_.is_scalar() && node_.find("rate") == nullptr) {
      return error(node_.at, "`rate` is missing", std::string(what_it_takes(shape_.algorithm)));
    }
    const auto r = rate();
    if (!r) return std::nullopt;
    if (shape_.algorithm == Algorithm::token_bucket) {
      return algo::make_token_bucket(r->count, r->period,
                                     count_of(node_, "burst").value_or(r->count));
    }
    const auto own = count_of(node_, "queue");
    const auto queue = own ? own : shape_.queue;
    if (!queue) {
      return error(node_.at, "`queue` is missing", "say how many may wait: `queue: 20`");
    }
    return algo::make_leaky_bucket(r->count, r->period, *queue,
                                   shape_.max_wait.value_or(Duration::max()));
  }

  std::optional<Result<algo::Numbers>> window() {
    const bool has_rate = node_.is_scalar() || node_.find("rate") != nullptr;
    if (has_rate && (node_.find("limit") != nullptr || node_.find("window") != nullptr)) {
      return error(place("rate"), "`rate` beside `limit` or `window`",
                   "it says both; remove one or the other");
    }
    if (has_rate) {
      const auto r = rate();
      if (!r) return std::nullopt;
      if (shape_.window) {
        return error(place("rate"), "a rate and the limit's `window` say the window twice",
                     "write `limit: " + print_count(r->count) + "`, or remove `window`");
      }
      return algo::make_window(shape_.algorithm, r->count, r->period, shape_.align);
    }
    const auto limit = count_of(node_, "limit");
    const auto own = duration_of(node_, "window");
    const auto length = own ? own : shape_.window;
    if (!limit || !length) {
      return error(node_.at, std::string("`") + (limit ? "window" : "limit") + "` is missing",
                   std::string(what_it_takes(shape_.algorithm)));
    }
    return algo::make_window(shape_.algorithm, *limit, *length, shape_.align);
  }

  Build& build_;
  const Shape& shape_;
  const Limit& limit_;
  const Node& node_;
};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<LimitNumbers> compile_numbers(Build& build, const Shape& shape, const Limit& limit,
                                            const Node& node) {
  return Reader(build, shape, limit, node).read();
}

Result<algo::Numbers> times(const algo::Numbers& numbers, std::uint64_t multiplier) {
  const Duration period{numbers.period_ns};
  const auto count = product(numbers.count, multiplier);
  const auto burst = product(numbers.burst, multiplier);
  if (!count || !burst) {
    return Error{
        ErrorCode::out_of_range, "times " + std::to_string(multiplier) + " is too large", {}};
  }
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
      return algo::make_token_bucket(*count, period, *burst);
    case Algorithm::leaky_bucket:
      return algo::make_leaky_bucket(*count, period, *burst - 1, Duration{numbers.max_wait_ns});
    default:
      return algo::make_window(numbers.algorithm, *count, period, numbers.align);
  }
}

std::string print_numbers(const algo::Numbers& numbers) {
  std::string out = print_rate(numbers.count, Duration{numbers.period_ns});
  if (numbers.algorithm == Algorithm::token_bucket && numbers.burst != numbers.count) {
    out += " burst " + print_count(numbers.burst);
  }
  if (numbers.algorithm == Algorithm::leaky_bucket) {
    out += " queue " + print_count(numbers.burst - 1);
  }
  return out;
}

Shape shape_of(const Limit& limit) {
  Shape shape;
  shape.algorithm = limit.algorithm;
  for (const LimitNumbers& tier : limit.tiers) {
    if (tier.kind != NumbersKind::numbers) continue;
    shape.align = tier.numbers.align;
    if (limit.algorithm == Algorithm::leaky_bucket) {
      shape.queue = tier.numbers.burst - 1;
      shape.max_wait = Duration{tier.numbers.max_wait_ns};
    }
    break;
  }
  return shape;
}

}  // namespace weir::policy
