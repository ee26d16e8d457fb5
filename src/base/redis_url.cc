#include "base/redis_url.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace weir::base {
namespace {

constexpr std::uint32_t kMaxDatabase = 2'147'483'647;  // Redis reads it as an int
constexpr std::size_t kMaxServers = 64;

constexpr std::string_view kExample = "write `redis://host:6379/0`, or `rediss://` for TLS";
constexpr std::string_view kNameExample =
    "write `redis+sentinel://host1,host2,host3/NAME`, the name under which they watch the primary";

Error wrong(std::string_view what, std::string_view help = kExample) {
  return {ErrorCode::invalid_argument, std::string(what), std::string(help)};
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
  RedisUrl::Kind kind;
  bool tls;
};
constexpr Scheme kSchemes[] = {
    {"redis", RedisUrl::Kind::standalone, false},
    {"rediss", RedisUrl::Kind::standalone, true},
    {"redis+sentinel", RedisUrl::Kind::sentinel, false},
    {"rediss+sentinel", RedisUrl::Kind::sentinel, true},
    {"redis+cluster", RedisUrl::Kind::cluster, false},
    {"rediss+cluster", RedisUrl::Kind::cluster, true},
};

Result<void> read_scheme(std::string_view& rest, RedisUrl& url) {
  const std::size_t end = rest.find("://");
  if (end == std::string_view::npos) {
    return wrong("is no Redis URL");
  }
  const std::string_view scheme = rest.substr(0, end);
  rest.remove_prefix(end + 3);
  for (const Scheme& known : kSchemes) {
    if (known.text != scheme) continue;
    url.kind = known.kind;
    url.tls = known.tls;
    return {};
  }
  return wrong("is no Redis URL",
               "it begins with `redis://`, `redis+sentinel://` or `redis+cluster://`, or one of "
               "those with `rediss` for TLS");
}

Result<void> read_credentials(std::string_view text, RedisUrl& url) {
  const std::size_t colon = text.find(':');
  const std::optional<std::string> user = percent_decoded(text.substr(0, colon));
  const std::optional<std::string> password = percent_decoded(
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1));
  if (!user || !password) {
    return wrong("has a `%` in its user or password that two hexadecimal digits do not follow",
                 "write `%25` for a percent sign");
  }
  url.username = *user;
  url.password = *password;
  return {};
}

Result<void> read_port(std::string_view text, HostPort& server) {
  const auto port = whole_number<std::uint16_t>(text, 65'535);
  if (!port || *port == 0)
    return wrong("has a port that is none", "a port is 1 to 65535; Redis' own is 6379");
  server.port = *port;
  return {};
}

Result<void> read_server(std::string_view text, HostPort& server) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return wrong("has `[` without `]`");
  const std::string_view host = text.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  if (!is_host(host, bracketed)) {
    return wrong(host.empty() ? "has no host" : "has a host that is no name or address");
  }
  server.host = host;
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + (bracketed ? 1 : 0));
  if (text.empty()) return {};
  if (text.front() != ':') return wrong("has no port behind `]`");
  return read_port(text.substr(1), server);
}

Result<void> read_servers(std::string_view text, RedisUrl& url) {
  for (;;) {
    const std::size_t comma = text.find(',');
    HostPort server{
        "", static_cast<std::uint16_t>(url.kind == RedisUrl::Kind::sentinel ? 26'379 : 6379)};
    if (Result<void> ok = read_server(text.substr(0, comma), server); !ok) return ok.error();
    url.servers.push_back(std::move(server));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (url.servers.size() > kMaxServers) {
    return wrong("names more than 64 hosts", "a few of them are enough");
  }
  if (url.servers.size() > 1 && url.kind == RedisUrl::Kind::standalone) {
    return wrong("names several hosts",
                 "name one server, or write `redis+sentinel://` or `redis+cluster://`");
  }
  return {};
}

Result<void> read_name(std::string_view& path, RedisUrl& url) {
  const std::string_view name = path.substr(0, path.find('/'));
  const bool good =
      !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '.' || c == '-' || c == '_';
      });
  if (!good) {
    return wrong("has no name of a primary", kNameExample);
  }
  url.name = name;
  path.remove_prefix(std::min(path.size(), name.size() + 1));
  return {};
}

// What follows the servers' slash.
Result<void> read_path(std::string_view path, RedisUrl& url) {
  if (url.kind == RedisUrl::Kind::sentinel) {
    if (Result<void> ok = read_name(path, url); !ok) return ok.error();
  }
  if (path.empty()) return {};
  const auto database = whole_number<std::uint32_t>(path, kMaxDatabase);
  if (!database) {
    return wrong("has a database that is no number", "the part behind the host is a number: `/0`");
  }
  if (*database != 0 && url.kind == RedisUrl::Kind::cluster) {
    return wrong("has a database, and a cluster has none but 0", "leave it out");
  }
  url.database = *database;
  return {};
}

}  // namespace

Result<RedisUrl> parse_redis_url(std::string_view text) {
  RedisUrl url;
  if (Result<void> ok = read_scheme(text, url); !ok) return ok.error();
  if (text.find_first_of("?#") != std::string_view::npos) {
    return wrong("has a `?` or `#`",
                 "settings are keys of `store`; in a password write `%3F` or `%23`");
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

std::string shown(const RedisUrl& url) {
  std::string text;
  for (const Scheme& scheme : kSchemes) {
    if (scheme.kind == url.kind && scheme.tls == url.tls) text = std::string(scheme.text) + "://";
  }
  for (std::size_t i = 0; i < url.servers.size(); ++i) {
    if (i > 0) text += ',';
    text += text_of(url.servers[i]);
  }
  if (!url.name.empty()) text += "/" + url.name;
  return url.kind == RedisUrl::Kind::cluster ? text : text + "/" + std::to_string(url.database);
}

}  // namespace weir::base
