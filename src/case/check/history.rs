//! Rules of the analysis `history`.

use super::Checker;
use crate::case::{ContactLaw, Course, Damping, History, HistoryDrive, SlipCriterion};

/// Steps of a record beyond which a case is surely a mistake.
const MAX_STEPS: f64 = 1e10;

impl Checker<'_> {
    pub(super) fn history(&mut self, path: &str, history: &History) {
        let History { duration, time_step, .. } = history;
        if time_step > duration {
            let message = format!("{time_step} s is longer than duration = {duration} s");
            self.refuse(format!("{path}.time_step"), message);
        }
        if duration / time_step > MAX_STEPS {
            let message =
                format!("makes {:.1e} steps; at most {MAX_STEPS:.0e}", duration / time_step);
            self.refuse(format!("{path}.time_step"), message);
        }
        if history.measure_from >= *duration {
            let message = format!("must be less than duration = {duration} s");
            self.refuse(format!("{path}.measure_from"), message);
        }
        let is_exact = self.case.contact.iter().any(|contact| contact.law.presses_exactly());
        if is_exact && history.tolerance.is_some() {
            let message =
                "exact contacts are integrated by impulses with fixed steps: leave it out";
            self.refuse(format!("{path}.tolerance"), message);
        }
        if matches!(self.case.damping, Some(Damping::Modal { .. })) {
            let message = "damping of type \"modal\" has no matrix: use Rayleigh damping in time";
            self.refuse("damping", message);
        }
        for (i, drive) in history.drives.iter().enumerate() {
            let path = format!("{path}.drives[{i}]");
            self.target(&format!("{path}.on"), drive.on());
            if let HistoryDrive::Force { direction, .. } = drive {
                self.direction(&format!("{path}.direction"), *direction);
            }
            self.course(&format!("{path}.course"), drive.course());
        }
        if matches!(history.slip, SlipCriterion::SettledState { .. }) {
            self.needs_deflections(path);
        }
        self.needs_mass("an analysis in time");
        self.needs_one_kind_of_law();
    }

    /// A state can only settle where there is one that stretches.
    fn needs_deflections(&mut self, path: &str) {
        for (i, contact) in self.case.contact.iter().enumerate() {
            let name = match &contact.law {
                ContactLaw::Friction { tangential, .. } if !tangential.has_deflection() => {
                    tangential.name()
                }
                ContactLaw::Exact => "exact",
                ContactLaw::Cubic { .. } => "cubic",
                ContactLaw::Penalty { tangential_stiffness, .. }
                    if *tangential_stiffness == 0.0 =>
                {
                    "penalty without tangential_stiffness"
                }
                _ => continue,
            };
            let message = format!(
                "\"settled_state\" needs a deflection, but contact[{i}] has the law {name}, which has none: use \
                 criterion \"law\", or \"velocity\" with a threshold"
            );
            self.refuse(format!("{path}.slip.criterion"), message);
        }
    }

    fn course(&mut self, path: &str, course: &Course) {
        match course {
            Course::Table { times, values } => self.table(path, times, values),
            Course::Sum { of } => {
                for (i, part) in of.iter().enumerate() {
                    self.course(&format!("{path}.of[{i}]"), part);
                }
            }
            _ => {}
        }
    }

    fn table(&mut self, path: &str, times: &[f64], values: &[f64]) {
        if times.is_empty() {
            self.refuse(format!("{path}.times"), "must hold at least one time");
        }
        if times.len() != values.len() {
            let message = format!("{} values for {} times", values.len(), times.len());
            self.refuse(format!("{path}.values"), message);
        }
        for (i, pair) in times.windows(2).enumerate().filter(|(_, pair)| pair[1] <= pair[0]) {
            let message = format!(
                "must increase: {} s does not come after {} s, the time before it",
                pair[1], pair[0]
            );
            self.refuse(format!("{path}.times[{}]", i + 1), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::case::{CaseFile, CaseSource};

    /// What is said of a mass that is pulled over the ground.
    fn problems(law: &str, load: &str, criterion: &str) -> String {
        let text = format!(
            r#"
            points.mass = {{ mass = 1.0, freedoms = ["x", "y"] }}
            springs = [{{ between = ["mass", "ground"], direction = "x", stiffness = 1.0 }}, {{ between = ["mass", "ground"], direction = "y", stiffness = 1.0 }}]
            loads = [{{ type = "force", on = "mass", force = {load} }}]
            contact = [{{ between = ["mass", "ground"], normal = [0, 1], area = 1.0, friction = 0.5, preload = 1.0, law = {law} }}]
            analysis = [{{ type = "history", duration = 1.0, time_step = 0.1, slip = {criterion} }}]
            "#
        );
        let source = CaseSource::from_copies("case".into(), text, vec![], Default::default());
        CaseFile::load(source).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_state_that_settles_is_asked_of_laws_that_have_one_only() {
        let settled = r#"{ criterion = "settled_state", below = 1e-10 }"#;
        let law = |tangential: &str| {
            format!(r#"{{ type = "friction", tangential = {{ {tangential} }} }}"#)
        };
        assert_eq!(problems(&law(r#"type = "dahl", stiffness = 1.0"#), "[1, 0]", settled), "");
        let without = [
            (law(r#"type = "karnopp", velocity = 1e-3"#), "karnopp"),
            (law(r#"type = "smoothed_coulomb", velocity = 1e-3"#), "smoothed_coulomb"),
            (r#"{ type = "exact" }"#.into(), "exact"),
        ];
        for (law, name) in without {
            let found = problems(&law, "[1, 0]", settled);
            assert!(found.contains("slip.criterion") && found.contains(name), "{found}");
            assert_eq!(problems(&law, "[1, 0]", r#"{ criterion = "law" }"#), "");
        }
    }

    #[test]
    fn a_load_that_presses_beside_a_constant_normal_force_is_refused() {
        let by_law = r#"{ criterion = "law" }"#;
        let law = |normal: &str| {
            format!(
                r#"{{ type = "friction", normal = {{ {normal} }}, tangential = {{ type = "dahl", stiffness = 1.0 }} }}"#
            )
        };
        let found = problems(&law(r#"type = "constant""#), "[0, -1]", by_law);
        assert!(found.contains("loads[0].force") && found.contains("preload"), "{found}");
        assert_eq!(problems(&law(r#"type = "constant""#), "[1, 0]", by_law), "");
        assert_eq!(problems(&law(r#"type = "penalty", stiffness = 1.0"#), "[0, -1]", by_law), "");
    }
}
