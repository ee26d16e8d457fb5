#include "cli/expectation.h"

#include <array>
#include <charconv>
#include <utility>

#include "design/text.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

using Metric = Expectation::Metric;
using Compare = Expectation::Compare;

constexpr std::array<std::pair<std::string_view, Metric>, 7> kMetrics{{
    {"denied", Metric::denied},
    {"hurt_keys", Metric::hurt_keys},
    {"unparsed", Metric::unparsed},
    {"newly_denied", Metric::newly_denied},
    {"newly_admitted", Metric::newly_admitted},
    {"p99_wait", Metric::p99_wait},
    {"longest_wait", Metric::longest_wait},
}};
// The longer of two that begin alike stands first.
constexpr std::array<std::pair<std::string_view, Compare>, 5> kCompares{{
    {">=", Compare::at_least},
    {"<=", Compare::at_most},
    {">", Compare::more},
    {"<", Compare::less},
    {"==", Compare::equal},
}};

Error wrong(std::string_view text, const std::string& why) {
  std::string names;
  for (const auto& [name, metric] : kMetrics) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return {ErrorCode::invalid_argument,
          "'" + std::string(text) + "': " + why +
              "; write METRIC OP NUMBER as in 'hurt_keys>0.1%', where METRIC is one of " + names +
              " and OP one of > >= < <= ==",
          "--fail-if"};
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "0.1" as millionths of a hundred: 1,000. At most four decimals.
bool read_percent(std::string_view text, std::uint64_t& ppm) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::uint64_t whole = 0;
  const auto read = std::from_chars(text.data(), text.data() + dot, whole);
  if (read.ec != std::errc() || read.ptr != text.data() + dot || whole > 100) return false;
  ppm = whole * 10'000;
  std::uint64_t unit = 1'000;
  if (dot + 1 == text.size()) return false;
  for (std::size_t i = dot + 1; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9' || unit == 0) return false;
    ppm += static_cast<std::uint64_t>(text[i] - '0') * unit;
  }
  return true;
}

bool is_wait(Metric metric) { return metric == Metric::p99_wait || metric == Metric::longest_wait; }

Result<Expectation> with_number(Expectation e, std::string_view number) {
  if (is_wait(e.metric)) {
    const auto wait = policy::parse_duration(number);
    if (!wait) return wrong(e.text, "a wait is compared with a duration like 30s");
    e.number = wait->ns;
    return e;
  }
  if (number.ends_with('%')) {
    e.percent = true;
    if (!read_percent(trimmed(number.substr(0, number.size() - 1)), e.number)) {
      return wrong(e.text, "not a percentage from 0 to 100 with at most four decimals");
    }
    return e;
  }
  const auto count = policy::parse_count(number);
  if (!count) return wrong(e.text, "not a number");
  e.number = *count;
  return e;
}

struct Amount {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
};

Amount amount_of(Metric metric, const ReplayOutcome& o) {
  const traffic::Totals& totals = o.policy.tally->totals();
  switch (metric) {
    case Metric::denied:
      return {totals.all.denied, totals.all.requests};
    case Metric::hurt_keys:
      return {totals.hurt_keys, totals.keys};
    case Metric::unparsed:
      return {o.logs.report.rejected, o.logs.report.lines};
    case Metric::newly_denied:
      return {o.comparison->all().newly_denied, totals.all.requests};
    case Metric::newly_admitted:
      return {o.comparison->all().newly_admitted, totals.all.requests};
    case Metric::p99_wait:
      return {totals.waits.quantile(990'000).ns, 0};
    case Metric::longest_wait:
      return {totals.waits.max().ns, 0};
  }
  return {};
}

bool compare(Compare how, std::uint64_t a, std::uint64_t b) {
  switch (how) {
    case Compare::more:
      return a > b;
    case Compare::at_least:
      return a >= b;
    case Compare::less:
      return a < b;
    case Compare::at_most:
      return a <= b;
    case Compare::equal:
      return a == b;
  }
  return false;
}

}  // namespace

Result<Expectation> Expectation::parse(std::string_view text) {
  const std::size_t op = text.find_first_of("<>=");
  if (op == std::string_view::npos) return wrong(text, "it compares nothing");
  Expectation e;
  e.text = text;
  const std::string_view name = trimmed(text.substr(0, op));
  bool known = false;
  for (const auto& [word, metric] : kMetrics) {
    if (word == name) e.metric = metric, known = true;
  }
  if (!known) return wrong(text, "`" + std::string(name) + "` is no metric");
  for (const auto& [word, how] : kCompares) {
    if (!text.substr(op).starts_with(word)) continue;
    e.compare = how;
    return with_number(std::move(e), trimmed(text.substr(op + word.size())));
  }
  return wrong(text, "no such comparison");
}

bool Expectation::holds(const ReplayOutcome& outcome, std::string& seen) const {
  const Amount amount = amount_of(metric, outcome);
  if (is_wait(metric)) {
    seen = design::duration_text({amount.part});
    return cli::compare(compare, amount.part, number);
  }
  seen = design::count_text(amount.part) + " of " + design::count_text(amount.whole) + " (" +
         share_text(amount.part, amount.whole) + ")";
  if (!percent) return cli::compare(compare, amount.part, number);
  // part / whole against number / 1,000,000, without a fraction; counts are far below 2^44.
  return cli::compare(compare, amount.part * 1'000'000, number * amount.whole);
}

}  // namespace weir::cli
