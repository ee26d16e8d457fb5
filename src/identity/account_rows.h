// The accounts file as rows, before anything in them is checked against a policy.
//
// Both formats give the same rows, one at a time, so that a large file is never held twice. What is
// wrong with the format itself goes to the report. Lines and columns are those of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/findings.h"
#include "policy/position.h"
#include "weir/result.h"

namespace weir::identity {

struct Cell {
  std::string text;
  policy::Position at;
};

struct OverrideCell {
  Cell limit;
  Cell numbers;
};

struct AccountRow {
  policy::Position at;
  Cell hash;
  Cell tier;
  Cell account;
  std::vector<OverrideCell> overrides;
};

using TakeRow = std::function<void(const AccountRow&)>;

// `sha256(key),tier,account[,overrides]` a line; no header line. Cells may be quoted as in RFC 4180
// but not span lines. Empty lines and lines that begin with `#` say nothing.
void read_csv_rows(std::string_view text, policy::Report& report, const TakeRow& take);

// One line of it; false where it holds no row (empty, a comment) or a bad one (reported).
bool read_csv_row(std::string_view line, std::uint32_t number, policy::Report& report,
                  AccountRow& row);

// A sequence of {sha256, tier, account, overrides: {LIMIT: NUMBERS}}.
void read_yaml_rows(std::string_view text, policy::Report& report, const TakeRow& take);

// The whole file, at most 1 GiB of it.
Result<std::string> read_accounts_text(const std::string& path);

// Is the file YAML, by its name?
bool is_yaml(std::string_view path);

}  // namespace weir::identity
