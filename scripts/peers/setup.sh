#!/usr/bin/env bash
# Prepares the programs that the linear benchmark is compared with:
#   .tools/peers/cholmod_bench   CHOLMOD from SuiteSparse, called from C
#   .tools/peers/venv            Python with numpy and scipy
# Safe to run again: finished steps are skipped. On success it prints one line.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source_file="$root/scripts/peers/cholmod_bench.c"
tools="$root/.tools/peers"
program="$tools/cholmod_bench"
venv="$tools/venv"
log="$tools/setup.log"

mkdir -p "$tools"
: >"$log"

fail() {
    printf 'peers/setup.sh: %s\n' "$1" >&2
    if [[ -s "$log" ]]; then
        printf 'last lines of %s:\n' "${log#"$root"/}" >&2
        tail -n 20 "$log" >&2
    fi
    exit 1
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "'$*' needs root, and there is no sudo"
    fi
}

# Packages. OpenBLAS is named as well, because libsuitesparse-dev alone is
# satisfied by the reference BLAS, which would make CHOLMOD look slow.
if command -v apt-get >/dev/null; then
    missing=()
    for package in gcc libc6-dev libsuitesparse-dev libopenblas0-pthread python3-venv; do
        status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
        [[ "$status" == "install ok installed" ]] || missing+=("$package")
    done
    if ((${#missing[@]} > 0)); then
        as_root apt-get update -qq >>"$log" 2>&1 || fail "apt-get update failed"
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1 ||
            fail "could not install: ${missing[*]}"
    fi
else
    printf 'peers/setup.sh: no apt-get here; counting on gcc, SuiteSparse, OpenBLAS and python3 being installed\n' >&2
fi

# CHOLMOD program.
if [[ ! -x "$program" || "$source_file" -nt "$program" ]]; then
    gcc -std=gnu11 -O2 -Wall -Wextra -I/usr/include/suitesparse \
        -o "$program.new" "$source_file" -lcholmod -ldl -lm >>"$log" 2>&1 ||
        fail "could not build cholmod_bench.c"
    mv "$program.new" "$program"
fi
blas=$("$program" --blas) || fail "cholmod_bench does not start"
if [[ "$blas" != OpenBLAS* ]]; then
    printf 'peers/setup.sh: warning: CHOLMOD uses a BLAS that is not OpenBLAS; its times will not be representative\n' >&2
fi

# Python environment.
if ! "$venv/bin/python" -c 'import numpy, scipy.sparse.linalg' >/dev/null 2>&1; then
    python3 -m venv --clear "$venv" >>"$log" 2>&1 ||
        fail "could not make the Python environment"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        numpy scipy >>"$log" 2>&1 || fail "could not install numpy and scipy"
fi
versions=$("$venv/bin/python" -c 'import numpy, scipy; print("numpy", numpy.__version__ + ", scipy", scipy.__version__)')

printf 'peers ready: %s; %s\n' "$blas" "$versions"
