#!/usr/bin/env bash
# usage: scripts/fuzz.sh SECONDS [READER...]
# Runs the coverage-guided fuzzer (preset asan) on each reader, or on those named: from the files of tests/fuzz/corpus,
# with the words of tests/fuzz/dictionaries. It leaves new inputs, and any input that crashes a reader, under out/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/corpus)
failed=()
for reader in "$@"; do
  learnt=out/fuzz/$reader
  mkdir -p "$learnt"
  words=tests/fuzz/dictionaries/$reader.dict
  echo "$reader"
  if ! build/asan/bin/fuzz_readers --reader="$reader" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
      -artifact_prefix="out/fuzz/$reader-" $([ -e "$words" ] && echo "-dict=$words") \
      "$learnt" "tests/fuzz/corpus/$reader" >"$learnt.log" 2>&1; then
    tail -n 30 "$learnt.log"
    failed+=("$reader")
  fi
  tail -n 1 "$learnt.log"
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}; the inputs are out/fuzz/READER-crash-…, -timeout-… or -oom-…" >&2
  exit 1
fi
