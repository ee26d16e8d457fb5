// One request as a command or a timeline states it: owned strings, and the Facts that view them.
//
//   RequestSpec spec{.method = "GET", .path = "/x", .client_ip = "198.51.100.7"};
//   auto bound = BoundRequest::bind(spec);       // Result: a bad address is an error
//   engine.decide(*snapshot, bound->facts(), now);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "identity/facts.h"
#include "policy/policy.h"
#include "weir/result.h"

namespace weir::cli {

struct RequestSpec {
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string method = "GET";
  std::string path = "/";
  std::string client_ip;  // empty: the surface knows none
  Pairs headers;
  Pairs attributes;
  std::vector<std::pair<std::string, std::uint64_t>> costs;  // unit (empty: every unit), cost
  bool peek = false;
  identity::StageFilter stage = identity::StageFilter::all;
  std::optional<Duration> max_delay;  // of a leaky_bucket; none: the caller waits any delay
};

// A spec with the views a decision needs. Movable: what it views is on the heap.
class BoundRequest {
 public:
  static Result<BoundRequest> bind(const RequestSpec& spec);
  const identity::Facts& facts() const { return owned_->facts; }

 private:
  struct Owned {
    RequestSpec spec;
    std::vector<identity::Field> headers;
    std::vector<identity::Field> attributes;
    std::vector<identity::StatedCost> costs;
    identity::Facts facts;
  };
  std::unique_ptr<Owned> owned_ = std::make_unique<Owned>();
};

// A command that never charges has no --peek.
enum class Charging : bool { never, unless_peek };

// --method, --path, --client-ip, --header, --attribute, --cost, --peek, --stage.
class RequestOptions {
 public:
  explicit RequestOptions(Options& options, Charging charging = Charging::unless_peek);
  // Was any of them given?
  bool given() const;
  // Errors name the option.
  Result<RequestSpec> spec() const;

 private:
  std::vector<Option> options_;
  std::string method_ = "GET";
  std::string path_ = "/";
  std::string client_ip_;
  std::vector<std::string> headers_;
  std::vector<std::string> attributes_;
  std::vector<std::string> costs_;
  std::string stage_;
  bool peek_ = false;
};

// Why a cost of the request would be charged nowhere: no limit counts its unit.
std::optional<Error> unknown_unit(const RequestSpec& spec, const policy::Policy& policy);

// The body of POST /v1/check.
std::string check_body(const RequestSpec& spec);

}  // namespace weir::cli
