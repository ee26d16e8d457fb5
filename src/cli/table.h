// A table for a terminal: columns as wide as their widest cell.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weir::cli {

// Rows of cells: the first column to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = "  " + fmt::format("{:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i) {
        line += "  " + fmt::format("{:>{}}", row[i], widths[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::cli
