//! The zones of the hybrid law along a record: displacements, and where the work goes.
//!
//! ```text
//!     E_p = ∫ c_p ż_p² dt ,   E_s = ∫ c_s ż_s² dt ,   E_g = ∫ c_z(v − ż_s)² dt                    (1)
//!     ∫ F v dt = E_p + E_s + E_g + what the springs hold                                        (2)
//! ```
//!
//! Powers are those of [`Hybrid::power`], integrated by the trapezoidal rule over every step of the record.

use super::friction;
use super::history::Instant;
use crate::contact::{Friction, Joint, Law};
use crate::friction::hybrid::Power;
use crate::friction::{self as library, Hybrid};

/// Measures the zones of a pair with the hybrid law.
#[derive(Debug, Clone)]
pub struct ZoneMeter {
    joint: Joint,
    law: Friction,
    hybrid: Hybrid,
    /// Where its states begin.
    first_state: usize,
    last: Option<(f64, [f64; 3])>,
    /// z_e, z_p and z_s in each tangential direction \[m\].
    pub displacement: [[f64; 3]; 2],
    /// E_p, E_s and E_g of (1) since the beginning, of all directions \[J\].
    pub energy: [f64; 3],
}

impl ZoneMeter {
    /// One for every joint that has zones.
    pub fn all(joints: &[Joint]) -> Vec<Option<Self>> {
        let mut first_state = 0;
        let meter = |joint: &Joint| {
            let own = first_state;
            first_state += friction::n_states(joint);
            let Law::Friction(law) = joint.law else { return None };
            let library::Law::Hybrid(hybrid) = law.tangential else { return None };
            Some(Self {
                joint: joint.clone(),
                law,
                hybrid,
                first_state: own,
                last: None,
                displacement: [[0.0; 3]; 2],
                energy: [0.0; 3],
            })
        };
        joints.iter().map(meter).collect()
    }

    /// Takes the next step of the record.
    pub fn take(&mut self, instant: &Instant) {
        let pressure = self.joint.pressure(instant.force);
        let limit = self.joint.friction * pressure;
        let mut powers = [0.0; 3];
        for (t, row) in self.joint.rows.tangents.iter().enumerate() {
            let [plastic, slip] = instant.states(self.first_state + 2 * t);
            let elastic = self.hybrid.elastic_share() * plastic;
            self.displacement[t] = [elastic, plastic, slip];
            // A contact that is apart has no friction and no zones.
            if limit > 0.0 {
                let velocity = instant.velocity[*row];
                let power =
                    self.hybrid.power([plastic, slip], velocity, limit, self.law.static_ratio);
                let Power { plastic, partial_slip, gross_slip, .. } = power;
                let own = [plastic, partial_slip, gross_slip];
                powers.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        if let Some((time, before)) = self.last {
            let h = instant.time - time;
            for (zone, energy) in self.energy.iter_mut().enumerate() {
                *energy += 0.5 * h * (before[zone] + powers[zone]);
            }
        }
        self.last = Some((instant.time, powers));
    }
}
