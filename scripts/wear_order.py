"""Draws the error of the cycle jumps: over the tolerance and over the number of responses solved.

    python scripts/wear_order.py FRETWORK validation/wear_laws/order.png

Runs cases/wear/flat_on_flat.toml with the program FRETWORK and prints the table. The reference has 10 000 equal
increments of the second-order scheme. The error is the largest of any pair at any of the stops, over the deepest depth
at that stop: the end alone says little, since a flat contact forgets how it became uniform.
"""
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

CASE = "cases/wear/flat_on_flat.toml"
STOPS = [100.0, 1e3, 1e4, 1e5]


def run(program, folder, scheme):
    """Depths at the stops, solves and the smallest mean pressure of any pair at any time."""
    sets = [f"analysis[0].scheme={scheme}", f"analysis[0].cycles={STOPS[-1]}", f"analysis[0].at={STOPS}"]
    sets.append("analysis[0].tolerance=1e-11")
    command = [program, "run", CASE, "-q", "-o", folder]
    for value in sets:
        command += ["--set", value]
    subprocess.run(command, check=True)
    with h5py.File(f"{folder}/results.h5") as file:
        wear = file["wear"]
        rows = np.isin(wear["cycles"][:], STOPS)
        return wear["depth"][:][rows], int(wear["solves"][-1]), wear["pressure"][:].min()


def error_of(depth, exact):
    """Largest error at any stop, over the deepest depth there."""
    return (abs(depth - exact).max(axis=1) / exact.max(axis=1)).max()


def main():
    program, target = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        equal = STOPS[-1] / 1e4
        scheme = f'{{type="adaptive", tolerance=1, first_jump={equal}, max_jump={equal}}}'
        exact, solves, _ = run(program, folder, scheme)
        print(f"reference: {solves} solves, edge {exact[:, 0].tolist()} m", flush=True)
        figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        adaptive, explicit = [], []
        for tolerance in [0.08, 0.04, 0.02, 0.01, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4]:
            scheme = f'{{type="adaptive", tolerance={tolerance}, first_jump=10}}'
            depth, solves, pressure = run(program, folder, scheme)
            error = error_of(depth, exact)
            adaptive.append((tolerance, error, solves))
            print(f"adaptive {tolerance:9.2e}: error {error:.2e}, {solves} solves, least {pressure:.3e} Pa")
        for increment in [5e-9, 2e-9, 1e-9, 5e-10, 2e-10]:
            scheme = f'{{type="explicit", max_increment={increment}, first_jump=10}}'
            depth, solves, pressure = run(program, folder, scheme)
            error = error_of(depth, exact)
            explicit.append((increment, error, solves))
            print(f"explicit {increment:9.2e}: error {error:.2e}, {solves} solves, least {pressure:.3e} Pa")
    adaptive, explicit = np.array(adaptive), np.array(explicit)
    axes[0].loglog(adaptive[:, 0], adaptive[:, 1], "o-", label="adaptive")
    axes[0].loglog(adaptive[:, 0], adaptive[0, 1] / adaptive[0, 0] * adaptive[:, 0], ":", label="slope 1")
    axes[1].loglog(adaptive[:, 2], adaptive[:, 1], "o-", label="adaptive")
    axes[1].loglog(explicit[:, 2], explicit[:, 1], "s-", label="explicit")
    axes[0].set(xlabel="tolerance", ylabel="error of the depth")
    axes[1].set(xlabel="responses solved", ylabel="error of the depth")
    for axis in axes:
        axis.legend()
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main()
