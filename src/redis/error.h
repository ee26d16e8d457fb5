// What can go wrong between weir and a Redis, and what weir does about it: one table.
//
//   const Failure failure = classify("READONLY You can't write against a read only replica.");
//   if (reaction(failure).connection == OnConnection::close) ...
//
// Values; any thread. The request at hand fails over to its limits' failure policy, except where
// the server has said that nothing ran: then it goes on as `OnRequest` says, within the deadline it
// has left. No other command is ever sent again, because one whose reply was lost may have been
// charged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::redis {

// Names are words of the metric `weir_store_errors_total{kind}`: `name(failure)`.
enum class Failure : std::uint8_t {
  // of a reply
  readonly,     // a replica: the primary is elsewhere
  loading,      // the server reads its data set into memory
  masterdown,   // a replica without its primary, told not to serve stale data
  clusterdown,  // a cluster that does not serve every slot
  moved,        // a cluster: the key lives on another node
  ask,          // the same, for one command
  tryagain,     // a cluster moves the slot at this moment
  noauth,       // the server wants a password, and the URL has none
  wrongpass,    // user or password are wrong
  noperm,       // the user may not run the command or touch the keys
  oom,          // maxmemory is used up and nothing may be evicted
  busy,         // a script runs for longer than the server's patience
  noscript,     // the script cache is empty: a restart, or SCRIPT FLUSH
  misconf,      // the server does not accept writes: it cannot persist
  noreplicas,   // fewer replicas than min-replicas-to-write
  crossslot,    // a node of a cluster, asked for keys of several slots as one server is
  nodatabase,   // SELECT of a database that the server does not have
  maxclients,   // the server has as many connections as it takes
  other_error,  // any other error reply
  // of the connection
  unreachable,  // no connection: refused, no route, a name that does not resolve, too slow
  tls,          // the handshake failed: a certificate, a name, a protocol
  lost,         // a connection ended while replies were awaited
  protocol,     // bytes that are no reply, or not the reply that was asked for
  // of time and room
  timeout,       // the deadline came first
  queue_full,    // as many requests as allowed are waiting
  breaker_open,  // failed lately: not even tried
};
inline constexpr std::size_t kFailures = static_cast<std::size_t>(Failure::breaker_open) + 1;

enum class OnConnection : std::uint8_t {
  keep,   // it works; the failure is one of the command or the server's state
  close,  // connect again, after a pause that grows
};

enum class OnRequest : std::uint8_t {
  fails,
  again,      // with the script before it, once
  elsewhere,  // of a cluster: to the node that the reply names; a single server's request fails
  later,      // of a cluster: in a moment, in a command of its own; a single server's fails
};

struct Reaction {
  std::string_view name;
  OnConnection connection = OnConnection::keep;
  bool counts = true;  // towards opening the breaker
  OnRequest request = OnRequest::fails;
  std::string_view advice;  // for the log and `store check`: what an operator does
};

const Reaction& reaction(Failure failure);
inline std::string_view name(Failure failure) { return reaction(failure).name; }

// Of an error reply, without its leading `-`.
Failure classify(std::string_view error_reply);

// What a server says, as logs and terminals may show it: ASCII that can be seen, at most 512 bytes,
// without the arguments of a command that it does not know.
std::string shown(std::string_view said);

}  // namespace weir::redis
