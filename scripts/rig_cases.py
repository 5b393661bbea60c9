"""Writes the cases of the friction rig that share one model: cases/imperial_rig/*.toml but modes and linear.

    python3 scripts/rig_cases.py            writes them
    python3 scripts/rig_cases.py 40         prints the overrides for 40 contact elements, a key=value per line

The model is the one calibration of validation/imperial_rig/README.md: change it here, not in a case, and run the
validation again. The mesh is parametric in the number of contact elements, 10, 20, 40 or 80: cells get smaller and
the grading towards the contact steeper.
"""
import math
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent.parent / "cases/imperial_rig"
HEIGHT, HALF_WIDTH, HALF_FLAT = 4e-3, 4e-3, 0.5e-3  # m
# Contact elements: cells and grading upwards, cells and grading outwards.
GRIDS = {10: (10, 4, 8, 5), 20: (16, 8, 14, 10), 40: (24, 16, 22, 20), 80: (32, 32, 32, 40)}

# Published force [N], measured slip [m], cycles: Tubita 2023, tables V.1 and V.2, 100 Hz.
TESTS = {
    1: (53, 7e-6, 1.9e6),
    2: (53, 7e-6, 1.98e6),
    3: (73, 11e-6, 2.16e5),
    4: (73, 11e-6, 1.296e6),
    5: (73, 11e-6, 3.24e6),
}


def blocks(elements, height=HEIGHT):
    """Part, number, corners, cells and grading of the six blocks."""
    up, rise, out, growth = GRIDS[elements]
    a, w = HALF_FLAT, HALF_WIDTH
    flank = round((w - a) * math.tan(math.radians(10)), 8)
    h = height
    yield "top", 0, [[-a, 0], [a, 0], [a, h], [-a, h]], [elements, up], [1, rise]
    yield "top", 1, [[-w, flank], [-a, 0], [-a, h], [-w, h]], [out, up], [1 / growth, rise]
    yield "top", 2, [[a, 0], [w, flank], [w, h], [a, h]], [out, up], [growth, rise]
    yield "bottom", 0, [[-a, -h], [a, -h], [a, 0], [-a, 0]], [elements, up], [1, 1 / rise]
    yield "bottom", 1, [[-w, -h], [-a, -h], [-a, 0], [-w, 0]], [out, up], [1 / growth, 1 / rise]
    yield "bottom", 2, [[a, -h], [w, -h], [w, 0], [a, 0]], [out, up], [growth, 1 / rise]


def overrides(elements, height=HEIGHT):
    """Keys and values that turn the cases to another number of contact elements or another free height [m]."""
    for part, i, corners, cells, grading in blocks(elements, height):
        block = f"parts.{part}.mesh.blocks[{i}]"
        yield f"{block}.cells", cells
        yield f"{block}.grading", grading
        if height != HEIGHT:
            yield f"{block}.corners", corners
    if height != HEIGHT:
        yield "points.arm.at", [0, height]


MODEL = """\
# Two specimens in plane stress, 8 mm wide, 4 mm free height, 1 mm thick. The top one has a flat of 1 mm
# with flanks of 10 degrees and hangs on the moving arm; the bottom one is clamped at its back.
# Written by scripts/rig_cases.py; the choices are explained in validation/imperial_rig.

[materials.ss304]
young = 190e9                   # Pa
poisson = 0.3
density = 7800.0                # kg/m3

[parts.top.mesh]
type = "structured"

[[parts.top.mesh.blocks]]       # above the flat
corners = [[-0.5e-3, 0], [0.5e-3, 0], [0.5e-3, 4e-3], [-0.5e-3, 4e-3]]
cells = [20, 16]
grading = [1, 8]
edges = { bottom = "flat", top = "back" }

[[parts.top.mesh.blocks]]       # left flank: 3.5 mm × tan 10° = 0.617 mm
corners = [[-4e-3, 0.61714e-3], [-0.5e-3, 0], [-0.5e-3, 4e-3], [-4e-3, 4e-3]]
cells = [14, 16]
grading = [0.1, 8]
edges = { top = "back" }

[[parts.top.mesh.blocks]]       # right flank
corners = [[0.5e-3, 0], [4e-3, 0.61714e-3], [4e-3, 4e-3], [0.5e-3, 4e-3]]
cells = [14, 16]
grading = [10, 8]
edges = { top = "back" }

[[parts.top.sections]]
type = "plane"
state = "stress"
material = "ss304"
thickness = 1e-3                # m

[parts.bottom.mesh]
type = "structured"

[[parts.bottom.mesh.blocks]]
corners = [[-0.5e-3, -4e-3], [0.5e-3, -4e-3], [0.5e-3, 0], [-0.5e-3, 0]]
cells = [20, 16]
grading = [1, 0.125]
edges = { top = "flat", bottom = "back" }

[[parts.bottom.mesh.blocks]]
corners = [[-4e-3, -4e-3], [-0.5e-3, -4e-3], [-0.5e-3, 0], [-4e-3, 0]]
cells = [14, 16]
grading = [0.1, 0.125]
edges = { bottom = "back" }

[[parts.bottom.mesh.blocks]]
corners = [[0.5e-3, -4e-3], [4e-3, -4e-3], [4e-3, 0], [0.5e-3, 0]]
cells = [14, 16]
grading = [10, 0.125]
edges = { bottom = "back" }

[[parts.bottom.sections]]
type = "plane"
state = "stress"
material = "ss304"
thickness = 1e-3

[points.mass]                   # moving mass
mass = 21.2                     # kg
freedoms = ["x"]

[points.arm]                    # moving arm
at = [0, 4e-3]
mass = 1.2                      # kg
freedoms = ["x", "y"]

[[ties]]
nodes = "top.back"
to = "arm"

[[springs]]                     # leaf springs
between = ["mass", "ground"]
direction = "x"
stiffness = 1.4e6               # N/m

[[springs]]                     # knife edge
between = ["mass", "arm"]
direction = "x"
stiffness = 273e6

[[springs]]                     # weak vertical guide of the arm
between = ["arm", "ground"]
direction = "y"
stiffness = 1e3

[[supports]]
type = "clamp"
on = "bottom.back"

[[contact]]
between = ["top.flat", "bottom.flat"]
friction = 0.88
{wear}
[reduction.top]
modes = 19
retain = ["mass"]

[reduction.bottom]
modes = 16

[damping]                       # 0.7 % at the two free modes
type = "rayleigh_fit"
ratios = [0.007, 0.007]
frequencies = [39.7, 2467.6]    # Hz

[[loads]]                       # normal load
type = "force"
on = "arm"
force = [0, -{normal}]                # N

[[loads]]                       # shaker
type = "force"
on = "mass"
force = [{force}, 0]                 # N{times}
variation = "harmonic"

[probes.mass]
type = "displacement"
at = "mass"
direction = "x"

[probes.arm]
type = "displacement"
at = "arm"
direction = "x"

[probes.arm_acceleration]
type = "acceleration"
at = "arm"
direction = "x"
"""

WEAR = """\
# K_w by the true path of the slip, from test 1 alone. The source prints 5.76e-15 for it, which rests on the
# amplitude, a quarter of the path: { coefficient = 5.76e-15, sliding_distance = "amplitude" } is the same.
wear = { type = "archard", coefficient = 1.44e-15 }     # 1/Pa
"""

RESPONSE = """
[[analysis]]
type = "response"
harmonics = 3
samples = 128
levels = [1, 10, 30, 50, 70, 90]    # N
frequencies = { spacing = "linear", from = 20, to = 250, points = 100 }
downward = true
"""

STUDY = """
[[analysis]]
name = "{name}"
type = "response"
harmonics = {harmonics}
samples = {samples}
levels = [50]                   # N
frequencies = {{ spacing = "linear", from = 60, to = 200, points = 57 }}
downward = true
"""

FRICTION = """
[[analysis]]                    # a curve over the friction coefficient at every frequency
type = "response"
harmonics = 3
samples = 128
levels = [50]                   # N
vary = "friction"
factors = { spacing = "list", values = [0.25, 0.5, 0.75, 1, 1.25] }     # of 0.88
frequencies = { spacing = "list", values = [60, 80, 100, 120, 150, 190] }
"""

HAMMER = """
[[analysis]]                    # the arm slides freely
name = "open"
type = "frf"
method = "reduced"
quantity = "accelerance"
frequencies = { spacing = "log", from = 10, to = 5000, points = 800 }

[[analysis]]
name = "stuck"
type = "frf"
method = "reduced"
contact = "stuck"
quantity = "accelerance"
frequencies = { spacing = "log", from = 10, to = 5000, points = 800 }

[[analysis]]                    # friction at the normal load of the hammer tests: 6.2 N
type = "response"
harmonics = 3
samples = 128
levels = [1, 50]                # N
frequencies = { spacing = "log", from = 10, to = 5000, points = 120 }
downward = true
"""

HISTORY = """
[[analysis]]                    # {comment}
name = "{name}"
type = "wear"
frequencies = {{ spacing = "list", values = [100] }}      # Hz
{target}cycles = {cycles}
harmonics = 3
samples = 128
scheme = {{ type = "adaptive", tolerance = 0.01, first_jump = 1000 }}
"""

STATES = """
[[analysis.follow_up]]          # stuck modes and the response to 1 N, before and after
name = "state"
at = [0, 1.9e6]
modes = 3

[analysis.follow_up.response]
harmonics = 3
samples = 128
levels = [0.018868]
frequencies = { spacing = "linear", from = 160, to = 230, points = 71 }
"""

STAGES = "at = [4.2e5, 8.2e5, 1.2e6]\n"


def number(value):
    """Plain where that is short, with a power of ten otherwise."""
    text = f"{value:g}"
    return text.replace("e+0", "e").replace("e-0", "e-")


def test(which):
    force, slip, cycles = TESTS[which]
    stages = STAGES if which == 1 else ""
    at_force = HISTORY.format(
        comment="at the published force", name="wear", target="", cycles=number(cycles)
    )
    target = f"target_slip = {{ amplitude = {number(slip)} }}     # m, measured\n"
    at_slip = HISTORY.format(
        comment="at the measured slip: the force is found", name="at_slip", target=target, cycles=number(cycles)
    )
    return at_force + stages + (STATES if which == 1 else "") + at_slip + stages


def study(values, what):
    def one(value):
        harmonics, samples = (3, value) if what == "nt" else (value, 128)
        return STUDY.format(name=f"{what}_{value}", harmonics=harmonics, samples=samples)

    return "".join(one(value) for value in values)


def write(name, title, analyses, normal=60, force=1, wear=""):
    times = ", times the level" if force == 1 else ""
    text = MODEL
    for key, value in {"{wear}": wear, "{normal}": normal, "{force}": force, "{times}": times}.items():
        text = text.replace(key, str(value))
    title = f'title = "Imperial College friction rig, 2D specimens: {title}"\n\n'
    (FOLDER / f"{name}.toml").write_text(title + text + analyses)


def main():
    write("response", "response at six levels, unworn", RESPONSE)
    write("hammer", "accelerance under 7 N", HAMMER, normal=7)
    write("nt_study", "number of samples", study([32, 64, 128, 256], "nt"))
    write("nh_study", "number of harmonics", study([1, 3, 5, 7], "nh"))
    write("mu_study", "friction coefficient", FRICTION)
    for which, (force, _, cycles) in TESTS.items():
        title = f"wear of test {which}, {cycles / 1e6:g} million cycles"
        write(f"test{which}", title, test(which), force=force, wear=WEAR)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\n".join(f"{key}={value}" for key, value in overrides(int(sys.argv[1]))))
    else:
        main()
