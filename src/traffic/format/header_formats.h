// The formats of text in which a header line says what the columns are: CSV, and the extended log
// format of W3C (IIS, CloudFront).
#pragma once

#include <memory>
#include <vector>

#include "traffic/format/field_map.h"
#include "traffic/parser.h"

namespace weir::traffic {

// The first line names the columns; it also shows whether `,`, `;` or a tab stands between them.
// Values in quotes as RFC 4180 has them, within one line.
std::unique_ptr<Parser> make_csv_parser(const std::vector<NamedField>& fields);
std::unique_ptr<Parser> csv_format();
// Microsoft's traces of language models: TIMESTAMP,ContextTokens,GeneratedTokens.
std::unique_ptr<Parser> azure_llm_format();

// `#Fields:` names them; again, where they change. The time is that of the end; `time-taken` is in
// seconds, and in thousandths where `#Software:` says Microsoft.
std::unique_ptr<Parser> w3c_format();

}  // namespace weir::traffic
