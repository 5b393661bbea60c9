//! Forces that drop at once, and the harmonics that follow what they set off.
//!
//! A law whose force drops where the velocity turns ([`Joint::drops`]) lets go of what it held: the
//! structure throws the contact forward, within a time √(m/k) with its inertia and stiffness at the pair. With fewer
//! harmonics than
//!
//! ```text
//!     N_h ω √(m/k) = 3                                                                           (1)
//! ```
//!
//! the series smears the throw over the reversal that sets it off. The balance may well have solutions then, but not
//! those of the structure: 3 to 21 % off in `validation/friction_laws`. (1) is necessary, not sufficient: what is left
//! beyond it falls like 1/N_h, and is part of the estimate of the truncation.

use super::balance::Balance;
use super::point::{Point, PointError};
use crate::contact::{Joint, March, Status};

/// The right-hand side of (1).
const RESOLVED: f64 = 3.0;

impl Balance {
    /// Why a solution is none of the structure: a pair slips by a law that drops its force, and (1) asks for more
    /// harmonics.
    pub fn unresolved(&self, point: &Point) -> Option<PointError> {
        let omega = point.parameters.omega;
        let retained = self.basis.harmonics().last().copied().unwrap_or(0);
        let highest = omega * retained as f64;
        let slips = |march: &March| march.status.contains(&Status::Slip);
        let pairs = self.joints.iter().zip(&point.newton.evaluation.marches);
        let dropping = pairs.filter(|(joint, march)| joint.drops() && slips(march));
        let (joint, wanted) = dropping
            .filter_map(|(joint, _)| Some((joint, self.resolving(joint, highest)? / omega)))
            .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let (law, contact) = (joint.law_name(), joint.interface);
        Some(PointError::Unresolved { law, contact, retained, wanted: wanted.ceil() })
    }

    /// The circular frequency up to which harmonics satisfy (1), unless those up to `highest` do.
    fn resolving(&self, joint: &Joint, highest: f64) -> Option<f64> {
        let mut found = None;
        let mut omega = highest;
        loop {
            let next = RESOLVED / self.throw(joint, omega);
            if next <= omega {
                return found;
            }
            found = Some(next);
            if next.is_infinite() {
                return found;
            }
            omega = next;
        }
    }

    /// √(m/k) of the structure at a pair, around a circular frequency; infinite where nothing throws it.
    fn throw(&self, joint: &Joint, omega: f64) -> f64 {
        let times = joint.rows.tangents.iter().map(|row| {
            let (stiffness, mass) = self.condensation.asymptote(*row, omega);
            if stiffness > 0.0 { (mass / stiffness).sqrt() } else { f64::INFINITY }
        });
        times.fold(f64::INFINITY, f64::min)
    }
}
