// Any bytes as a policy file: a policy or findings, and what loads prints to what loads again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/findings.h"
#include "policy/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const weir::policy::Loaded loaded = weir::policy::load_text(text, "policy.yaml");
  for (const weir::policy::Finding& f : loaded.findings) weir::policy::with_caret(f, text);
  if (!loaded.policy) {
    if (loaded.findings.empty()) std::abort();  // refused without a word
    return 0;
  }
  const weir::policy::Loaded again =
      weir::policy::load_text(weir::policy::expanded(*loaded.policy), "policy.yaml");
  if (!again.policy || again.policy->id != loaded.policy->id) std::abort();
  return 0;
}
