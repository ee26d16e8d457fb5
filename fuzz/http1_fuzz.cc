// The HTTP/1.1 parser: any bytes, whole and cut in two, give the same requests.
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/http1.h"

namespace {

using weir::wire::Http1Parser;

void feed(Http1Parser& parser, std::string_view bytes) {
  if (bytes.empty()) return;
  const auto space = parser.prepare(bytes.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  parser.commit(bytes.size());
}

// False at an error.
bool drain(Http1Parser& parser, std::string& out) {
  for (;;) {
    switch (parser.next()) {
      case Http1Parser::Status::need_more:
        return true;
      case Http1Parser::Status::send_continue:
        break;
      case Http1Parser::Status::error:
        out += "error " + std::to_string(parser.error().status);
        return false;
      case Http1Parser::Status::request: {
        const auto& r = parser.request();
        out.append(r.method).append(" ").append(r.target).append("\n");
        for (const auto& field : r.fields) {
          if (field.name.empty()) std::abort();
          out.append(field.name).append(":").append(field.value).append("\n");
        }
        out.append(r.body).append("\n");
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const weir::wire::HttpLimits limits{.header_bytes = 512, .body_bytes = 256, .fields = 8};
  const std::size_t cut = data[0] % size;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  std::string whole, parts;
  Http1Parser one(limits), two(limits);
  feed(one, bytes);
  drain(one, whole);
  feed(two, bytes.substr(0, cut));
  if (drain(two, parts)) {
    feed(two, bytes.substr(std::min(cut, bytes.size())));
    drain(two, parts);
  }
  if (whole != parts) std::abort();
  return 0;
}
