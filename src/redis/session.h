// One connection to a Redis without its socket: what to send next, and whose reply came.
//
//   session.start(out);                                // write `out`; feed replies until `ready`
//   batch.append_eval(out, ...);  session.sent(ticket);
//   Session::Action next = session.replied(reply, out);
//
// Greets with HELLO 2 (AUTH and SETNAME in it), or with AUTH and CLIENT SETNAME where the server or
// a proxy knows no HELLO; then SELECT, then PING: `ready` means that the server answers commands
// and is no replica. Replies come in the order of the commands. After NOSCRIPT the script is
// loaded, once for all batches that were on their way, and each is sent again, once.
//
// A Ticket is the caller's name for a batch. Not thread-safe. Views of a reply live as long as the
// parser says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "redis/error.h"
#include "wire/resp.h"

namespace weir::redis {

struct Login {
  std::string username;  // empty: the default user
  std::string password;  // empty, with no username: no AUTH
  std::uint32_t database = 0;
  std::string client_name = "weir";
};

class Session {
 public:
  using Ticket = std::uint32_t;

  enum class Kind : std::uint8_t {
    none,          // nothing to do, except to write what was appended
    ready,         // batches may be sent
    deliver,       // `reply` answers `ticket`
    failed,        // `ticket` was answered by an error: `failure`, and `reply` is its text
    resend,        // nothing of `ticket` ran: append its command again, then `sent_again`
    probe_passed,  // the server answers
    probe_failed,  // `failure`
    trouble,       // the script could not be loaded: `failure`
    close,         // this connection is of no use: `failure`
  };
  struct Action {
    Kind kind = Kind::none;
    Ticket ticket = 0;
    Failure failure = Failure::other_error;
    const wire::RespValue* reply = nullptr;
  };

  // Both outlive the session.
  Session(const Login& login, std::string_view script) : login_(login), script_(script) {}

  // Begins anew on a new connection.
  void start(std::string& out);
  Action replied(const wire::RespValue& reply, std::string& out);

  // The command of a batch was appended behind all that this session appended.
  void sent(Ticket ticket) { awaited_.push_back({What::batch, ticket}); }
  void sent_again(Ticket ticket) { awaited_.push_back({What::batch, ticket, true}); }
  void probe(std::string& out);
  // Before a batch whose slot is on its way to this node of a cluster.
  void asking(std::string& out);
  // Nobody waits for this batch any more: it is not sent again. Its reply still comes.
  void abandon(Ticket ticket);
  // The connection ended: the batches that wait for a reply, one a call.
  std::optional<Ticket> drop();

  bool ready() const { return ready_; }
  std::size_t awaited() const { return awaited_.size(); }

 private:
  enum class What : std::uint8_t { hello, auth, name, select, ping, probe, asking, load, batch };
  struct Awaited {
    What what = What::batch;
    Ticket ticket = 0;
    bool again = false;
    bool abandoned = false;
  };

  Action greeted(const wire::RespValue& reply, std::string& out);
  Action authenticated(const wire::RespValue& reply, std::string& out);
  Action selected(const wire::RespValue& reply, std::string& out);
  Action pinged(const wire::RespValue& reply);
  Action probed(const wire::RespValue& reply);
  Action loaded(const wire::RespValue& reply);
  Action answered(const Awaited& batch, const wire::RespValue& reply, std::string& out);
  Action close(Failure failure, const wire::RespValue& reply);

  void say_hello(std::string& out);
  void say_plainly(std::string& out);
  void name_client(std::string& out);
  void select(std::string& out);
  void ping(std::string& out);
  bool logs_in() const { return !login_.username.empty() || !login_.password.empty(); }

  const Login& login_;
  std::string_view script_;
  std::deque<Awaited> awaited_;
  // Why the script is not there: it could not be loaded. `load_refused_` views the text.
  std::string load_error_;
  wire::RespValue load_refused_;
  bool ready_ = false;
  bool loading_script_ = false;
};

}  // namespace weir::redis
