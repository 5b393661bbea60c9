//! Rules of the analysis `transient`.

use super::Checker;
use crate::case::model::{Damping, Support, Variation};
use crate::case::{ContactLaw, Transient};

impl Checker<'_> {
    pub(super) fn transient(&mut self, path: &str, transient: &Transient) {
        let Transient { frequencies, steps_per_period, harmonics, .. } = transient;
        self.grid(&format!("{path}.frequencies"), frequencies);
        if frequencies.values().contains(&0.0) {
            let message = "a periodic response needs frequencies greater than 0 Hz";
            self.refuse(format!("{path}.frequencies"), message);
        }
        if *steps_per_period <= 2 * harmonics {
            let message = format!("{harmonics} harmonics need more than {} steps", 2 * harmonics);
            self.refuse(format!("{path}.steps_per_period"), message);
        }
        if matches!(self.case.damping, Some(Damping::Modal { .. })) {
            let message = "damping of type \"modal\" has no matrix: use Rayleigh damping in time";
            self.refuse("damping", message);
        }
        self.needs_mass("an analysis in time");
        self.needs_vibration(path);
        self.needs_one_kind_of_law();
    }

    fn needs_vibration(&mut self, path: &str) {
        let case = self.case;
        let is_moved = |support: &Support| {
            matches!(support, Support::Prescribed { variation: Variation::Harmonic, .. })
        };
        let is_vibrating = case.loads.iter().any(|load| load.variation().0 == Variation::Harmonic)
            || case.supports.iter().any(is_moved);
        if !is_vibrating {
            let message =
                "nothing vibrates: no load or prescribed support has variation = \"harmonic\"";
            self.refuse(path, message);
        }
    }

    /// Contacts that are exact along the normal are integrated by impulses, springs by accelerations.
    pub(super) fn needs_one_kind_of_law(&mut self) {
        let is_exact = ContactLaw::presses_exactly;
        let laws: Vec<ContactLaw> = self.case.contact.iter().map(|contact| contact.law).collect();
        let first = laws.first().map(is_exact);
        if let Some(other) = laws.iter().position(|law| Some(is_exact(law)) != first) {
            let message = "time integration and stability need contacts that are exact along the normal (law = \"exact\", \
                 or a law of type \"friction\" with normal = { type = \"exact\" }) for all, or for none";
            self.refuse(format!("contact[{other}].law"), message);
        }
    }
}
