#!/usr/bin/env bash
# find_package_alone.sh PREFIX WORK: of an installed engine whose third parties are missing,
# find_package(weir) gives weir::limiter, and the engine asked for by name says what it lacks.
set -euo pipefail
prefix=$1 work=$2/find_package_alone
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work/any" "$work/engine"
for kind in any engine; do
  components=$([ $kind = any ] || echo "COMPONENTS $kind")
  cat >"$work/$kind/CMakeLists.txt" <<EOT
cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES CXX)
find_package(weir 0.1 REQUIRED $components)
add_executable(consumer $here/limiter/main.cc)
target_link_libraries(consumer PRIVATE weir::limiter)
EOT
done
without=(-G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
         -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON)
cmake -S "$work/any" -B "$work/any/build" "${without[@]}" >"$work/said" 2>&1
grep -q 'weir::limiter only: weir::engine needs Boost 1.81 (json, container), OpenSSL' "$work/said"
cmake --build "$work/any/build"
"$work/any/build/consumer"
if cmake -S "$work/engine" -B "$work/engine/build" "${without[@]}" >"$work/said" 2>&1; then
  echo "the engine was found without what it needs" >&2
  exit 1
fi
grep -q 'weir::engine needs Boost 1.81 (json, container), OpenSSL' <(tr -s ' \n' ' ' <"$work/said")
