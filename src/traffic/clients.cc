#include "traffic/clients.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "policy/loader.h"

namespace weir::traffic {
namespace {

constexpr Duration kAtOnce = milliseconds(1);
constexpr unsigned kMostTries = 1'000;
constexpr unsigned kMostDoublings = 6;

Error no_such_model(std::string_view text) {
  return {ErrorCode::invalid_argument,
          "'" + std::string(text) +
              "' is no model of a client: use gives-up, immediate[:TRIES], fixed:WAIT[:TRIES], "
              "backoff:WAIT[:TRIES] or retry-after[:TRIES], as in 'backoff:1s:5'",
          ""};
}

// Up to the next ':', which goes too.
std::string_view take_word(std::string_view& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view word = text.substr(0, colon);
  text.remove_prefix(std::min(colon + 1, text.size()));
  return word;
}

}  // namespace

Result<ClientModel> parse_client_model(std::string_view text) {
  ClientModel model;
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  const bool waits = word == "fixed" || word == "backoff";
  if (word == "gives-up") return rest.empty() ? Result<ClientModel>(model) : no_such_model(text);
  if (word == "immediate") {
    model = {Retry::immediate, kAtOnce, 3};
  } else if (word == "retry-after") {
    model = {Retry::retry_after, {}, 10};
  } else if (waits) {
    const auto wait = policy::parse_duration(take_word(rest));
    if (!wait || wait->ns == 0) return no_such_model(text);
    model = {word == "fixed" ? Retry::fixed : Retry::backoff, *wait, 10};
  } else {
    return no_such_model(text);
  }
  if (rest.empty()) return text.ends_with(':') ? Result<ClientModel>(no_such_model(text)) : model;
  const char* end = rest.data() + rest.size();
  const auto read = std::from_chars(rest.data(), end, model.tries);
  if (read.ec != std::errc() || read.ptr != end || model.tries == 0 || model.tries > kMostTries) {
    return no_such_model(text);
  }
  return model;
}

Duration wait_before(const ClientModel& model, unsigned tries, Duration retry_after,
                     std::mt19937_64& random) {
  switch (model.retry) {
    case Retry::give_up:
      break;
    case Retry::immediate:
    case Retry::fixed:
      return model.wait;
    case Retry::backoff: {
      const unsigned doublings = std::min(tries, kMostDoublings);
      const std::uint64_t most = detail::saturating_mul(model.wait.ns, 1ull << doublings);
      return {1 + random() % most};
    }
    // As the header tells it: whole seconds, at least one.
    case Retry::retry_after:
      return seconds(std::max<std::uint64_t>(1, retry_after.seconds_up()));
  }
  return {};
}

void ClosedLoop::take(const Try& done, const decide::Decision& decision) {
  (done.tries == 0 ? counts_.first_tries : counts_.retries) += 1;
  if (decision.admit) {
    counts_.served_later += done.tries > 0 ? 1 : 0;
    return;
  }
  // No wait ends a denial for ever: a client that is told so gives up, whatever its habit.
  const bool never = decision.retry_after == Duration::max();
  if (done.tries >= model_.tries || (never && model_.retry == Retry::retry_after)) {
    ++counts_.given_up;
    return;
  }
  const Instant at = done.at + wait_before(model_, done.tries, decision.retry_after, random_);
  waiting_.push({at, sequence_++, done.event, done.tries + 1});
}

}  // namespace weir::traffic
