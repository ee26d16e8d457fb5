// Strict parsing and RFC 5952 printing of addresses, and membership in networks.
#include "policy/cidr.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace weir::policy {

namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// All of `text`, 1 to `digits` decimal digits without a leading zero, at most `most`.
std::optional<unsigned> parse_decimal(std::string_view text, std::size_t digits, unsigned most) {
  if (text.empty() || text.size() > digits) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  unsigned n = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    n = n * 10 + static_cast<unsigned>(c - '0');
  }
  if (n > most) return std::nullopt;
  return n;
}

// Four octets into out[0..3].
bool parse_v4(std::string_view text, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return false;
    const auto octet = parse_decimal(text.substr(0, dot), 3, 255);
    if (!octet) return false;
    out[i] = static_cast<std::uint8_t>(*octet);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return true;
}

// One group of 1 to 4 hex digits.
bool parse_group(std::string_view text, std::uint8_t* out) {
  if (text.empty() || text.size() > 4) return false;
  unsigned n = 0;
  for (char c : text) {
    const int digit = hex_value(c);
    if (digit < 0) return false;
    n = n * 16 + static_cast<unsigned>(digit);
  }
  out[0] = static_cast<std::uint8_t>(n >> 8);
  out[1] = static_cast<std::uint8_t>(n & 0xff);
  return true;
}

// Groups separated by single colons, with IPv4 allowed as the last when `v4_last`. The bytes
// written, or nullopt; empty text is no groups.
std::optional<std::size_t> parse_groups(std::string_view text, bool v4_last, std::uint8_t* out) {
  std::size_t used = 0;
  if (text.empty()) return used;
  for (;;) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && v4_last && group.find('.') != std::string_view::npos) {
      if (used > 12 || !parse_v4(group, out + used)) return std::nullopt;
      return used + 4;
    }
    if (used > 14 || !parse_group(group, out + used)) return std::nullopt;
    used += 2;
    if (last) return used;
    text.remove_prefix(colon + 1);
  }
}

bool parse_v6(std::string_view text, std::uint8_t* out) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return parse_groups(text, true, out) == 16;
  std::array<std::uint8_t, 16> head{};
  std::array<std::uint8_t, 16> tail{};
  const auto before = parse_groups(text.substr(0, gap), false, head.data());
  const auto after = parse_groups(text.substr(gap + 2), true, tail.data());
  // "::" stands for at least one group.
  if (!before || !after || *before + *after > 14) return false;
  std::memcpy(out, head.data(), *before);
  std::memcpy(out + 16 - *after, tail.data(), *after);
  return true;
}

struct Run {
  int start = -1;
  int length = 1;  // a single zero group is not shortened
};

// The first longest run of zero groups.
Run longest_zero_run(const std::array<std::uint16_t, 8>& groups) {
  Run best;
  for (int i = 0; i < 8;) {
    int j = i;
    while (j < 8 && groups[static_cast<std::size_t>(j)] == 0) ++j;
    if (j - i > best.length) best = {i, j - i};
    i = j + 1;
  }
  return best;
}

char* write_v4(const std::uint8_t* octets, char* p, char* end) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) *p++ = '.';
    p = std::to_chars(p, end, static_cast<unsigned>(octets[i])).ptr;
  }
  return p;
}

char* write_v6(const std::array<std::uint8_t, 16>& bytes, char* p, char* end) {
  std::array<std::uint16_t, 8> groups;
  for (std::size_t i = 0; i < 8; ++i) {
    groups[i] = static_cast<std::uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  }
  const Run run = longest_zero_run(groups);
  for (int i = 0; i < 8; ++i) {
    if (i == run.start) {
      *p++ = ':';
      *p++ = ':';
      i += run.length - 1;
      continue;
    }
    if (i > 0 && i != run.start + run.length) *p++ = ':';
    p = std::to_chars(p, end, static_cast<unsigned>(groups[static_cast<std::size_t>(i)]), 16).ptr;
  }
  return p;
}

// A half of an address as a number, most significant byte first.
std::uint64_t load_half(const std::uint8_t* bytes) {
  std::uint64_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  if constexpr (std::endian::native == std::endian::little) half = __builtin_bswap64(half);
  return half;
}

void store_half(std::uint64_t half, std::uint8_t* bytes) {
  if constexpr (std::endian::native == std::endian::little) half = __builtin_bswap64(half);
  std::memcpy(bytes, &half, sizeof half);
}

// The first `bits` of a half.
std::uint64_t cut_half(std::uint64_t half, unsigned bits) {
  return bits == 0 ? 0 : half & ~std::uint64_t{0} << (64 - std::min(bits, 64U));
}

Address cut(const Address& address, unsigned bits) {
  Address result;
  const std::uint8_t* const from = address.bytes.data();
  store_half(cut_half(load_half(from), bits), result.bytes.data());
  store_half(cut_half(load_half(from + 8), bits - std::min(bits, 64U)), result.bytes.data() + 8);
  return result;
}

}  // namespace

bool Address::is_v4() const {
  std::uint64_t zeros = 0;
  std::uint32_t ones = 0;
  std::memcpy(&zeros, bytes.data(), sizeof zeros);
  std::memcpy(&ones, bytes.data() + 8, sizeof ones);
  return zeros == 0 &&
         ones == std::bit_cast<std::uint32_t>(std::array<std::uint8_t, 4>{0, 0, 0xff, 0xff});
}

std::optional<Address> Address::parse(std::string_view text) {
  Address address;
  if (text.find(':') != std::string_view::npos) {
    if (!parse_v6(text, address.bytes.data())) return std::nullopt;
    return address;
  }
  std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes.begin());
  if (!parse_v4(text, address.bytes.data() + 12)) return std::nullopt;
  return address;
}

std::optional<Address> Address::parse_with_port(std::string_view text) {
  std::string_view host = text;
  std::string_view port;
  if (!text.empty() && text[0] == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    if (host.find(':') == std::string_view::npos) return std::nullopt;
  } else if (const std::size_t colon = text.find(':');
             colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);  // one colon: not IPv6
    port = text.substr(colon);
  }
  if (!port.empty()) {
    if (port[0] != ':' || !parse_decimal(port.substr(1), 5, 65535)) return std::nullopt;
  }
  return parse(host);
}

Address Address::masked(unsigned v4, unsigned v6) const {
  return is_v4() ? cut(*this, 96 + std::min(v4, 32U)) : cut(*this, std::min(v6, 128U));
}

std::string_view Address::write(std::span<char> out) const {
  std::array<char, 48> buffer;
  char* const end = buffer.data() + buffer.size();
  const char* const stop = is_v4() ? write_v4(bytes.data() + 12, buffer.data(), end)
                                   : write_v6(bytes, buffer.data(), end);
  const std::size_t size = std::min(static_cast<std::size_t>(stop - buffer.data()), out.size());
  std::memcpy(out.data(), buffer.data(), size);
  return {out.data(), size};
}

std::string Address::text() const {
  std::array<char, 48> buffer;
  return std::string(write(buffer));
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = Address::parse(text.substr(0, slash));
  if (!base) return std::nullopt;
  Cidr cidr{*base, 128};
  if (slash != std::string_view::npos) {
    const bool dotted = text.substr(0, slash).find(':') == std::string_view::npos;
    const auto bits = parse_decimal(text.substr(slash + 1), 3, dotted ? 32 : 128);
    if (!bits) return std::nullopt;
    cidr.prefix = dotted ? 96 + *bits : *bits;
  }
  // Host bits: "10.1.2.3/8" is more often a mistake than an abbreviation.
  if (cut(cidr.base, cidr.prefix) != cidr.base) return std::nullopt;
  return cidr;
}

bool Cidr::contains(const Address& address) const {
  // The mapped form is ours: no IPv6 network, not even ::/0, means IPv4.
  if (address.is_v4() && prefix < 96) return false;
  const std::size_t whole = std::min(prefix, 128U) / 8;
  if (std::memcmp(base.bytes.data(), address.bytes.data(), whole) != 0) return false;
  const unsigned rest = std::min(prefix, 128U) % 8;
  if (rest == 0) return true;
  return ((base.bytes[whole] ^ address.bytes[whole]) & (0xff00U >> rest) & 0xffU) == 0;
}

std::string Cidr::text() const {
  const bool v4 = base.is_v4() && prefix >= 96;
  return base.text() + "/" + std::to_string(v4 ? prefix - 96 : prefix);
}

bool contains(std::span<const Cidr> networks, const Address& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const Cidr& network) { return network.contains(address); });
}

}  // namespace weir::policy
