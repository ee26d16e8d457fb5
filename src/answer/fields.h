// Collects the header fields of one answer: each name once, values in one text.
//
//   Fields fields(answer);
//   if (fields.open("Retry-After")) { base::append_decimal(fields.text(), 30); fields.close(); }
//   fields.finish();
//
// Values are sliced out of the text at the end, for the text moves while it grows.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "answer/answer.h"

namespace weir::answer {

class Fields {
 public:
  explicit Fields(Answer& answer) : answer_(answer) {
    answer_.headers.clear();
    answer_.text.clear();
  }

  // `name` lives for ever. False: that field is there already, write nothing.
  bool open(std::string_view name) {
    const auto sent = slices();
    if (std::any_of(sent.begin(), sent.end(), [&](const Slice& s) { return s.name == name; })) {
      return false;
    }
    assert(count_ < slices_.size());
    slices_[count_] = {name, answer_.text.size(), 0};
    return true;
  }
  void close() { slices_[count_++].end = answer_.text.size(); }

  std::string& text() { return answer_.text; }

  void add(std::string_view name, std::string_view value) {
    if (!open(name)) return;
    text() += value;
    close();
  }

  std::size_t count() const { return count_; }
  std::string_view name(std::size_t i) const { return slices_[i].name; }

  void finish() {
    const std::string_view text = answer_.text;
    for (const Slice& s : slices()) {
      answer_.headers.push_back({s.name, text.substr(s.begin, s.end - s.begin)});
    }
  }

 private:
  struct Slice {
    std::string_view name;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::span<const Slice> slices() const { return {slices_.data(), count_}; }

  Answer& answer_;
  // The names of all dialects together are 14, the others 9.
  std::array<Slice, 32> slices_;
  std::size_t count_ = 0;
};

}  // namespace weir::answer
