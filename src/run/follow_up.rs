//! Analyses of a worn state.

use super::{Failure, Run};
use crate::case::{self, FollowUp};
use crate::contact::Status;
use crate::harmonic::{Parameter, Parameters, solve_point};
use crate::reduction::{Condensation, ReducedStructure};
use crate::wear::Wear;

impl Run<'_> {
    /// The follow-ups of a history, from the depths at their numbers of cycles.
    pub(super) fn follow_ups(
        &mut self,
        wanted: &case::Wear,
        structure: &ReducedStructure,
        wear: &Wear,
        stops: &[(f64, Vec<f64>)],
    ) -> Result<(), Failure> {
        for follow_up in &wanted.follow_up {
            for (i, at) in follow_up.at.iter().enumerate() {
                let Some((cycles, depth)) = stops.iter().find(|(cycles, _)| cycles == at) else {
                    continue;
                };
                let name = format!("{}_{i}", follow_up.name);
                self.worn_modes(&name, follow_up, structure, wear, (*cycles, depth))?;
                if let Some(response) = &follow_up.response {
                    self.response(&name, response, Some(depth))?;
                    self.writer.label_cycles(&name, *cycles)?;
                }
            }
        }
        Ok(())
    }

    /// Modes with the pairs bonded that the constant loads keep closed.
    fn worn_modes(
        &mut self,
        name: &str,
        follow_up: &FollowUp,
        structure: &ReducedStructure,
        wear: &Wear,
        (cycles, depth): (f64, &[f64]),
    ) -> Result<(), Failure> {
        let Some(count) = follow_up.modes else { return Ok(()) };
        let name = format!("{name}_modes");
        let balance = wear.worn(depth);
        let at_rest = Parameters::at(1.0).with(Parameter::Load, 0.0);
        let point = match solve_point(&balance, &at_rest, None, &wear.newton) {
            Ok(point) => point,
            Err(error) => {
                let message = format!("analysis `{name}`: no state of rest, no modes: {error}");
                self.summary.warnings.push(message);
                self.summary.failed_points += 1;
                return Ok(());
            }
        };
        let marches = &point.newton.evaluation.marches;
        let is_closed = |pair: usize| marches[pair].status[0] != Status::Open;
        let mut kept: Vec<usize> = (0..balance.joints.len())
            .filter(|pair| is_closed(*pair))
            .flat_map(|pair| balance.joints[pair].directions().collect::<Vec<_>>())
            .collect();
        kept.sort_unstable();
        let mut held = structure.clone();
        held.relative = kept.iter().map(|row| structure.relative[*row].clone()).collect();
        let bonded = Condensation::new(&held)?;
        let eigenvalues = bonded.bonded_eigenvalues().take(count);
        let frequencies: Vec<f64> =
            eigenvalues.map(|value| value.max(0.0).sqrt() / std::f64::consts::TAU).collect();
        let closed = (0..marches.len()).filter(|pair| is_closed(*pair)).count();
        self.writer.write_worn_modes(&name, &frequencies, closed)?;
        self.writer.label_cycles(&name, cycles)?;
        self.summary.add_modal(&name, &frequencies, 0);
        Ok(())
    }
}
