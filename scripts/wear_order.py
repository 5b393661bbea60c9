"""Draws the error of the cycle jumps: over the tolerance and over the number of responses solved.

    python scripts/wear_order.py FRETWORK validation/wear_laws/order.png

Runs a flat punch (nearly linear: the pressure spreads) and two masses (nonlinear: the load is lost) with the program
FRETWORK and prints the table. The reference has 10 000 equal increments of the second-order scheme. The error is the
largest of any pair at any of the stops, over the deepest depth at that stop: the end alone says little, since a flat
contact forgets how it became uniform.
"""
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Name, case, stops, first jump, largest depths of an explicit increment.
STUDIES = [
    ("flat punch", "cases/wear/flat_on_flat.toml", [1e3, 1e4, 1e5], 300.0, [1e-7, 5e-8, 2e-8, 1e-8, 5e-9, 2e-9]),
    ("two masses", "validation/academic_wear/one.toml", [1e4, 3e4, 1e5], 100.0, [1e-7, 5e-8, 2e-8, 1e-8, 5e-9, 2e-9]),
]
TOLERANCES = [0.2, 0.1, 0.05, 0.025, 0.0125, 6.25e-3, 3.125e-3]


def run(program, folder, study, scheme):
    """Depths at the stops, solves and the smallest mean pressure of any pair at any time."""
    _, case, stops, _, _ = study
    sets = [f"analysis[0].scheme={scheme}", f"analysis[0].cycles={stops[-1]}", f"analysis[0].at={stops}"]
    command = [program, "run", case, "-q", "-o", folder]
    for value in sets:
        command += ["--set", value]
    subprocess.run(command, check=True)
    with h5py.File(f"{folder}/results.h5") as file:
        wear = file["wear"]
        rows = np.isin(wear["cycles"][:], stops)
        return wear["depth"][:][rows], int(wear["solves"][-1]), wear["pressure"][:].min()


def measure(program, folder, study):
    """Rows (tolerance or increment, error, solves) of both schemes."""
    name, _, stops, first, increments = study
    equal = stops[-1] / 1e4
    scheme = f'{{type="adaptive", tolerance=1, first_jump={equal}, max_jump={equal}}}'
    exact, solves, _ = run(program, folder, study, scheme)
    print(f"{name}, reference: {solves} solves, first pair {exact[:, 0].tolist()} m", flush=True)
    tables = []
    for kind, key, values in [("adaptive", "tolerance", TOLERANCES), ("explicit", "max_increment", increments)]:
        table = []
        for value in values:
            scheme = f'{{type="{kind}", {key}={value}, first_jump={first}}}'
            depth, solves, pressure = run(program, folder, study, scheme)
            error = (abs(depth - exact).max(axis=1) / exact.max(axis=1)).max()
            table.append((value, error, solves))
            print(f"{kind} {value:9.2e}: error {error:.2e}, {solves} solves, least {pressure:.3e} Pa", flush=True)
        tables.append(np.array(table))
    return tables


def main():
    program, target = sys.argv[1:3]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for study, colour in zip(STUDIES, ["C0", "C1"]):
        with tempfile.TemporaryDirectory() as folder:
            adaptive, explicit = measure(program, folder, study)
        axes[0].loglog(adaptive[:, 0], adaptive[:, 1], "o-", color=colour, label=study[0])
        axes[1].loglog(adaptive[:, 2], adaptive[:, 1], "o-", color=colour, label=f"{study[0]}, adaptive")
        axes[1].loglog(explicit[:, 2], explicit[:, 1], "s--", color=colour, label=f"{study[0]}, explicit")
    axes[0].loglog(TOLERANCES, TOLERANCES, "k:", label="error = tolerance")
    axes[0].set(xlabel="tolerance", ylabel="error of the depth")
    axes[1].set(xlabel="responses solved", ylabel="error of the depth")
    for axis in axes:
        axis.legend(fontsize=7)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main()
