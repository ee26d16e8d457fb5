// The catalogue of lint codes: one row a code, with its page.
//
// A row without a `check` is a code of the format that this version cannot find; `needs` says why.
// docs/lint.md is generated from here (`weir lint --catalogue`).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "design/lint/context.h"
#include "policy/position.h"

namespace weir::design::lint {

using Check = void (*)(const Context&, Report&);

struct Rule {
  std::string_view code;
  policy::Severity severity = policy::Severity::warning;
  std::string_view title;
  std::string_view why;
  std::string_view help;  // what to do; every finding carries it unless it has its own
  Check check = nullptr;
  std::string_view needs;  // where check is null: "a store that is shared"; or who finds it instead
};

std::span<const Rule> catalogue();        // by code
const Rule* find(std::string_view code);  // any case; null: no such code

std::string page(const Rule& rule);  // what `weir lint --explain` prints
std::string catalogue_markdown();    // docs/lint.md

}  // namespace weir::design::lint
