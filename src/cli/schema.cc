// `weir schema`: the JSON Schema of the policy file, for editors.
#include "cli/files.h"
#include "cli/options.h"
#include "policy/loader.h"

namespace weir::cli {

int run_schema(const Arguments& args) {
  Options options("schema", "Print the JSON Schema (2020-12) of the policy file.",
                  {"weir schema -o weir-policy.v1.schema.json"});
  std::string output;
  options.add("-o,--output", output, "write to FILE instead of standard output").type("FILE");
  if (const auto code = options.parse(args)) return *code;
  return write_output(output, policy::schema_json());
}

}  // namespace weir::cli
