#!/usr/bin/env bash
# Formats the C++ sources in place; with --check, lists what would change and fails.
# Exits 77 ("skipped" to ctest) without clang-format 14: other versions format differently.
set -euo pipefail
cd "$(dirname "$0")/.."

for clang_format in clang-format-14 clang-format ''; do
  [ -n "$clang_format" ] || { echo "format: clang-format 14 is not installed" >&2; exit 77; }
  "$clang_format" --version 2>/dev/null | grep -q 'version 14\.' && break
done

sources() { find src apps tests benchmarks examples -name '*.[ch]pp' -print0 2>/dev/null || true; }

if [ "${1:-}" != --check ]; then
  sources | xargs -0 -r "$clang_format" -i
  exit 0
fi
unformatted="$(sources | xargs -0 -r "$clang_format" --dry-run 2>&1 |
               awk -F: '/\[-Wclang-format-violations\]/ { print $1 }' | sort -u)"
if [ -n "$unformatted" ]; then
  printf 'Not formatted (make format does it):\n%s\n' "$unformatted" >&2
  exit 1
fi
