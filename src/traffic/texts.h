// Texts by number: each distinct text is kept once, and has the number of its first sight.
//
//   Texts texts;
//   std::uint32_t id = texts.id_of("/v1/search");   // the same number whenever it comes again
//   texts[id];                                       // "/v1/search"
//
// Hashed under a secret of its own: a log that somebody else has written cannot make it slow. Views
// live as long as the Texts. Not thread-safe while it grows. About 30 ns a known text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace weir::traffic {

class Texts {
 public:
  Texts();

  std::uint32_t id_of(std::string_view text);
  std::string_view operator[](std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }
  // Whether the last id_of met its text for the first time.
  bool was_new() const { return was_new_; }
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0: free
  };
  void grow();
  std::string_view keep(std::string_view text);

  base::HashSecret secret_;
  std::vector<Slot> slots_;  // a power of two, at most three quarters full
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_at_ = nullptr;
  std::size_t block_bytes_ = 0;
  bool was_new_ = false;
};

}  // namespace weir::traffic
