#!/usr/bin/env bash
# library_only.sh SOURCE WORK: WEIR_LIBRARY_ONLY configures with every find_package forbidden, builds,
# installs, and a consumer that asks for weir::limiter alone finds no third party either.
set -euo pipefail
source=$1 work=$2/library_only
here=$(cd "$(dirname "$0")" && pwd)
refuse=-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=$here/refuse_dependencies.cmake
rm -rf "$work"
cmake -S "$source" -B "$work/build" -G Ninja -DWEIR_LIBRARY_ONLY=ON "$refuse" >/dev/null
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/prefix" >/dev/null
cmake -S "$here/limiter" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" "$refuse" \
  >/dev/null
cmake --build "$work/consumer"
"$work/consumer/consumer"
