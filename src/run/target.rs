//! Loads that a slip is given for.

use std::f64::consts::TAU;

use crate::case::{self, SlipMeasure, TargetSlip};
use crate::continuation::{Found, Measure, Target, find_load};
use crate::harmonic::{Parameter, Parameters, PointError};
use crate::results::wear::TargetRow;
use crate::wear::{History, Wear};

/// What the case wants, as the search takes it.
pub(super) fn target(wanted: &TargetSlip) -> Target {
    let measure = match wanted.measure {
        SlipMeasure::HalfOpening => Measure::HalfOpening,
        SlipMeasure::MaxSlip => Measure::MaxSlip,
    };
    Target {
        contact: wanted.contact,
        measure,
        amplitude: wanted.amplitude,
        tolerance: wanted.tolerance,
        max_load: wanted.max_level,
    }
}

/// The load of a history, or why there is none.
pub(super) type Load = Result<Option<Found>, PointError>;

/// Gives every history the load with which its unworn faces slip as wanted; nothing where no slip is given.
pub(super) fn find_loads(wanted: &case::Wear, wear: &Wear, histories: &mut [History]) -> Vec<Load> {
    let Some(slip) = &wanted.target_slip else {
        return histories.iter().map(|_| Ok(None)).collect();
    };
    let find = |history: &mut History| -> Load {
        let start: Parameters = history.blocks[0].parameters;
        let found = find_load(&wear.balance, &target(slip), &start, None, &wear.newton)?;
        let load = found.point.parameters.load;
        history.blocks[0].parameters = start.with(Parameter::Load, load);
        Ok(Some(found))
    };
    histories.iter_mut().map(find).collect()
}

/// What is stored of the search.
pub(super) fn row(history: &History, load: &Load) -> Option<TargetRow> {
    let parameters = history.blocks[0].parameters;
    let frequency = parameters.omega / TAU;
    match load {
        Ok(None) => None,
        Ok(Some(found)) => Some(TargetRow {
            frequency,
            load_factor: parameters.load,
            slip: found.slip,
            solves: found.solves as f64,
            iterations: found.iterations as f64,
        }),
        Err(_) => Some(TargetRow { frequency, load_factor: f64::NAN, ..TargetRow::default() }),
    }
}
