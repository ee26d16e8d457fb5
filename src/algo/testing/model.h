// For tests: what each algorithm means, slow and obviously right.
//
// A model keeps the charges and refunds that happened and answers from them, in integers and
// fractions without bound. None of it is shared with the code under test. `fits` asks about an
// instant at which nothing else has happened since.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "algo/numbers.h"

namespace weir::algo::testing {

using Int = boost::multiprecision::cpp_int;
using Fraction = boost::multiprecision::cpp_rational;

inline Int floor_of(const Fraction& f) {
  return boost::multiprecision::numerator(f) / boost::multiprecision::denominator(f);
}
inline Int ceil_of(const Fraction& f) {
  const Int down = floor_of(f);
  return Fraction(down) == f ? down : Int(down + 1);
}

class Model {
 public:
  virtual ~Model() = default;
  // Whether `cost` is admitted at `now` by a caller that waits at most `max_delay`.
  virtual bool fits(const Int& cost, const Int& now, const Int& max_delay) const = 0;
  virtual Int remaining(const Int& now) const = 0;
  virtual void charge(const Int& cost, const Int& now) = 0;
  virtual void refund(const Int& cost, const Int& now) = 0;
  virtual bool full(const Int& now) const { return remaining(now) == limit(); }
  virtual Int delay(const Int&) const { return 0; }
  virtual Int limit() const = 0;
};

// The grid of docs/semantics.md, as points V on it: no instant is ever stored or rounded.
class GridModel final : public Model {
 public:
  explicit GridModel(const Numbers& n)
      : period_(n.period_ns),
        k_(std::max<Int>(1, Int(n.period_ns) / n.count)),
        m_(Int(n.count) * k_),
        burst_(n.burst),
        max_wait_(n.max_wait_ns),
        leaky_(n.algorithm == Algorithm::leaky_bucket) {}

  bool fits(const Int& cost, const Int& now, const Int& max_delay) const override {
    if (leaky_ && delay(now) > std::min(max_wait_, max_delay)) return false;
    return std::max(point_, v(now)) + cost * k_ - v(now) <= burst_ * k_;
  }
  Int remaining(const Int& now) const override {
    return (burst_ * k_ - (std::max(point_, v(now)) - v(now))) / k_;
  }
  void charge(const Int& cost, const Int& now) override {
    point_ = std::max(point_, v(now)) + cost * k_;
  }
  void refund(const Int& cost, const Int& now) override {
    point_ = std::max<Int>(point_ - cost * k_, v(now));
  }
  bool full(const Int& now) const override { return point_ <= v(now); }
  Int delay(const Int& now) const override {
    if (!leaky_ || full(now)) return 0;
    return ceil_of(Fraction(point_ * period_, m_)) - now;
  }
  Int limit() const override { return burst_; }

 private:
  Int v(const Int& t) const { return t * m_ / period_; }

  Int period_, k_, m_, burst_, max_wait_;
  bool leaky_;
  Int point_ = 0;
};

// The ideal, fluid bucket: what is owed drains continuously at count / period.
class IdealBucket {
 public:
  explicit IdealBucket(const Numbers& n) : rate_(n.count, n.period_ns), burst_(n.burst) {}

  bool fits(const Int& cost, const Int& now) const {
    return owed_at(now) + Fraction(cost) <= Fraction(burst_);
  }
  void charge(const Int& cost, const Int& now) {
    owed_ = owed_at(now) + Fraction(cost);
    since_ = now;
  }
  void refund(const Int& cost, const Int& now) {
    owed_ = std::max(Fraction(0), owed_at(now) - Fraction(cost));
    since_ = now;
  }

 private:
  Fraction owed_at(const Int& now) const {
    return std::max(Fraction(0), owed_ - rate_ * Fraction(now - since_));
  }

  Fraction rate_;
  Int burst_;
  Fraction owed_ = 0;
  Int since_ = 0;
};

// Half-open windows, told apart by number: since 1970 on the wall clock, or from a first start.
class WindowModel final : public Model {
 public:
  WindowModel(const Numbers& n, const Int& wall_offset)
      : sliding_(n.algorithm == Algorithm::sliding_window),
        first_(n.align == Align::first),
        limit_(n.count),
        window_(n.period_ns),
        offset_(wall_offset) {}

  bool fits(const Int& cost, const Int& now, const Int&) const override {
    return used(now) + cost <= limit_;
  }
  Int remaining(const Int& now) const override { return std::max<Int>(0, limit_ - used(now)); }
  void charge(const Int& cost, const Int& now) override {
    if (first_ && idle(now)) {
      counts_.clear();
      start_ = now;
    }
    counts_[number(now)] += cost;
  }
  void refund(const Int& cost, const Int& now) override {
    Int left = cost;
    take(number(now), left);
    if (sliding_) take(number(now) - 1, left);
  }
  // When the window that holds `now` ends.
  Int end(const Int& now) const {
    if (first_ && idle(now)) return now + window_;
    return now + window_ - elapsed(now);
  }
  Int limit() const override { return limit_; }

 private:
  Int origin() const { return first_ ? start_ : Int(-offset_); }
  Int number(const Int& now) const { return (now - origin()) / window_; }
  Int elapsed(const Int& now) const { return (now - origin()) % window_; }
  Int count(const Int& number) const {
    const auto found = counts_.find(number);
    return found == counts_.end() ? Int(0) : found->second;
  }
  // No window is open, nor (sliding) is the one before remembered.
  bool idle(const Int& now) const {
    if (counts_.empty()) return true;
    const Int last_that_matters = number(now) - (sliding_ ? 1 : 0);
    return counts_.lower_bound(last_that_matters) == counts_.end();
  }
  Int used(const Int& now) const {
    if (first_ && idle(now)) return 0;
    const Int n = number(now);
    return count(n) + (sliding_ ? share(count(n - 1), elapsed(now)) : Int(0));
  }
  // Of the previous window's units, the whole ones strictly below previous * (1 - elapsed /
  // window).
  Int share(const Int& previous, const Int& elapsed) const {
    const Fraction edge = Fraction(previous) * (1 - Fraction(elapsed, window_));
    if (edge == 0) return 0;
    const Int below = floor_of(edge);
    return Fraction(below) == edge ? Int(below - 1) : below;
  }
  void take(const Int& number, Int& left) {
    const auto found = counts_.find(number);
    if (found == counts_.end()) return;
    const Int taken = std::min(left, found->second);
    found->second -= taken;
    left -= taken;
    if (found->second == 0) counts_.erase(found);
  }

  bool sliding_, first_;
  Int limit_, window_, offset_, start_ = 0;
  std::map<Int, Int> counts_;
};

// Every charge with its instant; those of the last window count.
class LogModel final : public Model {
 public:
  explicit LogModel(const Numbers& n) : limit_(n.count), window_(n.period_ns) {}

  bool fits(const Int& cost, const Int& now, const Int&) const override {
    return used(now) + cost <= limit_;
  }
  Int remaining(const Int& now) const override { return std::max<Int>(0, limit_ - used(now)); }
  void charge(const Int& cost, const Int& now) override { charges_.push_back({now, cost}); }
  void refund(const Int& cost, const Int& now) override {
    Int left = std::min(cost, used(now));
    for (auto c = charges_.rbegin(); c != charges_.rend() && left > 0; ++c) {
      const Int taken = std::min(left, c->second);
      c->second -= taken;
      left -= taken;
    }
  }
  Int limit() const override { return limit_; }

 private:
  Int used(const Int& now) const {
    Int sum = 0;
    for (auto c = charges_.rbegin(); c != charges_.rend() && c->first > now - window_; ++c) {
      sum += c->second;
    }
    return sum;
  }

  Int limit_, window_;
  std::vector<std::pair<Int, Int>> charges_;
};

inline std::unique_ptr<Model> model_of(const Numbers& n, std::int64_t wall_offset) {
  switch (n.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket:
      return std::make_unique<GridModel>(n);
    case Algorithm::fixed_window:
    case Algorithm::sliding_window:
      return std::make_unique<WindowModel>(n, Int(wall_offset));
    case Algorithm::sliding_log:
      return std::make_unique<LogModel>(n);
  }
  return nullptr;
}

}  // namespace weir::algo::testing
