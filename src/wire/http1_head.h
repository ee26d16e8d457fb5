// Beast's events of a request's head, noted as places in the parser's buffer; for http1.cc alone.
//
// Beast refuses control characters, bad tokens, spaces before a colon, and more; what it lets pass
// is checked here. Made for one head and put it whole; owner and buffer outlive it. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <limits>
#include <string_view>

#include "wire/http1.h"
#include "wire/http_error.h"
#include "wire/http_target.h"

namespace weir::wire {

class Http1Parser::Head final : public boost::beast::http::basic_parser<true> {
 public:
  Head(Http1Parser& owner, const char* base) : owner_(owner), base_(base) {
    body_limit(boost::none);
    header_limit(std::numeric_limits<std::uint32_t>::max());
  }

  const HttpError* problem() const { return problem_; }
  bool has_request_line() const { return version_ != 0; }
  int version() const { return version_; }
  bool waits() const { return expects_ && version_ == 11; }
  bool is_chunked() const { return codings_ == 1; }
  bool has_length() const { return lengths_ > 0; }
  std::uint64_t length() const { return length_; }

  const HttpError* check() const {
    if (hosts_ > 1) return &refused::kManyHosts;
    if (hosts_ == 0 && version_ == 11) return &refused::kNoHost;
    if (bad_host_) return &refused::kBadHost;
    if (codings_ > 0 && lengths_ > 0) return &refused::kLengthAndCoding;
    if (codings_ > 1 || unknown_coding_) return &refused::kUnknownCoding;
    // Transfer codings came with 1.1; before it the framing of such a message is anyone's guess.
    if (codings_ > 0 && version_ == 10) return &refused::kUnknownCoding;
    return nullptr;
  }

 private:
  using Code = boost::beast::error_code;

  void refuse(const HttpError& problem, Code& ec) {
    problem_ = &problem;
    ec = boost::beast::http::error::bad_value;
  }
  std::uint32_t offset(const char* p) const { return static_cast<std::uint32_t>(p - base_); }

  void on_request_impl(boost::beast::http::verb, boost::beast::string_view method,
                       boost::beast::string_view target, int version, Code&) override {
    version_ = version;
    owner_.method_size_ = static_cast<std::uint32_t>(method.size());
    owner_.target_at_ = offset(target.data());
    owner_.target_size_ = static_cast<std::uint32_t>(target.size());
  }

  void on_field_impl(boost::beast::http::field known, boost::beast::string_view name,
                     boost::beast::string_view value, Code& ec) override {
    if (owner_.places_.size() == owner_.limits_.fields) return refuse(refused::kTooManyFields, ec);
    const bool empty = value.empty();
    owner_.places_.push_back({offset(name.data()), static_cast<std::uint32_t>(name.size()),
                              empty ? 0 : offset(value.data()),
                              static_cast<std::uint32_t>(value.size())});
    const std::string_view text(value.data(), value.size());
    switch (known) {
      case boost::beast::http::field::host:
        ++hosts_;
        bad_host_ = bad_host_ || !is_host(text);
        break;
      case boost::beast::http::field::content_length:
        note_length(text, ec);
        break;
      case boost::beast::http::field::transfer_encoding:
        ++codings_;
        unknown_coding_ = unknown_coding_ || !equals_ignoring_case(text, "chunked");
        break;
      case boost::beast::http::field::expect:
        if (!equals_ignoring_case(text, "100-continue")) return refuse(refused::kExpectation, ec);
        expects_ = true;
        break;
      default:
        break;
    }
  }

  void note_length(std::string_view text, Code& ec) {
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (++lengths_ > 1) return refuse(refused::kManyLengths, ec);
    if (!digits) return refuse(refused::kBadLength, ec);
    length_ = 0;
    for (const char c : text) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (length_ > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
        return refuse(refused::kBodyTooLarge, ec);
      }
      length_ = length_ * 10 + digit;
    }
  }

  void on_response_impl(int, boost::beast::string_view, int, Code&) override {}
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(boost::beast::string_view, Code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view, Code&) override {
    return 0;
  }
  void on_finish_impl(Code&) override {}

  Http1Parser& owner_;
  const char* base_;
  const HttpError* problem_ = nullptr;
  int version_ = 0;
  int hosts_ = 0;
  bool bad_host_ = false;
  int lengths_ = 0;
  int codings_ = 0;
  bool unknown_coding_ = false;
  bool expects_ = false;
  std::uint64_t length_ = 0;
};

}  // namespace weir::wire
