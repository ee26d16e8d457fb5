// Texts by number: each distinct text is kept once, and has the number of its first sight.
//
//   Texts texts;
//   std::uint32_t id = texts.id_of("/v1/search");   // the same number whenever it comes again
//   texts[id];                                       // "/v1/search"
//
// Hashed under a secret of the process: a log that somebody else has written cannot make it slow.
// Views live as long as the Texts. Not thread-safe while it grows. About 30 ns a known text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace weir::traffic {

class Texts {
 public:
  Texts();

  std::uint32_t id_of(std::string_view text) { return id_of(text, digest_of(text)); }
  // Their numbers here, by their numbers there.
  std::vector<std::uint32_t> ids_of(const Texts& others);
  void clear();  // keeps memory
  std::string_view operator[](std::uint32_t id) const { return {texts_[id].data, texts_[id].size}; }
  std::size_t size() const { return texts_.size(); }
  // Whether the last id_of met its text for the first time.
  bool was_new() const { return was_new_; }
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;  // 0: free
  };
  struct Text {
    const char* data = nullptr;
    std::size_t size = 0;
    std::uint64_t digest = 0;
  };
  static std::uint64_t digest_of(std::string_view text);
  std::uint32_t id_of(std::string_view text, std::uint64_t digest);
  void grow();
  std::string_view keep(std::string_view text);

  std::vector<Slot> slots_;  // a power of two, at most three quarters full
  std::vector<Text> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t first_block_ = 0;  // its size
  std::size_t block_left_ = 0;
  char* block_at_ = nullptr;
  std::size_t block_bytes_ = 0;
  bool was_new_ = false;
};

}  // namespace weir::traffic
