#include "redis/url.h"

#include <charconv>
#include <cstddef>
#include <optional>

namespace weir::redis {
namespace {

constexpr std::uint32_t kMaxDatabase = 2'147'483'647;  // Redis reads it as an int

Error wrong(std::string message, ErrorCode code = ErrorCode::invalid_argument) {
  return {code, std::move(message), "store.url"};
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return {};
  return value;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Letters, digits and what host names and addresses are written with: a space, a quote or a control
// character is a slip, not a host.
bool is_host(std::string_view text, bool bracketed) {
  if (text.empty() || text.size() > 253) return false;
  for (const char c : text) {
    const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!word && c != '.' && c != '-' && c != '_' && !(bracketed && (c == ':' || c == '%'))) {
      return false;
    }
  }
  return true;
}

Result<void> read_scheme(std::string_view& rest, Url& url) {
  const std::size_t end = rest.find("://");
  if (end == std::string_view::npos) {
    return wrong("a Redis is written redis://host:port/database, or rediss:// for TLS");
  }
  const std::string_view scheme = rest.substr(0, end);
  rest.remove_prefix(end + 3);
  if (scheme == "redis+sentinel" || scheme == "redis+cluster" || scheme == "rediss+sentinel" ||
      scheme == "rediss+cluster") {
    return wrong(std::string(scheme) +
                     ":// is not in this version: use redis:// or rediss:// with one server",
                 ErrorCode::unsupported);
  }
  if (scheme != "redis" && scheme != "rediss") {
    return wrong("the scheme is neither redis:// nor rediss://");
  }
  url.tls = scheme == "rediss";
  return {};
}

Result<void> read_credentials(std::string_view text, Url& url) {
  const std::size_t colon = text.find(':');
  const std::optional<std::string> user = percent_decoded(text.substr(0, colon));
  const std::optional<std::string> password = percent_decoded(
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1));
  if (!user || !password) return wrong("a % in the user or password is not followed by two digits");
  url.username = *user;
  url.password = *password;
  return {};
}

Result<void> read_port(std::string_view text, Url& url) {
  const auto port = whole_number<std::uint16_t>(text, 65'535);
  if (!port || *port == 0) return wrong("the port is no number from 1 to 65535");
  url.port = *port;
  return {};
}

Result<void> read_address(std::string_view text, Url& url) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos)
    return wrong("the [ of the address is not closed");
  const std::string_view host = text.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  if (!is_host(host, bracketed)) {
    return wrong(host.empty() ? "the host is missing" : "the host is no name or address");
  }
  url.host = host;
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + (bracketed ? 1 : 0));
  if (text.empty()) return {};
  if (text.front() != ':') return wrong("what follows the ] is no port");
  return read_port(text.substr(1), url);
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  Url url;
  if (Result<void> ok = read_scheme(text, url); !ok) return ok.error();
  if (text.find_first_of("?#") != std::string_view::npos) {
    return wrong(
        "the URL takes no ? or #: settings are keys of `store`, and in a password write "
        "%3F or %23");
  }
  // A password that was not encoded may hold an @ or a /: the last @ ends it.
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (Result<void> ok = read_credentials(text.substr(0, at), url); !ok) return ok.error();
    text.remove_prefix(at + 1);
  }
  const std::size_t slash = text.find('/');
  if (Result<void> ok = read_address(text.substr(0, slash), url); !ok) return ok.error();
  if (slash == std::string_view::npos || slash + 1 == text.size()) return url;
  const auto database = whole_number<std::uint32_t>(text.substr(slash + 1), kMaxDatabase);
  if (!database) return wrong("what follows the / is no database number");
  url.database = *database;
  return url;
}

}  // namespace weir::redis
