//! Rules of responses: the state of the contacts and the stored fields.

use super::Checker;
use crate::case::{ContactState, FrfMethod};

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
}
