#include "redis/session.h"

namespace weir::redis {

using wire::RespType;
using wire::RespValue;

namespace {

bool is_error(const RespValue& reply) { return reply.type == RespType::error; }

bool is_text(const RespValue& value, std::string_view text) {
  return (value.type == RespType::bulk_string || value.type == RespType::simple_string) &&
         value.text == text;
}

// Of HELLO's reply: keys and values in turn, as a map or, in RESP2, as an array.
bool is_replica(const RespValue& hello) {
  bool is_value = false;
  bool of_role = false;
  for (const RespValue& item : wire::RespItems(hello)) {
    if (is_value && of_role) return is_text(item, "replica") || is_text(item, "slave");
    of_role = !is_value && is_text(item, "role");
    is_value = !is_value;
  }
  return false;
}

// An old server, a proxy, or a user who may not say HELLO.
bool knows_no_hello(const RespValue& error) {
  return error.text.starts_with("ERR unknown command") || error.text.starts_with("NOPROTO") ||
         classify(error.text) == Failure::noperm;
}

}  // namespace

void Session::start(std::string& out) {
  awaited_.clear();
  ready_ = false;
  loading_script_ = false;
  load_error_.clear();
  say_hello(out);
}

void Session::say_hello(std::string& out) {
  wire::append_command_size(out, 4 + (logs_in() ? 3u : 0u));
  wire::append_word(out, "HELLO");
  wire::append_word(out, "2");
  if (logs_in()) {
    wire::append_word(out, "AUTH");
    wire::append_word(out, login_.username.empty() ? "default" : login_.username);
    wire::append_word(out, login_.password);
  }
  wire::append_word(out, "SETNAME");
  wire::append_word(out, login_.client_name);
  awaited_.push_back({What::hello});
}

void Session::say_plainly(std::string& out) {
  if (!logs_in()) return name_client(out);
  if (login_.username.empty()) {
    wire::append_command(out, {"AUTH", login_.password});
  } else {
    wire::append_command(out, {"AUTH", login_.username, login_.password});
  }
  awaited_.push_back({What::auth});
}

void Session::name_client(std::string& out) {
  wire::append_command(out, {"CLIENT", "SETNAME", login_.client_name});
  awaited_.push_back({What::name});
}

void Session::select(std::string& out) {
  if (login_.database == 0) return ping(out);
  wire::append_command(out, {"SELECT", std::to_string(login_.database)});
  awaited_.push_back({What::select});
}

void Session::ping(std::string& out) {
  wire::append_command(out, {"PING"});
  awaited_.push_back({What::ping});
}

void Session::probe(std::string& out) {
  wire::append_command(out, {"PING"});
  awaited_.push_back({What::probe});
}

void Session::asking(std::string& out) {
  wire::append_command(out, {"ASKING"});
  awaited_.push_back({What::asking});
}

void Session::abandon(Ticket ticket) {
  for (Awaited& a : awaited_) {
    if (a.what == What::batch && a.ticket == ticket) a.abandoned = true;
  }
}

std::optional<Session::Ticket> Session::drop() {
  ready_ = false;
  while (!awaited_.empty()) {
    const Awaited first = awaited_.front();
    awaited_.pop_front();
    if (first.what == What::batch) return first.ticket;
  }
  return {};
}

Session::Action Session::close(Failure failure, const RespValue& reply) {
  ready_ = false;
  return {Kind::close, 0, failure, &reply};
}

Session::Action Session::replied(const RespValue& reply, std::string& out) {
  if (reply.type == RespType::push) return {};
  if (awaited_.empty()) {
    return close(is_error(reply) ? classify(reply.text) : Failure::protocol, reply);
  }
  const Awaited first = awaited_.front();
  awaited_.pop_front();
  switch (first.what) {
    case What::hello:
      return greeted(reply, out);
    case What::auth:
      return authenticated(reply, out);
    case What::name:  // for people who look at CLIENT LIST; not worth a failure
      select(out);
      return {};
    case What::select:
      return selected(reply, out);
    case What::ping:
      return pinged(reply);
    case What::probe:
      return probed(reply);
    case What::asking:  // where it is refused, the batch is too
      return {};
    case What::load:
      return loaded(reply);
    case What::batch:
      return answered(first, reply, out);
  }
  return close(Failure::protocol, reply);
}

Session::Action Session::greeted(const RespValue& reply, std::string& out) {
  if (is_error(reply)) {
    if (!knows_no_hello(reply)) return close(classify(reply.text), reply);
    say_plainly(out);
    return {};
  }
  if (reply.type != RespType::array && reply.type != RespType::map) {
    return close(Failure::protocol, reply);
  }
  if (is_replica(reply)) return close(Failure::readonly, reply);
  select(out);
  return {};
}

Session::Action Session::authenticated(const RespValue& reply, std::string& out) {
  if (is_error(reply)) return close(classify(reply.text), reply);
  if (!is_text(reply, "OK")) return close(Failure::protocol, reply);
  name_client(out);
  return {};
}

Session::Action Session::selected(const RespValue& reply, std::string& out) {
  if (is_error(reply)) return close(classify(reply.text), reply);
  if (!is_text(reply, "OK")) return close(Failure::protocol, reply);
  ping(out);
  return {};
}

Session::Action Session::pinged(const RespValue& reply) {
  const Action answer = probed(reply);
  if (answer.kind == Kind::close) return answer;
  if (answer.kind == Kind::probe_failed) return close(answer.failure, reply);
  ready_ = true;
  return {Kind::ready, 0, Failure::other_error, &reply};
}

Session::Action Session::probed(const RespValue& reply) {
  if (is_error(reply)) {
    const Failure failure = classify(reply.text);
    // A user who may not say PING was answered all the same.
    if (failure != Failure::noperm) return {Kind::probe_failed, 0, failure, &reply};
  } else if (!is_text(reply, "PONG")) {
    return close(Failure::protocol, reply);
  }
  return {Kind::probe_passed, 0, Failure::other_error, &reply};
}

Session::Action Session::loaded(const RespValue& reply) {
  loading_script_ = false;
  load_error_ = is_error(reply) ? reply.text : std::string_view{};
  load_refused_ = {.type = RespType::error, .text = load_error_};
  if (!is_error(reply)) return {};
  return {Kind::trouble, 0, classify(reply.text), &reply};
}

Session::Action Session::answered(const Awaited& batch, const RespValue& reply, std::string& out) {
  if (!is_error(reply)) return {Kind::deliver, batch.ticket, Failure::other_error, &reply};
  const Failure failure = classify(reply.text);
  if (failure == Failure::noscript && batch.again && !load_error_.empty()) {
    return {Kind::failed, batch.ticket, classify(load_error_), &load_refused_};
  }
  if (reaction(failure).request != OnRequest::again || batch.again || batch.abandoned) {
    return {Kind::failed, batch.ticket, failure, &reply};
  }
  if (!loading_script_) {
    wire::append_command(out, {"SCRIPT", "LOAD", script_});
    awaited_.push_back({What::load});
    loading_script_ = true;
  }
  return {Kind::resend, batch.ticket, failure, &reply};
}

}  // namespace weir::redis
