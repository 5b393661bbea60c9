"""Draws validation/hertz_fretting/convergence.png and prints the tables of its README.

    cargo build --release
    .tools/bin/pip install h5py matplotlib
    .tools/bin/python scripts/hertz_convergence.py [PROGRAM]

Cylinder on a flat against Hertz and Cattaneo-Mindlin: cell size and number of harmonics, then size of the blocks,
samples and pseudo-penalty. Errors of pressure and shear are those of src/validate/line_contact.rs, written anew.
"""

import math
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/fretwork"
CASE = "cases/hertz_fretting.toml"
CONTACT = 0.6e-3  # half the face [m]
THICKNESS = 1e-3  # m
MODULUS, RADIUS, LOAD, FRICTION, SHEAR = 210e9 / (2 * (1 - 0.3**2)), 0.1, 250e3, 0.5, 81.25e3
RATIO = SHEAR / (FRICTION * LOAD)
A = math.sqrt(4 * LOAD * RADIUS / (math.pi * MODULUS))
PEAK = 2 * LOAD / (math.pi * A)
ENERGY = 4 * (FRICTION * LOAD) ** 2 / (math.pi * MODULUS) * (
    RATIO - RATIO**2 / 2 + (1 - RATIO) * math.log(1 - RATIO)
)


def mesh(cells, outward, size, grading):
    """Overrides for so many cells on the face and outward to the ends of blocks of a size [m]."""
    for part, low, high, down in [("cylinder", 0, size, grading), ("flat", -size, 0, 1 / grading)]:
        columns = [(-CONTACT, CONTACT, cells, 1), (-size, -CONTACT, outward, 1 / grading)]
        columns.append((CONTACT, size, outward, grading))
        for i, (left, right, across, growth) in enumerate(columns):
            block = f"parts.{part}.mesh.blocks[{i}]"
            corners = [[left, low], [right, low], [right, high], [left, high]]
            yield from (f"{block}.corners={corners}", f"{block}.cells={[across, outward]}")
            yield f"{block}.grading={[growth, down]}"
    yield f"points.holder.at=[0, {size}]"


def ellipse(half_width, x, h):
    """Mean of sqrt(1 - s^2/half_width^2) over the length h about x."""
    def primitive(s):
        s = np.clip(s / half_width, -1, 1)
        return half_width / 2 * (s * np.sqrt(1 - s * s) + np.arcsin(s))

    return (primitive(x + h / 2) - primitive(x - h / 2)) / h


def shear(ratio, x, h):
    """Mean shear of Cattaneo and Mindlin at Q = ratio mu P."""
    c = math.sqrt(1 - ratio)
    return FRICTION * PEAK * (ellipse(A, x, h) - c * ellipse(c * A, x, h))


def errors(overrides):
    """a, p0 and W relative, c in cells, pressure and both shears in the mean square."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "run", CASE, "-o", folder, "--quiet"]
        for text in overrides:
            command += ["--set", text]
        subprocess.run(command, check=True)
        with h5py.File(f"{folder}/results.h5") as results:
            face = results["mesh/parts/cylinder/sets/face"][:].astype(int)
            x = results["mesh/coordinates"][:][face, 0]
            group = results["response/contact/0"]
            area, status = group["area"][:], group["status"][0]
            normal, tangential = group["normal_force"][0][:, -1], group["tangential_force"][0]
            energy = results["response/energy/friction_in_time"][0] / THICKNESS
    h = area / THICKNESS

    def miss(force, exact):
        return math.sqrt(sum(area * (force / area - exact) ** 2) / sum(area * exact**2))

    stick = sum(h[(status == 0).all(axis=1)]) / 2
    back = shear(RATIO, x, h) - 2 * shear(RATIO / 2, x, h)
    quarter = tangential.shape[1] // 4 - 1
    return {
        "a": 2 * math.sqrt(sum(normal * x**2) / sum(normal)) / A - 1,
        "p0": max(normal / area) / PEAK - 1,
        "c [cells]": (stick - A * math.sqrt(1 - RATIO)) / max(h),
        "p": miss(normal, PEAK * ellipse(A, x, h)),
        "q": miss(tangential[:, -1], shear(RATIO, x, h)),
        "q back": miss(tangential[:, quarter], back),
        "W": energy / ENERGY - 1,
    }


def row(label, found):
    cells = [f"{v:+.2f}" if "cells" in k else f"{100 * v:+.2f} %" for k, v in found.items()]
    print("|", label, "|", " | ".join(cells), "|", flush=True)
    return found


print("| study | a | p_0 | c [cells] | p | q | q back | W |\n" + "|---" * 8 + "|")
HARMONICS, CELLS = [1, 3, 7, 15, 31], [12, 24, 48, 96]
found = {}
for highest in HARMONICS:
    for cells in CELLS:
        size = 2e6 * CONTACT / cells
        overrides = [*mesh(cells, cells * 36 // 48, 24e-3, 115), f"analysis[0].harmonics={highest}"]
        found[highest, cells] = row(f"{size:g} um, N_h = {highest}", errors(overrides))
for size, outward, grading in [(3, 19, 20), (6, 24, 36), (12, 30, 65), (24, 36, 115), (48, 42, 210)]:
    row(f"blocks of {2 * size} x {size} mm", errors(mesh(48, outward, 1e-3 * size, grading)))
for cells in [40, 44, 46, 50, 52, 56, 64]:  # the edges fall elsewhere in their cells
    row(f"{cells} cells", errors(mesh(cells, 36, 24e-3, 115)))
for samples in [64, 128, 512]:
    row(f"{samples} samples", errors([f"analysis[0].samples={samples}"]))
for penalty in [0.01, 0.1, 10, 100]:
    row(f"pseudo-penalty x {penalty}", errors([f"analysis[0].penalty={penalty}"]))

figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
names = {"p": "pressure", "q": "shear", "W": "loop energy"}
for axes, (key, name) in zip(panels, names.items()):
    for highest in HARMONICS:
        sizes = [2e6 * CONTACT / cells for cells in CELLS]
        line = [100 * abs(found[highest, cells][key]) for cells in CELLS]
        axes.loglog(sizes, line, "o-", ms=4, lw=1, label=f"{highest} harmonics")
    axes.set(title=f"error of the {name} [%]", xlabel="cell [µm]")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.minorticks_off()
    axes.grid(True, lw=0.3)
panels[0].legend(fontsize=7)
figure.savefig("validation/hertz_fretting/convergence.png", dpi=130)
