// The accounts file, line by line.
#include "identity/edit_accounts.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>

#include "identity/account_rows.h"
#include "identity/accounts.h"
#include "identity/edit_file.h"
#include "policy/findings.h"
#include "policy/utf8.h"

namespace weir::identity {

namespace {

using policy::Policy;

constexpr std::string_view kHashPrefix = "sha256:";

Error invalid(std::string message, const std::string& where) {
  return Error{ErrorCode::invalid_argument, std::move(message), where};
}

// Each finding names its file and place.
Error all_of(const policy::Findings& findings) {
  std::string text;
  for (const policy::Finding& finding : findings) {
    if (finding.severity != policy::Severity::error) continue;
    if (!text.empty()) text += '\n';
    text += finding.text();
  }
  return invalid(text, {});
}

// What the file would be, if it loads.
Result<std::string> checked(std::string text, const std::string& path, const Policy& policy) {
  const Accounts::Loaded loaded = Accounts::load_text(text, path, policy);
  if (!loaded.accounts) return all_of(loaded.findings);
  return text;
}

std::string quoted_cell(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of("\",") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain || text.empty()) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string line_of(const AccountLine& account) {
  std::string line =
      account.sha256 + "," + quoted_cell(account.tier) + "," + quoted_cell(account.account);
  if (!account.overrides.empty()) line += "," + quoted_cell(account.overrides);
  return line;
}

AccountLine to_line(const AccountRow& row) {
  AccountLine line{row.hash.text, row.tier.text, row.account.text, "", row.at.line};
  for (const OverrideCell& cell : row.overrides) {
    if (!line.overrides.empty()) line.overrides += ';';
    line.overrides += cell.limit.text + "=" + cell.numbers.text;
  }
  return line;
}

// Calls `change(row)` for each line that holds an account, and puts the lines together again. A row
// left as it was keeps its very bytes; nullopt takes the line out.
std::string map_lines(
    std::string_view text,
    const std::function<std::optional<std::string>(const AccountRow&, std::string_view)>& change) {
  policy::Report report("");
  AccountRow row;
  std::string out;
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) {
    out = kMark;
    text.remove_prefix(kMark.size());
  }
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view whole = text.substr(0, end + 1);
    text.remove_prefix(whole.size());
    const std::size_t content = whole.find_last_not_of("\r\n") + 1;  // npos + 1: none
    const std::string_view line = whole.substr(0, content);
    if (!read_csv_row(line, number, report, row)) {
      out += whole;
    } else if (const auto changed = change(row, line)) {
      out.append(*changed).append(whole.substr(content));
    }
  }
  return out;
}

bool is_hash_prefix(std::string_view who) {
  constexpr std::size_t kLeast = 8;
  const std::string_view digits = who.substr(std::min(who.size(), kHashPrefix.size()));
  return who.starts_with(kHashPrefix) && digits.size() >= kLeast &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_meant(const AccountRow& row, std::string_view who) {
  if (!is_hash_prefix(who)) return row.account.text == who;
  return row.hash.text.starts_with(who.substr(kHashPrefix.size()));
}

Result<void> refuse_yaml(const std::string& path) {
  if (!is_yaml(path)) return {};
  return Error{ErrorCode::unsupported, "a YAML accounts file is edited by hand", path};
}

// Changes the lines that `who` means; an error where there is none, or a hash means several.
Result<std::size_t> change_lines(
    const std::string& path, const Policy& policy, std::string_view who,
    const std::function<std::optional<std::string>(const AccountRow&)>& change) {
  if (const Result<void> csv = refuse_yaml(path); !csv) return csv.error();
  std::size_t changed = 0;
  const Result<void> done = edit_file(path, [&](std::string_view old) -> Result<std::string> {
    std::string text = map_lines(
        old, [&](const AccountRow& row, std::string_view line) -> std::optional<std::string> {
          if (!is_meant(row, who)) return std::string(line);
          ++changed;
          return change(row);
        });
    const std::string shown = "`" + policy::printable(who) + "`";
    if (changed == 0) return Error{ErrorCode::not_found, "no account " + shown, path};
    if (changed > 1 && is_hash_prefix(who)) {
      return invalid(
          shown + " is the beginning of " + std::to_string(changed) + " hashes; give more digits",
          path);
    }
    return checked(std::move(text), path, policy);
  });
  if (!done) return done.error();
  return changed;
}

}  // namespace

std::string generate_api_key() {
  static constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t kLength = 43;  // 62^43 > 2^256
  std::string key = "wk_";
  while (key.size() < 3 + kLength) {
    std::array<unsigned char, 64> random;
    // Up to 256 bytes come whole or not at all.
    while (::getrandom(random.data(), random.size(), 0) < 0) {
      if (errno != EINTR) std::abort();
    }
    for (const unsigned char byte : random) {
      // 248 = 4 * 62: bytes above it would favour the first digits.
      if (byte < 248 && key.size() < 3 + kLength) key += kDigits[byte % kDigits.size()];
    }
  }
  return key;
}

Result<AddedKey> add_account(const std::string& path, const Policy& policy,
                             const NewAccount& account) {
  if (const Result<void> csv = refuse_yaml(path); !csv) return csv.error();
  AddedKey added;
  added.key = account.key.empty() ? generate_api_key() : account.key;
  added.sha256 = to_hex(hash_api_key(added.key));
  const std::string line =
      line_of({added.sha256, account.tier, account.account, account.overrides, 0});
  if (line.find_first_of("\r\n") != std::string::npos) {
    return invalid("a line break in a cell", path);
  }
  const Result<void> done = edit_file(path, [&](std::string_view old) -> Result<std::string> {
    std::string text(old);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    return checked(text + line + "\n", path, policy);
  });
  if (!done) return done.error();
  return added;
}

Result<std::size_t> set_account(const std::string& path, const Policy& policy, std::string_view who,
                                const AccountChange& change) {
  for (const auto& cell : {change.tier, change.overrides}) {
    if (cell && cell->find_first_of("\r\n") != std::string::npos) {
      return invalid("a line break in a cell", path);
    }
  }
  return change_lines(path, policy, who, [&](const AccountRow& row) {
    AccountLine line = to_line(row);
    if (change.tier) line.tier = *change.tier;
    if (change.overrides) line.overrides = *change.overrides;
    return std::optional(line_of(line));
  });
}

Result<std::size_t> remove_account(const std::string& path, const Policy& policy,
                                   std::string_view who) {
  return change_lines(path, policy, who,
                      [](const AccountRow&) -> std::optional<std::string> { return std::nullopt; });
}

Result<std::vector<AccountLine>> list_accounts(const std::string& path, const Policy& policy) {
  const Accounts::Loaded loaded = Accounts::load_file(path, policy);
  if (!loaded.accounts) return all_of(loaded.findings);
  const Result<std::string> text = read_accounts_text(path);
  if (!text) return text.error();
  std::vector<AccountLine> lines;
  policy::Report report(path);
  const auto take = [&](const AccountRow& row) { lines.push_back(to_line(row)); };
  is_yaml(path) ? read_yaml_rows(*text, report, take) : read_csv_rows(*text, report, take);
  return lines;
}

}  // namespace weir::identity
