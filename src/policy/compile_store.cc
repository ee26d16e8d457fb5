// `store`: where counters live. Its texts may come from the environment or a file; what those hold,
// and what is a secret, is in no message.
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/little_endian.h"
#include "base/redis_url.h"
#include "policy/compile.h"
#include "policy/files.h"
#include "policy/quantity.h"
#include "policy/show_store.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

constexpr std::size_t kMaxPrefix = 64;

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// A text, resolved; `shown` is what the long form says instead. Empty: not given, or reported.
std::string take(Build& build, const Node& mapping, std::string_view key, std::string& shown) {
  const Node* node = get(mapping, key);
  if (node == nullptr) return {};
  const std::optional<std::string> text = resolved(build, *node);
  if (!text) return {};
  const std::string what =
      from_elsewhere(node->text) ? "what " + quoted(key) + " refers to" : quoted(key);
  if (text->empty()) {
    build.report.error(node->at, what + " is empty", "give it a value, or remove the key");
    return {};
  }
  if (!from_elsewhere(node->text) && text->starts_with('$')) {
    build.report.error(node->at, what + " looks like a variable of a shell, and would be that text",
                       "write `${env:NAME}`, or `file:PATH`");
    return {};
  }
  if (has_control(*text)) {
    build.report.error(node->at, what + " has a control character", "remove it");
    return {};
  }
  shown = node->text;
  return *text;
}

std::string take_secret(Build& build, const Node& mapping, std::string_view key,
                        std::string& shown) {
  std::string text = take(build, mapping, key, shown);
  if (!shown.empty()) shown = show_secret(shown);
  return text;
}

void take_url(Build& build, const Node& store) {
  StoreConfig& out = build.policy.store;
  std::string& shown = build.typed.store.url;
  out.url = take(build, store, "url", shown);
  if (out.url.empty()) return;
  const Node& node = *get(store, "url");
  shown = show_store_url(shown);
  const Result<base::RedisUrl> good = base::parse_redis_url(out.url);
  if (good) return;
  build.report.error(
      node.at,
      (from_elsewhere(node.text) ? "what `url` refers to " : "`url` ") + good.error().message,
      good.error().where);
}

// The loader reads no certificate: whoever opens the store does.
std::string take_path(Build& build, const Node& mapping, std::string_view key, std::string& shown) {
  const Node* node = get(mapping, key);
  if (node != nullptr && node->text.starts_with("file:")) {
    build.report.error(node->at, quoted(key) + " is a path already", "leave out `file:`");
    return {};
  }
  const std::string path = take(build, mapping, key, shown);
  return path.empty() ? path : resolve_path(build.folder, path);
}

void take_tls(Build& build, const Node& store) {
  const Node* tls = get(store, "tls");
  if (tls == nullptr) return;
  StoreConfig& out = build.policy.store;
  Typed::Store& typed = build.typed.store;
  out.tls_ca = take_path(build, *tls, "ca", typed.tls_ca);
  out.tls_cert = take_path(build, *tls, "cert", typed.tls_cert);
  out.tls_key = take_path(build, *tls, "key", typed.tls_key);
  const Result<base::RedisUrl> url = base::parse_redis_url(out.url);
  if (url && !url->tls) {
    build.report.error(tls->at, "`tls` is given, and `url` is not `rediss://`",
                       "write `rediss://`, or remove `tls`");
  }
  const bool cert = tls->find("cert") != nullptr;
  if (cert != (tls->find("key") != nullptr)) {
    build.report.error(tls->at, cert ? "`cert` without `key`" : "`key` without `cert`",
                       "give both, or neither");
  }
}

void take_prefix(Build& build, const Node& store) {
  std::string& shown = build.typed.store.prefix;
  const std::string prefix = take(build, store, "prefix", shown);
  if (prefix.empty()) return;
  const bool good = prefix.size() <= kMaxPrefix &&
                    std::all_of(prefix.begin(), prefix.end(),
                                [](char c) { return c > ' ' && c < 0x7f && c != '{' && c != '}'; });
  if (!good) {
    build.report.error(get(store, "prefix")->at, "`prefix` is no prefix",
                       "write 1 to 64 printable ASCII characters, without space, `{` and `}`");
  }
  build.policy.store.prefix = prefix;
}

Duration take_duration(Build& build, const Node& mapping, std::string_view key, Duration most,
                       Duration otherwise) {
  const std::optional<Duration> given = duration_of(mapping, key);
  if (!given) return otherwise;
  if (*given >= milliseconds(1) && *given <= most) return *given;
  build.report.error(get(mapping, key)->at, quoted(key) + " is " + print_duration(*given),
                     "it may be 1ms to " + print_duration(most));
  return otherwise;
}

void take_breaker(Build& build, const Node& store) {
  const Node* breaker = get(store, "breaker");
  if (breaker == nullptr) return;
  StoreConfig::Breaker& out = build.policy.store.breaker;
  out.errors = static_cast<unsigned>(count_of(*breaker, "errors").value_or(out.errors));
  out.window = take_duration(build, *breaker, "window", hours(1), out.window);
  out.retry = take_duration(build, *breaker, "retry", hours(1), out.retry);
}

// The two words of the key that hashes are made with: any text gives all their bits.
std::optional<base::HashSecret> secret_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  const std::string salted = "weir store secret\n" + std::string(text);
  if (EVP_Digest(salted.data(), salted.size(), digest.data(), nullptr, EVP_sha256(), nullptr) !=
      1) {
    return std::nullopt;
  }
  const auto* bytes = reinterpret_cast<const char*>(digest.data());
  return base::HashSecret{base::little_endian_64(bytes), base::little_endian_64(bytes + 8)};
}

void take_secrets(Build& build, const Node& store) {
  StoreConfig& out = build.policy.store;
  Typed::Store& typed = build.typed.store;
  out.username = take(build, store, "username", typed.username);
  out.password = take_secret(build, store, "password", typed.password);
  const std::string secret = take_secret(build, store, "secret", typed.secret);
  if (secret.empty()) return;
  const std::optional<base::HashSecret> made = secret_of(secret);
  if (!made) {
    build.report.error(get(store, "secret")->at, "OpenSSL has no SHA-256 for `secret`");
    return;
  }
  out.secret = *made;
  out.has_secret = true;
}

void compile_redis(Build& build, const Node& store) {
  StoreConfig& out = build.policy.store;
  take_url(build, store);
  take_secrets(build, store);
  take_tls(build, store);
  take_prefix(build, store);
  take_breaker(build, store);
  out.timeout = take_duration(build, store, "timeout", seconds(10), out.timeout);
  out.connections = static_cast<unsigned>(count_of(store, "connections").value_or(out.connections));
}

}  // namespace

void compile_store(Build& build) {
  const Node* store = get(build.root, "store");
  if (store == nullptr) return;
  build.policy.store_at = store->at;
  StoreConfig& out = build.policy.store;
  if (text_of(*store, "type") == "redis") {
    out.type = StoreType::redis;
    compile_redis(build, *store);
  } else {
    out.max_keys = count_of(*store, "max_keys").value_or(out.max_keys);
    out.on_full = text_of(*store, "on_full") == "deny" ? OnFull::deny : OnFull::shared;
  }
}

}  // namespace weir::policy
