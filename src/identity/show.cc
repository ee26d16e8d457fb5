#include "identity/show.h"

#include "identity/accounts.h"
#include "policy/unicode.h"

namespace weir::identity {

namespace {

constexpr std::size_t kShortest = 13;  // of which the last 4 are shown

std::string escaped(std::string_view value) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!value.empty()) {
    const policy::CodePoint point = policy::decode_utf8(value);
    const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
    if (point.size == 0 || control) {
      const auto byte = static_cast<unsigned char>(value[0]);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      value.remove_prefix(1);
    } else {
      out += value.substr(0, point.size);
      value.remove_prefix(point.size);
    }
  }
  return out;
}

std::string_view last_characters(std::string_view value, std::size_t count) {
  std::size_t at = value.size();
  while (at > 0 && count > 0) {
    --at;
    if ((static_cast<unsigned char>(value[at]) & 0xc0) != 0x80) --count;
  }
  return value.substr(at);
}

}  // namespace

std::string show_value(policy::Show show, std::string_view value) {
  if (show == policy::Show::plain) return escaped(value);
  if (show == policy::Show::last4 && value.size() >= kShortest) {
    return "..." + escaped(last_characters(value, 4));
  }
  return "sha256:" + to_hex(hash_api_key(value)).substr(0, 16);
}

}  // namespace weir::identity
