//! Rules of wear: laws of contacts and the analysis `wear`.

use super::{Checker, is_name};
use crate::case::{Analysis, Contact, ContactLaw, Harmonics, Wear, WearLaw};

impl Checker<'_> {
    pub(super) fn wear_law(&mut self, path: &str, contact: &Contact) {
        if contact.preload_stiffness > 0.0
            && (contact.preload == 0.0 || contact.law != ContactLaw::Exact)
        {
            let message = "lowers `preload` of a contact with the exact law: give `preload`, or \
                           leave this out";
            self.refuse(format!("{path}.preload_stiffness"), message);
        }
        let Some(law) = &contact.wear else { return };
        let path = format!("{path}.wear");
        if matches!(contact.law, ContactLaw::Cubic { .. }) {
            self.refuse(&path, "a cubic spring does not rub: give the contact another law");
        }
        if let (ContactLaw::Friction { tangential, .. }, WearLaw::Archard { .. }) =
            (&contact.law, law)
        {
            let message = format!(
                "{}: Archard's law needs the slip of the faces, which the law does not tell from their elastic \
                 deflection: use wear of type \"energy\", or the exact law",
                tangential.name()
            );
            self.refuse(format!("{path}.type"), message);
        }
        let given = match law {
            WearLaw::Archard { coefficient, wear_number, hardness, .. } => {
                let is_quotient = wear_number.is_some() && hardness.is_some();
                let is_mixed = wear_number.is_some() != hardness.is_some();
                if is_mixed || is_quotient == coefficient.is_some() {
                    let message = "give `coefficient` [1/Pa], or `wear_number` and `hardness`";
                    self.refuse(&path, message);
                }
                coefficient.as_ref()
            }
            WearLaw::Energy { coefficient, .. } => Some(coefficient),
        };
        let values = given.map_or(&[][..], |coefficient| coefficient.values());
        if let Some(bad) = values.iter().find(|value| !(value.is_finite() && **value >= 0.0)) {
            let message = format!("{bad}: a wear coefficient is 0 or greater [1/Pa]");
            self.refuse(format!("{path}.coefficient"), message);
        }
        let [first, second] = law.share();
        if first < 0.0 || second < 0.0 || (first + second - 1.0).abs() > 1e-12 {
            let message = format!(
                "[{first}, {second}]: two shares, 0 or greater, whose sum is 1; \
                 [1, 0] lets only the first face wear"
            );
            self.refuse(format!("{path}.share"), message);
        }
    }

    pub(super) fn wear(&mut self, path: &str, wear: &Wear) {
        if self.case.contact.iter().all(|contact| contact.wear.is_none()) {
            let message = "nothing can wear: give a [[contact]] a table `wear`, such as \
                           wear = { type = \"archard\", coefficient = 1e-15 }";
            self.refuse(path, message);
        }
        if matches!(wear.harmonics, Harmonics::Auto(_)) {
            let message =
                "wear needs a number of harmonics; \"auto\" belongs to type = \"response\"";
            self.refuse(format!("{path}.harmonics"), message);
        }
        self.vibration(path, &wear.vibration());
        self.blocks(path, wear);
        if let Some(target) = &wear.target_slip {
            self.target_slip(path, target, &wear.levels);
            if !wear.blocks.is_empty() {
                let message = "is for histories of one vibration: leave out `blocks`, or this";
                self.refuse(format!("{path}.target_slip"), message);
            }
        }
        self.jumps(path, wear);
        for (i, follow_up) in wear.follow_up.iter().enumerate() {
            let at = format!("{path}.follow_up[{i}]");
            if wear.frequencies().len() * wear.levels.len() > 1 && wear.blocks.is_empty() {
                self.refuse(
                    &at,
                    "follows one history: give one frequency and one level, or blocks",
                );
            }
            if follow_up.response.is_none() && follow_up.modes.is_none() {
                self.refuse(&at, "give `response`, `modes` or both");
            }
            self.cycle_counts(&format!("{at}.at"), &follow_up.at, wear);
            if let Some(response) = &follow_up.response {
                self.response(&format!("{at}.response"), response);
                if response.start.is_some() {
                    let message =
                        "a worn contact moves otherwise: is for analyses of type \"response\" only";
                    self.refuse(format!("{at}.response.start"), message);
                }
            }
            self.follow_up_name(&format!("{at}.name"), &follow_up.name, wear);
        }
        self.cycle_counts(&format!("{path}.at"), &wear.at, wear);
    }

    /// Groups of follow-ups must not meet other groups.
    fn follow_up_name(&mut self, path: &str, name: &str, wear: &Wear) {
        if !is_name(name) {
            self.refuse(path, "a result name is made of letters, digits, `_` and `-`");
        }
        let starts = |other: &str| other.strip_prefix(name).is_some_and(|r| r.starts_with('_'));
        let same = wear.follow_up.iter().filter(|other| other.name == name).count();
        if same > 1 || self.case.analysis.iter().map(Analysis::name).any(starts) {
            let message = format!("`{name}` is used by another follow-up or analysis");
            self.refuse(path, message);
        }
    }

    /// One history per frequency and level, or one of blocks.
    fn blocks(&mut self, path: &str, wear: &Wear) {
        match (&wear.frequencies, wear.blocks.is_empty()) {
            (Some(_), false) => {
                self.refuse(format!("{path}.blocks"), "give `frequencies` or `blocks`, not both");
            }
            (None, true) => self.refuse(path, "give `frequencies` and `cycles`, or `blocks`"),
            (Some(grid), true) => {
                self.grid(&format!("{path}.frequencies"), grid);
                if let Some(zero) = grid.values().iter().find(|f| **f <= 0.0) {
                    let message = format!("{zero} Hz: a vibration needs a frequency above 0");
                    self.refuse(format!("{path}.frequencies"), message);
                }
                if wear.cycles.is_none() {
                    self.refuse(format!("{path}.cycles"), "is missing; must be a number above 0");
                }
                if wear.repeat > 1 {
                    self.refuse(format!("{path}.repeat"), "is used with `blocks` only");
                }
            }
            (None, false) => {
                if wear.cycles.is_some() {
                    let message = "every block has its own number of cycles: leave this out";
                    self.refuse(format!("{path}.cycles"), message);
                }
                if wear.levels != [1.0] {
                    let message = "every block has its own `level`: leave this out";
                    self.refuse(format!("{path}.levels"), message);
                }
            }
        }
    }

    fn jumps(&mut self, path: &str, wear: &Wear) {
        let total = wear.total_cycles();
        if let Some(jump) = wear.scheme.first_jump().filter(|jump| *jump > total) {
            let message = format!("{jump} cycles are more than the {total} of the whole history");
            self.refuse(format!("{path}.scheme.first_jump"), message);
        }
    }

    fn cycle_counts(&mut self, path: &str, counts: &[f64], wear: &Wear) {
        let total = wear.total_cycles();
        for (i, count) in counts.iter().enumerate() {
            if !(0.0..=total).contains(count) {
                let message = format!("{count} cycles: must lie between 0 and {total}");
                self.refuse(format!("{path}[{i}]"), message);
            }
        }
    }
}
