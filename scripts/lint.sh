#!/usr/bin/env bash
# clang-tidy on the C++ sources changed since BASE (default main), committed or not.
# Usage: scripts/lint.sh [BASE]
set -euo pipefail
cd "$(dirname "$0")/.."

base="$(git merge-base HEAD "${1:-main}")"
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base"
                         git ls-files --others --exclude-standard; } |
                       grep -E '^(src|apps|tests|benchmarks)/.*\.cpp$' | sort -u)
if [ ${#changed[@]} -eq 0 ]; then
  echo "lint: no C++ source changed since $base"
  exit 0
fi

# A separate build folder, never built: clang cannot read headers that g++ has precompiled, and checks files one by one.
cmake --preset release -B build/lint -DCMAKE_UNITY_BUILD=OFF >/dev/null
printf '%s\0' "${changed[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p build/lint
