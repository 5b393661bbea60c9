//! Motion under drives: closed forms of a linear oscillator, a pulled slider, and what is refused.

mod common;

use std::f64::consts::TAU;
use std::fs;

use common::{code, errors, fretwork};
use fretwork::results::ResultReader;

/// A mass on a spring whose far end is moved: ω = 10 rad/s.
const PULLED: &str = r#"
[points]
mass = { mass = 1.0, freedoms = ["x"] }
hand = { freedoms = ["x"] }
[[springs]]
between = ["mass", "hand"]
direction = "x"
stiffness = 100.0
[[supports]]
type = "clamp"
on = "hand"
[probes.u]
type = "displacement"
at = "mass"
direction = "x"
[probes.v]
type = "velocity"
at = "mass"
direction = "x"
[probes.a]
type = "acceleration"
at = "mass"
direction = "x"
[probes.pull]
type = "reaction"
at = "hand"
direction = "x"
"#;

/// Friction of the mass on ground, by springs of 1e4 N/m: μN = 1 N.
const SLIDER: &str = r#"
[[contact]]
between = ["mass", "ground"]
normal = [0, 1]
area = 1.0
friction = 0.5
preload = 2.0
law = { type = "penalty", normal_stiffness = 1.0, tangential_stiffness = 1e4 }
"#;

fn run(parts: &[&str]) -> (std::process::Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("case.toml"), parts.concat()).unwrap();
    (fretwork(folder.path(), &["run", "case.toml", "-o", "out"]), folder)
}

fn results(parts: &[&str]) -> (ResultReader, tempfile::TempDir) {
    let (output, folder) = run(parts);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    (ResultReader::open(&folder.path().join("out")).unwrap(), folder)
}

fn analysis(more: &str, course: &str) -> String {
    format!(
        "[[analysis]]\ntype = \"history\"\nduration = 2.0\ntime_step = 1e-3\n{more}\n[[analysis.drives]]\n\
         type = \"displacement\"\non = \"hand\"\ndirection = \"x\"\ncourse = {course}\n"
    )
}

#[test]
fn a_pulled_mass_follows_the_closed_form() {
    let analysis = analysis("store_every = 10", "{ type = \"pull\", velocity = 0.5 }");
    let (results, _folder) = results(&[PULLED, &analysis]);
    let time = results.values("history/time").unwrap();
    assert_eq!(time.len(), 201);
    let [u, v, a, pull] =
        ["u", "v", "a", "pull"].map(|p| results.values(&format!("history/probes/{p}")).unwrap());
    let hand = results.values("history/drives/0").unwrap();
    for (k, t) in time.iter().enumerate() {
        let (sin, cos) = (10.0 * t).sin_cos();
        assert!((hand[k] - 0.5 * t).abs() < 1e-12);
        assert!((u[k] - 0.5 * t + 0.05 * sin).abs() < 2e-5, "{t}: {}", u[k]);
        assert!((v[k] - 0.5 + 0.5 * cos).abs() < 2e-4, "{t}: {}", v[k]);
        // The mean over a step, where there is no contact.
        assert!(k == 0 || (a[k] - 5.0 * sin).abs() < 5e-2, "{t}: {}", a[k]);
        assert!((pull[k] - 100.0 * (hand[k] - u[k])).abs() < 1e-9, "{t}: {}", pull[k]);
    }
}

#[test]
fn a_force_of_any_course_moves_the_mass() {
    // Off resonance and from rest: x = F/(k − mΩ²)(cos Ωt − cos ωt), for a table of the same cosine too.
    let table = |n: usize| {
        let times: Vec<String> =
            (0..=n).map(|k| format!("{}", 2.0 * k as f64 / n as f64)).collect();
        let values: Vec<String> =
            (0..=n).map(|k| format!("{}", (TAU * 4.0 * k as f64 / n as f64).cos())).collect();
        format!(
            "{{ type = \"table\", times = [{}], values = [{}] }}",
            times.join(","),
            values.join(",")
        )
    };
    let sine = "{ type = \"sine\", amplitude = 1.0, frequency = 2.0 }".to_string();
    for course in [sine, table(2000)] {
        let analysis = format!(
            "[[analysis]]\ntype = \"history\"\nduration = 2.0\ntime_step = 5e-4\n[[analysis.drives]]\n\
             type = \"force\"\non = \"mass\"\ndirection = \"x\"\ncourse = {course}\n"
        );
        let (results, _folder) = results(&[PULLED, &analysis]);
        let time = results.values("history/time").unwrap();
        let u = results.values("history/probes/u").unwrap();
        let omega = TAU * 2.0;
        for (t, u) in time.iter().zip(&u) {
            let exact = ((omega * t).cos() - (10.0 * t).cos()) / (100.0 - omega * omega);
            assert!((u - exact).abs() < 1e-4 * 0.035, "{t}: {u} {exact}");
        }
    }
}

#[test]
fn a_slider_breaks_away_at_its_friction_and_says_so() {
    let analysis = analysis(
        "slip = { criterion = \"velocity\", above = 0.02 }",
        "{ type = \"pull\", velocity = 0.1 }",
    );
    let (results, _folder) = results(&[PULLED, SLIDER, &analysis]);
    let measure =
        |name: &str| results.scalar(&format!("history/contact/0/measures/{name}")).unwrap();
    assert!((measure("break_away_force") - 1.0).abs() < 1e-9);
    assert!((measure("max_force") - 1.0).abs() < 1e-9);
    // The spring carries 1 N after 0.1 s; v = 0.1(1 − cos 10t) from there exceeds 0.02 m/s after 0.064 s, a
    // little earlier with the velocity that the elastic slider has by then.
    let begin = results.scalar("history/contact/0/slips/begin").unwrap();
    assert!((0.155..0.166).contains(&begin), "{begin}");
    // Friction times path, less the elastic stretch.
    let path = results.scalar("history/contact/0/slip[-1]").unwrap();
    let work = measure("work");
    assert!((work / path - 1.0).abs() < 1e-2, "{work} {path}");
    // N = 2 N.
    assert!((measure("work_rate") * 2.0 / (2.0 * path) - 1.0).abs() < 2e-2);
    assert!(results.scalar("history/contact/0/normal_force[5]").unwrap() == 2.0);
}

#[test]
fn a_record_begins_at_rest_on_its_springs() {
    // 5 N press a mass on a contact spring of 1000 N/m and pull it along a slider of 1e4 N/m.
    let case = r#"
[points.mass]
mass = 1.0
freedoms = ["x", "y"]
[[springs]]
between = ["mass", "ground"]
direction = "x"
stiffness = 100.0
[[loads]]
type = "force"
on = "mass"
force = [0.5, -5.0]
[[contact]]
between = ["mass", "ground"]
normal = [0, 1]
area = 1.0
friction = 0.5
law = { type = "friction", normal = { type = "penalty", stiffness = 1e3 }, tangential = { type = "jenkins", stiffness = 1e4 } }
[probes.x]
type = "displacement"
at = "mass"
direction = "x"
[probes.y]
type = "displacement"
at = "mass"
direction = "y"
[[analysis]]
type = "history"
duration = 1.0
time_step = 1e-2
"#;
    let (results, _folder) = results(&[case]);
    for (probe, rest) in [("x", 0.5 / 1.01e4), ("y", -5e-3)] {
        for value in results.values(&format!("history/probes/{probe}")).unwrap() {
            assert!((value / rest - 1.0).abs() < 1e-9, "{probe}: {value} {rest}");
        }
    }
}

#[test]
fn an_error_allowed_saves_steps() {
    let course =
        "{ type = \"chirp\", amplitude = 0.1, from = 0.1, to = 4.0, over = 2.0, phase = -90 }";
    let [fixed, adaptive] = ["", "tolerance = 1e-7"].map(|more| {
        let (output, folder) =
            run(&[PULLED, SLIDER, &analysis(more, course).replace("1e-3", "2e-2")]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        ResultReader::open(&folder.path().join("out"))
            .unwrap()
            .scalar("history/probes/u[-1]")
            .unwrap()
    });
    let (output, folder) = run(&[PULLED, SLIDER, &analysis("", course).replace("1e-3", "1e-5")]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let exact = ResultReader::open(&folder.path().join("out"))
        .unwrap()
        .scalar("history/probes/u[-1]")
        .unwrap();
    let (coarse, fine) = ((fixed - exact).abs(), (adaptive - exact).abs());
    assert!(fine < 0.1 * coarse && fine < 1e-3 * exact.abs(), "{fixed} {adaptive} {exact}");
}

#[test]
fn bad_drives_are_refused_by_name() {
    let refused = |course: &str, words: &[&str]| {
        let (output, _folder) = run(&[PULLED, &analysis("", course)]);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        for word in words {
            assert!(errors(&output).contains(word), "{word}: {}", errors(&output));
        }
    };
    refused(
        "{ type = \"table\", times = [0, 1, 1], values = [0, 1, 2] }",
        &["drives[0].course.times[2]", "must increase"],
    );
    refused(
        "{ type = \"table\", times = [0, 1], values = [0, 1, 2] }",
        &["drives[0].course.values", "3 values for 2 times"],
    );
    let free = analysis("", "{ type = \"constant\", value = 1.0 }").replace("\"hand\"", "\"mass\"");
    let (output, _folder) = run(&[PULLED, &free]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("drives[0].on"), "{}", errors(&output));
    assert!(errors(&output).contains("no support holds"), "{}", errors(&output));
    let long = analysis("", "{ type = \"constant\", value = 1.0 }").replace("1e-3", "3.0");
    let (output, _folder) = run(&[PULLED, &long]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("time_step"), "{}", errors(&output));
}

#[test]
fn a_sweep_goes_on_from_the_frequency_before() {
    let sweep = |start: &str| {
        format!(
            "[[loads]]\ntype = \"force\"\non = \"mass\"\nforce = [4, 0]\nvariation = \"harmonic\"\n[[analysis]]\n\
             type = \"transient\"\nstart = \"{start}\"\ntolerance = 1e-7\nsteps_per_period = 500\n\
             frequencies = {{ spacing = \"linear\", from = 1.2, to = 1.4, points = 5 }}\n"
        )
    };
    let [rest, previous] = ["rest", "previous"].map(|start| {
        let (results, _folder) = results(&[PULLED, SLIDER, &sweep(start)]);
        (
            results.values("transient/probes/u/maximum").unwrap(),
            results.values("transient/periods").unwrap(),
        )
    });
    for (a, b) in rest.0.iter().zip(&previous.0) {
        assert!((a / b - 1.0).abs() < 1e-4, "{rest:?} {previous:?}");
    }
    assert!(previous.1[1..].iter().sum::<f64>() <= rest.1[1..].iter().sum::<f64>());
}

#[test]
fn slip_counts_by_the_law_itself_where_nothing_is_said() {
    let analysis = analysis("", "{ type = \"pull\", velocity = 0.1 }");
    let (results, _folder) = results(&[PULLED, SLIDER, &analysis]);
    let measure =
        |name: &str| results.scalar(&format!("history/contact/0/measures/{name}")).unwrap();
    assert!((measure("break_away_force") - 1.0).abs() < 1e-9);
    // The spring of 10 N/s carries 1 N after 0.1 s.
    let begin = results.scalar("history/contact/0/slips/begin").unwrap();
    assert!((0.095..0.115).contains(&begin), "{begin}");
}

#[test]
fn zones_of_the_hybrid_law_share_out_the_work() {
    let text = std::fs::read_to_string("cases/slider/baumberger.toml").unwrap();
    let (results, _folder) = results(&[&text.replace("duration = 100.0", "duration = 25.0")]);
    let last = |name: &str| results.scalar(&format!("history/contact/0/{name}[-1]")).unwrap();
    let spring = |k: f64, stretch: f64| 0.5 * k * stretch * stretch;
    let [elastic, plastic, slip] =
        ["elastic", "plastic", "slip"].map(|z| last(&format!("zones/{z}")));
    let stored =
        spring(5.2e7, elastic) + spring(1.9e7, plastic - elastic) + spring(8.5e7, slip - plastic);
    let zones = ["plastic", "partial_slip", "gross_slip"];
    let spent: f64 = zones.iter().map(|zone| last(&format!("zones/{zone}_energy"))).sum();
    let work = results.scalar("history/contact/0/measures/work").unwrap();
    assert!(((spent + stored) / work - 1.0).abs() < 1e-4, "{spent} {stored} {work}");
    assert!(last("zones/gross_slip_energy") > 0.9 * work);
}
