//! Parts in space: a box of bricks, made here, lies along the axes or turned by any rotation. What the
//! program says about it must turn with it.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::{code, errors, fretwork};
use fretwork::linalg::Complex;
use fretwork::results::ResultReader;

type Vector = [f64; 3];
/// Rows of a rotation.
type Rotation = [Vector; 3];

const UPRIGHT: Rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Young's modulus, Poisson's ratio and density of the box.
const MATERIAL: [f64; 3] = [1000.0, 0.3, 1.0];
/// Bricks along x, y and z.
const CELLS: [usize; 3] = [2, 1, 2];
const SIZE: Vector = [1.0, 0.6, 0.8];

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn turn(rotation: &Rotation, vector: Vector) -> Vector {
    rotation.map(|row| dot(row, vector))
}

/// The rotation by `angle` about the axis (1, 2, −2)/3 (Rodrigues).
fn rotation(angle: f64) -> Rotation {
    let [x, y, z] = [1.0 / 3.0, 2.0 / 3.0, -2.0 / 3.0];
    let (s, c) = angle.sin_cos();
    let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    let axis = [x, y, z];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let unit = f64::from(u8::from(i == j));
            c * unit + s * cross[i][j] + (1.0 - c) * axis[i] * axis[j]
        })
    })
}

fn invert(m: [Vector; 3]) -> ([Vector; 3], f64) {
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant = (0..3).map(|j| m[0][j] * minor(0, j)).sum::<f64>();
    let inverse = std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / determinant));
    (inverse, determinant)
}

/// Stiffness (24 × 24) and volume of a trilinear brick with its corners in any position.
fn brick(corners: &[Vector; 8]) -> (Vec<Vec<f64>>, f64) {
    let [young, poisson, _] = MATERIAL;
    let shear = young / (2.0 + 2.0 * poisson);
    let lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let (mut stiffness, mut volume) = (vec![vec![0.0; 24]; 24], 0.0);
    let gauss = 1.0 / 3.0_f64.sqrt();
    let sign = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    for point in 0..8 {
        let at: Vector = std::array::from_fn(|axis| gauss * sign(point, axis));
        let natural: [Vector; 8] = std::array::from_fn(|corner| {
            std::array::from_fn(|axis| {
                let factor = |a: usize| {
                    if a == axis { sign(corner, a) } else { 1.0 + sign(corner, a) * at[a] }
                };
                factor(0) * factor(1) * factor(2) / 8.0
            })
        });
        // ∂x_j/∂ξ_i.
        let jacobian: [Vector; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..8).map(|c| natural[c][i] * corners[c][j]).sum())
        });
        let (inverse, determinant) = invert(jacobian);
        volume += determinant;
        let gradient = natural.map(|g| inverse.map(|row| dot(row, g)));
        for (a, ga) in gradient.iter().enumerate() {
            for (b, gb) in gradient.iter().enumerate() {
                for i in 0..3 {
                    for j in 0..3 {
                        let same = if i == j { dot(*ga, *gb) } else { 0.0 };
                        let value = lame * ga[i] * gb[j] + shear * (ga[j] * gb[i] + same);
                        stiffness[3 * a + i][3 * b + j] += determinant * value;
                    }
                }
            }
        }
    }
    (stiffness, volume)
}

fn node([i, j, k]: [usize; 3]) -> usize {
    i + (CELLS[0] + 1) * (j + (CELLS[1] + 1) * k)
}

/// Writes K, M (lumped), C and the nodes of the turned box; returns the number of nodes.
fn write_box(folder: &Path, rotation: &Rotation) -> usize {
    let counts = CELLS.map(|cells| cells + 1);
    let mut nodes = Vec::new();
    for k in 0..counts[2] {
        for j in 0..counts[1] {
            for i in 0..counts[0] {
                let at = [i, j, k];
                // Not quite regular, so that no symmetry hides a mistake.
                let position: Vector = std::array::from_fn(|a| {
                    SIZE[a] * at[a] as f64 / CELLS[a] as f64
                        + if at[a] == 1 && a != 1 { 0.03 * (i + 2 * k) as f64 } else { 0.0 }
                });
                nodes.push(turn(rotation, position));
            }
        }
    }
    let size = 3 * nodes.len();
    let (mut stiffness, mut mass) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for cell in 0..CELLS.iter().product() {
        let first = [cell % CELLS[0], cell / CELLS[0] % CELLS[1], cell / (CELLS[0] * CELLS[1])];
        let corners: [usize; 8] =
            std::array::from_fn(|c| node(std::array::from_fn(|a| first[a] + (c >> a & 1))));
        let (own, volume) = brick(&corners.map(|corner| nodes[corner]));
        for (a, p) in corners.iter().enumerate() {
            for i in 0..3 {
                mass[3 * p + i] += MATERIAL[2] * volume / 8.0;
                for (b, q) in corners.iter().enumerate() {
                    for j in 0..3 {
                        stiffness[3 * p + i][3 * q + j] += own[3 * a + i][3 * b + j];
                    }
                }
            }
        }
    }
    let full = |entry: &dyn Fn(usize, usize) -> f64| {
        let header = "%%MatrixMarket matrix array real general";
        let mut text = format!("{header}\n{size} {size}\n");
        for j in 0..size {
            (0..size).for_each(|i| writeln!(text, "{:e}", entry(i, j)).unwrap());
        }
        text
    };
    let diagonal = |i: usize, j: usize| if i == j { mass[i] } else { 0.0 };
    fs::write(folder.join("k.mtx"), full(&|i, j| stiffness[i][j])).unwrap();
    fs::write(folder.join("m.mtx"), full(&diagonal)).unwrap();
    let damping = full(&|i, j| 2e-3 * stiffness[i][j] + 0.3 * diagonal(i, j));
    fs::write(folder.join("c.mtx"), damping).unwrap();
    let mut table = String::from("id,x,y,z,row_x,row_y,row_z\n");
    for (i, [x, y, z]) in nodes.iter().enumerate() {
        let rows = [1, 2, 3].map(|row| 3 * i + row);
        let [a, b, c] = rows;
        writeln!(table, "{},{x:e},{y:e},{z:e},{a},{b},{c}", i + 1).unwrap();
    }
    fs::write(folder.join("nodes.csv"), table).unwrap();
    nodes.len()
}

/// The ids of some nodes, as in the node table.
fn ids(nodes: impl Iterator<Item = usize>) -> String {
    nodes.map(|node| (node + 1).to_string()).collect::<Vec<_>>().join(", ")
}

/// The box on the ground below y = 0: its upper back edge on rollers, a body hung on a corner, springs that
/// hold it without contact; pressed down, shaken along x and z.
fn case(rotation: &Rotation) -> String {
    let v = |x: f64, y: f64, z: f64| {
        let [a, b, c] = turn(rotation, [x, y, z]);
        format!("[{a:e}, {b:e}, {c:e}]")
    };
    let [nx, ny, nz] = CELLS;
    let face = ids((0..=nz).flat_map(|k| (0..=nx).map(move |i| node([i, 0, k]))));
    let edge = ids((0..=nz).map(|k| node([0, ny, k])));
    let (corner, back_node) = (node([nx, ny, nz]) + 1, node([0, ny, 0]) + 1);
    let other = node([nx, ny, 0]) + 1;
    let (down, shake) = (v(0.0, -4.0, 0.0), v(2.0, 0.4, 1.4));
    let (normal, back, slant) = (v(0.0, 1.0, 0.0), v(1.0, 0.0, 0.0), v(0.2, 0.3, 1.0));
    let at = v(SIZE[0], SIZE[1], SIZE[2]);
    let gravity = v(0.5, -9.81, 0.3);
    let springs = ["box.other", "box.back", "box.other", "body", "body"]
        .into_iter()
        .zip([&slant, &normal, &normal, &normal, &v(0.0, 0.0, 1.0)])
        .map(|(end, direction)| {
            format!(
                "[[springs]]\nbetween = [\"{end}\", \"ground\"]\ndirection = {direction}\n\
                 stiffness = 30.0\ndamping = 0.5\n"
            )
        })
        .collect::<String>();
    format!(
        r#"
[parts.box]
mesh = {{ type = "matrices", stiffness = "k.mtx", mass = "m.mtx", damping = "c.mtx", nodes = "nodes.csv" }}
sets = {{ face = {{ nodes = [{face}] }}, edge = {{ nodes = [{edge}] }}, corner = {{ nodes = [{corner}] }}, other = {{ nodes = [{other}] }}, back = {{ nodes = [{back_node}] }}, near = {{ nearest = {at} }} }}

[points.body]
at = {at}
freedoms = ["x", "y", "z"]
mass = 0.4

[[ties]]
nodes = "box.corner"
to = "body"

[[supports]]
type = "roller"
on = "box.edge"
direction = {back}

{springs}
[[loads]]
type = "force"
on = "box.edge"
force = {down}

[[loads]]
type = "force"
on = "body"
force = {shake}
variation = "harmonic"

[[loads]]
type = "gravity"
acceleration = {gravity}

[[contact]]
between = ["box.face", "ground"]
normal = {normal}
area = 0.8
friction = 0.3
law = {{ type = "penalty", normal_stiffness = 400.0, tangential_stiffness = 300.0 }}

[reduction.box]
modes = 12

[probes]
along = {{ type = "displacement", at = "body", direction = {slant} }}
speed = {{ type = "velocity", at = "box.other", direction = {normal} }}
push = {{ type = "reaction", at = "box.edge", direction = {back} }}
near = {{ type = "displacement", at = "box.near", direction = {back} }}
"#
    )
}

const RESPONSES: &str = r#"
[[analysis]]
type = "modal"
modes = 6

[[analysis]]
type = "frf"
name = "direct_open"
method = "direct"
frequencies = { spacing = "linear", from = 0.5, to = 8.0, points = 9 }
fields = [2.0]

[[analysis]]
type = "frf"
name = "direct_stuck"
method = "direct"
contact = "stuck"
frequencies = { spacing = "linear", from = 0.5, to = 8.0, points = 9 }

[[analysis]]
type = "frf"
name = "reduced_stuck"
method = "reduced"
contact = "stuck"
frequencies = { spacing = "linear", from = 0.5, to = 8.0, points = 9 }

[[analysis]]
type = "response"
harmonics = 3
samples = 64
frequencies = { spacing = "linear", from = 1.5, to = 4.0, points = 6 }
"#;

/// Runs a case of the turned box.
fn run(name: &str, folder: &Path, rotation: &Rotation, more: &str) -> ResultReader {
    write_box(folder, rotation);
    fs::write(folder.join("case.toml"), case(rotation) + more).unwrap();
    let output = fretwork(folder, &["run", "case.toml", "-o", name]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    ResultReader::open(&folder.join(name)).unwrap()
}

fn same(a: &[Complex], b: &[Complex], what: &str) {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let error = a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(largest > 0.0 && error < 1e-10 * largest, "{what}: {error:e} of {largest:e}");
}

/// A stored field of displacements, node after node, turned.
fn turned(values: &[Complex], rotation: &Rotation) -> Vec<Complex> {
    let part = |of: fn(&Complex) -> f64| -> Vec<f64> {
        let turn = |u: &[Complex]| turn(rotation, [of(&u[0]), of(&u[1]), of(&u[2])]);
        values.chunks_exact(3).flat_map(turn).collect()
    };
    let (real, imaginary) = (part(|z| z.re), part(|z| z.im));
    real.into_iter().zip(imaginary).map(|(re, im)| Complex::new(re, im)).collect()
}

#[test]
fn a_turned_box_answers_as_the_upright_one() {
    let folder = tempfile::tempdir().unwrap();
    let upright = run("upright", folder.path(), &UPRIGHT, RESPONSES);
    for angle in [0.9, 2.5] {
        let rotation = rotation(angle);
        let results = run(&format!("turned_{angle}"), folder.path(), &rotation, RESPONSES);
        for analysis in ["direct_open", "direct_stuck", "reduced_stuck"] {
            for probe in ["along", "speed", "push", "near"] {
                let place = format!("{analysis}/probes/{probe}");
                let [a, b] = [&results, &upright].map(|r| r.complex_values(&place).unwrap());
                same(&a, &b, &place);
            }
        }
        for probe in ["along", "speed", "push", "near"] {
            let place = format!("response/probes/{probe}/harmonics");
            let [a, b] = [&results, &upright].map(|r| r.complex_table(&place, &[6, 4]).unwrap());
            same(&a, &b, &place);
        }
        // The two tangential forces turn in their plane: only their size is the same.
        let force = |r: &ResultReader| -> Vec<Complex> {
            let place = |number: &str| format!("response/contact/0/tangential_force{number}");
            let [first, second] = ["", "2"].map(|n| r.table(&place(n), &[6, 9, 64]).unwrap());
            first.iter().zip(&second).map(|(a, b)| a.hypot(*b).into()).collect()
        };
        same(&force(&results), &force(&upright), "tangential force");
        let real = |r: &ResultReader, place: &str| -> Vec<Complex> {
            r.values(place).unwrap().into_iter().map(Complex::from).collect()
        };
        let places = ["modal/frequency", "response/energy/friction"];
        for place in places {
            same(&real(&results, place), &real(&upright, place), place);
        }
        let place = "direct_open/fields/displacement";
        assert_eq!(results.components(place).unwrap(), ["x", "y", "z"]);
        let shape = [1, 0, 3];
        let [a, b] = [&results, &upright].map(|r| r.complex_table(place, &shape).unwrap());
        same(&a, &turned(&b, &rotation), place);
    }
    // Friction acts: otherwise the comparison would say nothing about the tangents.
    let friction = upright.values("response/energy/friction").unwrap();
    assert!(friction.iter().all(|work| *work > 1e-6), "{friction:?}");
}

#[test]
fn loads_weight_and_reactions_turn_with_the_box() {
    let folder = tempfile::tempdir().unwrap();
    let clamped = |name: &str, rotation: &Rotation| {
        let clamp = "\n[[supports]]\ntype = \"clamp\"\non = \"box.face\"\n[[analysis]]\ntype = \"static\"\n";
        let text = case(rotation);
        let contact = text.find("[[contact]]").unwrap()..text.find("[probes]").unwrap();
        let text = text.replace(&text[contact], "");
        let down = turn(rotation, [0.0, 1.0, 0.0]);
        let probe = format!(
            "down = {{ type = \"reaction\", at = \"box.face\", direction = {down:?} }}\n{clamp}"
        );
        write_box(folder.path(), rotation);
        fs::write(folder.path().join("case.toml"), text + &probe).unwrap();
        let output = fretwork(folder.path(), &["run", "case.toml", "-o", name]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        ResultReader::open(&folder.path().join(name)).unwrap()
    };
    let rotation = rotation(1.7);
    let probes = ["along", "push", "down"];
    let values = |results: &ResultReader| {
        probes.map(|probe| results.scalar(&format!("static/probes/{probe}")).unwrap())
    };
    let upright = clamped("upright", &UPRIGHT);
    let (expected, displacement) =
        (values(&upright), upright.values("static/displacement").unwrap());
    let turned_box = clamped("turned", &rotation);
    for ((a, b), probe) in values(&turned_box).iter().zip(expected).zip(probes) {
        assert!((a - b).abs() < 1e-10 * b.abs(), "{probe}: {a} and {b}");
    }
    let complex = |values: Vec<f64>| values.into_iter().map(Complex::from).collect::<Vec<_>>();
    let found = complex(turned_box.values("static/displacement").unwrap());
    same(&found, &turned(&complex(displacement), &rotation), "displacement");
}
