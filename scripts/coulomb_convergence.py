"""Draws validation/coulomb_oscillator/convergence.png and prints the tables of its README.

    cargo build --release
    .tools/bin/pip install h5py matplotlib
    .tools/bin/python scripts/coulomb_convergence.py [PROGRAM]

Mass with Coulomb friction against its closed forms, and the academic case against shooting: classic, velocity-level
and interface form over the number of harmonics; interface form over the number of samples.
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
FORMS = {"displacement": "classic", "velocity": "velocity level", "interface": "interface (default)"}
# Amplitude over F/k from the closed form, as `fretwork validate coulomb_oscillator` prints it.
EXACT = {
    0.2: {0.3: 0.88633, 0.6: 1.550603, 0.8: 2.711415, 1.25: 1.708218, 2: 0.31798},
    0.5: {0.3: 0.825616, 0.6: 1.486582, 0.8: 2.332235, 1.25: 1.282557, 2: 0.220479},
    0.7: {0.3: 0.716088, 0.6: 1.351931, 0.8: 1.80379, 1.25: 0.436362, 2: 0.0701},
}
RATIOS = [0.3, 0.6, 0.8, 1.25, 2]
HARMONICS = [1, 3, 5, 7, 11, 15, 21, 31]


def run(case, overrides, dataset):
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "run", case, "-o", folder, "--quiet"]
        for text in overrides:
            command += ["--set", text]
        # Points that do not converge are part of the result.
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
        with h5py.File(f"{folder}/results.h5") as results:
            values, converged = results[dataset][:], results["response/converged"][:]
            return np.where(converged > 0, values, np.nan)


def oscillator(friction, form, highest, samples):
    """Relative errors at RATIOS."""
    values = [r / (2 * math.pi) for r in RATIOS]
    found = run(
        "cases/coulomb_oscillator.toml",
        [
            f"contact[0].friction={friction}",
            f"analysis[0].harmonics={highest}",
            f"analysis[0].samples={samples}",
            f'analysis[0].form="{form}"',
            f'analysis[0].frequencies={{spacing="list",values={values}}}',
        ],
        "response/probes/u/maximum",
    )
    return found / np.array([EXACT[friction][r] for r in RATIOS]) - 1


def academic(form, highest):
    """Amplitude of mass 1 at 16 N and 0.6 Hz; shooting gives 1.711 m."""
    found = run(
        "cases/academic_2dof/response.toml",
        [
            f"analysis[0].harmonics={highest}",
            "analysis[0].samples=1024",
            f'analysis[0].form="{form}"',
            "analysis[0].levels=[16.0]",
            'analysis[0].frequencies={spacing="list",values=[0.6]}',
        ],
        "response/probes/u1/maximum",
    )
    return found[0]


def order(errors):
    """Slope between 7 and 31 harmonics."""
    few, many = (abs(errors[HARMONICS.index(n)]) for n in (7, 31))
    return math.log(few / many) / math.log(31 / 7)


errors = {
    (friction, form): np.array([oscillator(friction, form, n, 8192) for n in HARMONICS])
    for friction in EXACT
    for form in FORMS
}
print("Largest error over the frequency ratios, 8192 samples\n")
print("| F_f/F | form | " + " | ".join(f"N_h = {n}" for n in HARMONICS) + " | order |")
print("|---" * (len(HARMONICS) + 3) + "|")
for (friction, form), table in errors.items():
    worst = np.nanmax(np.abs(table), axis=1)
    cells = " | ".join(f"{100 * e:.2f} %" for e in worst)
    print(f"| {friction} | {FORMS[form]} | {cells} | {order(worst):.1f} |", flush=True)

print("\nLargest error of the interface form, N_h = 15, over samples\n")
for friction in EXACT:
    line = [(n, np.nanmax(np.abs(oscillator(friction, "interface", 15, n)))) for n in (256, 512, 1024, 2048, 4096, 8192)]
    print(f"| {friction} | " + " | ".join(f"{n}: {100 * e:.2f} %" for n, e in line) + " |", flush=True)

print("\nAcademic case, 16 N, 0.6 Hz: amplitude of mass 1 [m]; shooting 1.711\n")
masses = {form: [academic(form, n) for n in HARMONICS] for form in FORMS}
for form, values in masses.items():
    print(f"| {FORMS[form]} | " + " | ".join(f"{v:.3f}" for v in values) + " |", flush=True)

figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for axes, (friction, ratio) in zip(panels, [(0.5, 2), (0.5, 0.3), (None, None)]):
    for form, name in FORMS.items():
        if friction is None:
            line = [abs(v / 1.711 - 1) for v in masses[form]]
        else:
            line = np.abs(errors[friction, form][:, RATIOS.index(ratio)])
        axes.loglog(HARMONICS, 100 * np.array(line), "o-", ms=4, lw=1, label=name)
    reach = np.array([3, 31])
    for power, style in [(1, ":"), (2, "--")]:
        axes.loglog(reach, 20 * (3 / reach) ** power, "k" + style, lw=0.8, label=f"order {power}")
    axes.set_xticks(HARMONICS, [str(n) for n in HARMONICS])
    axes.minorticks_off()
    axes.set(xlabel="highest harmonic", ylabel="error of the amplitude [%]")
    axes.grid(True, lw=0.3)
panels[0].set_title("oscillator without stops (r = 2, $F_f/F$ = 0.5)", fontsize=9)
panels[1].set_title("oscillator with stops (r = 0.3, $F_f/F$ = 0.5)", fontsize=9)
panels[2].set_title("two masses, 16 N, 0.6 Hz", fontsize=9)
panels[0].legend(fontsize=7)
figure.savefig("validation/coulomb_oscillator/convergence.png", dpi=130)
