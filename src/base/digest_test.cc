#include "base/digest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "base/little_endian.h"
#include "base/siphash.h"

namespace weir::base {
namespace {

// The published vectors' key (bytes 0 to 15), and their inputs: the first n of the bytes 0, 1, 2...
constexpr HashSecret kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string counting_bytes(std::size_t n) {
  std::string bytes;
  for (std::size_t i = 0; i < n; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

// The 16 bytes of a digest as the reference prints them: little endian, lo first.
std::string hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : {digest.lo, digest.hi}) {
    for (unsigned i = 0; i < 8; ++i) {
      const auto byte = static_cast<unsigned char>(word >> (8 * i));
      text += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text;
}

// SipHash-2-4-128 of the reference implementation, for inputs of 0 to 63 bytes.
constexpr const char* kReference24[64] = {
    "a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45",
    "8177228da4a45dc7fca38bdef60affe4", "9c70b60c5267a94e5f33b6b02985ed51",
    "f88164c12d9c8faf7d0f6e7c7bcd5579", "1368875980776f8854527a07690e9627",
    "14eeca338b208613485ea0308fd7a15e", "a1f1ebbed8dbc153c0b84aa61ff08239",
    "3b62a9ba6258f5610f83e264f31497b4", "264499060ad9baabc47f8b02bb6d71ed",
    "00110dc378146956c95447d3f3d0fbba", "0151c568386b6677a2b4dc6f81e5dc18",
    "d626b266905ef35882634df68532c125", "9869e247e9c08b10d029934fc4b952f7",
    "31fcefac66d7de9c7ec7485fe4494902", "5493e99933b0a8117e08ec0f97cfc3d9",
    "6ee2a4ca67b054bbfd3315bf85230577", "473d06e8738db89854c066c47ae47740",
    "a426e5e423bf4885294da481feaef723", "78017731cf65fab074d5208952512eb1",
    "9e25fc833f2290733e9344a5e83839eb", "568e495abe525a218a2214cd3e071d12",
    "4a29b54552d16b9a469c10528eff0aae", "c9d184ddd5a9f5e0cf8ce29a9abf691c",
    "2db479ae78bd50d8882a8a178a6132ad", "8ece5f042d5e447b5051b9eacb8d8f6f",
    "9c0b53b4b3c307e87eaee08678141f66", "abf248af69a6eae4bfd3eb2f129eeb94",
    "0664da1668574b88b935f3027358aef4", "aa4b9dc4bf337de90cd4fd3c467c6ab7",
    "ea5c7f471faf6bde2b1ad7d4686d2287", "2939b0183223fafc1723de4f52c43d35",
    "7c3956ca5eeafc3e363e9d556546eb68", "77c6077146f01c32b6b69d5f4ea9ffcf",
    "37a6986cb8847edf0925f0f1309b54de", "a705f0e69da9a8f907241a2e923c8cc8",
    "3dc47d1f29c448461e9e76ed904f6711", "0d62bf01e6fc0e1a0d3c4751c5d3692b",
    "8c03468bca7c669ee4fd5e084bbee7b5", "528a5bb93baf2c9c4473cce5d0d22bd9",
    "df6a301e95c95dad97ae0cc8c6913bd8", "801189902c857f39e73591285e70b6db",
    "e617346ac9c231bb3650ae34ccca0c5b", "27d93437efb721aa401821dcec5adf89",
    "89237d9ded9c5e78d8b1c9b166cc7342", "4a6d8091bf5e7d651189fa94a250b14c",
    "0e33f96055e7ae893ffc0e3dcf492902", "e61c432b720b19d18ec8d84bdc63151b",
    "f7e5aef549f782cf379055a608269b16", "438d030fd0b7a54fa837f2ad201a6403",
    "a590d3ee4fbf04e3247e0d27f286423f", "5fe2c1a172fe93c4b15cd37caef9f538",
    "2c97325cbd06b36eb2133dd08b3a017c", "92c814227a6bca949ff0659f002ad39e",
    "dce850110bd8328cfbd50841d6911d87", "67f14984c7da791248e32bb5922583da",
    "1938f2cf72d54ee97e94166fa91d2a36", "74481e9646ed49fe0f6224301604698e",
    "57fca5de98a9d6d8006438d0583d8a1d", "9fecde1cefdc1cbed4763674d9575359",
    "e3040c00eb28f15366ca73cbd872e740", "7697009a6a831dfecca91c5993670f7a",
    "5853542321f567a005d547a4f04759bd", "5150d1772f50834a503e069a973fbd7c",
};

TEST(SipHash, With2And4RoundsIsTheReference) {
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_EQ(hex(siphash128<2, 4>(kKey, counting_bytes(n))), kReference24[n]) << n << " bytes";
  }
}

TEST(SipHash, With1And3RoundsHasThePublishedVector) {
  EXPECT_EQ(hex(siphash13_128(kKey, "")), "e77ebcb22788a5befd62db6add303001");
}

TEST(SipHash, ReadsEveryByteAndTheLength) {
  std::set<std::string> seen;
  for (std::size_t n = 0; n < 40; ++n) {
    const std::string zeros(n, '\0');
    EXPECT_TRUE(seen.insert(hex(siphash13_128(kKey, zeros))).second) << n << " zeros";
    for (std::size_t i = 0; i < n; ++i) {
      std::string one = zeros;
      one[i] = '\x80';
      EXPECT_TRUE(seen.insert(hex(siphash13_128(kKey, one))).second) << i << " of " << n;
    }
  }
}

TEST(SipHash, WordsAndWhatFollowsThemAreTheirBytes) {
  const std::string bytes = counting_bytes(40);
  for (std::size_t words = 0; words <= 4; ++words) {
    for (std::size_t rest = 0; rest <= 40 - 8 * words; ++rest) {
      SipHasher<1, 3> hasher(kKey);
      for (std::size_t i = 0; i < words; ++i) {
        hasher.add_word(little_endian_64(bytes.data() + 8 * i));
      }
      hasher.add_last(std::string_view(bytes).substr(8 * words, rest));
      EXPECT_EQ(hasher.finish(),
                siphash13_128(kKey, std::string_view(bytes).substr(0, 8 * words + rest)))
          << words << " words and " << rest << " bytes";
    }
  }
}

TEST(SipHash, DependsOnBothHalvesOfTheSecret) {
  const Digest d = siphash13_128(kKey, "key");
  EXPECT_NE(siphash13_128({kKey.k0 ^ 1, kKey.k1}, "key"), d);
  EXPECT_NE(siphash13_128({kKey.k0, kKey.k1 ^ 1}, "key"), d);
  EXPECT_EQ(siphash13_128(kKey, "key"), d);
}

TEST(HashSecret, IsDrawnAnewEachTime) {
  const HashSecret a = HashSecret::random();
  const HashSecret b = HashSecret::random();
  EXPECT_FALSE(a.k0 == b.k0 && a.k1 == b.k1);
  EXPECT_TRUE(a.k0 != 0 && a.k1 != 0);
}

}  // namespace
}  // namespace weir::base
