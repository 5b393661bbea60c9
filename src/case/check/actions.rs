//! Rules of what acts on the model and what is observed: supports, loads, contact, damping, probes.

use super::{Checker, GROUND, is_guess};
use crate::case::{Case, Contact, Damping, Load, Probe, Section, Support, Variation, suggestion};

impl Checker<'_> {
    pub(super) fn supports_and_loads(&mut self) {
        let case = self.case;
        for (i, support) in case.supports.iter().enumerate() {
            let path = format!("supports[{i}]");
            self.target(&format!("{path}.on"), support.on());
            match support {
                Support::Roller { direction, .. } => {
                    self.direction(&format!("{path}.direction"), *direction)
                }
                Support::Prescribed { x: None, y: None, z: None, rotation: None, .. } => {
                    self.refuse(path, "give at least one of: x, y, z, rotation")
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
                Load::Force { force, moment: 0.0, .. } if force.length() == 0.0 => {
                    self.refuse(path, "give a `force` or a `moment`")
                }
                Load::Traction { on, .. } | Load::Pressure { on, .. } if !on.contains('.') => {
                    self.refuse(format!("{path}.on"), "acts on the edges of a set, \"part.set\"")
                }
                Load::Gravity { acceleration }
                    if acceleration.length() > 0.0 && !self.has_mass() =>
                {
                    let message = "gravity acts on mass, and nothing in the case has any: give the materials a \
                                   `density` [kg/m3], or points a `mass` [kg]";
                    self.refuse(path, message)
                }
                _ => {}
            }
        }
    }

    /// Whether anything has mass, or may have: what cannot be read, and matrices that are not read here.
    fn has_mass(&self) -> bool {
        let Case { materials, parts, points, masses, .. } = self.case;
        let is_guess = |table: &&str| is_guess(table, self.guesses);
        let is_heavy = |section: &Section| {
            materials.get(section.material()).is_none_or(|material| material.density > 0.0)
        };
        ["materials", "parts", "points", "masses"].iter().any(is_guess)
            || points.values().any(|point| point.mass > 0.0)
            || masses.iter().any(|mass| mass.mass > 0.0)
            || parts
                .values()
                .any(|part| part.mesh.is_matrices() || part.sections.iter().any(is_heavy))
    }

    pub(super) fn contact_and_reduction(&mut self) {
        let case = self.case;
        for (i, contact) in case.contact.iter().enumerate() {
            let path = format!("contact[{i}].between");
            let [first, second] = &contact.between;
            self.target(&format!("{path}[0]"), first);
            if second != GROUND {
                self.target(&format!("{path}[1]"), second);
            }
            if first == second {
                self.refuse(&path, "a face cannot touch itself");
            }
            let is_same = |other: &Contact| {
                other.between == contact.between
                    || other.between.iter().eq(contact.between.iter().rev())
            };
            if let Some(earlier) = case.contact[..i].iter().position(is_same) {
                let message = format!(
                    "contact[{earlier}] pairs the same two faces, and each of their nodes moves in one pair only: \
                     leave one of the tables out, or give them faces of their own"
                );
                self.refuse(&path, message);
            }
            if let Some((key, message)) = contact.friction.problem() {
                self.refuse(format!("contact[{i}].friction.{key}"), message);
            }
            self.friction_law(&format!("contact[{i}]"), contact);
            self.wear_law(&format!("contact[{i}]"), contact);
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

    pub(super) fn damping(&mut self) {
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

    pub(super) fn probes(&mut self) {
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
}

/// α and β of C = αM + βK with the given damping ratios at two frequencies \[Hz\].
pub(in crate::case) fn rayleigh_fit(ratios: [f64; 2], frequencies: [f64; 2]) -> (f64, f64) {
    let [z1, z2] = ratios;
    let [w1, w2] = frequencies.map(|f| std::f64::consts::TAU * f);
    let difference = w2 * w2 - w1 * w1;
    let alpha = 2.0 * w1 * w2 * (z1 * w2 - z2 * w1) / difference;
    let beta = 2.0 * (z2 * w2 - z1 * w1) / difference;
    (alpha, beta)
}
