// The small sections: name, instances, paths, accounts, observe.
#include "policy/compile.h"
#include "policy/files.h"
#include "policy/quantity.h"

namespace weir::policy {

namespace {

std::uint32_t share_of(const Node& mapping, std::string_view key) {
  const Result<std::uint32_t> ppm = parse_fraction(text_of(mapping, key));
  return ppm ? *ppm : 0;
}

}  // namespace

void compile_rest(Build& build) {
  Policy& out = build.policy;
  out.name = text_of(build.root, "name");
  out.instances = static_cast<std::uint32_t>(count_of(build.root, "instances").value_or(1));
  if (const Node* paths = get(build.root, "paths")) {
    out.paths.fold_case = text_of(*paths, "case") == "fold";
    out.paths.strip_slash = text_of(*paths, "slash") != "keep";
    out.paths.decode_encoded_slash = text_of(*paths, "encoded_slash") == "decode";
  }
  build.typed.accounts = text_of(build.root, "accounts");
  if (!build.typed.accounts.empty()) {
    out.accounts_file = resolve_path(build.folder, build.typed.accounts);
    out.accounts_at = build.root.find("accounts")->at;
  }
  const Node* observe = get(build.root, "observe");
  if (observe == nullptr) return;
  if (const Node* log = get(*observe, "decision_log")) {
    out.observe.log_denied_ppm = share_of(*log, "denied");
    out.observe.log_allowed_ppm = share_of(*log, "allowed");
  }
}

}  // namespace weir::policy
