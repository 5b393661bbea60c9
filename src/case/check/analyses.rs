//! Rules of analyses and of what they need.

use std::collections::HashSet;

use super::{Checker, is_name};
use crate::case::{
    Analysis, Damping, FrequencyGrid, Frf, FrfMethod, FrfQuantity, Load, Section, Support,
    Variation,
};

/// Groups of the results file that are no analyses.
const RESERVED_GROUPS: [&str; 2] = ["mesh", "meta"];

impl Checker<'_> {
    pub(super) fn analyses(&mut self) {
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
                Analysis::History(history) => self.history(&path, history),
                Analysis::Transient(transient) => self.transient(&path, transient),
                Analysis::Response(response) => {
                    self.response(&path, response);
                    self.start(&path, response, &case.analysis[..i]);
                }
                Analysis::Wear(wear) => self.wear(&path, wear),
                Analysis::Frf(frf) => self.frf(&path, frf),
            }
        }
    }

    /// Every material in use must have a density.
    pub(super) fn needs_mass(&mut self, what: &str) {
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

    fn frf(&mut self, path: &str, frf: &Frf) {
        let case = self.case;
        let is_superposed = frf.method == FrfMethod::Modal;
        self.contact_state(path, frf.contact);
        self.fields(path, frf.method, &frf.fields);
        self.grid(&format!("{path}.frequencies"), &frf.frequencies);
        self.needs_mass("a frequency response");
        if case.probes.is_empty() {
            self.refuse("probes", "a frequency response needs at least one probe");
        }
        if !is_superposed && frf.modes.is_some() {
            self.refuse(format!("{path}.modes"), "is used with method = \"modal\" only");
        }
        if !is_superposed && matches!(case.damping, Some(Damping::Modal { .. })) {
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
        } else if frf.quantity != FrfQuantity::Response {
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

    pub(super) fn grid(&mut self, path: &str, grid: &FrequencyGrid) {
        match grid {
            FrequencyGrid::Linear { from, to, points }
            | FrequencyGrid::Log { from, to, points } => {
                let is_readable = !self.is_in_guess(&format!("{path}.from"));
                if is_readable && from >= to && *points > 1 {
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
