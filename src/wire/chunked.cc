#include "wire/chunked.h"

#include <algorithm>

#include "wire/http_text.h"

namespace weir::wire {

namespace {

constexpr std::size_t kMaxSizeLine = 256;  // extensions included

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "3f;name=value": only the size counts. -1: malformed.
std::int64_t chunk_size(std::string_view line) {
  std::int64_t size = 0;
  std::size_t digits = 0;
  while (digits < line.size() && hex_digit(line[digits]) >= 0) {
    if (digits == 8) return -1;
    size = size * 16 + hex_digit(line[digits]);
    ++digits;
  }
  if (digits == 0) return -1;
  std::string_view rest = line.substr(digits);
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) rest.remove_prefix(1);
  if (!rest.empty() && rest[0] != ';') return -1;
  const bool control = std::any_of(rest.begin(), rest.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
  return control ? -1 : size;
}

}  // namespace

ChunkedDecoder::Status ChunkedDecoder::fail(const HttpError& error) {
  error_ = error;
  return Status::error;
}

ChunkedDecoder::Status ChunkedDecoder::decode(std::string_view bytes, std::size_t& used,
                                              std::string& body) {
  used = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(used);
    if (part_ == Part::data) {
      const std::size_t n = std::min(left_, rest.size());
      body.append(rest.substr(0, n));
      left_ -= n;
      used += n;
      if (left_ > 0) return Status::need_more;
      part_ = Part::data_end;
      continue;
    }
    const std::size_t most = part_ == Part::trailer ? limits_.header_bytes : kMaxSizeLine;
    const std::size_t line_feed = rest.substr(0, most).find('\n');
    if (line_feed == std::string_view::npos) {
      return rest.size() >= most ? fail(refused::kBadChunk) : Status::need_more;
    }
    if (line_feed == 0 || rest[line_feed - 1] != '\r') return fail(refused::kBareLineFeed);
    used += line_feed + 1;
    const Status status = take_line(rest.substr(0, line_feed - 1), body.size());
    if (status != Status::need_more) return status;
  }
}

// need_more: on to the next part.
ChunkedDecoder::Status ChunkedDecoder::take_line(std::string_view line, std::size_t body_size) {
  if (part_ == Part::data_end) {
    part_ = Part::size;
    return line.empty() ? Status::need_more : fail(refused::kBadChunk);
  }
  if (part_ == Part::trailer) {
    if (line.empty()) return Status::done;
    trailer_bytes_ += line.size();
    if (trailer_bytes_ > limits_.header_bytes) return fail(refused::kHeadTooLarge);
    const std::size_t colon = line.find(':');
    const bool field = colon != std::string_view::npos && is_token(line.substr(0, colon));
    return field ? Status::need_more : fail(refused::kBadField);
  }
  const std::int64_t size = chunk_size(line);
  if (size < 0) return fail(refused::kBadChunk);
  if (body_size + static_cast<std::size_t>(size) > limits_.body_bytes) {
    return fail(refused::kBodyTooLarge);
  }
  left_ = static_cast<std::size_t>(size);
  part_ = size == 0 ? Part::trailer : Part::data;
  return Status::need_more;
}

}  // namespace weir::wire
