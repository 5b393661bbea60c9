//! Parts that come as matrices: saved superelements and Matrix Market files.

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::{JOINT_BASE, code, errors, fretwork, joint, joint_analysis};
use fretwork::case::{CaseFile, CaseSource, ContactState};
use fretwork::linalg::Complex;
use fretwork::model::Model;
use fretwork::reduction::{ReducedStructure, plan};
use fretwork::results::ResultReader;

fn run(folder: &Path, name: &str, case: &str) -> ResultReader {
    fs::write(folder.join(format!("{name}.toml")), case).unwrap();
    let output = fretwork(folder, &["run", &format!("{name}.toml"), "-o", name]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    ResultReader::open(&folder.join(name)).unwrap()
}

fn same(a: &[Complex], b: &[Complex], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let error = a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(largest > 0.0 && error < tolerance * largest, "{what}: {error:e} of {largest:e}");
}

/// The loose block of the joint in place of its mesh, points, ties and springs.
const LOADED: &str = r#"
[parts.loose]
mesh = { type = "superelement", file = "first/loose.h5" }

[[loads]]
type = "force"
on = "loose.knob"
force = [0.2, -0.4]
variation = "harmonic"

[probes.knob]
type = "displacement"
at = "loose.knob"
direction = "x"
"#;

#[test]
fn a_saved_superelement_stands_for_its_part_in_another_case() {
    let folder = tempfile::tempdir().unwrap();
    let responses: String = [("direct", "open"), ("direct", "stuck"), ("reduced", "stuck")]
        .map(|(method, contact)| {
            joint_analysis(&format!("{method}_{contact}"), method, contact, "")
        })
        .concat();
    let saving = joint().replace("[reduction.loose]", "[reduction.loose]\nsave = \"loose.h5\"");
    let saving = format!("{saving}{responses}\n[[analysis]]\ntype = \"reduction\"\n");
    let first = run(folder.path(), "first", &saving);
    let kept_whole = format!("{JOINT_BASE}{LOADED}{responses}");
    let second = run(folder.path(), "second", &kept_whole);
    let reduced_again = format!("{kept_whole}\n[reduction.loose]\nmodes = 8\n");
    let third = run(folder.path(), "third", &reduced_again);
    for analysis in ["direct_open", "direct_stuck", "reduced_stuck"] {
        for probe in ["knob", "speed", "support"] {
            let place = format!("{analysis}/probes/{probe}");
            let exact = first.complex_values(&place).unwrap();
            same(&second.complex_values(&place).unwrap(), &exact, 1e-8, &place);
            same(&third.complex_values(&place).unwrap(), &exact, 1e-8, &place);
        }
    }
    // Results hold a copy of the superelement: they run again without it.
    fs::remove_file(folder.path().join("first/loose.h5")).unwrap();
    let output = fretwork(folder.path(), &["run", "second/results.h5", "-o", "again"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

/// Five nodes in space, joined by springs along the lines between them, on weak springs to ground.
struct Truss {
    nodes: [[f64; 3]; 5],
}

const TRUSS: Truss = Truss {
    nodes: [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.2], [0.4, 1.0, 0.5]],
};

impl Truss {
    fn stiffness(&self) -> Vec<Vec<f64>> {
        let mut k = vec![vec![0.0; 15]; 15];
        for a in 0..5 {
            for b in 0..a {
                let d: [f64; 3] = std::array::from_fn(|i| self.nodes[a][i] - self.nodes[b][i]);
                let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
                for i in 0..3 {
                    for j in 0..3 {
                        let value = d[i] * d[j] / length.powi(3);
                        for (p, q, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                            k[3 * p + i][3 * q + j] += sign * value;
                        }
                    }
                }
            }
        }
        (0..15).for_each(|i| k[i][i] += 0.01);
        k
    }

    fn write(&self, folder: &Path) {
        let k = self.stiffness();
        let damping: Vec<Vec<f64>> =
            k.iter().map(|row| row.iter().map(|value| 0.02 * value).collect()).collect();
        fs::write(folder.join("k.mtx"), market(&k)).unwrap();
        fs::write(folder.join("c.mtx"), market(&damping)).unwrap();
        let diagonal: String = (1..=15).fold(String::new(), |mut text, i| {
            let _ = writeln!(text, "{i} {i} {}", 0.1 + 0.01 * f64::from(i));
            text
        });
        let mass =
            format!("%%MatrixMarket matrix coordinate real symmetric\n% kg\n15 15 15\n{diagonal}");
        fs::write(folder.join("m.mtx"), mass).unwrap();
        let mut table = String::from("id,x,y,z,row_x,row_y,row_z\n");
        for (i, [x, y, z]) in self.nodes.iter().enumerate() {
            let row = 3 * i;
            let _ =
                writeln!(table, "{},{x},{y},{z},{},{},{}", 10 * (i + 1), row + 1, row + 2, row + 3);
        }
        fs::write(folder.join("nodes.csv"), table).unwrap();
    }
}

/// All entries, as a general matrix.
fn market(matrix: &[Vec<f64>]) -> String {
    let n = matrix.len();
    let mut text = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {}\n", n * n);
    for (i, row) in matrix.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            let _ = writeln!(text, "{} {} {value:e}", i + 1, j + 1);
        }
    }
    text
}

const IMPORTED: &str = r#"
[parts.truss]
mesh = { type = "matrices", stiffness = "k.mtx", mass = "m.mtx", damping = "c.mtx", nodes = "nodes.csv" }
sets = { face = { nodes = [10, 20, 30, 40] }, top = { nodes = [50] } }

[[loads]]
type = "force"
on = "truss.top"
force = [1, 0.5]
variation = "harmonic"

[probes]
top = { type = "displacement", at = "truss.top", direction = "x" }
face = { type = "velocity", at = "truss.face", direction = "y" }
"#;

const GROUND: &str = r#"
[[contact]]
between = ["truss.face", "ground"]
normal = [0, 1]
area = 4e-4

[reduction.truss]
modes = 3
"#;

#[test]
fn imported_matrices_are_reduced_coupled_and_answered() {
    let folder = tempfile::tempdir().unwrap();
    TRUSS.write(folder.path());
    let mut case = format!("{IMPORTED}{GROUND}");
    for contact in ["open", "stuck"] {
        for method in ["direct", "reduced"] {
            case += &joint_analysis(&format!("{method}_{contact}"), method, contact, "");
        }
    }
    let results = run(folder.path(), "contact", &case);
    let of = |name: &str, probe: &str| {
        results.complex_values(&format!("{name}/probes/{probe}")).unwrap()
    };
    for contact in ["open", "stuck"] {
        let exact = of(&format!("direct_{contact}"), "top");
        same(&of(&format!("reduced_{contact}"), "top"), &exact, 1e-8, contact);
    }
    same(&of("reduced_open", "face"), &of("direct_open", "face"), 1e-8, "face");
    // A face stuck to ground is a clamped one, out of the plane as well.
    let clamp = "\n[[supports]]\ntype = \"clamp\"\non = \"truss.face\"\n";
    let held = format!("{IMPORTED}{clamp}{}", joint_analysis("held", "direct", "open", ""));
    let held = run(folder.path(), "held", &held).complex_values("held/probes/top").unwrap();
    same(&of("direct_stuck", "top"), &held, 1e-12, "clamped");
}

#[test]
fn pairs_in_space_have_a_normal_and_two_tangents() {
    let folder = tempfile::tempdir().unwrap();
    TRUSS.write(folder.path());
    let path = folder.path().join("case.toml");
    fs::write(&path, format!("{IMPORTED}{GROUND}\n[[analysis]]\ntype = \"reduction\"\n")).unwrap();
    let file = CaseFile::load(CaseSource::from_file(&path, vec![]).unwrap()).unwrap();
    let model = Model::build(&file, ContactState::Open).unwrap();
    let plans = plan::plan(&file.case, &model).unwrap();
    let structure = ReducedStructure::new(&model, &plans).unwrap();
    assert_eq!(structure.relative.len(), 12);
    for (i, pair) in structure.pairs.iter().enumerate() {
        assert_eq!((pair.normal, &pair.tangents[..]), (Some(3 * i), &[3 * i + 1, 3 * i + 2][..]));
    }
    assert!(
        (model.total_mass() - (0.1 * 5.0 + 0.01 * (1.0 + 4.0 + 7.0 + 10.0 + 13.0))).abs() < 1e-12
    );
}

#[test]
fn bad_matrices_are_refused_with_part_and_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let case = format!("{IMPORTED}\n[[analysis]]\ntype = \"modal\"\nmodes = 2\n");
    let refused = |file: &str, text: String, expected: &[&str]| {
        TRUSS.write(folder.path());
        fs::write(folder.path().join(file), text).unwrap();
        fs::write(folder.path().join("case.toml"), &case).unwrap();
        let output = fretwork(folder.path(), &["check", "case.toml"]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        for words in expected {
            assert!(errors(&output).contains(words), "no `{words}` in:\n{}", errors(&output));
        }
    };
    let mut k = TRUSS.stiffness();
    k[3][1] += 0.5;
    refused(
        "k.mtx",
        market(&k),
        &["parts.truss.mesh.stiffness", "not symmetric", "(2, 4)", "(4, 2)"],
    );
    let mut k = TRUSS.stiffness();
    k[6][6] = -2.0;
    refused(
        "k.mtx",
        market(&k),
        &["stiffness matrix of part `truss`", "indefinite", "-2e0", "row 7 of 15"],
    );
    let mut k = TRUSS.stiffness();
    k[6][6] = 1e-3;
    refused("k.mtx", market(&k), &["stiffness matrix of part `truss`", "15 rows is indefinite"]);
    let small: Vec<Vec<f64>> =
        (0..14).map(|i| (0..14).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    refused("m.mtx", market(&small), &["parts.truss.mesh.mass", "has 14 rows", "stiffness has 15"]);
    let header = "%%MatrixMarket matrix coordinate real general\n";
    refused("m.mtx", format!("{header}15 14 0\n"), &["line 2", "not the size of a square matrix"]);
    refused("m.mtx", format!("{header}15 15 2\n1 1 1.0\n"), &["announces 2 entries but holds 1"]);
    refused(
        "m.mtx",
        format!("{header}15 15 1\n1 16 1.0\n"),
        &["line 3", "`16` is no row", "15 rows"],
    );
    refused("m.mtx", format!("{header}15 15 1\n1 1 nan\n"), &["line 3", "no finite number"]);
    refused("m.mtx", "1 2 3".into(), &["must begin with `%%MatrixMarket"]);
    let table = |row: &str| format!("id,x,y,z,row_x,row_y,row_z\n10,0,0,0,1,2,3\n{row}\n");
    let nodes = "parts.truss.mesh.nodes";
    refused(
        "nodes.csv",
        table("20,0,0,0,4,16,5"),
        &[nodes, "node 20 has its y in row 16", "15 rows"],
    );
    refused(
        "nodes.csv",
        table("20,0,0,0,4,3,5"),
        &[nodes, "row 3 belongs to node 10 and to node 20"],
    );
    refused("nodes.csv", table("10,0,0,0,4,5,6"), &[nodes, "node 10 twice"]);
    refused("nodes.csv", table("20,0,here,0,4,5,6"), &[nodes, "line 3", "`y`"]);
    refused("nodes.csv", "id,x\n1,2\n".into(), &[nodes, "no column `y`"]);
}

#[test]
fn keys_of_matrices_and_saved_files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |case: String, expected: &str| {
        fs::write(folder.path().join("case.toml"), case).unwrap();
        let output = fretwork(folder.path(), &["check", "case.toml"]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert!(errors(&output).contains(expected), "no `{expected}` in:\n{}", errors(&output));
    };
    let analysis = "\n[[analysis]]\ntype = \"reduction\"\n";
    let elsewhere =
        joint().replace("[reduction.loose]", "[reduction.loose]\nsave = \"../loose.h5\"");
    refused(elsewhere + analysis, "reduction.loose.save");
    let sections = "\n[[parts.loose.sections]]\ntype = \"plane\"\nstate = \"stress\"\nmaterial = \"steel\"\nthickness = 1.0\n";
    refused(format!("{JOINT_BASE}{LOADED}{sections}{analysis}"), "comes as matrices has no cells");
    fs::create_dir(folder.path().join("first")).unwrap();
    fs::write(folder.path().join("first/loose.h5"), "no HDF5").unwrap();
    refused(format!("{JOINT_BASE}{LOADED}{analysis}"), "is not an HDF5 file");
}
