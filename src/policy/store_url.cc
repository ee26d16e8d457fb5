#include "policy/store_url.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir::policy {

namespace {

constexpr std::string_view kExample = "write `redis://host:6379/0`, or `rediss://` for TLS";
constexpr std::string_view kSentinelExample =
    "write `redis+sentinel://host1,host2,host3/NAME`, the name under which they watch the primary";
constexpr std::uint64_t kMaxDatabase = 2'147'483'647;  // Redis reads it as an int
constexpr std::string_view kOneServer =
    "name one server, or write `redis+sentinel://` or `redis+cluster://`";
constexpr std::size_t kMaxServers = 64;

Error wrong(std::string_view what, std::string_view help = kExample) {
  return {ErrorCode::invalid_argument, std::string(what), std::string(help)};
}

bool is_number(std::string_view text, std::uint64_t least, std::uint64_t most) {
  if (text.empty() || text.size() > 10) return false;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value >= least && value <= most;
}

bool is_host(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != also.npos;
  });
}

Result<void> check_server(std::string_view server) {
  std::string_view port;
  if (server.starts_with('[')) {
    const std::size_t end = server.find(']');
    if (end == server.npos) return wrong("has `[` without `]`");
    if (!is_host(server.substr(1, end - 1), ":.%")) return wrong("has no address in `[]`");
    port = server.substr(end + 1);
  } else {
    const std::size_t colon = std::min(server.find(':'), server.size());
    if (colon == 0) return wrong("has no host");
    if (!is_host(server.substr(0, colon), "._-")) return wrong("has a host that is none");
    port = server.substr(colon);
  }
  if (port.empty()) return {};
  if (!port.starts_with(':') || !is_number(port.substr(1), 1, 65535)) {
    return wrong("has a port that is none", "a port is 1 to 65535; Redis' own is 6379");
  }
  return {};
}

enum class Kind : std::uint8_t { standalone, sentinel, cluster };

struct Scheme {
  std::string_view text;
  Kind kind;
};
constexpr std::array<Scheme, 6> kSchemes{{
    {"redis", Kind::standalone},
    {"rediss", Kind::standalone},
    {"redis+sentinel", Kind::sentinel},
    {"rediss+sentinel", Kind::sentinel},
    {"redis+cluster", Kind::cluster},
    {"rediss+cluster", Kind::cluster},
}};

Result<void> check_servers(std::string_view servers, Kind kind) {
  std::size_t count = 1;
  for (;; ++count) {
    const std::size_t comma = servers.find(',');
    if (comma != servers.npos && kind == Kind::standalone) {
      return wrong("names several hosts", kOneServer);
    }
    if (auto server = check_server(servers.substr(0, comma)); !server) return server.error();
    if (comma == servers.npos) break;
    servers.remove_prefix(comma + 1);
  }
  if (count > kMaxServers) return wrong("names more than 64 hosts", "a few of them are enough");
  return {};
}

// What stands behind the servers' slash.
Result<void> check_path(std::string_view path, Kind kind) {
  if (kind == Kind::sentinel) {
    const std::string_view name = path.substr(0, path.find('/'));
    if (name.size() > 128 || !is_host(name, "._-")) {
      return wrong("has no name of a primary", kSentinelExample);
    }
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  if (path.empty()) return {};
  if (kind == Kind::cluster) {
    if (path == "0") return {};
    return wrong("has a database, and a cluster has none but 0", "leave it out");
  }
  if (!is_number(path, 0, kMaxDatabase)) {
    return wrong("has a database that is no number", "the part behind the host is a number: `/0`");
  }
  return {};
}

// Where `c` stands in `text`, references passed over.
std::size_t find_outside_references(std::string_view text, char c) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${env:")) i = std::min(text.find('}', i), text.size() - 1);
    if (text[i] == c) return i;
  }
  return text.npos;
}

bool only_references(std::string_view text) {
  if (text.starts_with("file:")) return true;
  while (text.starts_with("${env:")) {
    const std::size_t end = text.find('}');
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
  }
  return text.empty();
}

}  // namespace

bool store_url_is_tls(std::string_view url) {
  return url.starts_with("rediss:") || url.starts_with("rediss+");
}

Result<void> check_store_url(std::string_view url) {
  const std::size_t start = url.find("://");
  const auto scheme = std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& known) {
    return start != url.npos && known.text == url.substr(0, start);
  });
  if (scheme == kSchemes.end()) return wrong("is no Redis URL");
  std::string_view rest = url.substr(start + 3);
  if (rest.find_first_of("?#") != rest.npos) {
    return wrong("has a part behind `?` or `#`", "what else there is to say has a key in `store`");
  }
  const std::size_t at = rest.rfind('@');
  if (at != rest.npos) rest.remove_prefix(at + 1);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (auto servers = check_servers(rest.substr(0, slash), scheme->kind); !servers) {
    return servers.error();
  }
  return check_path(rest.substr(std::min(slash + 1, rest.size())), scheme->kind);
}

std::string show_secret(std::string_view typed) {
  return std::string(only_references(typed) ? typed : kRedacted);
}

std::string show_store_url(std::string_view typed) {
  if (only_references(typed)) return std::string(typed);
  const std::size_t start = typed.find("://");
  // Whatever comes before a host may be a password, however odd the rest is.
  const std::size_t at = typed.rfind('@');
  if (start == typed.npos || at == typed.npos || at < start) return std::string(typed);
  const std::string_view user = typed.substr(start + 3, at - start - 3);
  const std::size_t colon = find_outside_references(user, ':');
  if (colon == user.npos) return std::string(typed);
  std::string out(typed.substr(0, start + 3));
  out += user.substr(0, colon + 1);
  return out + show_secret(user.substr(colon + 1)) + std::string(typed.substr(at));
}

}  // namespace weir::policy
