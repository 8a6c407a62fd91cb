#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS [TARGET…]]: builds the fuzz targets and runs each for so many seconds (default 60), two at a time
# (JOBS=1 for one). Prints executions and coverage; ends with 1 on a crash, whose input stays in fuzz/artifacts/TARGET.
# Needs cargo, rustc and a C++ compiler; a stable toolchain will do. What a run finds is kept in fuzz/target/corpus.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=${1:-60}
shift || true
targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then targets=(shell judge payload settings); fi
jobs=${JOBS:-2}
host=$(rustc -vV | sed -n 's/^host: //p')

# What cargo-fuzz passes, without a sanitizer: counters and compared values, which stable rustc can put in. The explicit
# target keeps them out of build scripts and procedural macros.
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
RUSTFLAGS+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
RUSTFLAGS+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
export RUSTFLAGS CARGO_INCREMENTAL=0
begun=$SECONDS
cargo build --release --locked --target "$host" --target-dir target -j "$jobs"
printf 'built in %d s\n' "$((SECONDS - begun))"

# where libFuzzer looks for seeds: the judge reads what the shell reader reads
seeds() {
    case $1 in
        judge) printf '%s\n' corpus/judge corpus/shell ;;
        *) printf '%s\n' "corpus/$1" ;;
    esac
}

fuzz() {
    local name=$1 log=target/fuzz-$1.log status=0 from
    mapfile -t from < <(seeds "$name")
    mkdir -p "artifacts/$name" "target/corpus/$name"
    # a stack of 8 MB is what the hook has
    "target/$host/release/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -dict="dictionaries/$name.dict" -artifact_prefix="artifacts/$name/" -print_final_stats=1 \
        "target/corpus/$name" "${from[@]}" >"$log" 2>&1 || status=$?
    local runs covered
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1 || true)
    printf '%-9s %s executions, %s\n' "$name" "${runs:-?}" "${covered:-no coverage: the counters are missing}"
    if [ "$status" -ne 0 ]; then
        printf '%s FAILED (%d); the end of its log:\n' "$name" "$status" >&2
        tail -40 "$log" >&2
        return 1
    fi
    # a target without counters would run blind and find nothing
    [ -n "$covered" ]
}

failed=0
while [ "${#targets[@]}" -gt 0 ]; do
    pids=()
    for name in "${targets[@]:0:jobs}"; do
        fuzz "$name" &
        pids+=("$!")
    done
    for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
    targets=("${targets[@]:jobs}")
done
printf 'fuzzed in %d s\n' "$((SECONDS - begun))"
exit "$failed"
