#!/usr/bin/env bash
# include_check.sh CHECK: a forbidden include fails, an allowed one passes, file by file.
set -euo pipefail
check=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failures=0

# expect pass|fail WHAT FOLDER ALLOWED FILE LINE...
expect() {
  local want=$1 what=$2 folder=$3 allowed=$4 file=$5 got=pass
  shift 5
  rm -rf "${root:?}"/*
  mkdir -p "$root"/include/weir "$root"/src/{base,algo,policy,serve}
  printf '%s\n' "$@" >"$root/$file"
  cmake -DROOT="$root" -DFOLDER="$folder" "-DALLOWED=$allowed" -P "$check" >"$root/log" 2>&1 ||
    got=fail
  if [ $got != "$want" ] ||
    { [ $got = fail ] && ! grep -qF "${file}: $(grep include "$root/$file" | tail -1)" "$root/log"; }
  then
    echo "FAILED: $what: wanted $want, got $got"
    cat "$root/log"
    failures=$((failures + 1))
  fi
}

expect pass "the folder itself" algo base src/algo/a.cc '#include "algo/a.h"'
expect pass "a folder that is named" algo base src/algo/a.h '#include "base/bytes.h"'
expect pass "an installed header" algo base src/algo/a.h '#include "weir/clock.h"'
expect pass "the standard library and third parties" algo base src/algo/a.h '#include <vector>' '#include <fmt/core.h>'
expect fail "a folder that is not named" algo base src/algo/a.cc '#include "policy/policy.h"'
expect fail "the same from a header" algo base src/algo/a.h '#include <vector>' '#include "policy/policy.h"'
expect fail "in angle brackets" algo base src/algo/a.cc '#include <policy/policy.h>'
expect fail "indented" algo base src/algo/a.cc '  #  include "policy/policy.h"'
expect fail "by a way round" algo base src/algo/a.cc '#include "../policy/policy.h"'
expect fail "without a folder" algo base src/algo/a.cc '#include "a.h"'
expect pass "a test may look further" algo base src/algo/a_test.cc '#include "policy/policy.h"'
expect pass "installed: the standard library" include/weir "" include/weir/a.h '#include <cstdint>' '#include "weir/b.h"'
expect pass "installed: C's integers" include/weir "" include/weir/weir_c.h '#include <stdint.h>'
expect fail "installed: src" include/weir "" include/weir/a.h '#include "base/bytes.h"'
expect fail "installed: src in angle brackets" include/weir "" include/weir/a.h '#include <base/bytes.h>'
expect fail "installed: a third party" include/weir "" include/weir/a.h '#include <boost/json.hpp>'

[ $failures -eq 0 ] && echo "16 cases hold"
exit $((failures > 0))
