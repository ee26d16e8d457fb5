#!/usr/bin/env bash
# pkg_config.sh limiter|engine|redis|c PREFIX WORK: builds and runs test/install/LIBRARY by pkg-config and
# g++ (the limiter from C: gcc) from a copy of the installed tree, which proves that it can be moved.
set -euo pipefail
library=$1 prefix=$2 work=$3/pkg_config_$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"
cp -r "$prefix" "$work/moved"
compile=("${CXX:-g++}" -std=c++20 -O1 "$here/$library/main.cc") static=
if [ "$library" = c ]; then
  compile=("${CC:-gcc}" -O1 -Wall -Wextra -pedantic "$here/c/main.c") static=--static library=limiter
fi
pc=$(find "$work/moved" -name "weir-$library.pc")
export PKG_CONFIG_PATH=${pc%/*}
pkg-config --print-errors --exists "weir-$library"
read -r -a flags <<<"$(pkg-config --cflags --libs $static "weir-$library")"
"${compile[@]}" -o "$work/consumer" "${flags[@]}"
"$work/consumer" "$here/policy.yaml"
