#!/usr/bin/env python3
"""Times the DLFT of pyHarm beside Fretwork on the same problems; prints one Markdown table.

    pyharm.py [PROGRAM] [--repeat N] [--problem academic rig] [--harmonics 3 7] [--solver NAME]
              [--penalty FACTOR]

PROGRAM is fretwork, by default target/release/fretwork. pyHarm (`pyHarm-os` on PyPI) is installed into
.tools/peers/pyharm on first use, and the script goes on in that environment.

Problems, both between two bodies:
    academic   cases/academic_2dof/response.toml: two masses, constant normal load, 3 levels x 26 points
    rig        two blocks of 21 node pairs, normal and tangential: 42 relative freedoms, 2 levels x 6 points;
               the matrices are made here, given to pyHarm as arrays, to Fretwork as Matrix Market files

Equal for both: harmonics, 128 samples, tolerance (residual over load), frequencies, one thread, and the
pseudo-penalty, FACTOR times the largest ‖Z_k‖ at the frequency. FACTOR is 10 for the academic case, where
pyHarm converges at most points with it (of 1, 10, 100), and 1 for the rig: 10 costs pyHarm the same there and
Fretwork about three times as much, but is further from time integration. The ratio depends on it: try both.
Fretwork runs twice: in the classic form, which is the mathematics of pyHarm, and in its default form.
The times are medians over N runs, taken in turn:
    pyHarm     its nonlinear solver alone: no import, no compilation, no assembly of the system
    Fretwork   the whole process: start, case, solution, results file and report; and, as with pyHarm, the
               solution alone (`cargo bench --bench solver`)
A point of pyHarm starts from the last one that converged; if that fails, from bonded contacts (solved with
springs of stiffness ε in the contacts). Both attempts are timed. Seconds per point are the time over the
points converged. The first ratio is that of the whole process, the second that of its processor time, which
other programs disturb less, the third that of the solutions alone.

The error is that of the largest displacement of the driven mass, over the points converged out of 27
(0.6-1.2 Hz), against time integration (shooting, 8000 steps a period): median / largest. The difference is
that of the first harmonic between the two programs, over all points where both converged: median / largest.
`--solver` is pyHarm's: scipyroot (its default, Powell's hybrid) or NewtonRaphson.
"""

import argparse
import contextlib
import importlib.util
import logging
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import venv
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools" / "peers" / "pyharm"
SAMPLES = 128
TOLERANCE = 1e-6
JUDGED = [0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2]
FORMS = {"classic": "displacement", "default": "interface"}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_ENABLE_X64": "1",  # without it pyHarm's contact with separation is computed in single precision
}


def enter_environment():
    """Goes on in a Python that has pyHarm."""
    python = TOOLS / "bin" / "python"
    if importlib.util.find_spec("pyHarm") is None:
        if pathlib.Path(sys.prefix) == TOOLS or not python.exists():
            print("installing pyHarm-os ...", file=sys.stderr)
            venv.create(TOOLS, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "pyHarm-os"], check=True)
        os.execve(python, [python, *sys.argv], os.environ | ONE_THREAD)
    os.environ.update(ONE_THREAD)


enter_environment()
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import numpy as np  # noqa: E402
import scipy.io  # noqa: E402

with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):  # pyHarm leaves a folder there
    from pyHarm import Maestro
    from pyHarm.Solver import SystemSolution

sys.path.insert(0, str(ROOT / "scripts"))
import fretwork  # noqa: E402


class Problem:
    """Two bodies: matrices (stiffness, mass, damping) over nodes x freedoms, and what connects them."""

    def __init__(
        self, name, case, bodies, freedoms, pairs, drive, levels, frequencies, connectors, probe, scale
    ):  # fmt: skip
        self.name, self.case, self.bodies, self.freedoms = name, case, bodies, freedoms
        self.pairs, self.drive, self.levels, self.frequencies = pairs, drive, levels, frequencies
        self.connectors, self.probe = connectors, probe
        self.length, self.speed = scale  # units of length [m] and angular frequency [rad/s] given to pyHarm

    def penalty(self, frequency, harmonics):
        """The largest ‖Z_k‖ over the retained harmonics, Z_k the stiffness of the relative motion."""
        contact = np.arange(self.pairs * self.freedoms)
        largest = 0.0
        for k in range(harmonics + 1):
            omega = 2 * np.pi * frequency * k
            flexibility = 0
            for stiffness, mass, damping in self.bodies:
                whole = np.linalg.inv(stiffness - omega**2 * mass + 1j * omega * damping)
                flexibility = flexibility + whole[np.ix_(contact, contact)]
            largest = max(largest, 1 / np.linalg.svd(flexibility, compute_uv=False)[-1])
        return largest


def academic():
    """The case of the project: masses that cannot move along the normal."""
    one = np.eye(1)
    bodies = [
        (np.pi**2 * one, one, 6.283185307179587e-3 * one),
        (7 * np.pi**2 * one, one, 1.662374575110448e-2 * one),
    ]
    friction = {"type": "DLFTFriction", "connect": {"a": [0], "b": [0]}, "dirs": [0], "mu": 1.0, "N0": 10.0}
    frequencies = np.linspace(0.3, 1.55, 26)
    case = ROOT / "cases" / "academic_2dof" / "response.toml"
    return Problem(
        "academic", case, bodies, 1, 1, 0, [6.0, 10.0, 16.0], frequencies,
        {"friction": friction}, "u1", (1, 1),
    )  # fmt: skip


def block(pairs, with_arm):
    """A row of nodes that hangs on an arm, its last node, or on the ground; moving it rocks the pressure."""
    nodes = pairs + int(with_arm)
    stiffness, mass = np.zeros((2 * nodes, 2 * nodes)), np.full(2 * nodes, 3e-4)
    arm = slice(2 * pairs, 2 * pairs + 2)
    for i, s in enumerate(np.linspace(-1, 1, pairs)):
        node = slice(2 * i, 2 * i + 2)
        holder = 2.2e6 * (1 + s**2) * np.array([[1, 0.3 * s], [0.3 * s, 1.5]])
        stiffness[node, node] += holder
        if with_arm:
            stiffness[arm, arm] += holder
            stiffness[node, arm] -= holder
            stiffness[arm, node] -= holder
        if i > 0:
            link = np.diag([2e7, 7e6])
            both = slice(2 * i - 2, 2 * i + 2)
            stiffness[both, both] += np.block([[link, -link], [-link, link]])
    if with_arm:
        mass[arm] = 20.0
        stiffness[arm, arm] += np.diag([1.4e6, 1e4])
    mass = np.diag(mass)
    return stiffness, mass, 3.0 * mass + 1e-6 * stiffness


RIG_CASE = """
title = "Two blocks of 21 node pairs"
[parts.upper]
mesh = {{ type = "matrices", stiffness = "k0.mtx", mass = "m0.mtx", damping = "c0.mtx", nodes = "n0.csv" }}
sets = {{ face = {{ nodes = {face} }}, arm = {{ nodes = [{arm}] }} }}
[parts.lower]
mesh = {{ type = "matrices", stiffness = "k1.mtx", mass = "m1.mtx", damping = "c1.mtx", nodes = "n1.csv" }}
sets = {{ face = {{ nodes = {face} }} }}
[[contact]]
between = ["upper.face", "lower.face"]
normal = [0, 1]
area = 1e-6
friction = 0.88
[[loads]]
type = "force"
on = "upper.arm"
force = [0, -60]
[[loads]]
type = "force"
on = "upper.arm"
force = [1, 0]
variation = "harmonic"
[probes.arm]
type = "displacement"
at = "upper.arm"
direction = "x"
[[analysis]]
type = "response"
levels = {levels}
frequencies = {{ spacing = "list", values = {frequencies} }}
"""


def rig(folder, pairs=21):
    """A problem of the size of the rig, its case written into a folder."""
    bodies = [block(pairs, True), block(pairs, False)]
    levels, frequencies = [40.0, 60.0], np.linspace(60, 160, 6)
    for b, matrices in enumerate(bodies):
        for letter, matrix in zip("kmc", matrices):
            scipy.io.mmwrite(folder / f"{letter}{b}.mtx", matrix, precision=17)
        nodes = range(len(matrices[0]) // 2)
        rows = [f"{i + 1},{i * 1e-4},{0.01 * (i >= pairs)},{2 * i + 1},{2 * i + 2}" for i in nodes]
        (folder / f"n{b}.csv").write_text("\n".join(["id,x,y,row_x,row_y", *rows]) + "\n")
    text = RIG_CASE.format(
        face=list(range(1, pairs + 1)), arm=pairs + 1, levels=levels, frequencies=frequencies.tolist()
    )
    (folder / "rig.toml").write_text(text)
    press = {"type": "GOForcing", "connect": {"a": [pairs]}, "dirs": [1], "amp": -60.0, "dto": 0, "ho": 0}
    connectors = {"press": press}
    for i in range(pairs):
        # Normal, tangent and a third direction, which these nodes do not have: its rows are zero. The preload
        # is a load, not N0: with N0 an open pair of pyHarm keeps that force.
        connectors[f"pair{i}"] = {
            "type": "DLFT3D", "connect": {"a": [i], "b": [i]}, "coordinatesystem": "pair", "dirs": [0, 1, 2],
            "mu": 0.88, "N0": 0.0, "g": 0.0,
        }  # fmt: skip
    scale = (1e-6, 2 * np.pi * 100)
    return Problem(
        "rig", folder / "rig.toml", bodies, 2, pairs, pairs, levels, frequencies, connectors, "arm", scale
    )


def build(problem, level, harmonics, solver):
    """The problem at one level as pyHarm has it."""
    substructures = {}
    for name, (stiffness, mass, damping) in zip("ab", problem.bodies):
        length, speed = problem.length, problem.speed
        matrices = {"K": stiffness * length, "M": mass * length * speed**2, "C": damping * length * speed}
        substructures[name] = {"matrix": matrices, "ndofs": problem.freedoms, "nmodes": 0}
    drive = {"type": "CosinusForcing", "connect": {"a": [problem.drive]}, "dirs": [0], "amp": level}
    connectors = {"drive": drive} | {name: dict(data, eps=1.0) for name, data in problem.connectors.items()}
    options = {"root": {"method": "hybr", "options": {"xtol": 1e-8}}}
    if solver == "NewtonRaphson":
        options = {"tol_residual": TOLERANCE * level, "tol_delta_x": 1e9, "max_iter": 40}
    analysis = {"study": "frf", "solver": solver, "solver_options": options, "corrector": "nocontinuation"}
    return Maestro(
        {
            "system": {"type": "Base", "nh": harmonics, "nti": SAMPLES},
            "substructures": substructures,
            "coordinates": {"pair": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]},
            "connectors": connectors,
            "analysis": {"response": analysis | {"verbose": False}},
        }
    )


def bonded(system, omega, penalty):
    """Solution with springs in the contacts; pyHarm's own start, a Jacobian at rest, is not a number."""
    x = np.append(np.zeros(system.ndofs), omega)
    jacobian = system._jacobian(system.LE_linear, x)[0]
    for element in system.LE_nonlinear_dlft:
        difference = element.Pslave - element.Pmaster
        relative = np.concatenate([direction @ difference for direction in element.Pdir])
        jacobian[np.ix_(element.indices, element.indices)] += penalty * relative.T @ relative
    x[:-1] = np.linalg.solve(jacobian, -system._residual(system.LE_extforcing, x))
    return x


def solve_point(study, load, omega, penalty, last):
    """One point by pyHarm's solver: the solution, or None."""
    for element in study.system.LE_nonlinear_dlft:
        element.eps = penalty
    system = study.system
    for first in [True, False] if last is not None else [False]:
        start = np.append(last, omega) if first else bonded(system, omega, penalty)
        dofs = system._get_expl_dofs_into_solver()
        study.reductor.update_reductor(start, np.eye(start.size), dofs, system)
        solution = SystemSolution(start.copy())
        try:
            study.solver.Solve(solution, [])
        except (np.linalg.LinAlgError, ValueError):  # a singular Jacobian, or one that is not finite
            continue
        if np.linalg.norm(solution.R_solver) <= TOLERANCE * load:
            return solution.x_red[:-1]
    return None


def pyharm_sweep(problem, levels, frequencies, harmonics, factor, solver):
    """Seconds (passed, processor), harmonics of the driven freedom at every point (NaN: no solution)."""
    studies = [build(problem, level, harmonics, solver).nls["response"] for level in levels]
    penalties = [factor * problem.penalty(f, harmonics) * problem.length for f in frequencies]
    rows = []
    start, start_cpu = time.perf_counter(), time.process_time()
    for level, study in zip(levels, studies):
        last = None
        for frequency, penalty in zip(frequencies, penalties):
            x = solve_point(study, level, 2 * np.pi * frequency / problem.speed, penalty, last)
            last = last if x is None else x
            rows.append(x)
    seconds = time.perf_counter() - start, time.process_time() - start_cpu
    dofs = studies[0].system.expl_dofs
    driven = dofs[(dofs["sub"] == "a") & (dofs["node_num"] == problem.drive) & (dofs["dof_num"] == 0)].index
    missing = np.full(2 * harmonics + 1, np.nan)
    values = np.array([missing if x is None else x[driven] * problem.length for x in rows])
    return seconds, np.column_stack([values[:, 0], values[:, 1::2] - 1j * values[:, 2::2]])


def run_fretwork(program, case, folder, *settings):
    """Seconds of the whole process: passed, and of the processor."""
    command = [program, "run", str(case), "-o", str(folder), "--threads", "1", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    start, start_cpu = time.perf_counter(), children_cpu()
    subprocess.run(command, check=True)
    return time.perf_counter() - start, children_cpu() - start_cpu


def children_cpu():
    """Processor time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def settings_of(form, harmonics, factor):
    """Settings of the response, as KEY=VALUE."""
    settings = {"harmonics": harmonics, "samples": SAMPLES, "tolerance": TOLERANCE}
    settings["form"] = f'"{FORMS[form]}"'
    if form == "classic":
        settings["penalty"] = float(factor)
    return [f"analysis[0].{key}={value}" for key, value in settings.items()]


def solver_alone(problem, *settings):
    """Seconds a point of the solution alone."""
    command = ["cargo", "bench", "--quiet", "--bench", "solver", "--", str(problem.case), *settings]
    output = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
    return float(output.split()[0])


def fretwork_sweep(program, problem, folder, form, harmonics, factor):
    """Seconds, harmonics of the driven freedom and its largest displacement (NaN: no solution)."""
    seconds = run_fretwork(program, problem.case, folder, *settings_of(form, harmonics, factor))
    response = fretwork.load(folder)["response"]
    failed = response["converged"] != 1
    values = np.where(failed[:, None], np.nan, response[f"probes/{problem.probe}/harmonics"])
    return seconds, values, np.where(failed, np.nan, response[f"probes/{problem.probe}/maximum"])


def largest(harmonics):
    """Largest absolute value over the period."""
    angles = np.outer(np.arange(harmonics.shape[1]), np.linspace(0, 2 * np.pi, 2048, endpoint=False))
    return abs((harmonics @ np.exp(1j * angles)).real).max(axis=1)


def reference(program, folder):
    """Largest displacement of the driven mass at the judged points by time integration, NaN elsewhere."""
    case = ROOT / "cases" / "academic_2dof" / "time.toml"
    grid = f'{{ spacing = "list", values = {JUDGED} }}'
    run_fretwork(program, case, folder, *(f"analysis[{i}].frequencies={grid}" for i in range(3)))
    results = fretwork.load(folder)
    values = np.full((3, 26), np.nan)
    columns = [round((f - 0.3) / 0.05) for f in JUDGED]
    for row, level in enumerate([6, 10, 16]):
        values[row, columns] = results[f"time_{level}"]["probes/u1/maximum"]
    return values.ravel()


def spread(values):
    """Median and largest of the numbers there are, in per cent."""
    values = 100 * values[np.isfinite(values)]
    return f"{np.median(values):.2g} / {values.max():.2g} %" if values.size else "-"


def compare(program, problem, harmonics, exact, options, folder):
    """Rows of the table: one for each form."""
    penalty = options.penalty or {"academic": 10.0, "rig": 1.0}[problem.name]
    arguments = (harmonics, penalty, options.solver)
    pyharm_sweep(problem, problem.levels[:1], problem.frequencies[:2], *arguments)  # compiles
    times = {name: [] for name in ["pyharm", *FORMS]}
    alone = {form: [] for form in FORMS}
    results = {}
    for turn in range(options.repeat):
        print(f"{problem.name}, {harmonics} harmonics: {turn + 1} of {options.repeat} ...", file=sys.stderr)
        seconds, peer = pyharm_sweep(problem, problem.levels, problem.frequencies, *arguments)
        times["pyharm"].append(seconds)
        for form in FORMS:
            output = folder / f"{problem.name}_{form}"
            seconds, *results[form] = fretwork_sweep(program, problem, output, form, harmonics, penalty)
            times[form].append(seconds)
            alone[form].append(solver_alone(problem, *settings_of(form, harmonics, penalty)))
    solved = np.isfinite(peer[:, 0])
    for form, (values, maximum) in results.items():
        found = np.isfinite(maximum)
        costs = [
            np.median(times[name], axis=0) / (count or np.nan)
            for name, count in (("pyharm", solved.sum()), (form, found.sum()))
        ]
        ratios = costs[0] / costs[1]
        errors = ["-", "-"]
        if exact is not None:
            errors = [spread(abs(u / exact - 1)) for u in (largest(peer), maximum)]
        difference = spread(abs(peer[:, 1] - values[:, 1]) / abs(values[:, 1]))
        yield (
            problem.name, form, harmonics, SAMPLES, f"{solved.sum()}, {found.sum()} of {found.size}",
            f"{costs[0][0]:.2e}", f"{costs[1][0]:.2e}", f"{ratios[0]:.1f}", f"{ratios[1]:.1f}",
            f"{np.median(alone[form]):.2e}", f"{costs[0][0] / np.median(alone[form]):.0f}",
            *errors, difference,
        )  # fmt: skip


HEADER = (
    "problem", "form of Fretwork", "harmonics", "samples", "converged: pyHarm, Fretwork", "pyHarm s/point",
    "Fretwork s/point", "ratio", "ratio (processor)", "solution alone s/point", "ratio", "error of pyHarm", "error of Fretwork", "difference",
)  # fmt: skip


def main():
    as_is = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_is)
    parser.add_argument("program", nargs="?", default=str(ROOT / "target" / "release" / "fretwork"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--problem", nargs="+", choices=["academic", "rig"], default=["academic", "rig"])
    parser.add_argument("--harmonics", type=int, nargs="+", default=[3, 7])
    parser.add_argument("--solver", choices=["scipyroot", "NewtonRaphson"], default="scipyroot")
    parser.add_argument("--penalty", type=float, help="default: 10 for the academic case, 1 for the rig")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = pathlib.Path(name)
        print("| " + " | ".join(HEADER) + " |\n" + "|---" * len(HEADER) + "|", flush=True)
        for kind in options.problem:
            problem = academic() if kind == "academic" else rig(folder)
            exact = reference(program, folder / "time") if kind == "academic" else None
            for harmonics in options.harmonics:
                for row in compare(program, problem, harmonics, exact, options, folder):
                    print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
