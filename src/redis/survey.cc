#include "redis/survey.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <utility>

namespace weir::redis {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using ErrorCode = Transport::ErrorCode;

struct Survey::Link {
  Link(asio::io_context& context, const Settings& settings, Address to)
      : address(std::move(to)),
        transport(context, address, settings.tls),
        session(settings.login, "") {}

  const Address address;
  Transport transport;
  Session session;
  wire::RespParser parser;
  std::string out, writing;
  bool is_writing = false;
  bool greeted = false;
};

Survey::Survey(asio::io_context& context, Settings settings, std::unique_ptr<Guide> guide,
               Owner& owner)
    : context_(context),
      settings_(std::move(settings)),
      guide_(std::move(guide)),
      owner_(owner),
      timer_(context),
      limit_(context),
      random_(std::random_device{}()) {}

void Survey::ask_soon(bool elsewhere) {
  if (stopped_) return;
  if (asking_) {
    again_ = true;
    return;
  }
  elsewhere_ = elsewhere_ || elsewhere;
  ask_at(std::max(Clock::now(), asked_at_ + kSoonest));
}

void Survey::ask_at(Time t) {
  timer_.expires_at(t);
  timer_.async_wait([self = shared_from_this()](const ErrorCode& cancelled) {
    if (!cancelled && !self->stopped_ && !self->asking_) self->ask();
  });
}

void Survey::ask() {
  if (std::exchange(elsewhere_, false)) {
    close();
    guide_->next();
  }
  asking_ = true;
  asked_at_ = Clock::now();
  limit_.expires_after(kLimit);
  limit_.async_wait([self = shared_from_this()](const ErrorCode& cancelled) {
    if (cancelled || !self->asking_ || Clock::now() < self->asked_at_ + kLimit) return;
    self->failed(Failure::timeout, text_of(self->guide_->server()) + ": no answer in time");
  });
  if (link_ != nullptr) return send_question(link_);
  link_ = std::make_shared<Link>(context_, settings_, guide_->server());
  link_->transport.connect(
      [self = shared_from_this(), link = link_](Failure failure, const ErrorCode& ec) {
        self->connected(link, failure, ec);
      });
}

// Each handler may come for a link that was given up.
void Survey::connected(const std::shared_ptr<Link>& link, Failure failure, const ErrorCode& ec) {
  if (link != link_) return;
  if (ec) return failed(failure, text_of(link->address) + ": " + ec.message());
  link->session.start(link->out);
  write(link);
  read(link);
}

void Survey::write(const std::shared_ptr<Link>& link) {
  if (link->is_writing || link->out.empty()) return;
  link->is_writing = true;
  link->writing = std::exchange(link->out, {});
  link->transport.write(link->writing,
                        [self = shared_from_this(), link](const ErrorCode& ec, std::size_t) {
                          link->is_writing = false;
                          if (link == self->link_ && !ec) self->write(link);  // a read tells errors
                        });
}

void Survey::read(const std::shared_ptr<Link>& link) {
  constexpr std::size_t kReadSize = 16 * 1024;
  link->transport.read(link->parser.prepare(kReadSize), [self = shared_from_this(), link](
                                                            const ErrorCode& ec, std::size_t n) {
    if (link != self->link_) return;
    const std::string who = text_of(link->address) + ": ";
    if (ec) return self->failed(Failure::lost, who + ec.message());
    link->parser.commit(n);
    for (;;) {
      const wire::RespParser::Status status = link->parser.next();
      if (status == wire::RespParser::Status::need_more) break;
      if (status == wire::RespParser::Status::error) {
        return self->failed(Failure::protocol, who + std::string(link->parser.error()));
      }
      self->replied(link, link->parser.reply());
      if (link != self->link_) return;
    }
    self->write(link);
    self->read(link);
  });
}

void Survey::replied(const std::shared_ptr<Link>& link, const wire::RespValue& reply) {
  if (reply.type == wire::RespType::push) return;
  if (link->greeted) return answered(reply);
  greeted(link, link->session.replied(reply, link->out));
}

// A replica is no less good to be asked.
void Survey::greeted(const std::shared_ptr<Link>& link, const Session::Action& action) {
  if (action.kind == Session::Kind::none) return;
  if (action.kind != Session::Kind::ready && action.failure != Failure::readonly) {
    return failed(action.failure, text_of(link->address) + ": " + std::string(action.reply->text));
  }
  link->greeted = true;
  send_question(link);
}

void Survey::send_question(const std::shared_ptr<Link>& link) {
  guide_->question(link->out);
  write(link);
}

void Survey::answered(const wire::RespValue& reply) {
  if (!asking_) return failed(Failure::protocol, text_of(guide_->server()) + ": an answer unasked");
  if (!guide_->answer(reply)) return failed(Failure::other_error, guide_->trouble());
  limit_.cancel();
  asking_ = false;
  in_vain_ = 0;
  backoff_.reset();
  const bool well = owner_.on_found(guide_->found());
  if (stopped_) return;
  const bool again = std::exchange(again_, false);
  // Whoever tells what is not so any more may be cut off itself.
  elsewhere_ = !well;
  const auto pause = again && well ? std::chrono::nanoseconds(kSoonest)
                     : well        ? guide_->interval().to_chrono()
                                   : std::chrono::nanoseconds(kTrouble);
  ask_at(asked_at_ + pause);
}

void Survey::failed(Failure failure, std::string_view why) {
  if (stopped_) return;
  const bool was_asking = std::exchange(asking_, false);
  limit_.cancel();
  close();
  guide_->next();
  again_ = elsewhere_ = false;
  if (!was_asking) return ask_at(std::max(Clock::now(), asked_at_ + kSoonest));
  owner_.on_not_found(failure, why);
  if (++in_vain_ % guide_->servers() != 0) return ask_at(Clock::now());
  ask_at(Clock::now() + std::chrono::nanoseconds(backoff_.next(random_()).to_chrono()));
}

void Survey::close() {
  if (link_ == nullptr) return;
  link_->transport.close();
  link_.reset();
}

void Survey::stop() {
  stopped_ = true;
  timer_.cancel();
  limit_.cancel();
  close();
}

}  // namespace weir::redis
