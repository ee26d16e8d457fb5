// "600/min burst 120": what the accounts file gives one account for one limit.
#include <string>

#include "policy/compile.h"
#include "policy/loader.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message), {}}; }

// "RATE[ burst N | queue N]": the pieces, unread.
struct Pieces {
  std::string rate;
  std::string word;
  std::string count;
};

Result<Pieces> split(std::string_view text) {
  Pieces out;
  const std::size_t slash = text.find('/');
  const std::size_t end = slash == text.npos ? text.find(' ') : text.find(' ', slash);
  out.rate = text.substr(0, end);
  if (end == text.npos) return out;
  const std::string_view rest = text.substr(end + 1);
  const std::size_t space = rest.find(' ');
  out.word = rest.substr(0, space);
  if (space != rest.npos) out.count = rest.substr(space + 1);
  if (out.word != "burst" && out.word != "queue") {
    return invalid("`" + printable(out.word) + "` after a rate; write `600/min burst 120`");
  }
  return out;
}

Result<algo::Numbers> make(const Shape& shape, const Rate& rate, const Pieces& pieces) {
  std::optional<std::uint64_t> count;
  if (!pieces.word.empty()) {
    const Result<std::uint64_t> parsed = parse_count(pieces.count);
    if (!parsed) return parsed.error();
    count = *parsed;
  }
  if (shape.algorithm == Algorithm::token_bucket && pieces.word != "queue") {
    return algo::make_token_bucket(rate.count, rate.period, count.value_or(rate.count));
  }
  if (shape.algorithm == Algorithm::leaky_bucket && pieces.word != "burst") {
    const auto queue = count ? count : shape.queue;
    if (!queue) return invalid("`queue` is missing; write `2/s queue 20`");
    return algo::make_leaky_bucket(rate.count, rate.period, *queue,
                                   shape.max_wait.value_or(Duration::max()));
  }
  if (!pieces.word.empty()) {
    return invalid("`" + pieces.word + "` for a " + std::string(name(shape.algorithm)));
  }
  return algo::make_window(shape.algorithm, rate.count, rate.period, shape.align);
}

}  // namespace

Result<LimitNumbers> parse_numbers(std::string_view text, const Policy& policy,
                                   const Limit& limit) {
  if (limit.key.empty()) {
    return invalid("limit `" + limit.name +
                   "` has one counter for all callers: its numbers cannot "
                   "depend on the caller");
  }
  LimitNumbers out;
  if (text == "deny" || text == "unlimited") {
    out.kind = text == "deny" ? NumbersKind::deny : NumbersKind::unlimited;
    out.text = text;
    return out;
  }
  const Result<Pieces> pieces = split(text);
  if (!pieces) return pieces.error();
  const Result<Rate> rate = parse_rate(pieces->rate);
  if (!rate) return rate.error();
  if (!rate->unit.empty() && rate->unit != policy.units[limit.unit]) {
    return invalid("the rate counts " + printable(rate->unit) + ", and limit `" + limit.name +
                   "` counts " + policy.units[limit.unit]);
  }
  const Result<algo::Numbers> numbers = make(shape_of(limit), *rate, *pieces);
  if (!numbers) return numbers.error();
  out.kind = NumbersKind::numbers;
  out.numbers = *numbers;
  out.shared = *numbers;
  if (const std::uint64_t multiplier = policy.identity.shared_multiplier; multiplier > 1) {
    const Result<algo::Numbers> more = times(*numbers, multiplier);
    if (!more) return more.error();
    out.shared = *more;
  }
  out.text = print_numbers(*numbers);
  return out;
}

}  // namespace weir::policy
