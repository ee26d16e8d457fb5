#include "wire/http_response.h"

#include <algorithm>

#include "base/append.h"
#include "base/json_writer.h"

namespace weir::wire {

namespace {

void append_safe(std::string& out, std::string_view value) {
  const auto breaks = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  const std::size_t from = out.size();
  out += value;
  if (std::any_of(value.begin(), value.end(), breaks)) {
    std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), breaks, ' ');
  }
}

}  // namespace

std::string_view reason_phrase(std::uint16_t status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

void HttpResponse::start(std::uint16_t status) {
  status_ = status;
  out_ += "HTTP/1.1 ";
  base::append_decimal(out_, status);
  out_ += ' ';
  out_ += reason_phrase(status);
  out_ += "\r\n";
}

void HttpResponse::field(std::string_view name, std::string_view value) {
  out_ += name;
  out_ += ": ";
  append_safe(out_, value);
  out_ += "\r\n";
}

void HttpResponse::field(std::string_view name, std::uint64_t value) {
  out_ += name;
  out_ += ": ";
  base::append_decimal(out_, value);
  out_ += "\r\n";
}

void HttpResponse::finish(std::string_view content_type, std::string_view body) {
  if (!content_type.empty()) field("Content-Type", content_type);
  field("Content-Length", body.size());
  if (!reply_.date.empty()) field("Date", reply_.date);
  if (!reply_.keep_alive) {
    field("Connection", "close");
  } else if (reply_.http10) {
    field("Connection", "keep-alive");
  }
  out_ += "\r\n";
  if (!reply_.head) out_ += body;
}

void append_problem(std::string& out, std::uint16_t status, std::string_view detail,
                    std::string_view field) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("type", "about:blank");
  json.member("title", reason_phrase(status));
  json.member("status", status);
  if (!field.empty()) json.member("field", field);
  json.member("detail", detail);
  json.end_object();
}

void write_problem(HttpResponse& response, std::uint16_t status, std::string_view detail,
                   std::string_view field) {
  std::string body;
  append_problem(body, status, detail, field);
  response.start(status);
  response.field("Cache-Control", "no-store");
  response.finish("application/problem+json", body);
}

}  // namespace weir::wire
