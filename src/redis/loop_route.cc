// Where requests go: by the slot of their counters, by what servers say of moves, and by what the
// survey finds.
#include <algorithm>
#include <utility>

#include "redis/directory.h"
#include "redis/loop.h"

namespace weir::redis {

void Loop::survey() {
  Survey::Settings settings;
  settings.tls = settings_.tls.get();
  std::unique_ptr<Guide> guide;
  if (url_.kind == base::RedisUrl::Kind::cluster) {
    settings.login = settings_.login;
    guide = std::make_unique<ClusterGuide>(url_.servers);
  } else {
    settings.login.client_name = settings_.login.client_name;
    guide = std::make_unique<SentinelGuide>(url_.servers, url_.name);
  }
  survey_ = std::make_shared<Survey>(context_, std::move(settings), std::move(guide),
                                     static_cast<Survey::Owner&>(*this));
  survey_->start();
}

bool Loop::on_found(const Directory& directory) {
  fleet_.adopt(directory, [this](Waiting& w) { route(w); });
  on_change();
  on_turn();
  return fleet_.ready() == fleet_.keepers();
}

void Loop::on_not_found(Failure failure, std::string_view why) {
  counters_.set_error(failure, why);
  HealthCounters::add(counters_.failed_connections[static_cast<std::size_t>(failure)]);
}

// A connection has ended: its server may not be where the counters are any more.
void Loop::on_ended(Failure) {
  if (survey_ != nullptr) survey_->ask_soon(true);
}

void Loop::plan(Waiting& w) {
  if (url_.kind != base::RedisUrl::Kind::cluster) return w.stages.one(w.charges, 0);
  w.stages.plan(w.charges, w.kind == Waiting::Kind::peek);
}

// Whether it may be begun. A request that cannot be ended is not begun: what it had charged would
// have to be given back.
bool Loop::startable(Waiting& w) {
  if (!w.stages.several()) return true;
  if (w.kind == Waiting::Kind::refund) {
    w.stages.for_each_stage([&](std::uint16_t slot, std::span<const store::Charge> charges) {
      Waiting* refund = refunds_.make(slot, charges, w.charged_us, w.given, w.deadline);
      if (refund == nullptr) return HealthCounters::add(counters_.refunds_lost, charges.size());
      refund_ages_.push_back(Age(*refund));
      route(*refund);
    });
    finish(w);
    return false;
  }
  Failure why = Failure::clusterdown;
  const bool all = w.stages.all_of_slots([&](std::uint16_t slot) {
    const Server* server = fleet_.at(slot);
    const std::optional<Failure> refuses = server == nullptr ? why : server->refuses();
    why = refuses.value_or(why);
    return !refuses;
  });
  if (!all) fail(w, fleet_.known() ? why : Failure::unreachable);
  return all;
}

// To who keeps the counters of its stage at hand.
void Loop::route(Waiting& w) {
  w.asking = w.alone = false;
  w.server = nullptr;
  w.connection = nullptr;
  w.flight = nullptr;
  Server* server = stopped_ ? nullptr : fleet_.at(w.stages.slot());
  if (server == nullptr) {
    return fail(w, stopped_         ? Failure::lost
                   : fleet_.known() ? Failure::clusterdown
                                    : Failure::unreachable);
  }
  server->push(w);
  unflushed_ = true;
}

// A node that says MOVED, ASK or TRYAGAIN has not run anything of the batch.
bool Loop::on_redirect(Server& server, std::span<Waiting* const> batch, Failure failure,
                       std::string_view text) {
  if (url_.kind != base::RedisUrl::Kind::cluster || stopped_) return false;
  if (failure == Failure::clusterdown) survey_->ask_soon(true);
  const OnRequest next = reaction(failure).request;
  const bool sent_on = next == OnRequest::elsewhere;
  if (!sent_on && next != OnRequest::later) return false;
  const std::optional<Redirect> redirect =
      sent_on ? read_redirect(text, server.address()) : std::nullopt;
  if (sent_on && !redirect) return false;
  HealthCounters::add(counters_.redirected, batch.size());
  if (failure == Failure::moved) {
    fleet_.move(redirect->slot, redirect->to);
    survey_->ask_soon(false);
    on_change();
  }
  for (Waiting* w : batch) {
    if (!sent_on) {
      wait_a_moment(*w);
    } else if (++w->sent_on > kMostSentOn) {
      fail(*w, failure);
    } else {
      w->asking = failure == Failure::ask;
      fleet_.of(redirect->to).push(*w);
      unflushed_ = true;
    }
  }
  return true;
}

// Keys of one command lie on both sides of a slot that is moving. A command for each request finds
// more of them on one side.
void Loop::wait_a_moment(Waiting& w) {
  w.server = nullptr;
  w.connection = nullptr;
  w.flight = nullptr;
  w.why = Failure::tryagain;
  moments_.push_back(Age(w));
  if (std::exchange(moment_armed_, true)) return;
  moment_timer_.expires_after(kMoment);
  moment_timer_.async_wait([this](const ErrorCode& cancelled) {
    moment_armed_ = false;
    if (!cancelled && !stopped_) go_on();
  });
}

void Loop::go_on() {
  for (const Age& age : std::exchange(moments_, {})) {
    if (!age.lives()) continue;
    route(*age.waiting);
    age.waiting->alone = true;
  }
  on_turn();
}

}  // namespace weir::redis
