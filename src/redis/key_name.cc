#include "redis/key_name.h"

#include <array>
#include <cstddef>

namespace weir::redis {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;
constexpr std::size_t kTagLetters = 4;
constexpr std::size_t kDigestLetters = 22;

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? kPolynomial : 0u);
    }
    table[i] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr std::array<std::uint16_t, 256> kTable = make_table();

constexpr std::uint16_t step(std::uint16_t crc, char byte) {
  const auto at = static_cast<unsigned char>((crc >> 8) ^ static_cast<unsigned char>(byte));
  return static_cast<std::uint16_t>((crc << 8) ^ kTable[at]);
}

char letter(std::uint64_t six_bits) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return kLetters[six_bits & 63];
}

std::uint64_t tag_of(const store::Charge& charge) {
  return charge.tag != 0 ? charge.tag : charge.key.hi;
}

std::array<char, kTagLetters> letters_of_tag(const store::Charge& charge) {
  std::array<char, kTagLetters> letters{};
  const std::uint64_t tag = tag_of(charge);
  for (std::size_t i = 0; i < kTagLetters; ++i) letters[i] = letter(tag >> (6 * i));
  return letters;
}

void append_digest(std::string& out, const base::Digest& key) {
  std::uint64_t lo = key.lo;
  std::uint64_t hi = key.hi;
  for (std::size_t i = 0; i < kDigestLetters; ++i) {
    out += letter(lo);
    lo = lo >> 6 | hi << 58;
    hi >>= 6;
  }
}

}  // namespace

std::uint16_t crc16(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char byte : bytes) crc = step(crc, byte);
  return crc;
}

std::uint16_t key_slot(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return crc16(key) % kClusterSlots;
}

void append_key(std::string& out, std::string_view prefix, const store::Charge& charge,
                Algorithm algorithm) {
  const std::array<char, kTagLetters> tag = letters_of_tag(charge);
  out += prefix;
  out += ":2:{";
  out.append(tag.data(), tag.size());
  out += '}';
  out += static_cast<char>('0' + static_cast<int>(algorithm));
  append_digest(out, charge.key);
}

void append_key(std::string& out, std::string_view prefix, const store::Charge& charge) {
  append_key(out, prefix, charge, charge.numbers->algorithm);
}

std::uint16_t slot_of(const store::Charge& charge) {
  const std::array<char, kTagLetters> tag = letters_of_tag(charge);
  return crc16({tag.data(), tag.size()}) % kClusterSlots;
}

}  // namespace weir::redis
