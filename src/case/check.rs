//! Rules between keys that the schema cannot express.

use std::collections::HashSet;

use super::mesh::{Block, BlockEdges, Line, MeshSource, Selection};
use super::model::{Damping, Direction, Freedom, Load, Probe, Section, Support, Variation};
use super::problem::{Problem, suggestion};
use super::{Analysis, Case, FrequencyGrid, FrfMethod, FrfQuantity, Named, Part, Spring};

/// Names that mean something else.
const GROUND: &str = "ground";
const RESERVED_GROUPS: [&str; 2] = ["mesh", "meta"];

/// Appends everything that does not fit together.
pub(super) fn check(case: &Case, problems: &mut Vec<Problem>) {
    let mut checker = Checker { case, problems };
    checker.names();
    checker.parts();
    checker.lumped();
    checker.supports_and_loads();
    checker.contact_and_reduction();
    checker.damping();
    checker.probes();
    checker.analyses();
}

mod matrices;
mod response;

struct Checker<'a> {
    case: &'a Case,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn refuse(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem::new(path, message));
    }

    fn names(&mut self) {
        let case = self.case;
        self.table_names("materials", &case.materials);
        self.table_names("parts", &case.parts);
        self.table_names("points", &case.points);
        self.table_names("probes", &case.probes);
        if case.parts.is_empty() && case.points.is_empty() {
            self.refuse("parts", "the case has neither parts nor points: nothing to analyse");
        }
        for name in case.points.keys() {
            let path = format!("points.{name}");
            if case.parts.contains_key(name) {
                self.refuse(&path, "a part has the same name");
            }
            if name == GROUND {
                self.refuse(&path, "`ground` is the fixed ground and cannot be a point");
            }
        }
    }

    fn table_names<T>(&mut self, table: &str, entries: &Named<T>) {
        for name in entries.keys().filter(|name| !is_name(name)) {
            self.refuse(
                format!("{table}.{name}"),
                "a name is made of letters, digits, `_` and `-` only",
            );
        }
    }

    fn parts(&mut self) {
        let case = self.case;
        for (name, part) in &case.parts {
            let path = format!("parts.{name}");
            if let MeshSource::Structured { blocks, lines, .. } = &part.mesh {
                if blocks.is_empty() && lines.is_empty() {
                    self.refuse(format!("{path}.mesh"), "must have at least one block or line");
                }
                self.mesh_names(&path, part, blocks, lines);
            }
            self.has_sections(&path, part);
            self.sections(&path, part);
            for (set, selection) in &part.sets {
                self.selection(&format!("{path}.sets.{set}"), set, selection);
            }
        }
    }

    /// Names of groups and sets that the generator will use.
    fn mesh_names(&mut self, path: &str, part: &Part, blocks: &[Block], lines: &[Line]) {
        let rule = "a name is made of letters, digits, `_` and `-` only";
        let mut named = Vec::new();
        for (i, block) in blocks.iter().enumerate() {
            let BlockEdges { bottom, right, top, left } = &block.edges;
            let path = format!("{path}.mesh.blocks[{i}]");
            let edges = [("bottom", bottom), ("right", right), ("top", top), ("left", left)];
            for (key, name) in edges {
                named.extend(name.iter().map(|name| (format!("{path}.edges.{key}"), name, true)));
            }
            named.push((format!("{path}.name"), &block.name, false));
        }
        for (i, line) in lines.iter().enumerate() {
            let path = format!("{path}.mesh.lines[{i}]");
            named.push((format!("{path}.name"), &line.name, false));
            for (key, name) in [("start", &line.start), ("end", &line.end)] {
                named.extend(name.iter().map(|name| (format!("{path}.{key}"), name, true)));
            }
        }
        for (path, name, is_set) in named {
            if !is_name(name) {
                self.refuse(path, rule);
            } else if is_set && part.sets.contains_key(name) {
                self.refuse(path, "the part's `sets` has an entry of the same name");
            }
        }
    }

    fn sections(&mut self, path: &str, part: &Part) {
        let mut seen = HashSet::new();
        for (i, section) in part.sections.iter().enumerate() {
            let path = format!("{path}.sections[{i}]");
            let materials = &self.case.materials;
            if !materials.contains_key(section.material()) {
                let hint = suggestion(section.material(), materials.keys().map(String::as_str));
                self.refuse(format!("{path}.material"), format!("no such material{hint}"));
            }
            let kind = matches!(section, Section::Beam { .. });
            if !seen.insert((kind, section.group())) {
                self.refuse(&path, "another section has the same type and group");
            }
            if matches!(section, Section::Beam { group: None, .. })
                && matches!(part.mesh, MeshSource::Gmsh { .. })
            {
                let message =
                    "name the `group` of the beams: a Gmsh mesh also has its named edges as lines";
                self.refuse(&path, message);
            }
            if let Section::Beam { height, width, area, second_moment, .. } = section {
                let given =
                    (height.is_some(), width.is_some(), area.is_some(), second_moment.is_some());
                if !matches!(given, (true, true, false, false) | (false, false, true, true)) {
                    self.refuse(&path, "give `height` and `width`, or `area` and `second_moment`");
                }
            }
        }
    }

    fn selection(&mut self, path: &str, name: &str, selection: &Selection) {
        let Selection { r#box, nearest, nodes } = selection;
        let given = [r#box.is_some(), nearest.is_some(), nodes.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            self.refuse(path, "give exactly one of: box, nearest, nodes");
        }
        if !is_name(name) {
            self.refuse(path, "a name is made of letters, digits, `_` and `-` only");
        }
    }

    fn lumped(&mut self) {
        let case = self.case;
        for (name, point) in &case.points {
            let path = format!("points.{name}");
            self.freedoms(&format!("{path}.freedoms"), &point.freedoms);
            if point.inertia > 0.0 && !point.freedoms.contains(&Freedom::Rotation) {
                let message = "needs `rotation` among the freedoms of the point";
                self.refuse(format!("{path}.inertia"), message);
            }
            if point.mass > 0.0 && point.freedoms == [Freedom::Rotation] {
                let message = "needs a translation among the freedoms of the point";
                self.refuse(format!("{path}.mass"), message);
            }
        }
        for (i, mass) in case.masses.iter().enumerate() {
            self.target(&format!("masses[{i}].on"), &mass.on);
            if mass.mass == 0.0 && mass.inertia == 0.0 {
                self.refuse(format!("masses[{i}]"), "give a `mass` or an `inertia`");
            }
        }
        for (i, spring) in case.springs.iter().enumerate() {
            self.spring(&format!("springs[{i}]"), spring);
        }
        for (i, tie) in case.ties.iter().enumerate() {
            let path = format!("ties[{i}]");
            self.target(&format!("{path}.nodes"), &tie.nodes);
            self.freedoms(&format!("{path}.freedoms"), &tie.freedoms);
            if !case.points.contains_key(&tie.to) {
                let hint = suggestion(&tie.to, case.points.keys().map(String::as_str));
                self.refuse(format!("{path}.to"), format!("no such point{hint}"));
            }
            if tie.nodes == tie.to {
                self.refuse(path, "ties a point to itself");
            }
        }
    }

    fn freedoms(&mut self, path: &str, freedoms: &[Freedom]) {
        let distinct: HashSet<&Freedom> = freedoms.iter().collect();
        if distinct.len() < freedoms.len() {
            self.refuse(path, "lists a freedom twice");
        }
    }

    fn spring(&mut self, path: &str, spring: &Spring) {
        let [a, b] = &spring.between;
        for (i, end) in spring.between.iter().enumerate() {
            if end != GROUND {
                self.target(&format!("{path}.between[{i}]"), end);
            }
        }
        if a == b {
            self.refuse(format!("{path}.between"), "connects a point with itself");
        }
        if spring.stiffness == 0.0 && spring.damping == 0.0 {
            self.refuse(path, "give a `stiffness` or a `damping` greater than 0");
        }
        self.direction(&format!("{path}.direction"), spring.direction);
    }

    fn direction(&mut self, path: &str, direction: Direction) {
        if let Direction::Vector([x, y]) = direction
            && !(x.hypot(y) > 0.0 && x.hypot(y).is_finite())
        {
            self.refuse(path, "the direction must have a length greater than 0");
        }
    }

    /// "part.set" or a point: the part or point must exist; sets are looked up in the mesh later.
    fn target(&mut self, path: &str, target: &str) {
        let (parts, points) = (&self.case.parts, &self.case.points);
        let message = match target.split_once('.') {
            Some((part, _)) if parts.contains_key(part) => return,
            Some((part, _)) => {
                format!("no such part{}", suggestion(part, parts.keys().map(String::as_str)))
            }
            None if points.contains_key(target) => return,
            None if parts.contains_key(target) => {
                format!("is a whole part; name one of its sets as \"{target}.SET\"")
            }
            None => {
                let hint = suggestion(target, points.keys().map(String::as_str));
                format!("no such point (sets are written \"part.set\"){hint}")
            }
        };
        self.refuse(path, message);
    }

    fn supports_and_loads(&mut self) {
        let case = self.case;
        for (i, support) in case.supports.iter().enumerate() {
            let path = format!("supports[{i}]");
            self.target(&format!("{path}.on"), support.on());
            match support {
                Support::Roller { direction, .. } => {
                    self.direction(&format!("{path}.direction"), *direction)
                }
                Support::Prescribed { x: None, y: None, rotation: None, .. } => {
                    self.refuse(path, "give at least one of: x, y, rotation")
                }
                _ => {}
            }
        }
        for (i, load) in case.loads.iter().enumerate() {
            let path = format!("loads[{i}]");
            if let Some(on) = load.on() {
                self.target(&format!("{path}.on"), on);
            }
            if let (Variation::Static, phase) = load.variation()
                && phase != 0.0
            {
                self.refuse(format!("{path}.phase"), "is used with variation = \"harmonic\" only");
            }
            match load {
                Load::Force { force: [0.0, 0.0], moment: 0.0, .. } => {
                    self.refuse(path, "give a `force` or a `moment`")
                }
                Load::Traction { on, .. } | Load::Pressure { on, .. } if !on.contains('.') => {
                    self.refuse(format!("{path}.on"), "acts on the edges of a set, \"part.set\"")
                }
                _ => {}
            }
        }
    }

    fn contact_and_reduction(&mut self) {
        let case = self.case;
        for (i, contact) in case.contact.iter().enumerate() {
            let path = format!("contact[{i}].between");
            let [first, second] = &contact.between;
            self.target(&format!("{path}[0]"), first);
            if second != GROUND {
                self.target(&format!("{path}[1]"), second);
            }
            if first == second {
                self.refuse(path, "a face cannot touch itself");
            }
        }
        for (name, reduction) in &case.reduction {
            let path = format!("reduction.{name}");
            if !case.parts.contains_key(name) && !case.points.contains_key(name) {
                let names = case.parts.keys().chain(case.points.keys()).map(String::as_str);
                let hint = suggestion(name, names.collect::<Vec<_>>());
                self.refuse(&path, format!("no such part or point{hint}"));
            }
            self.saved(&path, reduction);
            if reduction.modes.is_some() == reduction.up_to.is_some() {
                self.refuse(&path, "give `modes` or `up_to`, and not both");
            }
            let kept = [("interface", &reduction.interface), ("retain", &reduction.retain)];
            for (key, targets) in kept {
                for (i, target) in targets.iter().enumerate() {
                    self.target(&format!("{path}.{key}[{i}]"), target);
                }
            }
        }
    }

    fn damping(&mut self) {
        match &self.case.damping {
            Some(Damping::RayleighFit { ratios, frequencies }) => {
                if ratios.iter().any(|r| !(0.0..1.0).contains(r)) {
                    self.refuse("damping.ratios", "damping ratios lie between 0 and 1");
                }
                let [f1, f2] = *frequencies;
                if !(f1 > 0.0 && f2 > 0.0 && f1 != f2) {
                    let message = "must be two different frequencies greater than 0 [Hz]";
                    self.refuse("damping.frequencies", message);
                    return;
                }
                let (alpha, beta) = rayleigh_fit(*ratios, *frequencies);
                if alpha < 0.0 || beta < 0.0 {
                    let message = format!(
                        "these ratios need alpha = {alpha:.3e} 1/s and beta = {beta:.3e} s: a negative \
                         one feeds energy into the model; bring the two ratios closer together"
                    );
                    self.refuse("damping.ratios", message);
                }
            }
            Some(Damping::Modal { ratios }) if ratios.iter().any(|r| !(0.0..1.0).contains(r)) => {
                self.refuse("damping.ratios", "damping ratios lie between 0 and 1");
            }
            _ => {}
        }
    }

    fn probes(&mut self) {
        let case = self.case;
        for (name, probe) in &case.probes {
            let path = format!("probes.{name}");
            let direction = match probe {
                Probe::Displacement { at, direction }
                | Probe::Velocity { at, direction }
                | Probe::Acceleration { at, direction }
                | Probe::Reaction { at, direction } => {
                    self.target(&format!("{path}.at"), at);
                    direction
                }
                Probe::RelativeDisplacement { between, direction } => {
                    for (i, at) in between.iter().enumerate() {
                        self.target(&format!("{path}.between[{i}]"), at);
                    }
                    direction
                }
            };
            self.direction(&format!("{path}.direction"), *direction);
        }
    }

    fn analyses(&mut self) {
        let case = self.case;
        if case.analysis.is_empty() {
            self.refuse("analysis", "must hold at least one analysis");
        }
        let mut seen = HashSet::new();
        for (i, analysis) in case.analysis.iter().enumerate() {
            let path = format!("analysis[{i}]");
            let name = analysis.name();
            if !is_name(name) || RESERVED_GROUPS.contains(&name) {
                let message = "a result name is made of letters, digits, `_` and `-`, and is \
                               neither `mesh` nor `meta`";
                self.refuse(format!("{path}.name"), message);
            }
            if !seen.insert(name) {
                let message =
                    format!("another analysis is called `{name}`; give each its own `name`");
                self.refuse(&path, message);
            }
            match analysis {
                Analysis::Static { .. } => {}
                Analysis::Reduction { .. } => {
                    if case.reduction.is_empty() {
                        self.refuse(&path, "needs a table [reduction.PART] for at least one part");
                    }
                    self.needs_mass("a reduction");
                }
                Analysis::Modal { modes, up_to, contact, .. } => {
                    self.contact_state(&path, *contact);
                    if modes.is_some() && up_to.is_some() {
                        self.refuse(&path, "give `modes` or `up_to`, not both");
                    }
                    self.needs_mass("a modal analysis");
                }
                Analysis::Frf { method, modes, quantity, frequencies, contact, fields, .. } => {
                    self.frf(&path, *method, *modes, *quantity);
                    self.contact_state(&path, *contact);
                    self.fields(&path, *method, fields);
                    self.grid(&format!("{path}.frequencies"), frequencies);
                }
            }
        }
    }

    /// Every material in use must have a density.
    fn needs_mass(&mut self, what: &str) {
        let case = self.case;
        let sections = case.parts.values().flat_map(|part| &part.sections);
        let used: HashSet<&str> = sections.map(Section::material).collect();
        for (name, material) in &case.materials {
            let path = format!("materials.{name}.density");
            let known = self.problems.iter().any(|problem| problem.path == path);
            if material.density == 0.0 && used.contains(name.as_str()) && !known {
                self.refuse(path, format!("must be a number greater than 0 [kg/m3] for {what}"));
            }
        }
    }

    fn frf(&mut self, path: &str, method: FrfMethod, modes: Option<usize>, quantity: FrfQuantity) {
        let case = self.case;
        self.needs_mass("a frequency response");
        if case.probes.is_empty() {
            self.refuse("probes", "a frequency response needs at least one probe");
        }
        if method != FrfMethod::Modal && modes.is_some() {
            self.refuse(format!("{path}.modes"), "is used with method = \"modal\" only");
        }
        if method != FrfMethod::Modal && matches!(case.damping, Some(Damping::Modal { .. })) {
            let message = "damping of type \"modal\" needs method = \"modal\" here, or use \
                           Rayleigh damping";
            self.refuse(format!("{path}.method"), message);
        }
        let loads = case.loads.iter().filter(|l| l.variation().0 == Variation::Harmonic);
        let moved = case
            .supports
            .iter()
            .filter(|s| matches!(s, Support::Prescribed { variation: Variation::Harmonic, .. }));
        let (n_loads, n_moved) = (loads.clone().count(), moved.count());
        if n_loads + n_moved == 0 {
            let message =
                "nothing vibrates: no load or prescribed support has variation = \"harmonic\"";
            self.refuse(path, message);
        } else if quantity != FrfQuantity::Response {
            let single = n_loads == 1
                && n_moved == 0
                && loads.clone().all(|l| matches!(l, Load::Force { moment: 0.0, .. }));
            if !single {
                let message = "a response per force needs exactly one harmonic load, of type \
                               \"force\" without moment; use quantity = \"response\" otherwise";
                self.refuse(format!("{path}.quantity"), message);
            }
        }
    }

    fn grid(&mut self, path: &str, grid: &FrequencyGrid) {
        match grid {
            FrequencyGrid::Linear { from, to, points }
            | FrequencyGrid::Log { from, to, points } => {
                if from >= to && *points > 1 {
                    self.refuse(
                        format!("{path}.to"),
                        format!("must be greater than from = {from}"),
                    );
                }
            }
            FrequencyGrid::List { values } => {
                for (i, value) in values.iter().enumerate().filter(|(_, v)| **v < 0.0) {
                    let message = format!("frequency {value} Hz is negative");
                    self.refuse(format!("{path}.values[{i}]"), message);
                }
            }
        }
    }
}

/// α and β of C = αM + βK with the given damping ratios at two frequencies \[Hz\].
pub(super) fn rayleigh_fit(ratios: [f64; 2], frequencies: [f64; 2]) -> (f64, f64) {
    let [z1, z2] = ratios;
    let [w1, w2] = frequencies.map(|f| std::f64::consts::TAU * f);
    let difference = w2 * w2 - w1 * w1;
    let alpha = 2.0 * w1 * w2 * (z1 * w2 - z2 * w1) / difference;
    let beta = 2.0 * (z2 * w2 - z1 * w1) / difference;
    (alpha, beta)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
