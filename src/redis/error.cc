#include "redis/error.h"

#include <algorithm>
#include <array>

namespace weir::redis {
namespace {

constexpr OnConnection kKeep = OnConnection::keep;
constexpr OnConnection kClose = OnConnection::close;
constexpr OnRequest kFails = OnRequest::fails;
constexpr OnRequest kAgain = OnRequest::again;
constexpr OnRequest kElsewhere = OnRequest::elsewhere;
constexpr OnRequest kLater = OnRequest::later;

// In the order of Failure.
constexpr std::array<Reaction, kFailures> kReactions{{
    // Behind a name or a proxy that follows the primary, a new connection finds the new one.
    {"readonly", kClose, true, kFails, "this server is a replica: point the URL at the primary"},
    {"loading", kKeep, true, kFails, "the server is loading its data: it will answer soon"},
    {"masterdown", kClose, true, kFails, "this server is a replica that has lost its primary"},
    {"clusterdown", kKeep, true, kFails, "the cluster does not serve all slots: see CLUSTER INFO"},
    {"moved", kKeep, false, kElsewhere,
     "a node of a cluster: the URL begins with redis+cluster://"},
    {"ask", kKeep, false, kElsewhere, "a node of a cluster: the URL begins with redis+cluster://"},
    {"tryagain", kKeep, false, kLater, "the cluster is moving a slot: it passes"},
    {"noauth", kClose, true, kFails, "the server wants a password: set store.password"},
    {"wrongpass", kClose, true, kFails, "store.username or store.password is wrong, or disabled"},
    {"noperm", kKeep, true, kFails, "the ACL user lacks a command or the keys ~<store.prefix>:*"},
    {"oom", kKeep, true, kFails, "the server is full: raise maxmemory"},
    {"busy", kKeep, true, kFails, "a script of somebody holds the server: SCRIPT KILL"},
    {"noscript", kKeep, false, kAgain, "the script cache was emptied: weir loads its script again"},
    {"misconf", kKeep, true, kFails, "the server cannot persist and refuses writes: see its log"},
    {"noreplicas", kKeep, true, kFails, "fewer replicas than min-replicas-to-write are connected"},
    {"crossslot", kKeep, true, kFails, "a node of a cluster: write redis+cluster:// in store.url"},
    {"nodatabase", kClose, true, kFails, "the server has no such database: see the URL's path"},
    {"maxclients", kClose, true, kFails,
     "the server takes no more clients: raise maxclients, or lower store.connections"},
    {"other_error", kKeep, true, kFails, "see the server's reply"},
    {"unreachable", kClose, true, kFails, "the server cannot be reached: host, port, firewall"},
    {"tls", kClose, true, kFails, "check store.tls, the server's certificate and its name"},
    {"lost", kClose, true, kFails, "the connection ended: a restart, or a proxy between"},
    {"protocol", kClose, true, kFails, "what answers there does not speak the Redis protocol"},
    {"timeout", kKeep, true, kFails, "the server or the network is slower than store.timeout"},
    // Weir's own doing: opening the breaker for it would keep it from ever closing.
    {"queue_full", kKeep, false, kFails, "more decisions wait for the server than allowed"},
    {"breaker_open", kKeep, false, kFails, "the server failed lately and is tried again soon"},
}};

struct Prefix {
  std::string_view word;
  Failure failure;
};

constexpr Prefix kPrefixes[] = {
    {"READONLY", Failure::readonly},
    {"LOADING", Failure::loading},
    {"MASTERDOWN", Failure::masterdown},
    {"CLUSTERDOWN", Failure::clusterdown},
    {"MOVED", Failure::moved},
    {"ASK", Failure::ask},
    {"TRYAGAIN", Failure::tryagain},
    {"NOAUTH", Failure::noauth},
    {"WRONGPASS", Failure::wrongpass},
    {"NOPERM", Failure::noperm},
    {"OOM", Failure::oom},
    {"BUSY", Failure::busy},
    {"NOSCRIPT", Failure::noscript},
    {"MISCONF", Failure::misconf},
    {"NOREPLICAS", Failure::noreplicas},
    {"CROSSSLOT", Failure::crossslot},
};

// Errors that servers give without a word of their own.
constexpr Prefix kSentences[] = {
    {"ERR DB index is out of range", Failure::nodatabase},
    {"ERR invalid DB index", Failure::nodatabase},
    {"ERR invalid password", Failure::wrongpass},
    {"ERR Client sent AUTH, but no password is set", Failure::wrongpass},
    {"ERR AUTH <password> called without any password configured", Failure::wrongpass},
    {"ERR max number of clients reached", Failure::maxclients},
};

Failure classify_word(std::string_view error_reply) {
  const std::string_view word = error_reply.substr(0, error_reply.find(' '));
  for (const Prefix& known : kPrefixes) {
    if (word == known.word) return known.failure;
  }
  return Failure::other_error;
}

}  // namespace

const Reaction& reaction(Failure failure) { return kReactions[static_cast<std::size_t>(failure)]; }

Failure classify(std::string_view error_reply) {
  const Failure by_word = classify_word(error_reply);
  if (by_word != Failure::other_error) return by_word;
  // Redis 6 wraps what a command of the script said. The script itself was found, and has begun.
  if (const std::size_t at = error_reply.find(": -"); at != std::string_view::npos) {
    const Failure inner = classify_word(error_reply.substr(at + 3));
    if (reaction(inner).request == OnRequest::fails) return inner;
  }
  // A command of the script that its caller may not run, or on keys that are not the caller's.
  if (error_reply.find("The user executing the script can't") != std::string_view::npos) {
    return Failure::noperm;
  }
  for (const Prefix& known : kSentences) {
    if (error_reply.starts_with(known.word)) return known.failure;
  }
  return Failure::other_error;
}

std::string shown(std::string_view said) {
  // A server that does not know AUTH or HELLO repeats what it was told: a password.
  const std::size_t arguments = std::min(said.find(", with args beginning with"), said.size());
  std::string text(said.substr(0, std::min<std::size_t>(arguments, 512)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace weir::redis
