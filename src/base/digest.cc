// The keyed hash of keys, and its secret from the operating system.
#include "base/digest.h"

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/siphash.h"

namespace weir::base {

HashSecret HashSecret::random() {
  HashSecret secret;
  auto* bytes = reinterpret_cast<unsigned char*>(&secret);
  std::size_t filled = 0;
  while (filled < sizeof secret) {
    const ssize_t got = getrandom(bytes + filled, sizeof secret - filled, 0);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      // Every kernel that weir supports has getrandom; a guessable secret would let anyone look for
      // keys that collide, so there is no going on without it.
      std::perror("weir: getrandom");
      std::abort();
    }
  }
  return secret;
}

Digest siphash13_128(const HashSecret& secret, std::string_view bytes) {
  return siphash128<1, 3>(secret, bytes);
}

}  // namespace weir::base
