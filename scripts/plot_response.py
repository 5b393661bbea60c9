"""Draws a nonlinear response: amplitude over frequency for each level, and loops of the first contact.

    .tools/bin/python scripts/plot_response.py results/imperial_rig/response arm 100 picture.png

The loops are those at the frequency nearest to the given one: tangential force over the probe, as an
experiment sees them. Where the stability of the points is known, unstable parts of a curve are dashed and
bifurcations marked: o fold or branch point, s period doubling, ^ Neimark-Sacker.
"""

import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


MARKERS = {1: "o", 2: "s", 3: "^"}


def draw_curve(axes, frequency, values, stability, own, colour, label):
    """One curve in the order of its points; dashed between points of which one is unstable."""
    if stability is None:
        axes.semilogy(frequency, values, color=colour, label=label)
        return
    axes.semilogy([], [], color=colour, label=label)
    unstable = stability["unstable"][:][own] > 0
    beside = unstable.copy()
    beside[1:] |= unstable[:-1]
    beside[:-1] |= unstable[1:]
    axes.plot(frequency, np.where(unstable, np.nan, values), color=colour)
    axes.plot(frequency, np.where(beside, values, np.nan), color=colour, linestyle="dashed")
    kinds = stability["bifurcation"][:][own]
    for kind, marker in MARKERS.items():
        axes.plot(frequency[kinds == kind], values[kinds == kind], marker, color=colour, fillstyle="none")


def draw(folder, probe, at, picture, group="response"):
    with h5py.File(pathlib.Path(folder) / "results.h5") as file:
        data = file[group]
        curve, frequency = data["curve"][:], data["frequency"][:]
        level = data["load_factor"][:]
        values = data[f"probes/{probe}/maximum"]
        unit, values = values.attrs["unit"], values[:]
        contact = data["contact/0"]
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
        colours = plt.cm.viridis(np.linspace(0, 0.9, int(curve.max()) + 1))
        for i, colour in enumerate(colours):
            own = np.flatnonzero(curve == i)
            scaled, label = values[own] / level[own[0]], f"{level[own[0]]:g}"
            draw_curve(left, frequency[own], scaled, data.get("stability"), own, colour, label)
            point = own[np.argmin(np.abs(frequency[own] - float(at)))]
            force = contact["tangential_force"][point].sum(axis=0)
            tau = 2 * np.pi * np.arange(1, force.size + 1) / force.size
            motion = sum(
                (amplitude * np.exp(1j * order * tau)).real
                for order, amplitude in zip(data["harmonics"][:], data[f"probes/{probe}/harmonics"][point])
            )
            right.plot(np.append(motion, motion[0]) * 1e6, np.append(force, force[0]), color=colour)
        left.set(xlabel="frequency [Hz]", ylabel=f"{probe}: largest value over level [{unit}/N]")
        left.legend(title="level [N]", fontsize=8)
        right.set(xlabel=f"{probe} [1e-6 {unit}]", ylabel=f"tangential force at {float(at):g} Hz [N]")
        figure.tight_layout()
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    draw(*sys.argv[1:])
