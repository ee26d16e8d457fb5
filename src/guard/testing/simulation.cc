#include "guard/testing/simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "guard/testing/process.h"

namespace weir::guard::testing {
namespace {

// The bucket that all admissions have to pass (Lindley's recursion), in units of 1 / period.
class Worst {
 public:
  explicit Worst(const algo::Numbers& numbers) : numbers_(numbers) {}

  void admitted(Instant now) {
    const base::u128 refilled = base::u128{(now - last_).ns} * numbers_.count;
    level_ = level_ > refilled ? level_ - refilled : 0;
    level_ += numbers_.period_ns;
    most_ = std::max(most_, level_);
    last_ = now;
  }
  std::uint64_t tokens() const {
    return static_cast<std::uint64_t>((most_ + numbers_.period_ns - 1) / numbers_.period_ns);
  }

 private:
  const algo::Numbers& numbers_;
  Instant last_;
  base::u128 level_ = 0;
  base::u128 most_ = 0;
};

class Simulation {
 public:
  explicit Simulation(const Scene& scene) : scene_(scene), worst_(scene_.numbers) {
    double all = 0;
    for (unsigned i = 0; i < scene.processes; ++i) all += 1.0 / (i + 1);
    for (unsigned i = 0; i < scene.processes; ++i) {
      nodes_.push_back(std::make_unique<Node>(*this));
      nodes_.back()->per_ns = static_cast<double>(scene.demand) / all / (i + 1) / 1e9;
    }
  }

  Result run() {
    const Instant end = network_.now() + scene_.warm_up + scene_.length;
    counts_from_ = network_.now() + scene_.warm_up;
    for (auto& node : nodes_) next(*node, end);
    for (Instant t = network_.now(); t < end; t = t + milliseconds(10)) {
      if (t >= counts_from_ && calls_before_ == 0) calls_before_ = calls(false);
      network_.run_until(t + milliseconds(10));
      for (auto& node : nodes_) node->process.sweep();
    }
    result_.calls = calls(false) - calls_before_;
    result_.returns = calls(true);
    network_.run_until(end + seconds(1));
    result_.worst_burst = worst_.tokens();
    return result_;
  }

 private:
  struct Node;
  // One request; gone when it is answered.
  struct Asked final : store::Sink {
    Asked(Simulation& s, Instant b) : simulation(s), begun(b) {}
    void decided(const store::Verdict& v) override {
      simulation.decided(v, begun);
      delete this;
    }
    Simulation& simulation;
    Instant begun;
  };
  struct Node {
    explicit Node(Simulation& s)
        : process(s.network_, s.server_, s.scene_.way),
          charge(process.on("hot", s.scene_.numbers)) {
      charge.prefetch = s.scene_.prefetch;
    }
    Process process;
    store::Charge charge;
    double per_ns = 0;
  };

  void next(Node& node, Instant end) {
    std::exponential_distribution<double> gap(node.per_ns);
    const Instant when =
        network_.now() + Duration{static_cast<std::uint64_t>(std::llround(gap(random_))) + 1};
    if (when >= end) return;
    network_.at(when, [this, &node, end] {
      const store::Request request{{&node.charge, 1}, false};
      node.process.guard().charge({&request, 1}, {network_.now(), 0},
                                  *new Asked(*this, network_.now()));
      next(node, end);
    });
  }

  void decided(const store::Verdict& v, Instant begun) {
    if (v.admit && !v.failed) worst_.admitted(network_.now());
    if (begun < counts_from_) return;
    ++result_.decisions;
    result_.admitted += v.admit ? 1 : 0;
    result_.failed += v.failed ? 1 : 0;
    result_.longest_wait_us =
        std::max(result_.longest_wait_us, (network_.now() - begun).ns / 1'000);
  }

  std::uint64_t calls(bool returns) const {
    std::uint64_t n = 0;
    for (const auto& node : nodes_) {
      n += returns ? node->process.far().refunds : node->process.far().calls;
    }
    return n;
  }

  Scene scene_;
  Network network_;
  Server server_;
  Worst worst_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::mt19937_64 random_{20'261'201};
  Instant counts_from_;
  std::uint64_t calls_before_ = 0;
  Result result_;
};

}  // namespace

Result simulate(const Scene& scene) { return Simulation(scene).run(); }

}  // namespace weir::guard::testing
