#!/usr/bin/env bash
# install.sh BUILD PREFIX: installs into an empty PREFIX and looks at what is there.
set -euo pipefail
build=$1 prefix=$2
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >/dev/null
for file in include/weir/decision.h lib/libweir_limiter.a lib/cmake/weir/weir-config.cmake \
            lib/pkgconfig/weir-limiter.pc share/doc/weir/LICENSE; do
  found=$(find "$prefix" -path "*/${file#lib/}" | head -1)
  [ -n "$found" ] || { echo "not installed: $file" >&2; exit 1; }
done
if grep -rl --include='*.cmake' --include='*.pc' -e "$build" "$prefix"; then
  echo "the files above name the build directory" >&2
  exit 1
fi
# Every link between the documents leads somewhere. A fenced block has none: `[&](int x)` is code.
doc=$prefix/share/doc/weir
for file in "$doc"/*.md "$doc"/docs/*.md; do
  while read -r link; do
    [ -e "$(dirname "$file")/$link" ] || { echo "$file: no $link" >&2; exit 1; }
  done < <(sed '/^```/,/^```$/d' "$file" | grep -o ']([^)]*)' | sed 's/^](//; s/)$//; s/#.*//' | grep -v -e '^https\?:' -e '^$')
done
if [ -x "$build/weir" ]; then "$prefix/bin/weir" --version; fi
