#include "answer/sentence.h"

#include "answer/words.h"

namespace weir::answer {
namespace {

const LimitView* governing_limit(const View& view) {
  return view.governing < view.count ? &view.verdicts[view.governing] : nullptr;
}

void write_policy(base::JsonWriter& json, const View& view, bool name) {
  const LimitView* limit = governing_limit(view);
  json.text("Policy");
  if (limit == nullptr || !name) return;
  json.text(" ");
  json.text(limit->name);
}

// "1000 requests"
void write_quota(base::JsonWriter& json, const Signal& s) {
  json.digits(s.quota);
  json.text(" ");
  json.text(counted(s.limit->unit, s.quota));
}

void write_cost(base::JsonWriter& json, const View& view) {
  const LimitView* limit = governing_limit(view);
  json.digits(limit == nullptr ? 1 : limit->cost);
}

void write_wait(base::JsonWriter& json, const Signals& signals) {
  if (signals.retry_after_s > 0) {
    json.text("; retry in ");
    json.digits(signals.retry_after_s);
    json.text(" s");
  }
  json.text(".");
}

void write_again(base::JsonWriter& json, const Signals& signals) {
  if (signals.retry_after_s == 0) return;
  json.text(" Try again in ");
  json.digits(signals.retry_after_s);
  json.text(signals.retry_after_s == 1 ? " second." : " seconds.");
}

void write_allowance(base::JsonWriter& json, const Signals& signals, const View& view, bool name) {
  write_policy(json, view, name);
  if (signals.governing == nullptr) {
    json.text(" denies this request");
    return;
  }
  json.text(" allows ");
  write_quota(json, *signals.governing);
  json.text(" per ");
  json.digits(signals.governing->window_s);
  json.text(" s");
}

}  // namespace

void write_detail(base::JsonWriter& json, const Signals& signals, const View& view, bool name) {
  switch (view.reason) {
    case Reason::not_in_plan:
      write_policy(json, view, name);
      return json.text(" admits no request of this plan: the plan does not include it.");
    case Reason::missing_key:
      write_policy(json, view, name);
      return json.text(" counts by a key that this request does not carry.");
    case Reason::cost_exceeds_limit:
      write_allowance(json, signals, view, name);
      json.text("; this request costs ");
      write_cost(json, view);
      return json.text(" and never fits.");
    case Reason::table_full:
      write_policy(json, view, name);
      json.text(" has no room to count one more caller");
      return write_wait(json, signals);
    case Reason::store_failure:
      write_policy(json, view, name);
      json.text(" cannot be checked at the moment");
      return write_wait(json, signals);
    case Reason::admitted:
    case Reason::limit_exceeded:
      break;
  }
  write_allowance(json, signals, view, name);
  write_wait(json, signals);
}

void write_message(base::JsonWriter& json, const Signals& signals, const View& view) {
  if (view.reason == Reason::not_in_plan) {
    return json.text("Your plan does not include this request.");
  }
  if (view.reason == Reason::missing_key) {
    return json.text("This request lacks the key that its limit counts by.");
  }
  if (view.reason == Reason::cost_exceeds_limit && signals.governing != nullptr) {
    json.text("This request costs ");
    write_cost(json, view);
    json.text(", more than the whole limit of ");
    write_quota(json, *signals.governing);
    return json.text(".");
  }
  if (view.status == 503) {
    json.text("The service is at capacity.");
  } else if (signals.governing == nullptr) {
    json.text("Rate limit exceeded.");
  } else {
    json.text("Rate limit exceeded: ");
    write_quota(json, *signals.governing);
    json.text(" per ");
    append_long_window(json.out(), signals.governing->window_s);
    json.text(".");
  }
  write_again(json, signals);
}

}  // namespace weir::answer
