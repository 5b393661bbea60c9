"""Draws a nonlinear response: amplitude over frequency for each level, and loops of the first contact.

    .tools/bin/python scripts/plot_response.py results/imperial_rig/response arm 100 picture.png

The loops are those at the frequency nearest to the given one: tangential force over the probe, as an
experiment sees them.
"""

import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


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
            own = own[np.argsort(frequency[own], kind="stable")]
            left.semilogy(frequency[own], values[own] / level[own[0]], color=colour, label=f"{level[own[0]]:g}")
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
