// The CSV form of the accounts file.
#include <cstdint>
#include <optional>

#include "identity/account_rows.h"
#include "identity/fields.h"

namespace weir::identity {

namespace {

constexpr std::size_t kMaxCells = 4;

// Reads the cells of one line.
class Line {
 public:
  Line(std::string_view text, std::uint32_t number, policy::Report& report)
      : text_(text), number_(number), report_(report) {}

  // Characters, not bytes, before an offset; from 1.
  policy::Position at(std::size_t offset) const {
    std::uint32_t column = 1;
    for (std::size_t i = 0; i < offset && i < text_.size(); ++i) {
      if ((static_cast<unsigned char>(text_[i]) & 0xc0) != 0x80) ++column;
    }
    return {number_, column};
  }

  // The next cell, without the spaces around it; false after the last or after an error.
  bool next(Cell& cell) {
    if (done_) return false;
    skip_spaces();
    cell.at = at(next_);
    cell.text.clear();
    if (next_ < text_.size() && text_[next_] == '"' ? !quoted(cell) : !plain(cell)) return false;
    done_ = next_ >= text_.size();
    ++next_;  // the comma
    return true;
  }
  bool failed() const { return failed_; }

 private:
  void skip_spaces() {
    while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
  }

  bool plain(Cell& cell) {
    const std::string_view rest = text_.substr(next_);
    const std::string_view whole = rest.substr(0, rest.find(','));
    cell.text = trim(whole);
    next_ += whole.size();
    return true;
  }

  bool quoted(Cell& cell) {
    const std::size_t start = next_;
    for (++next_; next_ < text_.size(); ++next_) {
      if (text_[next_] != '"') {
        cell.text += text_[next_];
      } else if (text_.substr(next_).starts_with("\"\"")) {
        cell.text += text_[next_++];
      } else {
        ++next_;
        skip_spaces();
        if (next_ >= text_.size() || text_[next_] == ',') return true;
        return fail(next_, "text after a closing quote", "put a comma between cells");
      }
    }
    return fail(start, "a quote that is not closed on its line", "a cell cannot span lines");
  }

  bool fail(std::size_t offset, const char* message, const char* help) {
    report_.error(at(offset), message, help);
    failed_ = true;
    done_ = true;
    return false;
  }

  std::string_view text_;
  std::uint32_t number_;
  policy::Report& report_;
  std::size_t next_ = 0;
  bool done_ = false;
  bool failed_ = false;
};

// `limit=600/min burst 120;other=deny`
void split_overrides(const Cell& cell, policy::Report& report, std::vector<OverrideCell>& out) {
  std::string_view rest = cell.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    const std::string_view item = trim(rest.substr(0, end));
    const auto offset = static_cast<std::uint32_t>(item.data() - cell.text.data());
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (item.empty()) continue;
    const policy::Position at{cell.at.line, cell.at.column + offset};
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      report.error(at, "an override without `=`", "write `LIMIT=600/min burst 120`");
      continue;
    }
    out.push_back({{std::string(trim(item.substr(0, equals))), at},
                   {std::string(trim(item.substr(equals + 1))), at}});
  }
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool read_csv_row(std::string_view line, std::uint32_t number, policy::Report& report,
                  AccountRow& row) {
  const std::string_view content = trim(line);
  if (content.empty() || content[0] == '#') return false;
  Line cells(line, number, report);
  Cell overrides;
  Cell extra;
  row.overrides.clear();
  std::size_t count = 0;
  for (Cell* cell : {&row.hash, &row.tier, &row.account, &overrides, &extra}) {
    if (!cells.next(*cell)) break;
    ++count;
  }
  if (cells.failed()) return false;
  row.at = row.hash.at;
  if (count < kMaxCells - 1 || count > kMaxCells) {
    report.error(row.at,
                 count > kMaxCells ? "more than 4 cells" : std::to_string(count) + " cells of 3",
                 "a line is sha256(key),tier,account[,overrides]; quote a cell with a comma");
    return false;
  }
  if (count == kMaxCells) split_overrides(overrides, report, row.overrides);
  return true;
}

void read_csv_rows(std::string_view text, policy::Report& report, const TakeRow& take) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // spreadsheets write this mark
  AccountRow row;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (read_csv_row(line, number, report, row)) take(row);
  }
}

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

}  // namespace weir::identity
