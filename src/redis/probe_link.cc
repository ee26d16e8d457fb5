#include "redis/probe_link.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "redis/script.h"
#include "redis/transport.h"

namespace weir::redis {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

struct ProbeLink::Wire {
  Wire(const Address& a, std::unique_ptr<asio::ssl::context> t)
      : address(a), tls(std::move(t)), transport(context, address, tls.get()) {}

  Address address;
  std::unique_ptr<asio::ssl::context> tls;
  asio::io_context context;
  Transport transport;
  wire::RespParser parser;
};

ProbeLink::ProbeLink(const Address& address, std::unique_ptr<asio::ssl::context> tls, Login login)
    : wire_(std::make_unique<Wire>(address, std::move(tls))), login_(std::move(login)) {}

ProbeLink::~ProbeLink() {
  if (wire_) wire_->transport.close();
}

// Handlers write to their callers' variables: after a wait that ended too early none may run.
bool ProbeLink::wait(const bool& done, Time end) {
  while (!done) {
    wire_->context.restart();
    if (wire_->context.run_one_until(end) == 0) return false;
  }
  return true;
}

Trouble ProbeLink::close(Failure failure, std::string text) {
  wire_->transport.close();
  end_ = Trouble{failure, shown(text)};
  return *end_;
}

std::optional<Trouble> ProbeLink::connect(Duration limit) {
  bool done = false;
  Failure failure{};
  Transport::ErrorCode ec;
  wire_->transport.connect([&](Failure f, const Transport::ErrorCode& e) {
    done = true;
    failure = f;
    ec = e;
  });
  if (!wait(done, Clock::now() + limit.to_chrono())) {
    if (wire_->transport.reached()) return close(Failure::tls, "no handshake in time");
    close(Failure::unreachable, "no connection in time");
    // A look-up of a name cannot be called off, and the context would wait for its end.
    static auto& abandoned = *new std::vector<Wire*>;
    abandoned.push_back(wire_.release());
    return end_;
  }
  if (ec) return close(failure, wire_->transport.why(ec));
  return {};
}

std::optional<Trouble> ProbeLink::write(std::string_view bytes, Time end) {
  bool done = false;
  Transport::ErrorCode ec;
  wire_->transport.write(bytes, [&](const Transport::ErrorCode& e, std::size_t) {
    done = true;
    ec = e;
  });
  if (!wait(done, end)) return close(Failure::timeout, "no answer in time");
  if (ec) return close(Failure::lost, ec.message());
  return {};
}

const wire::RespValue* ProbeLink::read(Time end) {
  for (;;) {
    const auto status = wire_->parser.next();
    if (status == wire::RespParser::Status::error) {
      close(Failure::protocol, std::string(wire_->parser.error()));
      return nullptr;
    }
    if (status == wire::RespParser::Status::reply) {
      const wire::RespValue& reply = wire_->parser.reply();
      if (reply.type != wire::RespType::push) return &reply;
      continue;
    }
    bool done = false;
    Transport::ErrorCode ec;
    std::size_t size = 0;
    wire_->transport.read(wire_->parser.prepare(16 * 1024),
                          [&](const Transport::ErrorCode& e, std::size_t n) {
                            done = true;
                            ec = e;
                            size = n;
                          });
    if (!wait(done, end)) {
      close(Failure::timeout, "no answer in time");
      return nullptr;
    }
    if (ec) {
      // In TLS 1.3 a server refuses the client's certificate after the handshake.
      const bool tls = !greeted_ && ec.category() == asio::error::get_ssl_category();
      close(tls ? Failure::tls : Failure::lost,
            ec == asio::error::eof ? "the server closed the connection"
            : tls                  ? "the server refuses this client's certificate, or the want of "
                                     "one: " +
                        ec.message()
                  : ec.message());
      return nullptr;
    }
    wire_->parser.commit(size);
  }
}

std::optional<Trouble> ProbeLink::greet(Duration limit) {
  if (end_) return end_;
  const Time end = Clock::now() + limit.to_chrono();
  Session session(login_, charge_script().text);
  std::string out;
  session.start(out);
  for (;;) {
    const std::string bytes = std::exchange(out, {});
    if (!bytes.empty()) {
      if (auto trouble = write(bytes, end)) return trouble;
    }
    const wire::RespValue* reply = read(end);
    if (reply == nullptr) return end_;
    const Session::Action action = session.replied(*reply, out);
    if (action.kind == Session::Kind::none) continue;
    greeted_ = true;
    if (action.kind == Session::Kind::ready) return {};
    return Trouble{action.failure, shown(action.reply->text)};
  }
}

Answer ProbeLink::ask(const std::vector<std::string_view>& words, Duration limit) {
  std::string command;
  wire::append_command_size(command, words.size());
  for (const std::string_view word : words) wire::append_word(command, word);
  return ask_bytes(command, limit);
}

Answer ProbeLink::ask_bytes(std::string_view command, Duration limit) {
  return ask_bytes(command, limit, [](const wire::RespValue&) {});
}

Answer ProbeLink::ask_bytes(std::string_view command, Duration limit, const Use& use) {
  Answer answer;
  if (end_) {
    answer.trouble = end_;
    return answer;
  }
  const Time end = Clock::now() + limit.to_chrono();
  answer.trouble = write(command, end);
  if (answer.trouble) return answer;
  const wire::RespValue* reply = read(end);
  if (reply == nullptr) {
    answer.trouble = end_;
    return answer;
  }
  use(*reply);
  answer.type = reply->type;
  answer.integer = reply->integer;
  answer.text = reply->text;
  for (const wire::RespValue& item : wire::RespItems(*reply)) {
    answer.items.push_back(item.type == wire::RespType::integer ? std::to_string(item.integer)
                                                                : std::string(item.text));
  }
  if (reply->type == wire::RespType::error) {
    answer.trouble = Trouble{classify(reply->text), shown(reply->text)};
  }
  return answer;
}

}  // namespace weir::redis
