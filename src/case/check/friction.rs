//! Rules of contacts with a friction law of the library.

use super::Checker;
use crate::case::{Contact, ContactLaw, PairValues};
use crate::friction::{Law, NormalLaw, Viscous};

impl Checker<'_> {
    pub(super) fn friction_law(&mut self, path: &str, contact: &Contact) {
        if let Some((key, message)) = contact.static_friction.as_ref().and_then(PairValues::problem)
        {
            self.refuse(format!("{path}.static_friction.{key}"), message);
        }
        let ContactLaw::Friction { normal, tangential } = &contact.law else {
            if contact.static_friction.is_some() {
                let message = "is used by a law of type \"friction\" only";
                self.refuse(format!("{path}.static_friction"), message);
            }
            return;
        };
        for fault in normal.faults() {
            self.refuse(format!("{path}.law.normal.{}", fault.key), fault.message);
        }
        for fault in tangential.faults() {
            self.refuse(format!("{path}.law.tangential.{}", fault.key), fault.message);
        }
        self.coefficients(path, contact, tangential);
        let needs_force =
            !matches!(tangential, Law::Viscous(Viscous { damping_per_force: 0.0, .. }));
        if *normal == NormalLaw::Constant && contact.preload == 0.0 && needs_force {
            let message = format!(
                "{}: without normal force there is no friction; give a preload greater than 0 N, or a normal \
                 law other than \"constant\"",
                tangential.name()
            );
            self.refuse(format!("{path}.preload"), message);
        }
    }

    fn coefficients(&mut self, path: &str, contact: &Contact, law: &Law) {
        let name = law.name();
        if law.has_limit() && !contact.friction.is_used() {
            let message = format!("{name}: the law needs a friction coefficient greater than 0");
            self.refuse(format!("{path}.friction"), message);
        }
        let Some(highest) = &contact.static_friction else { return };
        if !law.has_static_friction() {
            let message = match law {
                Law::VelocityLimited(_) => format!("{name}: is used with stribeck_velocity only"),
                _ => format!("{name}: the law knows one coefficient only, `friction`"),
            };
            self.refuse(format!("{path}.static_friction"), message);
        } else if let Some((highest, kinetic)) = highest.first_below(&contact.friction) {
            let message = format!(
                "{name}: the static coefficient must be at least the kinetic one, but {highest} is less than \
                 friction = {kinetic}"
            );
            self.refuse(format!("{path}.static_friction"), message);
        }
    }

    /// Laws that need to know the holding force have no place in harmonic balance.
    pub(super) fn needs_force_histories(&mut self) {
        for (i, contact) in self.case.contact.iter().enumerate() {
            let ContactLaw::Friction { tangential, .. } = &contact.law else { continue };
            if tangential.is_time_only() {
                let message = format!(
                    "{}: sticks by the force that holds the contact, which only time integration knows; harmonic \
                     balance needs a force that follows from the history of the slip: use an analysis of type \
                     \"transient\" or \"history\", or another law (\"exact\" is its limit)",
                    tangential.name()
                );
                self.refuse(format!("contact[{i}].law.tangential.type"), message);
            }
        }
    }
}
