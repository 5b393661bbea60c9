"""Draws a wear analysis: depth and pressure profiles, volume and loops, from a results file.

    python scripts/plot_wear.py results/imperial_rig/test1/results.h5 wear.png [analysis]

With several histories, maps of depth over frequency and cycles are drawn instead, one per load factor.
"""
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def profiles(group, axes):
    """Depth, pressure, volume and loops of one history."""
    x = group["position"][:, 0] * 1e3
    order = np.argsort(x)
    cycles = group["cycles"][:]
    shown = np.unique(np.linspace(0, len(cycles) - 1, 6).astype(int))
    for i in shown:
        label = f"{cycles[i]:.3g} cycles"
        axes[0, 0].plot(x[order], group["depth"][i][order] * 1e6, label=label)
        axes[0, 1].plot(x[order], group["pressure"][i][order] * 1e-6, label=label)
        axes[1, 1].plot(group["loop/0/slip"][i] * 1e6, group["loop/0/force"][i], label=label)
    axes[1, 0].plot(cycles, group["volume"][:] * 1e12, "o-")
    labels = [
        ("position [mm]", "depth [µm]"),
        ("position [mm]", "mean pressure [MPa]"),
        ("cycles", "volume [µm mm²]"),
        ("slip [µm]", "friction force [N]"),
    ]
    for axis, (below, beside) in zip(axes.flat, labels):
        axis.set_xlabel(below)
        axis.set_ylabel(beside)
    axes[0, 0].legend(fontsize=7)


def maps(group, figure):
    """Largest depth over frequency and cycles, a map per load factor."""
    history = group["history"][:].astype(int)
    level, frequency = group["load_factor"][:], group["frequency"][:]
    cycles, depth = group["cycles"][:], group["max_depth"][:]
    levels = np.unique(level)
    grid = np.geomspace(max(cycles.max() * 1e-6, 1), cycles.max(), 200)
    for i, value in enumerate(levels):
        rows, places = [], []
        for number in np.unique(history[level == value]):
            own = history == number
            rows.append(np.interp(grid, cycles[own], depth[own]))
            places.append(frequency[own][0])
        axis = figure.add_subplot(1, len(levels), i + 1)
        image = axis.pcolormesh(places, grid, np.array(rows).T * 1e6, shading="nearest")
        axis.set(yscale="log", xlabel="frequency [Hz]", title=f"load factor {value:g}")
        if i == 0:
            axis.set_ylabel("cycles")
        figure.colorbar(image, ax=axis, label="depth [µm]")


def main():
    source, target = sys.argv[1:3]
    name = sys.argv[3] if len(sys.argv) > 3 else "wear"
    with h5py.File(source) as file:
        group = file[name]
        if group["history"][:].max() > 0:
            figure = plt.figure(figsize=(11, 4), layout="constrained")
            maps(group, figure)
        else:
            figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
            profiles(group, axes)
        figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main()
