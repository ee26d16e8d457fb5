// The parser of Redis replies: any bytes, whole and cut in two, give the same replies, within the
// bounds.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/resp.h"
#include "wire/testing/resp_text.h"

namespace {

using weir::wire::RespItems;
using weir::wire::RespLimits;
using weir::wire::RespParser;
using weir::wire::RespValue;

constexpr RespLimits kLimits{.line_bytes = 64, .reply_bytes = 512, .values = 32, .depth = 4};

void feed(RespParser& parser, std::string_view bytes) {
  if (bytes.empty()) return;
  std::memcpy(parser.prepare(bytes.size()).data(), bytes.data(), bytes.size());
  parser.commit(bytes.size());
}

// The tree is whole: as many items as promised, and its sizes add up.
void check(const RespValue& value, std::size_t depth) {
  if (value.size > kLimits.values || depth > kLimits.depth + 1) std::abort();
  std::size_t items = 0;
  std::size_t size = 1;
  for (const RespValue& item : RespItems(value)) {
    check(item, depth + 1);
    ++items;
    size += item.size;
  }
  if (items != value.items || size != value.size) std::abort();
}

// False at an error.
bool drain(RespParser& parser, std::string& out) {
  for (;;) {
    switch (parser.next()) {
      case RespParser::Status::need_more:
        return true;
      case RespParser::Status::error:
        out.append("error ").append(parser.error());
        return false;
      case RespParser::Status::reply:
        check(parser.reply(), 0);
        out += weir::wire::testing::to_text(parser.reply()) + "\n";
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t cut = data[0] % size;
  std::string whole, parts;
  RespParser one(kLimits), two(kLimits);
  feed(one, bytes);
  drain(one, whole);
  feed(two, bytes.substr(0, cut));
  if (drain(two, parts)) {
    feed(two, bytes.substr(cut));
    drain(two, parts);
  }
  if (whole != parts) std::abort();
  return 0;
}
