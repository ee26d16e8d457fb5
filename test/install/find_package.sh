#!/usr/bin/env bash
# find_package.sh LIBRARY PREFIX WORK: builds and runs test/install/LIBRARY by find_package(weir).
set -euo pipefail
library=$1 prefix=$2 work=$3/find_package_$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
cmake -S "$here/$library" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work"
"$work/consumer" "$here/policy.yaml"
