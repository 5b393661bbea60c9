#!/usr/bin/env bash
# Runs the peers on one dumped model and prints one JSON object:
#   run.sh FOLDER [cholmod|scipy]
# FOLDER holds stiffness.bin, mass.bin and load.bin as written by the linear
# benchmark. Progress goes to stderr. scripts/peers/setup.sh comes first.
set -euo pipefail

usage() {
    printf 'usage: run.sh FOLDER [cholmod|scipy]\n' >&2
    exit 2
}

[[ $# -eq 1 || $# -eq 2 ]] || usage
folder=$1
which=${2:-all}
case "$which" in
    all | cholmod | scipy) ;;
    *) usage ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools="$(cd "$here/../.." && pwd)/.tools/peers"

fail() {
    printf 'peers/run.sh: %s\n' "$1" >&2
    exit 1
}

needed=(stiffness load)
[[ "$which" == cholmod ]] || needed+=(mass)
for name in "${needed[@]}"; do
    [[ -r "$folder/$name.bin" ]] || fail "no $name.bin in $folder"
done

# The programs are children of this shell, not of the caller: Linux hands the
# peak memory of a large caller down to the process it starts directly.
parts=()
if [[ "$which" != scipy ]]; then
    [[ -x "$tools/cholmod_bench" ]] || fail "CHOLMOD is not set up; run scripts/peers/setup.sh"
    # As installed: whatever the libraries do when nothing is set. Two things
    # hold CHOLMOD back then, and the other two runs take them away:
    # - its own loops open a number of OpenMP threads that was fixed when it was
    #   built (OMP_NUM_THREADS is not heard, OMP_THREAD_LIMIT is), which on few
    #   cores costs far more than it gains;
    # - an OpenBLAS older than the processor falls back to the kernels of an
    #   early one ("Prescott", SSE3 only). OPENBLAS_CORETYPE names better ones;
    #   set by the caller, it is left alone.
    printf 'cholmod: as installed ...\n' >&2
    as_installed=$(env -u OPENBLAS_NUM_THREADS -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT \
        -u OMP_WAIT_POLICY "$tools/cholmod_bench" "$folder") || fail "CHOLMOD failed"
    settings=(OMP_WAIT_POLICY=passive)
    if [[ -z "${OPENBLAS_CORETYPE:-}" && "$as_installed" == *" Prescott "* ]]; then
        flags=" $(grep -m1 '^flags' /proc/cpuinfo || true) "
        core=
        if [[ "$flags" == *" avx512bw "* && "$flags" == *" avx512dq "* && "$flags" == *" avx512vl "* ]]; then
            core=SkylakeX
        elif [[ "$flags" == *" avx2 "* && "$flags" == *" fma "* ]]; then
            core=Haswell
        fi
        if [[ -n "$core" ]]; then
            printf 'cholmod: OpenBLAS does not know this processor; using its %s kernels\n' "$core" >&2
            settings+=("OPENBLAS_CORETYPE=$core")
        fi
    fi
    runs=()
    for threads in 1 2; do
        printf 'cholmod: %d thread(s) ...\n' "$threads" >&2
        result=$(env "OPENBLAS_NUM_THREADS=$threads" "OMP_NUM_THREADS=$threads" \
            "OMP_THREAD_LIMIT=$threads" "${settings[@]}" \
            "$tools/cholmod_bench" "$folder") || fail "CHOLMOD failed"
        runs+=("$result")
    done
    parts+=("\"cholmod\": {\"threads_1\": ${runs[0]}, \"threads_2\": ${runs[1]}, \"as_installed\": $as_installed}")
fi
if [[ "$which" != cholmod ]]; then
    [[ -x "$tools/venv/bin/python" ]] || fail "scipy is not set up; run scripts/peers/setup.sh"
    result=$("$tools/venv/bin/python" "$here/scipy_bench.py" "$folder") || fail "scipy failed"
    parts+=("\"scipy\": $result")
fi

joined=${parts[0]}
if ((${#parts[@]} > 1)); then
    joined+=", ${parts[1]}"
fi
printf '{%s}\n' "$joined"
