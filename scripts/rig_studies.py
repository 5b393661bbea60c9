"""Tables and pictures of validation/imperial_rig.

    cargo build --release
    .tools/bin/python scripts/rig_studies.py [convergence] [choices] [shift] [tests] [--program PROGRAM]

Without a name all of them. `convergence` and `choices` print Markdown tables; `shift` prints one and draws
shift.png, the first mode before and after wear; `tests` draws tests.png, the five tests.
"""
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

import rig_cases

matplotlib.use("Agg")
import matplotlib.pyplot as plt

arguments = sys.argv[1:]
PROGRAM = "target/release/fretwork"
if "--program" in arguments:
    at = arguments.index("--program")
    PROGRAM = arguments[at + 1]
    del arguments[at : at + 2]
FOLDER = "cases/imperial_rig"
PICTURES = "validation/imperial_rig"
FORCE = 53.0  # N, of test 1


def text(value):
    """A value as TOML."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(v) for v in value) + "]"
    return str(value)


def run(case, changes, read):
    """Runs a case with changes and reads its results."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "run", f"{FOLDER}/{case}.toml", "-o", folder, "--quiet"]
        for key, value in changes.items():
            command += ["--set", f"{key}={text(value)}"]
        # 1: some point has no solution, such as a slip out of reach; the rest is there.
        if subprocess.run(command, check=False).returncode > 1:
            sys.exit(f"failed: {' '.join(command)}")
        with h5py.File(f"{folder}/results.h5") as results:
            return read(results)


def wear(changes):
    """Test 1 at the published force: volume, slip and depths."""

    def read(results):
        group = results["wear"]
        depth = group["depth"][-1] * 1e6
        return {
            "V_w [µm·mm²]": group["volume"][-1] * 1e12,
            "slip [µm]": group["half_opening"][0, 0] * 1e6,
            "edge depth [µm]": depth[0],
            "centre depth [µm]": depth[len(depth) // 2],
        }

    # The history at the measured slip is not looked at.
    own = {"analysis[0].follow_up": [], "analysis[1].cycles": 1000, "analysis[1].at": []}
    return run("test1", {**own, **changes}, read)


def peak(changes):
    """Where the moving mass moves most under 10 N, unworn."""
    own = {"analysis[0].levels": [10], "analysis[0].frequencies": grid(165, 200, 71)}
    renamed = {key: value for key, value in changes.items() if "scheme" not in key}
    read = lambda results: {"peak at 10 N [Hz]": results["response/curves/mass/peak_frequency"][0]}
    return run("response", {**own, **renamed}, read)


def stuck(changes):
    """Modes of the model, open and stuck."""

    def read(results):
        free, held = results["open/frequency"][:], results["stuck/frequency"][:]
        lateral = free[free > 35]
        return {"stuck f_1 [Hz]": held[0], "sliding f_1 [Hz]": lateral[0], "f_2 [Hz]": free[free > 1000][0]}

    skipped = ("analysis", "damping")
    return run("modes", {k: v for k, v in changes.items() if not k.startswith(skipped)}, read)


def grid(start, end, points):
    return {"spacing": "linear", "from": start, "to": end, "points": points}


def both(key, value):
    return {f"parts.{part}.{key}": value for part in ("top", "bottom")}


def print_table(head, rows):
    """Rows of (name, numbers); the first holds the reference for the differences."""
    keys = list(rows[0][1])
    print(f"| {head} |", " | ".join(keys), "|\n" + "|---" * (len(keys) + 1) + "|")
    for name, numbers in rows:
        print(f"| {name} |", " | ".join(f"{numbers[key]:.5g}" if key in numbers else "" for key in keys), "|")
    print(flush=True)


def convergence():
    def study(head, variants, of=(wear, peak)):
        rows = []
        for name, changes in variants:
            numbers = {}
            for measure in of:
                numbers.update(measure(changes))
            rows.append((name, numbers))
        print_table(head, rows)

    numerics = lambda nh, nt: {"analysis[0].harmonics": nh, "analysis[0].samples": nt}
    elements = lambda n: dict(rig_cases.overrides(n))
    study("contact elements", [(n, elements(n)) for n in (10, 20, 40, 80)])
    fine = [(n, {**elements(n), **numerics(15, 512)}) for n in (10, 20, 40)]
    study("contact elements, N_h = 15, N_t = 512", fine, (wear,))
    study("N_h (N_t = 128)", [(n, numerics(n, 128)) for n in (1, 3, 5, 7)])
    study("N_h (N_t = 512)", [(n, numerics(n, 512)) for n in (3, 7, 15)], (wear,))
    study("N_t (N_h = 3)", [(n, numerics(3, n)) for n in (32, 64, 128, 256, 512)])
    tolerances = [(t, {"analysis[0].scheme.tolerance": t}) for t in (0.1, 0.03, 0.01, 0.003, 0.001)]
    study("tolerance of the wear", tolerances, (wear,))
    modes = lambda a, b: {"reduction.top.modes": a, "reduction.bottom.modes": b}
    study("modes, top + bottom", [(f"{a} + {b}", modes(a, b)) for a, b in ((5, 5), (10, 8), (19, 16), (40, 40), (80, 80))])


def choices():
    heights = {f"free height {h * 1e3:g} mm": dict(rig_cases.overrides(20, h)) for h in (3e-3, 5e-3, 8e-3)}
    springs = {f"vertical spring {k:g} N/m": {"springs[2].stiffness": k} for k in (1e1, 1e5, 1e6)}
    variants = {
        "as it is": {},
        **heights,
        "thickness 0.5 mm": both("sections[0].thickness", 0.5e-3),
        "plane strain": both("sections[0].state", "strain"),
        "bottom clamped at its sides too": {
            "parts.bottom.mesh.blocks[1].edges": {"bottom": "back", "left": "back"},
            "parts.bottom.mesh.blocks[2].edges": {"bottom": "back", "right": "back"},
        },
        "arm free to turn": {"points.arm.freedoms": ["x", "y", "rotation"]},
        **springs,
        "12.7 g of specimen on the arm": {"points.arm.mass": 1.2127},
        "0.7 % at 39.7 and 190 Hz": {"damping.frequencies": [39.7, 190]},
        "no damping": {"damping.ratios": [1e-9, 1e-9]},
    }
    print_table("choice", [(name, {**stuck(changes), **wear(changes)}) for name, changes in variants.items()])


def states(changes, newtons, start=110, end=260, points=76):
    """Responses of the arm before and after test 1 at levels [N]: frequency, accelerances, stuck modes."""
    own = {
        "analysis[0].follow_up[0].response.levels": [n / FORCE for n in newtons],
        "analysis[0].follow_up[0].response.frequencies": grid(start, end, points),
        "analysis[1].cycles": 1000,
        "analysis[1].at": [],
    }

    def read(results):
        found = []
        for name in ("state_0", "state_1"):
            group = results[name]
            curve = group["curve"][:].astype(int)
            lines = []
            for i, newton in enumerate(newtons):
                own_points = curve == i
                f = group["frequency"][:][own_points]
                a = group["probes/arm_acceleration/maximum"][:][own_points] / newton
                lines.append((f, a))
            found.append({"lines": lines, "mode": results[f"{name}_modes/frequency"][0]})
        return found

    return run("test1", {**own, **changes}, read)


def shift():
    law = lambda k: {"type": "penalty", "normal_stiffness": 2 * k, "tangential_stiffness": k}
    # Springs that start open give no first answer: the faces overlap by 10 µm, which lifts the arm and no more.
    soft = lambda k: {"contact[0].law": law(k), "contact[0].gap": -1e-5}
    crown = lambda r: {"contact[0].crown_radius": r}
    worn = "analysis[0].follow_up[0].response."
    variants = {
        "as it is": {},
        "7 harmonics, 256 samples": {worn + "harmonics": 7, worn + "samples": 256},
        "μ = 0.5": {"contact[0].friction": 0.5},
        "normal load 30 N": {"loads[0].force": [0, -30]},
        "contact stiffness 1.6e14 N/m³": soft(1.6e14),
        "contact stiffness 1e15 N/m³": soft(1e15),
        "crown 0.4 µm (R = 300 mm)": crown(0.3),
        "crown 1.25 µm (R = 100 mm)": crown(0.1),
        "crown 2.5 µm (R = 50 mm)": crown(0.05),
        "crown 2.5 µm, 1.6e14 N/m³": {**crown(0.05), **soft(1.6e14)},
    }
    newtons = [1, 10, 20]
    found = {name: states(changes, newtons) for name, changes in variants.items()}
    head = ["closed pairs bonded"] + [f"{n} N" for n in newtons]
    print("| variant |", " | ".join(head), "|\n" + "|---" * (len(head) + 1) + "|")
    for name, (before, after) in found.items():
        cells = [f"{before['mode']:.1f} → {after['mode']:.1f}"]
        for (f, a), (g, b) in zip(before["lines"], after["lines"]):
            cells.append(f"{f[np.argmax(a)]:.0f} → {g[np.argmax(b)]:.0f}")
        print(f"| {name} |", " | ".join(cells), "|")
    print(flush=True)
    names = ["as it is", "crown 2.5 µm (R = 50 mm)", "crown 2.5 µm, 1.6e14 N/m³"]
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
    for axes, name in zip(panels, names):
        for state, style in zip(found[name], ("--", "-")):
            for (f, a), newton, colour in zip(state["lines"], newtons, ("C0", "C1", "C2")):
                label = f"{newton} N, {'before' if style == '--' else 'after'}"
                axes.semilogy(f, a, style, color=colour, lw=1.2, label=label)
        axes.axvspan(173, 177, color="0.85", lw=0)
        axes.axvspan(203, 207, color="0.85", lw=0)
        axes.set(title=name, xlabel="frequency [Hz]")
    panels[0].set_ylabel("accelerance of the arm [m/s²/N]")
    panels[0].legend(fontsize=7)
    figure.suptitle("Response before and after test 1; grey: published 175 and 205 Hz", fontsize=10)
    figure.savefig(f"{PICTURES}/shift.png", dpi=120)


def tests():
    def read(results):
        group = results["at_slip"]
        keys = ["cycles", "volume", "dissipated_energy", "depth", "pressure", "position", "loop/0/slip", "loop/0/force"]
        return {key: group[key][:] for key in keys}

    found = {which: run(f"test{which}", {}, read) for which in rig_cases.TESTS}
    measured = {1: 4.6, 2: 5.2, 3: 3.2, 4: 7.3, 5: 12.7}
    figure, panels = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for which, history in found.items():
        colour = f"C{which - 1}"
        panels[0, 0].plot(history["cycles"], history["volume"] * 1e12, color=colour, label=f"test {which}")
        panels[0, 0].plot(history["cycles"][-1], measured[which], "o", color=colour, mfc="none")
    panels[0, 0].set(xlabel="cycles", ylabel="volume [µm mm²]", title="K_w of test 1; rings: measured")
    first = found[1]
    x = first["position"][:, 0] * 1e3
    for stage in (0, 4.2e5, 8.2e5, 1.2e6, 1.9e6):
        row = int(np.argmin(abs(first["cycles"] - stage)))
        label = f"{stage:.2g} cycles"
        panels[0, 1].plot(x, first["depth"][row] * 1e6, label=label)
        panels[1, 0].plot(x, first["pressure"][row] * 1e-6, label=label)
        panels[1, 1].plot(first["loop/0/slip"][row] * 1e6, first["loop/0/force"][row], label=label)
    panels[0, 1].set(xlabel="position [mm]", ylabel="depth [µm]", title="test 1")
    panels[1, 0].set(xlabel="position [mm]", ylabel="mean pressure [MPa]", title="test 1", ylim=(0, 300))
    panels[1, 1].set(xlabel="slip [µm]", ylabel="friction force [N]", title="test 1")
    for axes in panels.flat[:3]:
        axes.legend(fontsize=7)
    figure.savefig(f"{PICTURES}/tests.png", dpi=110)


if __name__ == "__main__":
    studies = {"convergence": convergence, "choices": choices, "shift": shift, "tests": tests}
    for name in arguments or studies:
        studies[name]()
