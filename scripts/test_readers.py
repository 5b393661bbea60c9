"""Tests of the readers: Python and Octave see the same numbers as the raw file, and the ten lines of the guide draw.

    .tools/bin/python scripts/test_readers.py RESULTS_OF_CANTILEVER RESULTS_OF_A_RESPONSE

Octave is tested where it is installed.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import matplotlib

matplotlib.use("Agg")
import numpy as np

import fretwork

HERE = pathlib.Path(__file__).resolve().parent


def test_python(cantilever, response):
    results = fretwork.load(cantilever)
    with h5py.File(pathlib.Path(cantilever) / "results.h5") as file:
        assert results.analyses.keys() == {n for n in file if "type" in file[n].attrs}
        np.testing.assert_array_equal(results["frf"]["probes/tip"], file["frf/probes/tip"][:])
        assert results["frf"].units["probes/tip"] == file["frf/probes/tip"].attrs["unit"]
        np.testing.assert_array_equal(results.mesh["coordinates"], file["mesh/coordinates"][:])
    results = fretwork.load(pathlib.Path(response) / "results.h5")
    analysis = next(a for a in results.analyses.values() if a.type == "response")
    with h5py.File(results.path) as file:
        group = file[analysis.name]
        curves = analysis.curves()
        assert sum(c.rows.size for c in curves) == int(group["converged"][:].sum())
        probe = analysis.probes[0]
        for curve in curves:
            peak = group[f"probes/{probe}/maximum"][:][curve.rows].max()
            assert curve.maximum(probe).max() == peak
            assert abs(curve.harmonic(probe)).max() <= 1.5 * peak
        row = int(curves[-1].rows[0])
        slip, force = analysis.loop(row)
        area = -np.trapezoid(np.append(slip, slip[0]), np.append(force, force[0]))
        assert np.isclose(abs(area), group["contact/0/dissipated_energy"][row], rtol=0.05), area
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "picture.png"
            analysis.plot(probe).savefig(picture)
            assert picture.stat().st_size > 5000


def test_octave(cantilever):
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if not octave or not shutil.which("h5dump"):
        return False
    file = (pathlib.Path(cantilever) / "results.h5").resolve()
    script = f"""
        addpath('{HERE}');
        [tip, unit] = fretwork('{file}', '/frf/probes/tip');
        frequency = fretwork('{file}', '/frf/frequency');
        shape = fretwork('{file}', '/modal/shape');
        value = fretwork('{file}', '/static/probes/tip');
        printf('%.17g ', real(tip(7)), imag(tip(7)), numel(tip), frequency(7), size(shape), shape(2, 5, 2), value);
        printf('|%s', unit);
    """
    answer = subprocess.run([octave, "--no-gui", "--eval", script], capture_output=True, text=True).stdout
    numbers, unit = answer.strip().split("|")
    with h5py.File(file) as results:
        tip, shape = results["frf/probes/tip"], results["modal/shape"]
        expected = [tip[6].real, tip[6].imag, tip.size, results["frf/frequency"][6], *shape.shape, shape[1, 4, 1],
                    results["static/probes/tip"][()]]
        assert [float(n) for n in numbers.split()] == [float(e) for e in expected], answer
        assert unit == tip.attrs["unit"]
    return True


def test_guide(response):
    """The example of the guide and the one inside the report draw a picture, with the results beside them."""
    guide = (HERE.parent / "docs/results.md").read_text()
    report = (pathlib.Path(response) / "report.html").read_text()
    folded = re.search(r"in Python</summary><pre>(.*?)</pre>", report, re.S).group(1)
    folded = folded.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    example = re.search(r"```python\n# A figure again\n(.*?)```", guide, re.S).group(1)
    for text in (example, folded):
        assert len([line for line in text.splitlines() if line.strip()]) <= 10, text
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(pathlib.Path(response) / "results.h5", folder)
            program = "import matplotlib\nmatplotlib.use('Agg')\n" + text
            subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
            assert (pathlib.Path(folder) / "figure.png").stat().st_size > 5000


if __name__ == "__main__":
    cantilever, response = sys.argv[1:]
    test_python(cantilever, response)
    test_guide(response)
    octave = test_octave(cantilever)
    print("readers: Python and the guide are right;", "Octave too" if octave else "Octave is not installed, not tested")
