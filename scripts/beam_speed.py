"""Time of a response curve by harmonic balance over that by stepped-sine time integration.

The quadrilateral beam on its frictional support (Dahl friction) at 8 N, 60 frequencies, the same reduced
model: `python3 scripts/beam_speed.py path/to/fretwork`. From each time that of a run with the last frequency alone (mesh,
reduction, report) is subtracted. Needs h5py and NumPy.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

CASE = pathlib.Path(__file__).resolve().parent.parent / "cases/beam_friction/dahl.toml"
GRID = 'frequencies = { spacing = "linear", from = 48.1, to = 56, points = 60 }\n'
LAST = 'frequencies = { spacing = "list", values = [56] }\n'
ANALYSES = {
    "harmonic balance": '[[analysis]]\ntype = "response"\nharmonics = 7\nsamples = 256\nlevels = [8]\n'
    "downward = true\n",
    "time integration": '[[analysis]]\ntype = "transient"\nstart = "previous"\nload_factor = 8.0\n'
    "steps_per_period = 500\nnumerical_damping = 0.01\ntolerance = 1e-5\n",
}
REPEATS = 9


def run(program, folder, name, text):
    """Seconds of a run, the smallest of some."""
    case = folder / "case.toml"
    case.write_text(text)
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run([program, "run", case, "-o", folder / name, "--threads", "1"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def amplitudes(path, group):
    """Frequencies and first harmonics at the drive point."""
    with h5py.File(path / "results.h5", "r") as results:
        harmonics = results[group]["probes/s555/harmonics"][:, 1]
        order = numpy.argsort(results[group]["frequency"][:])
        return numpy.abs(harmonics[order])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "fretwork"
    structure = CASE.read_text().split("[[analysis]]")[0]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        seconds = {}
        for name, text in ANALYSES.items():
            last = run(program, folder, "last", structure + text + LAST)
            seconds[name] = run(program, folder, name, structure + text + GRID) - last
        ours = amplitudes(folder / "harmonic balance", "response")
        known = amplitudes(folder / "time integration", "transient")
        with h5py.File(folder / "time integration/results.h5", "r") as results:
            periods = int(results["transient/periods"][:].sum())
    balance, integration = seconds["harmonic balance"], seconds["time integration"]
    print(f"harmonic balance {balance:.2f} s, time integration {integration:.2f} s ({periods} periods): ", end="")
    print(f"ratio {integration / balance:.1f}")
    print(f"largest difference of the first harmonic {abs(ours / known - 1).max():.2%}")


main()
