// SHA-256 of API keys.
//
// OpenSSL's one-shot functions fetch an implementation and allocate a context each time (a
// microsecond); the older interface works on a struct on the stack. It is marked deprecated in
// OpenSSL 3 and is what this file is for.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "identity/accounts.h"

namespace weir::identity {

static_assert(std::tuple_size_v<KeyHash> == SHA256_DIGEST_LENGTH);

KeyHash hash_api_key(std::string_view key) {
  SHA256_CTX context;
  KeyHash hash;
  SHA256_Init(&context);
  SHA256_Update(&context, key.data(), key.size());
  SHA256_Final(hash.data(), &context);
  return hash;
}

}  // namespace weir::identity
