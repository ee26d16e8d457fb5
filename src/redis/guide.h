// Finds out which servers keep the counters: whom to ask, what, and what to make of the answer. No
// I/O.
//
//   guide.question(out);                       // for guide.server()
//   if (guide.answer(reply)) use(guide.found()); else guide.next();   // `trouble` says why not
//
// A ClusterGuide asks any node for the map; a SentinelGuide asks a Sentinel for the primary.
// `next` turns to another of those it knows. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "redis/directory.h"
#include "weir/clock.h"
#include "wire/resp.h"

namespace weir::redis {

class Guide {
 public:
  explicit Guide(std::vector<Address> servers) : servers_(std::move(servers)) {}
  virtual ~Guide() = default;

  const Address& server() const { return servers_[at_ % servers_.size()]; }
  // How many there are to be asked before all are.
  std::size_t servers() const { return servers_.size(); }
  void next() { at_ = (at_ + 1) % servers_.size(); }

  virtual void question(std::string& out) const = 0;
  // False: of no use; another may know.
  virtual bool answer(const wire::RespValue& reply) = 0;
  const Directory& found() const { return found_; }
  const std::string& trouble() const { return trouble_; }
  // While all is well, it is asked again after this time.
  virtual Duration interval() const = 0;

 protected:
  bool useless(std::string_view why) {
    trouble_ = text_of(server()) + ": " + std::string(why);
    return false;
  }

  std::vector<Address> servers_;
  std::size_t at_ = 0;
  Directory found_;
  std::string trouble_;
};

// Asks for CLUSTER SLOTS; knows, besides those it was given, all nodes of the latest map.
class ClusterGuide final : public Guide {
 public:
  explicit ClusterGuide(std::vector<Address> seeds) : Guide(seeds), seeds_(std::move(seeds)) {}
  void question(std::string& out) const override;
  bool answer(const wire::RespValue& reply) override;
  Duration interval() const override { return seconds(10); }

 private:
  std::vector<Address> seeds_;
};

class SentinelGuide final : public Guide {
 public:
  SentinelGuide(std::vector<Address> sentinels, std::string name)
      : Guide(std::move(sentinels)), name_(std::move(name)) {}
  void question(std::string& out) const override;
  bool answer(const wire::RespValue& reply) override;
  // What bounds how long an old primary that is cut off is believed.
  Duration interval() const override { return seconds(1); }

 private:
  std::string name_;
};

}  // namespace weir::redis
