"""Draws validation/rig_reduction/convergence.png: reduced against full response of the rig.

    cargo build --release
    .tools/bin/pip install h5py matplotlib
    .tools/bin/python scripts/reduction_convergence.py [PROGRAM]

Both bodies keep the same number of fixed-interface modes (at most all of them); the error is the largest
difference of the velocity 1 mm above the contact over a band, relative to its largest value there.
"""

import subprocess
import sys
import tempfile

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/fretwork"
CASE = "cases/imperial_rig/linear.toml"
ALL = {"top": 170, "bottom": 168}  # on the coarse mesh
MODES = [1, 2, 4, 8, 16, 32, 64, 96, 128, 150, 160, 170]
BANDS = {"10 to 400 Hz": (10, 400), "10 to 400 kHz": (1e4, 4e5)}


def overrides(modes, band):
    for body, most in ALL.items():
        yield f"reduction.{body}.modes={min(modes, most)}"
        for block, cells in enumerate([10, 4, 4]):
            yield f"parts.{body}.mesh.blocks[{block}].cells=[{cells},5]"
    for analysis in range(4):  # all of them on one grid
        grid = f'{{spacing="log",from={band[0]},to={band[1]},points=200}}'
        yield f"analysis[{analysis}].frequencies={grid}"


def errors(modes, band, folder):
    command = [PROGRAM, "run", CASE, "-o", folder, "--quiet"]
    for text in overrides(modes, band):
        command += ["--set", text]
    subprocess.run(command, check=True)
    with h5py.File(f"{folder}/results.h5") as results:
        for contact in ["open", "stuck"]:
            reduced = results[f"{contact}/probes/sensor"][:]
            full = results[f"{contact}_direct/probes/sensor"][:]
            yield contact, abs(reduced - full).max() / abs(full).max()


figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
with tempfile.TemporaryDirectory() as folder:
    for (label, band), colour in zip(BANDS.items(), ["tab:blue", "tab:red"]):
        lines = {}
        for modes in MODES:
            for contact, error in errors(modes, band, folder):
                lines.setdefault(contact, []).append(error)
        for contact, style in [("open", "o--"), ("stuck", "s-")]:
            print(label, contact, " ".join(f"{error:.1e}" for error in lines[contact]))
            axes.loglog(MODES, lines[contact], style, color=colour, ms=4, lw=1, label=f"{label}, {contact}")
axes.axhline(1e-8, color="grey", lw=0.8)
axes.set_xlabel("fixed-interface modes of each body")
axes.set_ylabel("error of the velocity near the contact")
axes.grid(True, alpha=0.3)
axes.legend(frameon=False, fontsize=8)
figure.savefig("validation/rig_reduction/convergence.png", dpi=90)
