//! Wear on the slow time scale: loss of material over many cycles of a vibration.
//!
//! ```text
//! The faces wear so slowly that each cycle is periodic. With n the number of cycles and q the work per area
//! that drives the wear of each pair ([`law`]),
//!
//!     dq/dn = q'(w) ,      w = w(q) ,                                                      (1)
//!
//! where q'(w) comes from the periodic response with gaps opened by the depths w ([`rate`]).
//! ```
//!
//! (1) is solved by jumps ([`step`]): solve the response, turn pressure and slip into a rate per cycle, jump
//! many cycles, open the gaps, solve again. [`history`] does so until the cycles of all load blocks are done.
//! Stiffness and mass of the bodies stay as they are.

use crate::contact::{Joint, Law};
use crate::harmonic::{
    Balance, Linear, Loop, LoopCurve, NewtonSettings, PairHistory, Parameters, Point, PointError,
    Treatment, solve_with,
};
use crate::reduction::ReductionError;

pub mod history;
pub mod law;
pub mod rate;
pub mod step;

pub use history::{Block, End, History};
pub use law::{WearLaw, laws};
pub use rate::Rates;
pub use step::Scheme;

/// A structure whose joints wear.
#[derive(Debug, Clone)]
pub struct Wear {
    /// The structure; its joints are worn as at the last solution.
    pub balance: Balance,
    /// Law of each pair.
    pub laws: Vec<WearLaw>,
    /// How cycles are jumped.
    pub scheme: Scheme,
    /// Limits of the solution of a cycle.
    pub newton: NewtonSettings,
    /// Deepest wear allowed at each pair \[m\].
    pub limits: Vec<f64>,
    unworn: Vec<Joint>,
}

/// The vibration whose cycles are counted.
#[derive(Debug, Clone)]
pub struct Vibration {
    parameters: Parameters,
    linear: Linear,
}

impl Vibration {
    /// The vibration at the parameters.
    pub fn new(balance: &Balance, parameters: Parameters) -> Result<Self, ReductionError> {
        Ok(Self { parameters, linear: balance.linear(parameters.omega)? })
    }
}

/// The state of a history after some cycles: all that decides what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Number of cycles n.
    pub cycles: f64,
    /// Number of the load block.
    pub block: usize,
    /// Cycles of the last increment.
    pub jump: f64,
    /// Cycles that the next increment is tried with.
    pub next_jump: f64,
    /// q of each pair \[J/m²\].
    pub work: Vec<f64>,
    /// Dissipated energy of each contact \[J\].
    pub energy: Vec<f64>,
    /// Σ force × path of each contact \[N m\].
    pub force_path: Vec<f64>,
    /// Estimated error of the last increment over the deepest depth \[-\].
    pub error: f64,
    /// Responses solved so far.
    pub solves: usize,
    /// Their Newton iterations.
    pub iterations: usize,
    /// Increments tried and not accepted.
    pub rejected: usize,
}

/// A periodic response of the worn structure, and what it does.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The solution.
    pub point: Point,
    /// Histories of each pair.
    pub histories: Vec<PairHistory>,
    /// Measures of each contact.
    pub loops: Vec<Loop>,
    /// Its loop.
    pub curves: Vec<LoopCurve>,
    /// Rates per cycle.
    pub rates: Rates,
    /// Depth of each pair \[m\].
    pub depth: Vec<f64>,
}

impl Wear {
    /// Joints that wear by the laws, one for each.
    ///
    /// The tail of the harmonics is not corrected: rates must follow the depth smoothly, and corrections may
    /// come and go.
    pub fn new(
        mut balance: Balance,
        laws: Vec<WearLaw>,
        scheme: Scheme,
        newton: NewtonSettings,
    ) -> Self {
        balance.treatment =
            Treatment { corrections: 0, wants_estimate: false, ..balance.treatment };
        let unworn = balance.joints.clone();
        let limits = vec![f64::INFINITY; laws.len()];
        Self { balance, laws, scheme, newton, limits, unworn }
    }

    /// The structure with gaps opened by the depths.
    pub fn worn(&self, depth: &[f64]) -> Balance {
        let joints = self.unworn.iter().zip(depth).map(|(joint, depth)| joint.worn(*depth));
        Balance { joints: joints.collect(), ..self.balance.clone() }
    }

    /// Depths after work per area \[m\].
    pub fn depth(&self, work: &[f64]) -> Vec<f64> {
        self.laws.iter().zip(work).map(|(law, work)| law.depth(*work)).collect()
    }

    /// Volume lost at the depths \[m³\].
    pub fn volume(&self, depth: &[f64]) -> f64 {
        self.unworn.iter().zip(depth).map(|(joint, depth)| joint.area * depth).sum()
    }

    /// Depth rates after a state \[m\] per cycle; thresholds not yet passed make them 0.
    pub fn depth_rates(&self, state: &State, rates: &Rates) -> Vec<f64> {
        let slopes = self.laws.iter().zip(&state.work).map(|(law, work)| law.slope(*work));
        slopes.zip(&rates.work).map(|(slope, rate)| slope * rate).collect()
    }

    /// How far volume is from coefficient × force × path and from coefficient × energy, over the volume.
    ///
    /// Contacts with a threshold or several coefficients have no such balance and are left out.
    pub fn imbalance(&self, state: &State, depth: &[f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for i in 0..state.energy.len() {
            let own = || (0..depth.len()).filter(|pair| self.unworn[*pair].interface == i);
            let Some(first) = own().next() else { continue };
            let (law, friction) = (self.laws[first], self.unworn[first].friction);
            let volume: f64 = own().map(|pair| self.unworn[pair].area * depth[pair]).sum();
            let is_uniform = own().all(|pair| self.laws[pair] == law) && law.threshold == 0.0;
            if !is_uniform || volume == 0.0 || friction == 0.0 {
                continue;
            }
            let (by_path, by_energy) = match law.driver {
                law::Driver::Pressure => (law.coefficient, law.coefficient / friction),
                law::Driver::Friction => (law.coefficient * friction, law.coefficient),
            };
            // Of a law of the library force × path is not its energy: elastic motion is part of the path.
            let has_path = !matches!(self.unworn[first].law, Law::Friction(_));
            let by_path = has_path.then_some(by_path * state.force_path[i]);
            for expected in by_path.into_iter().chain([by_energy * state.energy[i]]) {
                largest = largest.max((volume - expected).abs() / volume);
            }
        }
        largest
    }

    /// Opens the gaps by the depths after work per area.
    fn wear_to(&mut self, depth: &[f64]) {
        let worn = self.unworn.iter().zip(depth).map(|(joint, depth)| joint.worn(*depth));
        self.balance.joints = worn.collect();
    }

    /// The periodic response after work per area.
    pub fn solve(
        &mut self,
        vibration: &Vibration,
        work: &[f64],
        prediction: Option<&[f64]>,
    ) -> Result<Solved, PointError> {
        let depth = self.depth(work);
        self.wear_to(&depth);
        let Vibration { parameters, linear } = vibration;
        let balance = &self.balance;
        let point = solve_with(balance, linear.clone(), parameters, prediction, &self.newton)?;
        if let Some(error) = balance.unresolved(&point) {
            return Err(error);
        }
        let histories = balance.histories(&point);
        let n_contacts = balance.joints.last().map_or(0, |joint| joint.interface + 1);
        let loops: Vec<Loop> = (0..n_contacts).map(|i| balance.hysteresis(i, &histories)).collect();
        let curves = (0..n_contacts).map(|i| balance.loop_curve(i, &histories)).collect();
        let rates = Rates::new(balance, &self.laws, &histories);
        Ok(Solved { point, histories, loops, curves, rates, depth })
    }
}

#[cfg(test)]
mod tests;
