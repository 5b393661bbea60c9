//! Rules of responses: the state of the contacts and the stored fields.

use super::Checker;
use crate::case::problem::suggestion;
use crate::case::response::MAX_HARMONIC;
use crate::case::{
    Analysis, Contact, ContactLaw, ContactState, Continuation, Damping, FrfMethod, Harmonics, Load,
    Response, SlipMeasure, StabilityMethod, Support, TargetSlip, Variation, Vary,
};

/// Residual over the loads beyond which a solution is none: 1e-2 has been seen to be 60 % off.
const MAX_TOLERANCE: f64 = 1e-4;

impl Checker<'_> {
    pub(super) fn contact_state(&mut self, path: &str, contact: ContactState) {
        if contact == ContactState::Stuck && self.case.contact.is_empty() {
            let message = "nothing is stuck: the case has no [[contact]]";
            self.refuse(format!("{path}.contact"), message);
        }
    }

    pub(super) fn fields(&mut self, path: &str, method: FrfMethod, fields: &[f64]) {
        if method == FrfMethod::Modal && !fields.is_empty() {
            let message = "are stored with method = \"direct\" or \"reduced\" only";
            self.refuse(format!("{path}.fields"), message);
        }
        for (i, value) in fields.iter().enumerate().filter(|(_, value)| **value < 0.0) {
            let message = format!("frequency {value} Hz is negative");
            self.refuse(format!("{path}.fields[{i}]"), message);
        }
    }

    pub(super) fn response(&mut self, path: &str, response: &Response) {
        if self.case.probes.is_empty() {
            self.refuse("probes", "a response needs at least one probe");
        }
        self.vibration(path, response);
        self.curve(path, response);
        self.stability(path, response.stability);
        if let Some(target) = &response.target_slip {
            self.target_slip(path, target, &response.levels);
            self.constant_slip(path, response);
        }
    }

    /// A motion in time to begin with, of an analysis before this one.
    pub(super) fn start(&mut self, path: &str, response: &Response, earlier: &[Analysis]) {
        let Some(name) = &response.start else { return };
        let at = format!("{path}.start");
        let is_plain = response.continuation == Continuation::Sequential
            && response.vary == Vary::Frequency
            && response.target_slip.is_none();
        if !is_plain {
            let message = "works with continuation = \"sequential\", vary = \"frequency\" and without `target_slip`";
            self.refuse(&at, message);
        }
        match earlier.iter().find(|analysis| analysis.name() == name) {
            None => {
                let hint = suggestion(name, earlier.iter().map(Analysis::name));
                let message = format!("no analysis before this one is called `{name}`{hint}");
                self.refuse(at, message);
            }
            Some(Analysis::Transient(transient)) => {
                let known = transient.frequencies.values();
                let is_known = |f: &f64| known.iter().any(|k| (k - f).abs() <= 1e-9 * f);
                if !response.frequencies.values().iter().any(is_known) {
                    let message = format!("none of its frequencies is one of `{name}`");
                    self.refuse(at, message);
                }
            }
            Some(_) => {
                let message = format!("`{name}` is no analysis of type \"transient\"");
                self.refuse(at, message);
            }
        }
    }

    /// A load that is found for a slip.
    pub(super) fn target_slip(&mut self, path: &str, target: &TargetSlip, levels: &[f64]) {
        let at = format!("{path}.target_slip");
        match self.case.contact.get(target.contact) {
            None => {
                let n = self.case.contact.len();
                let message =
                    format!("must be less than {n}, the number of contacts: the first is 0");
                self.refuse(format!("{at}.contact"), message);
            }
            Some(contact) => {
                let has_loop = contact.friction.is_used();
                if !has_loop && target.measure == SlipMeasure::HalfOpening {
                    let message = "without friction a loop has no opening: give the contact \
                                   `friction`, or use \"max_slip\"";
                    self.refuse(format!("{at}.measure"), message);
                }
            }
        }
        match levels {
            [level] if *level > 0.0 && *level <= target.max_level => {}
            _ => {
                let message = format!(
                    "{levels:?}: with `target_slip` one value, the first to try, greater than 0 and at \
                     most max_level = {}",
                    target.max_level
                );
                self.refuse(format!("{path}.levels"), message);
            }
        }
    }

    /// What does not go with a load of its own at every frequency.
    fn constant_slip(&mut self, path: &str, response: &Response) {
        if response.vary != Vary::Frequency {
            let message = "with `target_slip` only \"frequency\" can vary: the load is found";
            self.refuse(format!("{path}.vary"), message);
        }
        if response.continuation != Continuation::Sequential {
            let message = "`target_slip` works with \"sequential\"";
            self.refuse(format!("{path}.continuation"), message);
        }
        if matches!(response.harmonics, Harmonics::Auto(_)) {
            let message = "`target_slip` needs a number of harmonics";
            self.refuse(format!("{path}.harmonics"), message);
        }
    }

    /// What every periodic motion needs.
    pub(super) fn vibration(&mut self, path: &str, response: &Response) {
        let case = self.case;
        self.needs_mass("a response");
        if case.contact.is_empty() {
            self.refuse(path, "needs a [[contact]]; without one use type = \"frf\"");
        }
        if matches!(case.damping, Some(Damping::Modal { .. })) {
            let message = "a response needs Rayleigh damping or dashpots; modal ratios belong to \
                           modes, which a joint changes";
            self.refuse("damping.type", message);
        }
        self.excitation(path);
        self.needs_force_histories();
        self.nothing_touches();
        self.harmonics(path, response);
        if response.vary == Vary::Load && response.levels.len() > 1 {
            let message = "vary = \"load\" goes over the load itself: every level would give the same curve; one value, or leave the key out";
            self.refuse(format!("{path}.levels"), message);
        }
        if response.tolerance > MAX_TOLERANCE {
            let message = format!(
                "is the residual over the loads at which a point counts as solved: at most {MAX_TOLERANCE:e}, better 1e-9"
            );
            self.refuse(format!("{path}.tolerance"), message);
        }
        for (i, level) in response.levels.iter().enumerate().filter(|(_, level)| **level < 0.0) {
            self.refuse(format!("{path}.levels[{i}]"), format!("level {level} is negative"));
        }
    }

    fn excitation(&mut self, path: &str) {
        let case = self.case;
        let is_moved = case
            .supports
            .iter()
            .any(|s| matches!(s, Support::Prescribed { variation: Variation::Harmonic, .. }));
        let is_loaded = case.loads.iter().any(|l| l.variation().0 == Variation::Harmonic);
        if !is_moved && !is_loaded {
            let message =
                "nothing vibrates: no load or prescribed support has variation = \"harmonic\"";
            self.refuse(path, message);
        }
    }

    /// Friction without anything that presses, and without a gap that could close.
    fn nothing_touches(&mut self) {
        let case = self.case;
        let is_pressed =
            case.loads.iter().any(|load: &Load| load.variation().0 == Variation::Static)
                || case.supports.iter().any(|s| matches!(s, Support::Prescribed { .. }));
        let is_idle = |contact: &Contact| {
            contact.preload == 0.0
                && contact.gap == 0.0
                && contact.friction.is_used()
                && !matches!(contact.law, ContactLaw::Cubic { .. })
        };
        for (i, contact) in case.contact.iter().enumerate() {
            if is_pressed || !is_idle(contact) {
                continue;
            }
            let message = format!(
                "{}: nothing presses the faces together: give `preload`, or a static load",
                contact.law.name()
            );
            self.refuse(format!("contact[{i}].preload"), message);
        }
    }

    fn stability(&mut self, path: &str, method: StabilityMethod) {
        if method != StabilityMethod::None {
            self.needs_one_kind_of_law();
        }
        let remembers = |law: &ContactLaw| match law {
            ContactLaw::Exact => true,
            ContactLaw::Penalty { tangential_stiffness, .. } => *tangential_stiffness > 0.0,
            ContactLaw::Cubic { .. } => false,
            ContactLaw::Friction { .. } => true,
        };
        let laws = self.case.contact.iter().map(|contact| contact.law);
        if method == StabilityMethod::Hill && laws.into_iter().any(|law| remembers(&law)) {
            let message = "\"hill\" is for springs that remember nothing (cubic, or penalty without \
                           tangential_stiffness); use \"monodromy\"";
            self.refuse(format!("{path}.stability"), message);
        }
    }

    fn harmonics(&mut self, path: &str, response: &Response) {
        let at = format!("{path}.harmonics");
        let orders = response.harmonic_orders();
        if !orders.contains(&1) {
            return self.refuse(at, "must contain the first harmonic, which the loads excite");
        }
        if let Harmonics::List(list) = &response.harmonics
            && (list.contains(&0) || orders.len() != list.len())
        {
            let message = "lists positive harmonics, each once; the static one is always there";
            return self.refuse(at, message);
        }
        let highest = orders.last().copied().unwrap_or(1);
        if highest > MAX_HARMONIC {
            let message = format!("the highest harmonic must be at most {MAX_HARMONIC}");
            return self.refuse(at, message);
        }
        let samples = response.n_samples();
        if samples <= 2 * highest {
            let message = format!(
                "{samples} samples cannot resolve harmonic {highest}: at least {}, better {}",
                2 * highest + 1,
                16 * highest
            );
            self.refuse(format!("{path}.samples"), message);
        }
    }

    fn curve(&mut self, path: &str, response: &Response) {
        self.grid(&format!("{path}.frequencies"), &response.frequencies);
        let frequencies = response.frequencies.values();
        if let Some(zero) = frequencies.iter().find(|f| **f <= 0.0) {
            let message = format!("frequency {zero} Hz: a vibration needs a frequency above 0");
            self.refuse(format!("{path}.frequencies"), message);
        }
        let is_rising = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_rising(&frequencies) {
            self.refuse(format!("{path}.frequencies"), "must ascend");
        }
        let at = format!("{path}.factors");
        match (response.vary, &response.factors) {
            (Vary::Frequency, Some(_)) => {
                self.refuse(at, "are used with vary = \"load\", \"preload\" or \"friction\" only");
            }
            (Vary::Frequency, None) => {}
            (_, None) => self.refuse(at, "is missing; must be the values of the varied factor"),
            (_, Some(grid)) => {
                self.grid(&at, grid);
                let values = grid.values();
                if !is_rising(&values) || values.iter().any(|v| *v <= 0.0) {
                    self.refuse(at, "must ascend and be greater than 0");
                }
            }
        }
        let varied = match &response.factors {
            Some(grid) => grid.values().len(),
            None => frequencies.len(),
        };
        if response.continuation != Continuation::Sequential && varied < 2 {
            let message = "following a curve needs a range: two values or more";
            self.refuse(format!("{path}.continuation"), message);
        }
        if response.continuation != Continuation::Sequential
            && matches!(response.harmonics, Harmonics::Auto(_))
        {
            let message = "\"auto\" works with continuation = \"sequential\"; give a number here";
            self.refuse(format!("{path}.harmonics"), message);
        }
        if response.vary == Vary::Preload {
            self.preload_law(path);
        }
    }

    fn preload_law(&mut self, path: &str) {
        let is_soft = |contact: &Contact| {
            contact.preload > 0.0 && matches!(contact.law, ContactLaw::Penalty { .. })
        };
        if self.case.contact.iter().any(is_soft) {
            let message = "\"preload\" varies the static loads; a prescribed preload on a penalty \
                           contact cannot be varied";
            self.refuse(format!("{path}.vary"), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::case::{CaseFile, CaseSource};

    fn problems(analyses: &str) -> String {
        let text = format!(
            r#"
            points = {{ mass = {{ mass = 1.0, freedoms = ["x"] }} }}
            springs = [{{ between = ["mass", "ground"], direction = "x", stiffness = 1.0 }}]
            loads = [{{ type = "force", on = "mass", force = [1, 0], variation = "harmonic" }}]
            probes.u = {{ type = "displacement", at = "mass", direction = "x" }}
            contact = [{{ between = ["mass", "ground"], normal = [0, 1], area = 1.0, friction = 0.5, preload = 1.0 }}]
            analysis = [{analyses}]
            "#
        );
        let source = CaseSource::from_copies("case".into(), text, vec![], Default::default());
        CaseFile::load(source).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_start_names_an_earlier_analysis_in_time_with_a_frequency_of_its_own() {
        let time = r#"{ type = "transient", name = "time", frequencies = { spacing = "list", values = [0.2, 0.3] } }"#;
        let response = |value: f64, rest: &str| {
            format!(
                r#"{{ type = "response", harmonics = 3, frequencies = {{ spacing = "list", values = [{value}] }}, {rest} }}"#
            )
        };
        let good = response(0.3, r#"start = "time""#);
        assert_eq!(problems(&format!("{time}, {good}")), "");
        let modal = r#"{ type = "modal", name = "time" }"#;
        let refused = [
            (format!("{good}, {time}"), "no analysis before this one is called `time`"),
            (format!("{modal}, {good}"), "`time` is no analysis of type"),
            (format!("{time}, {}", response(0.4, r#"start = "time""#)), "none of its frequencies"),
            (format!("{time}, {}", response(0.3, r#"start = "tome""#)), "did you mean `time`"),
            (
                format!(
                    "{time}, {}",
                    response(0.3, r#"start = "time", continuation = "arc_length""#)
                ),
                "works with continuation",
            ),
        ];
        for (analyses, expected) in refused {
            let found = problems(&analyses);
            assert!(found.contains(expected) && found.contains(".start"), "{expected}: {found}");
        }
    }
}
