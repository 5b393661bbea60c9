#!/usr/bin/env python3
"""Times scipy on one dumped model; prints one JSON object.

    scipy_bench.py FOLDER          every task, each in a process of its own
    scipy_bench.py FOLDER TASK     one task, in this process

FOLDER holds stiffness.bin and mass.bin (u64 n, u64 nnz, n+1 u64 column offsets,
nnz u64 row indices, nnz f64 values; lower triangle by columns, with the
diagonal) and load.bin (u64 n, n f64), all little endian.

Tasks:
    splu            static solution, splu as it comes (COLAMD ordering)
    splu_symmetric  static solution, splu told that the matrix is symmetric
    eigsh           20 lowest modes, eigsh(K, k=20, M=M, sigma=0)
    eigsh_careful   the same with the factor of splu_symmetric as OPinv

Each task is run once; reading the files and checking the answer are not timed.
A task that is skipped or fails is null, with the reason under "notes"; if no
task succeeds, the exit status is 1.
PEERS_FULL=1 runs the tasks that are skipped for large models.
"""

import json
import math
import os
import resource
import subprocess
import sys
import time

MODES = 20
# Largest number of freedoms for which a task is run without PEERS_FULL=1.
TASKS = {
    "splu": 210_000,
    "splu_symmetric": 210_000,
    "eigsh": 250_000,
    "eigsh_careful": None,
}


def peak_rss_mb():
    """Largest resident memory of this process so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def read_size(folder):
    """Number of freedoms, without numpy."""
    with open(os.path.join(folder, "stiffness.bin"), "rb") as file:
        return int.from_bytes(file.read(8), "little")


def read_matrix(folder, name):
    """The full symmetric matrix, by columns, with 32-bit indices as scipy makes them."""
    import numpy as np
    import scipy.sparse as sp

    with open(os.path.join(folder, name), "rb") as file:
        n, nnz = (int(v) for v in np.fromfile(file, "<u8", 2))
        offsets = np.fromfile(file, "<u8", n + 1).astype(np.int32)
        rows = np.fromfile(file, "<u8", nnz).astype(np.int32)
        values = np.fromfile(file, "<f8", nnz)
        if len(values) != nnz or file.read(1):
            raise ValueError(f"{name}: length does not fit its header")
    lower = sp.csc_matrix((values, rows, offsets), shape=(n, n))
    lower.check_format()
    full = (lower + sp.tril(lower, -1, format="csc").T).tocsc()
    full.sort_indices()
    return full


def read_load(folder):
    import numpy as np

    with open(os.path.join(folder, "load.bin"), "rb") as file:
        n = int(np.fromfile(file, "<u8", 1)[0])
        load = np.fromfile(file, "<f8", n)
        if len(load) != n or file.read(1):
            raise ValueError("load.bin: length does not fit its header")
    return load


def symmetric_splu(matrix):
    from scipy.sparse.linalg import splu

    return splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def run_static(folder, symmetric):
    import numpy as np
    from scipy.sparse.linalg import splu

    stiffness = read_matrix(folder, "stiffness.bin")
    load = read_load(folder)
    loaded = peak_rss_mb()
    start = time.perf_counter()
    factor = symmetric_splu(stiffness) if symmetric else splu(stiffness)
    middle = time.perf_counter()
    solution = factor.solve(load)
    end = time.perf_counter()
    peak = peak_rss_mb()
    residual = np.linalg.norm(stiffness @ solution - load) / np.linalg.norm(load)
    return {
        "seconds": end - start,
        "factor": middle - start,
        "solve": end - middle,
        "residual": float(residual),
        "peak_rss_mb": peak,
        "loaded_rss_mb": loaded,
        "max_abs_solution": float(np.abs(solution).max()),
    }


def run_modes(folder, careful):
    import numpy as np
    from scipy.sparse.linalg import LinearOperator, eigsh

    stiffness = read_matrix(folder, "stiffness.bin")
    mass = read_matrix(folder, "mass.bin")
    loaded = peak_rss_mb()
    start = middle = time.perf_counter()
    if careful:
        factor = symmetric_splu(stiffness)
        middle = time.perf_counter()
        inverse = LinearOperator(stiffness.shape, matvec=factor.solve, dtype=np.float64)
        values, vectors = eigsh(stiffness, k=MODES, M=mass, sigma=0, OPinv=inverse)
    else:
        values, vectors = eigsh(stiffness, k=MODES, M=mass, sigma=0)
    end = time.perf_counter()
    peak = peak_rss_mb()
    order = np.argsort(values)
    values, vectors = values[order], vectors[:, order]
    elastic = stiffness @ vectors
    rest = np.linalg.norm(elastic - (mass @ vectors) * values, axis=0)
    result = {
        "seconds": end - start,
        "frequencies": [math.sqrt(v) / (2 * math.pi) for v in values.tolist()],
        "residual": float((rest / np.linalg.norm(elastic, axis=0)).max()),
        "peak_rss_mb": peak,
        "loaded_rss_mb": loaded,
    }
    if careful:
        result["factor"] = middle - start
    return result


def run_task(folder, task):
    if task.startswith("splu"):
        return run_static(folder, task == "splu_symmetric")
    return run_modes(folder, task == "eigsh_careful")


def run_all(folder):
    """Every task in a process of its own, so that the memory is the task's alone."""
    from importlib.metadata import version

    n = read_size(folder)
    full = os.environ.get("PEERS_FULL") == "1"
    report = {
        "n": n,
        "version": f"scipy {version('scipy')}, numpy {version('numpy')}",
        "threads": int(os.environ.get("OPENBLAS_NUM_THREADS") or len(os.sched_getaffinity(0))),
    }
    notes = {}
    for task, limit in TASKS.items():
        report[task] = None
        if limit is not None and n > limit and not full:
            notes[task] = f"skipped: more than {limit} freedoms and PEERS_FULL is not 1"
            print(f"scipy {task}: {notes[task]}", file=sys.stderr)
            continue
        print(f"scipy {task}: n = {n} ...", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), folder, task],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            report[task] = json.loads(done.stdout)
            print(f"scipy {task}: {report[task]['seconds']:.2f} s", file=sys.stderr)
        else:
            notes[task] = f"failed with exit status {done.returncode}"
            print(f"scipy {task}: {notes[task]}", file=sys.stderr)
    report["notes"] = notes
    return report


def main(arguments):
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[1] not in TASKS):
        print(f"usage: scipy_bench.py FOLDER [{'|'.join(TASKS)}]", file=sys.stderr)
        return 2
    alone = len(arguments) == 2
    report = run_task(*arguments) if alone else run_all(arguments[0])
    if not alone and not any(report[task] for task in TASKS):
        print("scipy: no task succeeded", file=sys.stderr)
        return 1
    print(json.dumps(report, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
