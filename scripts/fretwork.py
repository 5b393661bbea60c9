"""Reads results of Fretwork into numpy and draws them.

    import fretwork
    results = fretwork.load("results/imperial_rig/response")
    response = results["response"]
    for curve in response.curves():
        print(curve.load_factor, curve.frequency[curve.maximum("arm").argmax()])
    response.plot("arm").savefig("arm.png")

Needs h5py, and matplotlib for the pictures. From a shell: `python fretwork.py RESULTS` lists what is inside,
`python fretwork.py RESULTS ANALYSIS PROBE PICTURE` draws a probe.
"""

import json
import pathlib
import sys

import h5py
import numpy as np


def load(path):
    """A results file, or the one in a results directory, read completely."""
    path = pathlib.Path(path)
    return Results(path / "results.h5" if path.is_dir() else path)


class Results:
    """Everything in a results file: `results["modal"]` is an analysis, `results.mesh` the mesh."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with h5py.File(path) as file:
            self.version = file["meta"].attrs["version"]
            self.case = json.loads(file["meta/settings"][()])
            self.mesh = _read(file["mesh"])
            self.points = {name: int(node) for name, node in file["mesh/points"].attrs.items()}
            self.analyses = {
                name: Analysis(name, group.attrs["type"], _read(group), _units(group))
                for name, group in file.items()
                if "type" in group.attrs
            }

    def __getitem__(self, name):
        return self.analyses[name]

    def __repr__(self):
        names = ", ".join(f"{a.name} ({a.type})" for a in self.analyses.values())
        return f"Results({self.case['title']!r}: {names})"


class Analysis:
    """One analysis: `data` holds its datasets as arrays in nested dictionaries, `units` their units by path."""

    def __init__(self, name, kind, data, units):
        self.name, self.type, self.data, self.units = name, kind, data, units

    def __getitem__(self, path):
        value = self.data
        for key in path.split("/"):
            value = value[key]
        return value

    @property
    def probes(self):
        """Names of the probes."""
        return list(self.data.get("probes", {}))

    def curves(self):
        """The curves of a nonlinear response, points without solution left out."""
        if self.type != "response":
            raise TypeError(f"`{self.name}` is of type {self.type}: only responses have curves")
        return [Curve(self, number) for number in np.unique(self["curve"]).astype(int)]

    def loop(self, row, contact=0):
        """Mean slip [m] and tangential force [N] of a contact over the period at a point."""
        place = self["contact"][str(contact)]
        slip = np.average(place["slip"][row], axis=0, weights=place["area"])
        return slip, place["tangential_force"][row].sum(axis=0)

    def plot(self, probe, axes=None):
        """Draws a probe over frequency; returns the figure."""
        import matplotlib.pyplot as plt

        axes = axes or plt.subplots()[1]
        if self.type == "response":
            for curve in self.curves():
                axes.semilogy(curve.frequency, curve.maximum(probe), label=f"{curve.load_factor:g}")
            axes.legend(title="load factor")
            unit = self.units[f"probes/{probe}/maximum"]
        elif self.type == "frf":
            axes.semilogy(self["frequency"], abs(self["probes"][probe]))
            unit = self.units[f"probes/{probe}"]
        else:
            raise TypeError(f"`{self.name}` is of type {self.type}: it has no curve over frequency")
        axes.set(xlabel="frequency [Hz]", ylabel=f"{probe} [{unit}]")
        return axes.figure


class Curve:
    """One curve of a response: converged points in the order in which they were found."""

    def __init__(self, analysis, number):
        self.analysis = analysis
        rows = (analysis["curve"] == number) & (analysis["converged"] == 1)
        self.rows = np.flatnonzero(rows)
        self.frequency = analysis["frequency"][self.rows]
        self.load_factor = float(analysis["load_factor"][self.rows[0]]) if self.rows.size else np.nan

    def maximum(self, probe):
        """Largest absolute value over the period."""
        return self.analysis["probes"][probe]["maximum"][self.rows]

    def harmonic(self, probe, order=1):
        """Complex amplitude of a harmonic."""
        column = list(self.analysis["harmonics"]).index(order)
        return self.analysis["probes"][probe]["harmonics"][self.rows, column]


def _read(group):
    return {name: _read(item) if isinstance(item, h5py.Group) else item[()] for name, item in group.items()}


def _units(group):
    units = {}
    group.visititems(lambda path, item: units.update({path: item.attrs["unit"]} if "unit" in item.attrs else {}))
    return units


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(load(sys.argv[1]))
    elif len(sys.argv) == 5:
        load(sys.argv[1])[sys.argv[2]].plot(sys.argv[3]).savefig(sys.argv[4], dpi=120)
    else:
        sys.exit(__doc__)
