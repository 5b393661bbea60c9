//! A history of wear: block after block of a load spectrum, increment after increment.

use super::step::Halt;
use super::{Solved, State, Vibration, Wear};
use crate::harmonic::{Parameters, PointError};
use crate::reduction::ReductionError;

/// A block of equal cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The vibration.
    pub parameters: Parameters,
    /// How many cycles.
    pub cycles: f64,
}

/// What a history consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The blocks, one after another.
    pub blocks: Vec<Block>,
    /// Numbers of cycles at which an increment ends exactly, ascending.
    pub stops: Vec<f64>,
    /// Cycles of the first increment.
    pub first_jump: f64,
}

/// How a history ended.
#[derive(Debug)]
pub enum End {
    /// All cycles are done.
    Finished,
    /// The response has no solution any more.
    NotConverged {
        /// After so many cycles.
        cycles: f64,
        /// Why.
        error: PointError,
    },
    /// The error cannot be kept below the tolerance.
    TooSmall {
        /// After so many cycles.
        cycles: f64,
        /// Cycles of the last attempt.
        jump: f64,
    },
    /// A face has lost too much.
    TooDeep {
        /// After so many cycles.
        cycles: f64,
        /// Which pair.
        pair: usize,
    },
    /// The receiver wants no more.
    Dismissed,
}

impl History {
    /// Number of cycles.
    pub fn total(&self) -> f64 {
        self.blocks.iter().map(|block| block.cycles).sum()
    }

    /// Follows it from the beginning, or from an earlier state and its solution ũ; every new state goes to
    /// `receive`, which says whether to go on.
    pub fn follow(
        &self,
        wear: &mut Wear,
        earlier: Option<(State, Vec<f64>)>,
        receive: &mut dyn FnMut(&Wear, &State, &Solved) -> bool,
    ) -> Result<End, ReductionError> {
        let (mut state, mut u) = match earlier {
            Some((state, u)) => (state, Some(u)),
            None => (self.beginning(wear), None),
        };
        let mut is_known = u.is_some();
        let mut end = self.blocks[..state.block].iter().map(|block| block.cycles).sum();
        for (number, block) in self.blocks.iter().enumerate().skip(state.block) {
            end += block.cycles;
            let vibration = Vibration::new(&wear.balance, block.parameters)?;
            let mut solved = match wear.solve(&vibration, &state.work, u.as_deref()) {
                Ok(solved) => solved,
                Err(error) => return Ok(End::NotConverged { cycles: state.cycles, error }),
            };
            if !is_known {
                state.begin_block(number, &solved);
                if !receive(wear, &state, &solved) {
                    return Ok(End::Dismissed);
                }
            }
            is_known = false;
            while state.cycles < end {
                if let Some(pair) = too_deep(wear, &solved) {
                    return Ok(End::TooDeep { cycles: state.cycles, pair });
                }
                let stop = self.stops.iter().copied().find(|stop| *stop > state.cycles);
                let until = stop.map_or(end, |stop| stop.min(end));
                let cycles = state.cycles;
                match wear.step(&vibration, &state, &solved, until) {
                    Ok(next) => (state, solved) = next,
                    Err(Halt::NotConverged(error)) => {
                        return Ok(End::NotConverged { cycles, error });
                    }
                    Err(Halt::TooSmall { jump }) => return Ok(End::TooSmall { cycles, jump }),
                }
                if !receive(wear, &state, &solved) {
                    return Ok(End::Dismissed);
                }
            }
            u = Some(solved.point.newton.u);
        }
        Ok(End::Finished)
    }

    fn beginning(&self, wear: &Wear) -> State {
        let n_contacts = wear.balance.joints.last().map_or(0, |joint| joint.interface + 1);
        State {
            cycles: 0.0,
            block: 0,
            jump: 0.0,
            next_jump: self.first_jump,
            work: vec![0.0; wear.laws.len()],
            energy: vec![0.0; n_contacts],
            force_path: vec![0.0; n_contacts],
            error: 0.0,
            solves: 0,
            iterations: 0,
            rejected: 0,
        }
    }
}

impl State {
    fn begin_block(&mut self, number: usize, solved: &Solved) {
        self.block = number;
        (self.jump, self.error) = (0.0, 0.0);
        self.solves += 1;
        self.iterations += solved.point.iterations();
    }
}

fn too_deep(wear: &Wear, solved: &Solved) -> Option<usize> {
    solved.depth.iter().zip(&wear.limits).position(|(depth, limit)| depth > limit)
}
