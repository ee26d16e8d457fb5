#include "redis/url.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace weir::redis {
namespace {

constexpr std::uint32_t kMaxDatabase = 2'147'483'647;  // Redis reads it as an int

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "store.url"};
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

struct Scheme {
  std::string_view text;
  Url::Kind kind;
  bool tls;
};
constexpr Scheme kSchemes[] = {
    {"redis", Url::Kind::standalone, false},        {"rediss", Url::Kind::standalone, true},
    {"redis+sentinel", Url::Kind::sentinel, false}, {"rediss+sentinel", Url::Kind::sentinel, true},
    {"redis+cluster", Url::Kind::cluster, false},   {"rediss+cluster", Url::Kind::cluster, true},
};

Result<void> read_scheme(std::string_view& rest, Url& url) {
  const std::size_t end = rest.find("://");
  if (end == std::string_view::npos) {
    return wrong("a Redis is written redis://host:port/database, or rediss:// for TLS");
  }
  const std::string_view scheme = rest.substr(0, end);
  rest.remove_prefix(end + 3);
  for (const Scheme& known : kSchemes) {
    if (known.text != scheme) continue;
    url.kind = known.kind;
    url.tls = known.tls;
    return {};
  }
  return wrong(
      "the scheme is none of redis://, redis+sentinel:// and redis+cluster://, nor one of those "
      "with rediss for TLS");
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

Result<void> read_port(std::string_view text, Address& server) {
  const auto port = whole_number<std::uint16_t>(text, 65'535);
  if (!port || *port == 0) return wrong("the port is no number from 1 to 65535");
  server.port = *port;
  return {};
}

Result<void> read_server(std::string_view text, Address& server) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos)
    return wrong("the [ of the address is not closed");
  const std::string_view host = text.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  if (!is_host(host, bracketed)) {
    return wrong(host.empty() ? "the host is missing" : "the host is no name or address");
  }
  server.host = host;
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + (bracketed ? 1 : 0));
  if (text.empty()) return {};
  if (text.front() != ':') return wrong("what follows the ] is no port");
  return read_port(text.substr(1), server);
}

Result<void> read_servers(std::string_view text, Url& url) {
  constexpr std::size_t kMostServers = 64;
  for (;;) {
    const std::size_t comma = text.find(',');
    Address server{"", static_cast<std::uint16_t>(url.kind == Url::Kind::sentinel ? 26'379 : 6379)};
    if (Result<void> ok = read_server(text.substr(0, comma), server); !ok) return ok.error();
    url.servers.push_back(std::move(server));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (url.servers.size() > kMostServers) return wrong("more than 64 servers are named");
  if (url.servers.size() > 1 && url.kind == Url::Kind::standalone) {
    return wrong("redis:// names one server; several are redis+sentinel:// or redis+cluster://");
  }
  return {};
}

Result<void> read_name(std::string_view& path, Url& url) {
  const std::string_view name = path.substr(0, path.find('/'));
  const bool good =
      !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '.' || c == '-' || c == '_';
      });
  if (!good) {
    return wrong("redis+sentinel:// ends in /NAME, the name under which they watch the primary");
  }
  url.name = name;
  path.remove_prefix(std::min(path.size(), name.size() + 1));
  return {};
}

// What follows the servers' slash.
Result<void> read_path(std::string_view path, Url& url) {
  if (url.kind == Url::Kind::sentinel) {
    if (Result<void> ok = read_name(path, url); !ok) return ok.error();
  }
  if (path.empty()) return {};
  const auto database = whole_number<std::uint32_t>(path, kMaxDatabase);
  if (!database) return wrong("what follows the / is no database number");
  if (*database != 0 && url.kind == Url::Kind::cluster) {
    return wrong("a cluster has no database but 0");
  }
  url.database = *database;
  return {};
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
  if (Result<void> ok = read_servers(text.substr(0, slash), url); !ok) return ok.error();
  const std::string_view path =
      slash == std::string_view::npos ? std::string_view{} : text.substr(slash + 1);
  if (Result<void> ok = read_path(path, url); !ok) return ok.error();
  return url;
}

std::string shown(const Url& url) {
  std::string text;
  for (const Scheme& scheme : kSchemes) {
    if (scheme.kind == url.kind && scheme.tls == url.tls) text = std::string(scheme.text) + "://";
  }
  for (std::size_t i = 0; i < url.servers.size(); ++i) {
    text += (i > 0 ? "," : "") + text_of(url.servers[i]);
  }
  if (!url.name.empty()) text += "/" + url.name;
  return url.kind == Url::Kind::cluster ? text : text + "/" + std::to_string(url.database);
}

}  // namespace weir::redis
