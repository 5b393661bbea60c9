//! Responses of reduced bodies through the whole program.

mod common;

use std::fs;
use std::path::Path;

use common::{code, errors, fretwork, joint, joint_analysis as analysis};
use fretwork::results::ResultReader;
use num_complex::Complex;

fn run(folder: &Path, case: &str) -> ResultReader {
    fs::write(folder.join("case.toml"), case).unwrap();
    let output = fretwork(folder, &["run", "case.toml", "-o", "out"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    ResultReader::open(&folder.join("out")).unwrap()
}

/// Largest difference over the largest value of the second.
fn difference(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(|value| value.norm()).fold(0.0, f64::max);
    assert!(largest > 0.0);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

#[test]
fn all_modes_give_the_direct_response_open_and_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = joint();
    for contact in ["open", "stuck"] {
        for method in ["direct", "reduced"] {
            case += &analysis(&format!("{method}_{contact}"), method, contact, "");
        }
        case += &analysis(&format!("modal_{contact}"), "modal", contact, "modes = 30");
    }
    let results = run(folder.path(), &case);
    let of = |analysis: &str, probe: &str| {
        results.complex_values(&format!("{analysis}/probes/{probe}")).unwrap()
    };
    for probe in ["knob", "speed", "root", "support", "opening"] {
        for contact in ["open", "stuck"] {
            if (probe, contact) == ("opening", "stuck") {
                continue;
            }
            let direct = of(&format!("direct_{contact}"), probe);
            let error = difference(&of(&format!("reduced_{contact}"), probe), &direct);
            assert!(error < 1e-8, "{probe}, {contact}: {error:e}");
            let error = difference(&of(&format!("modal_{contact}"), probe), &direct);
            assert!(error < 1e-2, "{probe}, {contact}, superposition: {error:e}");
        }
        let change = difference(&of("direct_stuck", "knob"), &of("direct_open", "knob"));
        assert!(change > 0.1, "the joint matters: {change}");
    }
    let opening = of("reduced_stuck", "opening");
    assert!(opening.iter().all(|value| value.norm() < 1e-12), "a stuck joint stays closed");
}

#[test]
fn recovered_fields_are_those_of_the_direct_solution() {
    let folder = tempfile::tempdir().unwrap();
    let fields = "fields = [0.02, 0.1]";
    let mut case = joint();
    for contact in ["open", "stuck"] {
        for method in ["direct", "reduced"] {
            case += &analysis(&format!("{method}_{contact}"), method, contact, fields);
        }
    }
    let results = run(folder.path(), &case);
    for contact in ["open", "stuck"] {
        let of = |method: &str, field: &str, shape: &[usize]| {
            let place = format!("{method}_{contact}/fields/{field}");
            results.complex_table(&place, shape).unwrap()
        };
        for (field, shape) in [("displacement", [2, 25, 2]), ("stress", [2, 12, 3])] {
            let error = difference(&of("reduced", field, &shape), &of("direct", field, &shape));
            assert!(error < 1e-8, "{field}, {contact}: {error:e}");
        }
        let vtu = fs::read_to_string(folder.path().join(format!("out/reduced_{contact}.vtu")));
        for array in ["displacement_re 0.02 Hz", "displacement_im 0.1 Hz", "stress_xx_yy_xy_im"] {
            assert!(vtu.as_ref().unwrap().contains(array), "{array}");
        }
    }
}

#[test]
fn a_free_body_with_open_contacts_has_no_response_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let case = joint()
        .replace("stiffness = 0.04\n", "")
        .replace("stiffness = 0.05\n", "")
        .replace("mass = 0.2", "mass = 0.3")
        + &analysis("rest", "reduced", "open", "")
            .replace("\"log\", from = 0.004", "\"linear\", from = 0");
    fs::write(folder.path().join("case.toml"), case).unwrap();
    let output = fretwork(folder.path(), &["run", "case.toml"]);
    assert_eq!(code(&output), 1, "{}", errors(&output));
    assert!(errors(&output).contains("at 0 Hz is unbounded"), "{}", errors(&output));
}

#[test]
fn keys_that_do_not_fit_the_method_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |case: String| {
        fs::write(folder.path().join("case.toml"), case).unwrap();
        let output = fretwork(folder.path(), &["check", "case.toml"]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        errors(&output)
    };
    let message = refused(joint() + &analysis("a", "modal", "open", "fields = [0.1]"));
    assert!(message.contains("analysis[0].fields") && message.contains("reduced"), "{message}");
    let message = refused(joint() + &analysis("a", "direct", "open", "fields = [-1]"));
    assert!(message.contains("analysis[0].fields[0]") && message.contains("-1 Hz"), "{message}");
    let message = refused(joint() + &analysis("a", "reduced", "open", "modes = 3"));
    assert!(message.contains("analysis[0].modes"), "{message}");
    let modal = joint().replace(
        "type = \"rayleigh\"\nalpha = 0.02\nbeta = 0.003",
        "type = \"modal\"\nratios = [0.01]",
    );
    let message = refused(modal + &analysis("a", "reduced", "open", ""));
    assert!(message.contains("analysis[0].method"), "{message}");
    let free = joint().replace("[[contact]]\nbetween = [\"base.face\", \"loose.face\"]", "");
    let message = refused(free + &analysis("a", "reduced", "stuck", ""));
    assert!(message.contains("nothing is stuck"), "{message}");
}
