#include "wire/http1.h"

#include <algorithm>
#include <cstring>

#include "wire/http1_head.h"
#include "wire/http_target.h"

namespace weir::wire {

namespace http = boost::beast::http;
using namespace refused;

FieldLookup find_field(std::span<const HttpField> fields, std::string_view name) {
  FieldLookup found;
  for (const HttpField& field : fields) {
    if (field.name.size() != name.size() || !equals_ignoring_case(field.name, name)) continue;
    if (found.count++ == 0) found.value = field.value;
  }
  return found;
}

std::span<char> Http1Parser::prepare(std::size_t n) {
  if (buffer_.size() - end_ < n && begin_ + used_ > 0) {
    // What is left of earlier requests makes room first.
    begin_ += used_;
    used_ = 0;
    if (end_ > begin_) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < n) buffer_.resize(std::max(end_ + n, 2 * buffer_.size()));
  return {buffer_.data() + end_, buffer_.size() - end_};
}

Http1Parser::Status Http1Parser::next() {
  if (used_ > 0) {
    begin_ += used_;
    used_ = 0;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  switch (state_) {
    case State::head:
      return find_head();
    case State::sized_body:
      return read_sized_body();
    case State::chunked_body:
      return read_chunked_body();
    case State::failed:
      return Status::error;
  }
  return Status::error;
}

Http1Parser::Status Http1Parser::fail(std::uint16_t status, std::string_view detail) {
  state_ = State::failed;
  error_ = {status, detail};
  return Status::error;
}

// Looks for the empty line that ends a head, judging each line end on the way: so a request that
// could never become valid is refused at once, wherever the network cut it.
Http1Parser::Status Http1Parser::find_head() {
  if (scanned_ == 0) {
    // One empty line before a request is tolerated (RFC 9112, 2.2).
    if (!skipped_line_ && end_ - begin_ >= 2 && at(0, 2) == "\r\n") {
      begin_ += 2;
      skipped_line_ = true;
    }
    if (begin_ == end_) return Status::need_more;
    const char first = buffer_[begin_];
    if (!skipped_line_ && first == '\r' && end_ - begin_ == 1) return Status::need_more;
    if (!is_token_char(first)) return fail(kBadRequestLine);
  }
  const std::size_t have = std::min(end_ - begin_, limits_.header_bytes);
  const char* const base = buffer_.data() + begin_;
  while (scanned_ < have) {
    const void* hit = std::memchr(base + scanned_, '\n', have - scanned_);
    if (hit == nullptr) break;
    const auto i = static_cast<std::size_t>(static_cast<const char*>(hit) - base);
    if (i == 0 || base[i - 1] != '\r') return fail(kBareLineFeed);
    if (i >= 3 && base[i - 2] == '\n') return read_head(i + 1);
    if (i + 1 >= have) {  // judge the line once its successor's first byte is here
      scanned_ = i;
      if (have == limits_.header_bytes) break;
      return Status::need_more;
    }
    if (base[i + 1] == ' ' || base[i + 1] == '\t') return fail(kFoldedField);
    ++lines_;
    scanned_ = i + 1;
  }
  if (have == limits_.header_bytes) return fail(lines_ == 0 ? kTargetTooLong : kHeadTooLarge);
  scanned_ = std::max(scanned_, have);
  return Status::need_more;
}

Http1Parser::Status Http1Parser::read_head(std::size_t size) {
  head_size_ = size;
  scanned_ = lines_ = 0;
  places_.clear();
  Head head(*this, buffer_.data() + begin_);
  boost::beast::error_code ec;
  head.eager(true);
  const std::size_t read = head.put(boost::asio::const_buffer(buffer_.data() + begin_, size), ec);
  if (head.problem() != nullptr) return fail(*head.problem());
  // The head alone was put: a body still to come is no error.
  if (ec && ec != http::error::need_more) {
    if (ec == http::error::bad_version) {
      return fail(names_other_version(at(0, size)) ? kVersion : kBadRequestLine);
    }
    if (ec == http::error::multiple_content_length) return fail(kManyLengths);
    if (ec == http::error::bad_content_length) {
      if (head.is_chunked()) return fail(kLengthAndCoding);
      return fail(head.has_length() ? kManyLengths : kBadLength);
    }
    if (ec == http::error::bad_transfer_encoding) {
      return fail(head.has_length() ? kLengthAndCoding : kUnknownCoding);
    }
    return fail(head.has_request_line() ? kBadField : kBadRequestLine);
  }
  if (read != size || !head.is_header_done()) return fail(kBadField);
  if (const HttpError* problem = head.check()) return fail(*problem);
  if (!cut_target()) return fail(kBadTarget);

  request_.version = head.version();
  request_.keep_alive = head.keep_alive();
  waits_for_continue_ = head.waits();
  if (head.is_chunked()) {
    state_ = State::chunked_body;
    chunks_ = ChunkedDecoder(limits_);
    chunked_used_ = 0;
    body_.clear();
    return read_chunked_body();
  }
  if (head.length() > limits_.body_bytes) return fail(kBodyTooLarge);
  body_size_ = static_cast<std::size_t>(head.length());
  if (body_size_ == 0) return complete({}, head_size_);
  state_ = State::sized_body;
  return read_sized_body();
}

// Only this part of the target is handed out.
bool Http1Parser::cut_target() {
  const std::string_view whole = at(target_at_, target_size_);
  const auto kept = origin_form(at(0, method_size_), whole);
  if (!kept) return false;
  target_at_ += static_cast<std::uint32_t>(kept->data() - whole.data());
  target_size_ = static_cast<std::uint32_t>(kept->size());
  return true;
}

Http1Parser::Status Http1Parser::read_sized_body() {
  const std::size_t need = head_size_ + body_size_;
  if (end_ - begin_ >= need) return complete(at(head_size_, body_size_), need);
  if (!waits_for_continue_) return Status::need_more;
  waits_for_continue_ = false;
  // A client that already sends does not wait.
  return end_ - begin_ > head_size_ ? Status::need_more : Status::send_continue;
}

Http1Parser::Status Http1Parser::read_chunked_body() {
  if (waits_for_continue_) {
    waits_for_continue_ = false;
    if (end_ - begin_ == head_size_) return Status::send_continue;
  }
  const std::size_t from = head_size_ + chunked_used_;
  std::size_t used = 0;
  const auto status = chunks_.decode(at(from, end_ - begin_ - from), used, body_);
  chunked_used_ += used;
  if (status == ChunkedDecoder::Status::error) return fail(chunks_.error());
  if (status == ChunkedDecoder::Status::done) return complete(body_, head_size_ + chunked_used_);
  // What is decoded need not be kept: the bytes after it move up behind the head.
  if (chunked_used_ > limits_.header_bytes) {
    char* const to = buffer_.data() + begin_ + head_size_;
    const std::size_t left = end_ - begin_ - head_size_ - chunked_used_;
    std::memmove(to, to + chunked_used_, left);
    end_ -= chunked_used_;
    chunked_used_ = 0;
  }
  return Status::need_more;
}

Http1Parser::Status Http1Parser::complete(std::string_view body, std::size_t used) {
  state_ = State::head;
  skipped_line_ = false;
  used_ = used;
  fields_.clear();
  for (const Place& p : places_) {
    fields_.push_back({at(p.name_at, p.name_size), at(p.value_at, p.value_size)});
  }
  request_.method = at(0, method_size_);
  request_.target = at(target_at_, target_size_);
  request_.fields = fields_;
  request_.body = body;
  return Status::request;
}

}  // namespace weir::wire
