#include "redis/probe.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/redis_url.h"
#include "redis/directory.h"
#include "redis/guide.h"
#include "redis/probe_link.h"
#include "redis/probe_server.h"
#include "redis/transport.h"

namespace weir::redis {
namespace {

using Found = std::vector<ProbeFinding>;

std::string count(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// Asks what a Survey asks, of one server after the other.
class TopologyProbe {
 public:
  TopologyProbe(const Options& options, const ProbeLimits& limits, const base::RedisUrl& url)
      : options_(options), limits_(limits), url_(url) {}

  Found run() {
    if (url_.kind == base::RedisUrl::Kind::sentinel) return sentinel();
    return cluster();
  }

 private:
  Found sentinel();
  Found cluster();
  void cluster_info(ProbeLink& link);
  void nodes(const Directory& map);
  void add_node(const Address& address, Found of_node, bool whole);

  // Null: `why` says it.
  std::unique_ptr<ProbeLink> reach(const Address& address, const Login& login, std::string& why);
  // The link to a server that answered what `guide` asks; null: a finding of `what` says why not.
  template <typename Guide>
  std::unique_ptr<ProbeLink> consult(const char* what, const Address& address, const Login& login,
                                     Guide& guide);
  void add(std::string what, Grade grade, std::string value, std::string advice = "") {
    found_.push_back({std::move(what), grade, std::move(value), std::move(advice)});
  }

  const Options& options_;
  ProbeLimits limits_;
  const base::RedisUrl& url_;
  Found found_;
};

std::unique_ptr<ProbeLink> TopologyProbe::reach(const Address& address, const Login& login,
                                                std::string& why) {
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (url_.tls) {
    auto made = make_tls(options_);
    if (!made) {
      why = made.error().text();
      return nullptr;
    }
    tls = std::move(*made);
  }
  auto link = std::make_unique<ProbeLink>(address, std::move(tls), login);
  auto trouble = link->connect(limits_.step);
  if (!trouble) trouble = link->greet(limits_.step);
  if (!trouble || trouble->failure == Failure::readonly) return link;
  why = text_of(address) + ": " + trouble->text;
  return nullptr;
}

// What a server says that is no Sentinel, or no node of a cluster, or does not let weir ask.
std::string topology_advice(const std::string& said) {
  const auto says = [&](std::string_view words) { return said.find(words) != said.npos; };
  if (says("cluster support disabled")) return "it is no cluster: write redis://HOST:PORT/DB";
  if (says("unknown command") && says("SENTINEL")) {
    return "a Redis, and no Sentinel: those listen on port 26379, mostly";
  }
  if (says("unknown command")) return "a Sentinel? write redis+sentinel://HOST,.../NAME";
  if (says("cluster|slots") || (says("NOPERM") && says("cluster"))) {
    return "on every node: ACL SETUSER the policy's user +cluster|slots";
  }
  return {};
}

template <typename Guide>
std::unique_ptr<ProbeLink> TopologyProbe::consult(const char* what, const Address& address,
                                                  const Login& login, Guide& guide) {
  std::string why;
  auto link = reach(address, login, why);
  if (link != nullptr) {
    std::string question;
    guide.question(question);
    bool told = false;
    const Answer answer = link->ask_bytes(
        question, limits_.step, [&](const wire::RespValue& reply) { told = guide.answer(reply); });
    if (told) return link;
    why = text_of(address) + ": " + (answer.trouble ? answer.trouble->text : guide.trouble());
  }
  const std::string advice = topology_advice(why);
  add(what, Grade::warning, why,
      !advice.empty()            ? advice
      : url_.servers.size() == 1 ? "name more of them in store.url, so that one may be away"
                                 : "the others are asked in its place");
  return nullptr;
}

// Every Sentinel is asked: they should agree.
Found TopologyProbe::sentinel() {
  Login login;
  login.client_name = "weir-store-check";
  std::map<Address, std::size_t> named;
  for (const Address& address : url_.servers) {
    SentinelGuide guide({address}, url_.name);
    if (consult("sentinel", address, login, guide) == nullptr) continue;
    const Address& primary = guide.found().keepers().front();
    add("sentinel", Grade::ok, text_of(address) + ": the primary is " + text_of(primary));
    ++named[primary];
  }
  if (named.empty()) {
    add("sentinels", Grade::error, "none names a primary",
        "check the hosts and the name in store.url");
    return std::move(found_);
  }
  if (named.size() > 1) {
    add("sentinels", Grade::warning, "they name different primaries", "is a failover on its way?");
  }
  const auto most = std::max_element(
      named.begin(), named.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Found primary = probe_server({options_, limits_, url_, most->first});
  found_.insert(found_.end(), primary.begin(), primary.end());
  return std::move(found_);
}

// The first node that knows the cluster.
Found TopologyProbe::cluster() {
  Login login{options_.username.empty() ? url_.username : options_.username,
              options_.password.empty() ? url_.password : options_.password, 0, "weir-store-check"};
  for (const Address& address : url_.servers) {
    ClusterGuide guide({address});
    const auto link = consult("seed", address, login, guide);
    if (link == nullptr) continue;
    const Directory& map = guide.found();
    const std::size_t slots = map.slots_served();
    add("cluster", slots == kClusterSlots ? Grade::ok : Grade::error,
        std::to_string(map.keepers().size()) +
            (map.keepers().size() == 1 ? " primary" : " primaries") + ", " +
            count(map.replicas().size(), "replica") + ", " + std::to_string(slots) +
            " of 16384 slots served",
        slots == kClusterSlots
            ? ""
            : "the limits of the other slots are not counted: redis-cli --cluster fix");
    cluster_info(*link);
    nodes(map);
    return std::move(found_);
  }
  add("cluster", Grade::error, "no node answers for it", "check the hosts in store.url");
  return std::move(found_);
}

void TopologyProbe::cluster_info(ProbeLink& link) {
  const Answer info = link.ask({"CLUSTER", "INFO"}, limits_.step);
  if (!info.ok()) return;
  if (info.text.find("cluster_state:ok") != std::string::npos) {
    return add("state", Grade::ok, "ok");
  }
  add("state", Grade::error, "the cluster says that it is down",
      "see CLUSTER INFO and CLUSTER NODES");
}

// All of the first, and of the others what is not well.
void TopologyProbe::nodes(const Directory& map) {
  bool whole = true;
  for (const Address& address : map.keepers()) {
    add_node(address, probe_server({options_, limits_, url_, address, &map}), whole);
    whole = false;
  }
}

void TopologyProbe::add_node(const Address& address, Found of_node, bool whole) {
  const bool away = !of_node.empty() && of_node.front().grade == Grade::error;
  const auto troubled = [](const ProbeFinding& f) {
    return f.grade == Grade::error || f.grade == Grade::warning;
  };
  const auto troubles =
      static_cast<std::size_t>(std::count_if(of_node.begin(), of_node.end(), troubled));
  add("node", Grade::ok,
      text_of(address) + (away           ? ", which does not answer"
                          : troubles > 0 ? ", with " + count(troubles, "trouble")
                                         : ""));
  for (ProbeFinding& f : of_node) {
    if (whole || troubled(f)) found_.push_back(std::move(f));
  }
}

}  // namespace

std::vector<ProbeFinding> probe(const Options& options, const ProbeLimits& limits) {
  if (const auto good = check(options); !good) {
    return {{"settings", Grade::error, good.error().text(), ""}};
  }
  const base::RedisUrl url = *base::parse_redis_url(options.url);
  if (url.kind != base::RedisUrl::Kind::standalone)
    return TopologyProbe(options, limits, url).run();
  return probe_server({options, limits, url, url.servers.front()});
}

}  // namespace weir::redis
