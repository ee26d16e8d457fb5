// The one table of every key of the policy format.
//
// It drives the loader's checks (unknown keys, types, words, what this version does not enforce),
// the defaults, the JSON Schema (`weir schema`) and docs/policy-reference.md. A row's path names
// its place: `limits[].tiers.*.rate` is the key `rate` of any key of `tiers` of an item of
// `limits`. What a row means together with others (a tier that exists, a window for an algorithm
// that has one) is checked where the section is compiled.
//
//   const Spec& spec = format();           // the root
//   const Spec* rate = spec.child("limits")->item->child("rate");
//
// Immutable, made on first use; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::policy {

// What a value may be; a row may allow several.
enum Type : std::uint32_t {
  kMap = 1u << 0,      // the rows below it are its keys
  kNames = 1u << 1,    // keys of the file's own choice: the row `PATH.*`
  kList = 1u << 2,     // items: the row `PATH[]`
  kText = 1u << 3,     // any text
  kWord = 1u << 4,     // one of the row's words
  kName = 1u << 5,     // of a tier, limit, unit, ...
  kCount = 1u << 6,    // a whole number, "20k", "1M"
  kInteger = 1u << 7,  // a small whole number without a suffix
  kBool = 1u << 8,
  kFraction = 1u << 9,   // 0 to 1
  kRate = 1u << 10,      // "60/min"
  kDuration = 1u << 11,  // "15m"
  kDate = 1u << 12,      // "2027-01-31" or RFC 3339
  kNetwork = 1u << 13,   // "10.0.0.0/8"
  kPattern = 1u << 14,   // "GET /v1/**"
  kSecret = 1u << 15,    // text in which ${env:NAME} and file:PATH are read
  kStore = 1u << 16,     // `memory`, or the URL of a Redis
};

enum class Since : std::uint8_t {
  now,    // enforced
  sugar,  // short form: expanded at load, absent from the long form
  later,  // known, not enforced in this version: refused by name
};

struct Row {
  std::string_view path;
  std::uint32_t types = 0;
  std::string_view fallback = {};  // the default, as YAML; empty: none
  std::string_view words = {};     // of kWord, separated by spaces; `!word`: known, refused by name
  std::string_view doc = {};       // for `later` rows: what to do instead
  Since since = Since::now;
  bool required = false;
  std::uint64_t least = 0;  // of kCount and kInteger
  std::uint64_t most = std::uint64_t{1} << 53;
};

std::span<const Row> rows();

// The rows as a tree.
struct Spec {
  const Row* row = nullptr;
  std::string key;  // last part of the path
  std::vector<std::unique_ptr<Spec>> children;
  std::unique_ptr<Spec> any;   // kNames
  std::unique_ptr<Spec> item;  // kList

  const Spec* child(std::string_view name) const;
  bool allows(Type type) const { return (row->types & type) != 0; }
  std::vector<std::string> child_names() const;  // of what is enforced or sugar
  std::vector<std::string> words() const;        // of what is enforced
  bool refuses_word(std::string_view word) const;
};

const Spec& format();

// What to write, in words: "a rate like `60/min` or a list".
std::string describe(const Spec& spec);
// "did you mean `x`?", or all the words.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace weir::policy
