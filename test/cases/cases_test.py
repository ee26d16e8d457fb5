"""Every fault of cases.txt names a test that holds it, and every test that it names is there."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)


def written_tests():
    names = set()
    for folder in ("src", "test"):
        for path in (ROOT / folder).rglob("*.cc"):
            names |= {f"{suite}.{test}" for suite, test in TEST.findall(path.read_text())}
    for path in (ROOT / "test").rglob("*_test.py"):
        names |= {f"{path.name}:{f}" for f in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    return names


def main():
    names, missing, seen, later = written_tests(), [], set(), 0
    for number, line in enumerate((pathlib.Path(__file__).parent / "cases.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        case, _, holders = (part.strip() for part in line.split("|"))
        if case in seen:
            missing.append(f"cases.txt:{number}: {case} occurs twice")
        seen.add(case)
        if holders.startswith("later:"):
            later += 1
            continue
        missing += [f"cases.txt:{number}: {case}: there is no test {name.strip()}"
                    for name in holders.split(",") if name.strip() not in names]
    print("\n".join(missing + [f"{len(seen)} cases, {len(seen) - later} held by tests, {later} later"]))
    sys.exit(bool(missing))


main()
