#!/usr/bin/env python3
"""Makes the example meshes in meshes/ with Gmsh.

The meshes are kept in the repository, so this is only needed to change them:

    python3 -m venv .tools && .tools/bin/pip install gmsh
    .tools/bin/python scripts/make_meshes.py

Lengths are in metres.
"""

import math
from pathlib import Path

import gmsh

OUTPUT = Path(__file__).resolve().parent.parent / "meshes"


def begin(name: str, version: float) -> None:
    """Starts an empty model that will be saved as ASCII in the given format version."""
    gmsh.clear()
    gmsh.model.add(name)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", 0)
    gmsh.option.setNumber("Mesh.SaveAll", 0)


def patch(corners: list[int], curves: list[int]) -> int:
    """A surface of structured quads between four curves with point counts already set."""
    geo = gmsh.model.geo
    surface = geo.addPlaneSurface([geo.addCurveLoop(curves)])
    geo.mesh.setTransfiniteSurface(surface, cornerTags=corners)
    geo.mesh.setRecombine(2, surface)
    return surface


def divide(curve: int, cells: int, growth: float = 1.0) -> int:
    """Divides a curve into cells, each longer than the last by the growth factor."""
    gmsh.model.geo.mesh.setTransfiniteCurve(curve, cells + 1, "Progression", growth)
    return curve


def name_groups(groups: list[tuple[int, list[int], str]]) -> None:
    """Makes physical groups of (dimension, entities, name)."""
    gmsh.model.geo.synchronize()
    for tag, (dimension, entities, name) in enumerate(groups, start=1):
        gmsh.model.addPhysicalGroup(dimension, entities, tag, name)


def save(name: str) -> None:
    """Meshes and writes the current model."""
    gmsh.model.mesh.generate(2)
    path = OUTPUT / f"{name}.msh"
    gmsh.write(str(path))
    print(f"{path.name}: {path.stat().st_size} bytes")


def plate_with_hole() -> None:
    """A quarter of a square plate with a central hole: two patches meet on the diagonal."""
    side, radius = 0.1, 0.02
    around, outward, growth = 12, 25, 1.06
    begin("plate_with_hole", 4.1)
    geo = gmsh.model.geo
    diagonal = radius / math.sqrt(2)
    centre = geo.addPoint(0, 0, 0)
    hole_right = geo.addPoint(radius, 0, 0)
    hole_middle = geo.addPoint(diagonal, diagonal, 0)
    hole_top = geo.addPoint(0, radius, 0)
    right_bottom = geo.addPoint(side, 0, 0)
    corner = geo.addPoint(side, side, 0)
    left_top = geo.addPoint(0, side, 0)

    arc_low = divide(geo.addCircleArc(hole_right, centre, hole_middle), around)
    arc_high = divide(geo.addCircleArc(hole_middle, centre, hole_top), around)
    bottom = divide(geo.addLine(hole_right, right_bottom), outward, growth)
    seam = divide(geo.addLine(hole_middle, corner), outward, growth)
    left = divide(geo.addLine(hole_top, left_top), outward, growth)
    right = divide(geo.addLine(right_bottom, corner), around)
    top = divide(geo.addLine(corner, left_top), around)

    low = patch(
        [hole_right, right_bottom, corner, hole_middle], [bottom, right, -seam, -arc_low]
    )
    high = patch([hole_middle, corner, left_top, hole_top], [seam, top, -left, -arc_high])
    name_groups(
        [
            (2, [low, high], "body"),
            (1, [left], "left"),
            (1, [bottom], "bottom"),
            (1, [right], "right"),
            (1, [top], "top"),
            (1, [arc_low, arc_high], "hole"),
            (0, [hole_top], "hole_top"),
        ]
    )
    save("plate_with_hole")


class Grid:
    """Rectangular patches on grid lines; points and curves are shared between neighbours."""

    def __init__(self, x: list[float], y: list[float], cells_x: list[int], cells_y: list[int]):
        self.x, self.y = x, y
        self.cells_x, self.cells_y = cells_x, cells_y
        self.points: dict[tuple[int, int], int] = {}
        self.curves: dict[tuple[int, int, str], int] = {}

    def point(self, column: int, row: int) -> int:
        """The point where two grid lines cross."""
        if (column, row) not in self.points:
            self.points[column, row] = gmsh.model.geo.addPoint(self.x[column], self.y[row], 0)
        return self.points[column, row]

    def across(self, column: int, row: int) -> int:
        """The curve from a crossing to the next one on the right."""
        return self._curve(column, row, "x", (column + 1, row), self.cells_x[column])

    def up(self, column: int, row: int) -> int:
        """The curve from a crossing to the next one above."""
        return self._curve(column, row, "y", (column, row + 1), self.cells_y[row])

    def rectangle(self, column: int, row: int) -> int:
        """The surface whose lower left corner is a crossing."""
        corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
        return patch(
            [self.point(column + i, row + j) for i, j in corners],
            [
                self.across(column, row),
                self.up(column + 1, row),
                -self.across(column, row + 1),
                -self.up(column, row),
            ],
        )

    def _curve(self, column: int, row: int, axis: str, end: tuple[int, int], cells: int) -> int:
        key = (column, row, axis)
        if key not in self.curves:
            line = gmsh.model.geo.addLine(self.point(column, row), self.point(*end))
            self.curves[key] = divide(line, cells)
        return self.curves[key]


def tuning_fork() -> None:
    """A tuning fork: stem, base and two tines, symmetric about x = 0, stem end at y = 0."""
    tine, gap, prong, base, stem_width, stem = 0.004, 0.012, 0.1, 0.006, 0.008, 0.04
    outer, inner, half_stem = gap / 2 + tine, gap / 2, stem_width / 2
    begin("tuning_fork", 2.2)
    grid = Grid(
        x=[-outer, -inner, -half_stem, half_stem, inner, outer],
        y=[0, stem, stem + base, stem + base + prong],
        cells_x=[4, 2, 8, 2, 4],
        cells_y=[20, 6, 80],
    )
    rectangles = [grid.rectangle(2, 0)]
    rectangles += [grid.rectangle(column, 1) for column in range(5)]
    rectangles += [grid.rectangle(0, 2), grid.rectangle(4, 2)]
    name_groups(
        [
            (2, rectangles, "fork"),
            (1, [grid.across(2, 0)], "stem_end"),
            (0, [grid.point(0, 3)], "tip_left"),
            (0, [grid.point(5, 3)], "tip_right"),
        ]
    )
    save("tuning_fork")


def main() -> None:
    """Makes all meshes."""
    OUTPUT.mkdir(exist_ok=True)
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    try:
        plate_with_hole()
        tuning_fork()
    finally:
        gmsh.finalize()


if __name__ == "__main__":
    main()
