#include "traffic/lines.h"

#include <cstring>

namespace weir::traffic {

bool Lines::next(std::string_view& line) {
  too_long_ = false;
  unended_ = false;
  std::size_t given = 0;  // of a line that is too long: its beginning stays at begin_
  for (;;) {
    const char* at =
        looked_ < end_
            ? static_cast<const char*>(std::memchr(buffer_.data() + looked_, '\n', end_ - looked_))
            : nullptr;
    if (at != nullptr) {
      const auto stop = static_cast<std::size_t>(at - buffer_.data());
      if (!too_long_ && stop - begin_ > kMostLine) too_long_ = true, given = kMostLine;
      line = without_end({buffer_.data() + begin_, too_long_ ? given : stop - begin_});
      begin_ = looked_ = stop + 1;
      return true;
    }
    looked_ = end_;
    if (end_ - begin_ > kMostLine) {
      too_long_ = true;
      given = kMostLine;
      end_ = looked_ = begin_ + kMostLine;  // what follows is of no use
    }
    if (more()) continue;
    if (begin_ == end_) return false;
    unended_ = true;
    line = without_end({buffer_.data() + begin_, end_ - begin_});
    begin_ = looked_ = end_;
    return true;
  }
}

bool Lines::more() {
  if (ended_) return false;
  if (buffer_.size() - end_ < kMostLine) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    looked_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  const auto n = source_.read({buffer_.data() + end_, buffer_.size() - end_});
  if (!n) error_ = n.error();
  if (!n || *n == 0) {
    ended_ = true;
    return false;
  }
  end_ += *n;
  return true;
}

std::string_view Lines::without_end(std::string_view line) const {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace weir::traffic
