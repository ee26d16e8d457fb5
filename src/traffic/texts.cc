#include "traffic/texts.h"

#include <algorithm>
#include <cstring>

#include "base/digest.h"
#include "base/siphash.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

}  // namespace

Texts::Texts() : slots_(1024) {}

std::uint64_t Texts::digest_of(std::string_view text) {
  static const base::HashSecret kSecret = base::HashSecret::random();
  return base::siphash128<1, 3>(kSecret, text).lo;
}

std::vector<std::uint32_t> Texts::ids_of(const Texts& others) {
  constexpr std::size_t kAhead = 8;
  std::vector<std::uint32_t> ids(others.size());
  for (std::uint32_t id = 0; id < ids.size(); ++id) {
    if (id + kAhead < ids.size()) {
      __builtin_prefetch(&slots_[others.texts_[id + kAhead].digest & (slots_.size() - 1)]);
    }
    ids[id] = id_of(others[id], others.texts_[id].digest);
  }
  return ids;
}

std::uint32_t Texts::id_of(std::string_view text, std::uint64_t digest) {
  const auto hash = static_cast<std::uint32_t>(digest >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = digest & mask;
  for (; slots_[at].id_plus_one != 0; at = (at + 1) & mask) {
    const std::uint32_t id = slots_[at].id_plus_one - 1;
    if (slots_[at].hash == hash && (*this)[id] == text) {
      was_new_ = false;
      return id;
    }
  }
  was_new_ = true;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  const std::string_view kept = keep(text);
  texts_.push_back({kept.data(), kept.size(), digest});
  slots_[at] = {hash, id + 1};
  if (texts_.size() * 4 > slots_.size() * 3) grow();
  return id;
}

void Texts::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  texts_.clear();
  if (blocks_.size() > 1) blocks_.resize(1);
  block_at_ = blocks_.empty() ? nullptr : blocks_.front().get();
  block_left_ = block_bytes_ = blocks_.empty() ? 0 : first_block_;
}

std::size_t Texts::bytes() const {
  return block_bytes_ + slots_.size() * sizeof(Slot) + texts_.capacity() * sizeof(Text);
}

void Texts::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    const std::uint64_t digest = texts_[id].digest;
    std::size_t at = digest & mask;
    while (larger[at].id_plus_one != 0) at = (at + 1) & mask;
    larger[at] = {static_cast<std::uint32_t>(digest >> 32), id + 1};
  }
  slots_ = std::move(larger);
}

std::string_view Texts::keep(std::string_view text) {
  if (text.size() > block_left_) {
    const std::size_t size = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    if (blocks_.size() == 1) first_block_ = size;
    block_at_ = blocks_.back().get();
    block_left_ = size;
    block_bytes_ += size;
  }
  if (text.empty()) return {};
  std::memcpy(block_at_, text.data(), text.size());
  const std::string_view kept(block_at_, text.size());
  block_at_ += text.size();
  block_left_ -= text.size();
  return kept;
}

}  // namespace weir::traffic
