// `response`: dialects, bodies, jitter.
#include <algorithm>

#include "policy/body_template.h"
#include "policy/compile.h"
#include "policy/dialect.h"
#include "policy/files.h"
#include "policy/quantity.h"

namespace weir::policy {

namespace {

void compile_headers(Build& build, const Node& list) {
  std::vector<Dialect>& out = build.policy.response.headers;
  out.clear();
  for (const Node& item : list.items) {
    if (item.bad) continue;
    for (const DialectRow& row : kDialects) {
      if (row.word != item.text) continue;
      if (std::find(out.begin(), out.end(), row.dialect) != out.end()) {
        build.report.error(item.at, "`" + item.text + "` is in the list twice", "remove one");
      } else {
        out.push_back(row.dialect);
      }
    }
  }
  for (const std::string& field : header_conflicts(out, build.policy.response.reset_epoch)) {
    build.report.error(list.at, "two dialects send `" + field + "` with different meanings",
                       "keep one of them");
  }
}

void compile_template(Build& build, const Node& path) {
  Response& out = build.policy.response;
  out.body = BodyKind::owner_template;
  build.typed.body_template = path.text;
  Result<std::string> text = read_file(resolve_path(build.folder, path.text), kMaxTemplate);
  if (!text) {
    build.report.unreadable(path.at, text.error(), "relative paths start at the policy's folder");
    return;
  }
  if (const Result<void> good = check_template(*text); !good) {
    build.report.error(path.at, "`" + path.text + "`: " + good.error().text());
    return;
  }
  out.body_template = std::move(*text);
}

void compile_body(Build& build, const Node& body) {
  if (body.is_mapping()) {
    if (const Node* path = get(body, "template")) compile_template(build, *path);
    return;
  }
  build.policy.response.body = body.text == "problem" ? BodyKind::problem
                               : body.text == "error" ? BodyKind::error
                                                      : BodyKind::both;
}

}  // namespace

void compile_response(Build& build) {
  const Node* response = get(build.root, "response");
  if (response == nullptr) return;
  Response& out = build.policy.response;
  out.reset_epoch = text_of(*response, "reset") == "epoch";
  if (const Node* headers = get(*response, "headers")) compile_headers(build, *headers);
  if (const Node* body = get(*response, "body")) compile_body(build, *body);
  if (const Node* retry_after = get(*response, "retry_after")) {
    const Result<std::uint32_t> jitter = parse_fraction(text_of(*retry_after, "jitter"));
    if (jitter) out.jitter_ppm = *jitter;
  }
  out.cors_expose = text_of(*response, "cors_expose") != "false";
  out.docs = text_of(*response, "docs");
}

}  // namespace weir::policy
