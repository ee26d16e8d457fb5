// One line of progress on stderr that is written over, where stderr is a terminal.
#pragma once

#include <unistd.h>

#include <iostream>
#include <string>

namespace weir::cli {

class ProgressLine {
 public:
  ~ProgressLine() { clear(); }
  void show(const std::string& text) {
    if (!terminal_) return;
    std::cerr << "\r\x1b[K" << text << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
    shown_ = false;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
};

}  // namespace weir::cli
