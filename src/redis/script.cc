#include "redis/script.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <string>

#include "redis/script/charge_text.h"

namespace weir::redis {
namespace {

std::string sha1_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
    return {};  // a library without SHA-1: every EVALSHA gets NOSCRIPT, and EVAL still works
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace

const Script& charge_script() {
  static const std::string sha1 = sha1_of(kChargeText);
  static const Script script{kChargeText, sha1};
  return script;
}

}  // namespace weir::redis
