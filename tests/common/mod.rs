//! What the black-box tests share: running the program in a temporary folder.
#![allow(dead_code)] // Each test file uses its own part of this.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A path below the top folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs the program in `folder`.
pub fn fretwork(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fretwork"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed by a signal")
}

/// Standard error as text.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Standard output as text.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One mass on a spring.
pub const OSCILLATOR: &str = r#"
title = "one mass"

[points.mass]
mass = 2.0
freedoms = ["x"]

[[springs]]
between = ["mass", "ground"]
direction = "x"
stiffness = 8e4
damping = 8.0

[[loads]]
type = "force"
on = "mass"
force = [3, 0]
variation = "harmonic"

[probes.u]
type = "displacement"
at = "mass"
direction = "x"

[[analysis]]
type = "frf"
frequencies = { spacing = "linear", from = 0, to = 60, points = 121 }
"#;

/// A clamped block of quadrilaterals, with a place to put other supports.
pub const BLOCK: &str = r#"
[materials.steel]
young = 210e9
poisson = 0.3
density = 7800.0

[parts.block.mesh]
type = "structured"
blocks = [{ corners = [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], cells = [4, 2], edges = { left = "left", right = "right", bottom = "bottom" } }]

[[parts.block.sections]]
type = "plane"
state = "stress"
material = "steel"
thickness = 0.01

[[supports]]
type = "clamp"
on = "block.left"

[[loads]]
type = "traction"
on = "block.right"
traction = [0, 1e6]

[[analysis]]
type = "static"
"#;

/// A shaken block with a face that something may touch.
pub const JOINT_BASE: &str = r#"
[materials.steel]
young = 2.0
poisson = 0.3
density = 1.0

[damping]
type = "rayleigh"
alpha = 0.02
beta = 0.003

[parts.base.mesh]
type = "structured"
blocks = [{ corners = [[0, 0], [2, 0], [2, 1], [0, 1]], cells = [4, 2], edges = { left = "root", right = "face", top = "top" } }]

[[parts.base.sections]]
type = "plane"
state = "stress"
material = "steel"
thickness = 1.0

[[supports]]
type = "prescribed"
on = "base.root"
x = 0.0
y = 0.3
variation = "harmonic"
phase = 30

[[contact]]
between = ["base.face", "loose.face"]

[reduction.base]
modes = 18

[probes]
speed = { type = "velocity", at = "base.top", direction = "y" }
root = { type = "acceleration", at = "base.root", direction = "y" }
support = { type = "reaction", at = "base.root", direction = "y" }
opening = { type = "relative_displacement", between = ["base.face", "loose.face"], direction = "x" }
"#;

/// A loose block on it, with a knob on dashpots.
pub const JOINT_LOOSE: &str = r#"
[parts.loose.mesh]
type = "structured"
blocks = [{ corners = [[2, 0], [3, 0], [3, 1], [2, 1]], cells = [2, 2], edges = { left = "face", right = "end" } }]

[[parts.loose.sections]]
type = "plane"
state = "stress"
material = "steel"
thickness = 0.5

[points.knob]
at = [3.5, 0.5]
mass = 0.2

[[ties]]
nodes = "loose.end"
to = "knob"

[[springs]]
between = ["knob", "ground"]
direction = "y"
stiffness = 0.04
damping = 0.3

[[springs]]
between = ["knob", "ground"]
direction = "x"
stiffness = 0.05
damping = 0.1

[[loads]]
type = "force"
on = "knob"
force = [0.2, -0.4]
variation = "harmonic"

[probes.knob]
type = "displacement"
at = "knob"
direction = "x"

[reduction.loose]
modes = 6
"#;

/// Both blocks.
pub fn joint() -> String {
    format!("{JOINT_BASE}{JOINT_LOOSE}")
}

/// A response of the joint.
pub fn joint_analysis(name: &str, method: &str, contact: &str, more: &str) -> String {
    format!(
        "\n[[analysis]]\ntype = \"frf\"\nname = \"{name}\"\nmethod = \"{method}\"\ncontact = \"{contact}\"\n\
         frequencies = {{ spacing = \"log\", from = 0.004, to = 0.4, points = 23 }}\n{more}\n"
    )
}
