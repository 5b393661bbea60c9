//! What is wrong with the parameters of a law.

/// A parameter that a law cannot work with.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Its key in the table of the law.
    pub key: &'static str,
    /// Which law, and what is allowed.
    pub message: String,
}

/// Collects the faults of a law.
pub(super) struct Faults {
    law: &'static str,
    list: Vec<Fault>,
}

impl Faults {
    pub fn of(law: &'static str) -> Self {
        Self { law, list: vec![] }
    }

    /// Refuses a key for a reason.
    pub fn refuse(mut self, key: &'static str, reason: &str) -> Self {
        self.list.push(Fault { key, message: format!("{}: {reason}", self.law) });
        self
    }

    /// Refuses a key where it is not right.
    pub fn require(self, is_right: bool, key: &'static str, reason: &str) -> Self {
        if is_right { self } else { self.refuse(key, reason) }
    }

    /// A number greater than 0.
    pub fn positive(self, key: &'static str, value: f64, unit: &str) -> Self {
        let is_right = value > 0.0 && value.is_finite();
        self.require(is_right, key, &format!("must be greater than 0 {unit}"))
    }

    /// A number that is 0 or more.
    pub fn not_negative(self, key: &'static str, value: f64, unit: &str) -> Self {
        let is_right = value >= 0.0 && value.is_finite();
        self.require(is_right, key, &format!("must be at least 0 {unit}"))
    }

    /// A number in low … high, both included.
    pub fn between(self, key: &'static str, value: f64, low: f64, high: f64) -> Self {
        let is_right = (low..=high).contains(&value);
        self.require(is_right, key, &format!("must lie between {low} and {high}"))
    }

    /// A number in low … high, high excluded.
    pub fn below(self, key: &'static str, value: f64, low: f64, high: f64) -> Self {
        let is_right = (low..high).contains(&value);
        self.require(is_right, key, &format!("must be at least {low} and less than {high}"))
    }

    /// Exactly one of `stiffness` and `elastic_slip`, and that greater than 0.
    pub fn spring(self, stiffness: Option<f64>, elastic_slip: Option<f64>) -> Self {
        match (stiffness, elastic_slip) {
            (Some(stiffness), None) => self.positive("stiffness", stiffness, "N/m"),
            (None, Some(slip)) => self.positive("elastic_slip", slip, "m"),
            _ => self.refuse("stiffness", "give `stiffness` or `elastic_slip`, and not both"),
        }
    }

    pub fn list(self) -> Vec<Fault> {
        self.list
    }
}
