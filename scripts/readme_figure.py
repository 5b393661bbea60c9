"""Draws docs/images/tuning_fork.png from results/tuning_fork (h5py and matplotlib, no Fretwork code).

    cargo run --release -- run cases/tuning_fork.toml
    .tools/bin/pip install h5py matplotlib
    .tools/bin/python scripts/readme_figure.py
"""

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

results = h5py.File("results/tuning_fork/results.h5")
nodes = results["mesh/coordinates"][:] * 1e3
quads = results["mesh/quads"][:]
frequency = results["modal/frequency"][:]
shape = results["modal/shape"][:, :, :2]

figure = plt.figure(figsize=(10, 4.2), layout="constrained")
grid = figure.add_gridspec(1, 4, width_ratios=[1, 1, 1, 3.2])
for column in range(3):
    axes = figure.add_subplot(grid[column])
    motion = shape[column]
    size = np.linalg.norm(motion, axis=1)
    moved = nodes + motion / size.max() * 5
    cells = PolyCollection(moved[quads], array=size[quads].mean(axis=1), cmap="viridis", edgecolors="face")
    axes.add_collection(cells)
    axes.set_xlim(-28, 28)
    axes.set_ylim(-4, 152)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(f"{frequency[column]:.1f} Hz", fontsize=10)

axes = figure.add_subplot(grid[3])
f = results["frf/frequency"][:]
for name, label in [("struck_tine", "struck tine"), ("other_tine", "other tine")]:
    axes.loglog(f, abs(results[f"frf/probes/{name}"][:]), label=label, lw=1.2)
axes.set_xlabel("frequency [Hz]")
axes.set_ylabel("mobility [m/(N s)]")
axes.grid(True, which="major", alpha=0.3)
axes.legend(frameon=False)
axes.set_xlim(f[0], f[-1])
figure.savefig("docs/images/tuning_fork.png", dpi=110)
