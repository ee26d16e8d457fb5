// `listeners`: networks and the one header that carries client addresses. Its texts may come from
// the environment or a file; what those hold is never shown.
#include <algorithm>

#include "policy/compile.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

void compile_networks(Build& build, const Node& listeners, std::string_view key,
                      std::vector<Cidr>& out, std::vector<std::string>& typed) {
  const Node* list = get(listeners, key);
  if (list == nullptr) return;
  out.clear();
  for (const Node& item : list->items) {
    if (item.bad) continue;
    const auto text = resolved(build, item);
    if (!text) continue;
    const auto network = Cidr::parse(*text);
    if (network) {
      out.push_back(*network);
      typed.push_back(from_elsewhere(item.text) ? item.text : network->text());
    } else {
      build.report.error(item.at, "what `" + printable(item.text) + "` holds is no network",
                         "write `10.0.0.0/8` there");
    }
  }
}

std::string lowered(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_header(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void compile_client_address(Build& build, const Node& node) {
  static const std::vector<std::string> kWords{"x-forwarded-for", "forwarded", "cf-connecting-ip",
                                               "x-real-ip", "peer"};
  Listeners& out = build.policy.listeners;
  const auto text = resolved(build, node);
  if (!text) return;
  const std::string word = lowered(*text);
  const bool known = std::find(kWords.begin(), kWords.end(), word) != kWords.end();
  const std::string shown = from_elsewhere(node.text) ? printable(node.text) : printable(word);
  if (word == "proxy-protocol") {
    build.report.error(node.at, "`proxy-protocol` is not enforced in this version",
                       "use a header that the gateway sets");
  } else if (!is_header(word)) {
    build.report.error(node.at, "`" + shown + "` is no header name",
                       word.find('_') != word.npos
                           ? "headers with `_` are never used for identity; use `-`"
                           : "write `x-forwarded-for`, another header of one address, or `peer`");
  } else if (const auto near = nearest(word, kWords); !known && !near.empty()) {
    build.report.error(node.at, "unknown word `" + shown + "` for `client_address`",
                       "did you mean `" + std::string(near) + "`?");
  }
  out.client_address = word == "peer"              ? ClientAddress::peer
                       : word == "x-forwarded-for" ? ClientAddress::x_forwarded_for
                       : word == "forwarded"       ? ClientAddress::forwarded
                                                   : ClientAddress::single_header;
  if (out.client_address == ClientAddress::single_header) out.client_address_header = word;
  build.typed.client_address = from_elsewhere(node.text) ? node.text : word;
}

}  // namespace

void compile_listeners(Build& build) {
  const Node* listeners = get(build.root, "listeners");
  if (listeners == nullptr) return;
  Listeners& out = build.policy.listeners;
  compile_networks(build, *listeners, "trusted_proxies", out.trusted_proxies,
                   build.typed.trusted_proxies);
  compile_networks(build, *listeners, "allow_from", out.allow_from, build.typed.allow_from);
  if (const Node* address = get(*listeners, "client_address")) {
    compile_client_address(build, *address);
  }
}

}  // namespace weir::policy
