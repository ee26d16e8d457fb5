// The keys of a batch, and its command. The verdicts are replay.cc.
#include "redis/batch.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "redis/charge_record.h"
#include "redis/key_name.h"
#include "redis/replay.h"
#include "wire/resp.h"

namespace weir::redis {
namespace {

constexpr std::size_t kSlots = 4096;  // at least twice the keys that a batch can have
static_assert(kSlots >= 2 * Batch::kMostRequests * store::kMaxCharges);

}  // namespace

bool storable(const algo::Numbers& numbers) {
  return numbers.algorithm == Algorithm::token_bucket ||
         numbers.algorithm == Algorithm::leaky_bucket || numbers.period_ns % 1'000 == 0;
}

Batch::Class Batch::class_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket:
      return kBuckets;
    case Algorithm::fixed_window:
      return kFixed;
    case Algorithm::sliding_window:
      return kSliding;
    case Algorithm::sliding_log:
      return kLogs;
  }
  return kLogs;
}

void Batch::clear() {
  requests_.clear();
  items_.clear();
  at_.clear();
  keys_.clear();
  outcomes_.clear();
  before_.clear();
  slots_.assign(kSlots, 0);
  std::fill(std::begin(class_size_), std::end(class_size_), 0u);
}

void Batch::add(std::span<const store::Charge> charges, bool peek) {
  add_request(charges, peek ? Kind::peek : Kind::charge);
}

void Batch::add_stage(std::span<const store::Charge> charges) {
  add_request(charges, Kind::charge);
  requests_.back().stage = true;
}

void Batch::add_refund(std::span<const store::Charge> charges,
                       std::optional<std::uint64_t> charged_us) {
  add_request(charges, Kind::refund);
  requests_.back().charged_us = charged_us;
}

void Batch::add_request(std::span<const store::Charge> charges, Kind kind) {
  assert(charges.size() <= store::kMaxCharges && requests_.size() < kMostRequests);
  Request request;
  request.first = static_cast<std::uint32_t>(items_.size());
  request.count = static_cast<std::uint16_t>(charges.size());
  request.kind = kind;
  requests_.push_back(request);
  for (const bool shadow : {false, true}) {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      if (charges[i].shadow != shadow) continue;
      items_.push_back({charges[i], key_of(charges[i])});
      at_.push_back(static_cast<std::uint8_t>(i));
    }
  }
}

// One counter is known by its digest and algorithm: what its name in Redis is made of.
std::uint32_t Batch::key_of(const store::Charge& charge) {
  const Algorithm algorithm = charge.numbers->algorithm;
  std::size_t slot = (charge.key.lo + static_cast<std::uint64_t>(algorithm)) % kSlots;
  for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
    const Key& key = keys_[slots_[slot] - 1u];
    if (key.charge.key == charge.key && key.charge.numbers->algorithm == algorithm)
      return slots_[slot] - 1u;
  }
  keys_.push_back({charge, class_size_[class_of(algorithm)]++});
  slots_[slot] = static_cast<std::uint16_t>(keys_.size());
  return static_cast<std::uint32_t>(keys_.size() - 1);
}

std::uint32_t Batch::class_start(Class c) const {
  std::uint32_t start = 0;
  for (std::size_t i = 0; i < c; ++i) start += class_size_[i];
  return start;
}

std::uint32_t Batch::index_of(const Key& key) const {
  return class_start(class_of(key.charge.numbers->algorithm)) + key.place;
}

// Writes what the header of charge.lua describes.
class BatchWriter {
 public:
  explicit BatchWriter(const Batch& batch) : batch_(batch) {}

  std::string argument(std::optional<std::uint64_t> now_us) const;
  std::vector<std::uint32_t> keys_in_order() const;

 private:
  std::size_t append_charges(std::string& out) const;
  static int place(Batch::Kind kind, std::size_t i, std::size_t count);

  const Batch& batch_;
};

std::vector<std::uint32_t> BatchWriter::keys_in_order() const {
  std::vector<std::uint32_t> order(batch_.keys_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[batch_.index_of(batch_.keys_[i])] = i;
  return order;
}

std::string BatchWriter::argument(std::optional<std::uint64_t> now_us) const {
  std::string records;
  const std::size_t charges = append_charges(records);
  std::string out;
  out.reserve(27 + records.size());
  append_u8(out, 2);
  const std::uint64_t whole_seconds = now_us.value_or(0) / 1'000'000;
  append_number(out, now_us ? static_cast<double>(whole_seconds) : -1.0);
  append_number(out, now_us ? static_cast<double>(*now_us % 1'000'000) : 0.0);
  for (const std::uint32_t size : batch_.class_size_) append_u16(out, size);
  append_u16(out, charges);
  return out + records;
}

int BatchWriter::place(Batch::Kind kind, std::size_t i, std::size_t count) {
  if (kind == Batch::Kind::refund) return 5;
  if (kind == Batch::Kind::charge && count == 1) return 4;
  return (kind == Batch::Kind::peek ? 2 : 0) + (i + 1 == count ? 1 : 0);
}

std::size_t BatchWriter::append_charges(std::string& out) const {
  for (const Batch::Request& request : batch_.requests_) {
    const bool refund = request.kind == Batch::Kind::refund;
    for (std::size_t i = 0; i < request.count; ++i) {
      const Batch::Item& item = batch_.items_[request.first + i];
      const int mode = refund ? 2 : item.charge.shadow ? 1 : 0;
      append_record(out, item.charge, mode, place(request.kind, i, request.count),
                    batch_.index_of(batch_.keys_[item.key]) + 1, request.charged_us);
    }
  }
  return batch_.items_.size();
}

void Batch::append_eval(std::string& out, const Script& script, std::string_view prefix,
                        bool by_sha, std::optional<std::uint64_t> now_us) const {
  const BatchWriter writer(*this);
  wire::append_command_size(out, 4 + keys_.size());
  wire::append_word(out, by_sha ? "EVALSHA" : "EVAL");
  wire::append_word(out, by_sha ? script.sha1 : script.text);
  wire::append_word(out, std::to_string(keys_.size()));
  std::string name;
  for (const std::uint32_t i : writer.keys_in_order()) {
    name.clear();
    append_key(name, prefix, keys_[i].charge);
    wire::append_word(out, name);
  }
  wire::append_word(out, writer.argument(now_us));
}

bool Batch::read_reply(std::string_view bulk) { return Replay(*this, bulk).run(); }

std::span<const Outcome> Batch::outcomes(std::size_t request) const {
  const Request& r = requests_[request];
  if (r.kind == Kind::refund) return {};
  return {outcomes_.data() + r.first, r.count};
}

std::span<const Outcome> Batch::outcomes_before(std::size_t request) const {
  const Request& r = requests_[request];
  return {before_.data() + r.first, r.count};
}

store::Inspection Batch::inspection(std::size_t request) const {
  const Request& r = requests_[request];
  store::Inspection result;
  result.live = r.full_at > now_.steady;
  result.now = outcomes_[r.first];
  result.ttl = r.full_at - now_.steady;
  return result;
}

}  // namespace weir::redis
