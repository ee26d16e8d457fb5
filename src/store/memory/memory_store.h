// The memory store: exact, bounded, self-cleaning; the default, and the oracle for every other one.
//
// A table of up to 64 shards, each with its lock. A request locks the shards of all its keys in one
// order and is decided as a whole, so all-or-nothing is exact: there are no spurious denials and no
// moment at which a denied request has charged anything. Time never goes back: an instant before
// the largest that the store has decided at becomes that one.
//
// Bounded: room for `max_keys` keys is reserved at once (untouched memory costs nothing) and never
// grows. Only a counter that equals full gives its place up. One key costs 64 bytes and 4 to 8 of
// the index; a sliding_log also 16 bytes for each charge in its window. A key for which there is no
// place charges its limit's overflow counter, or is denied (OnFull).
//
//   auto store = MemoryStore::open({.max_keys = 1'000'000});
//   if (!store) return store.error();
//   (*store)->charge({&request, 1}, clock.now(), sink);
//
// Thread-safe. Cost: one mutex a distinct shard and about one cache line a charge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/digest.h"
#include "store/memory/overflow.h"
#include "store/memory/pages.h"
#include "store/memory/shard.h"
#include "store/memory/table.h"
#include "store/store.h"
#include "weir/result.h"

namespace weir::store {

using memory::OnFull;

struct MemoryOptions {
  static constexpr std::uint64_t kMostKeys = 1'000'000'000;

  std::uint64_t max_keys = 1'000'000;  // 1 to kMostKeys
  OnFull on_full = OnFull::shared;
  // At most this many locks: a power of two up to 64. A small table has fewer, at least 1,024 keys
  // each; with one shard `max_keys` is exact.
  std::size_t shards = 64;
  std::optional<base::HashSecret> secret = std::nullopt;  // random where none is given
};

class MemoryStore final : public Store {
 public:
  static Result<std::unique_ptr<MemoryStore>> open(const MemoryOptions& options = {});

  void charge(std::span<const Request> requests, Now now, Sink& sink) override;
  void refund(std::span<const Charge> charges, Now now) override;
  Inspection inspect(const Charge& charge, Now now) override;
  bool reset(Slot slot, const base::Digest& key) override;
  Stats stats() const override;
  const base::HashSecret& secret() const override { return secret_; }

 private:
  struct Layout;
  MemoryStore(const MemoryOptions& options, const Layout& layout,
              memory::Pages<memory::Entry> entries, memory::Pages<std::uint32_t> heads,
              memory::Pages<memory::Overflow::Cell> cells);

  std::uint64_t max_keys_;
  base::HashSecret secret_;
  memory::Pages<memory::Entry> entries_;
  memory::Pages<std::uint32_t> heads_;
  memory::Overflow overflow_;
  std::unique_ptr<memory::Shard[]> shards_;
  mutable memory::Table table_;
};

}  // namespace weir::store
