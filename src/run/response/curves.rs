//! The curves of a response: one after the other, or side by side.
//!
//! Curves at given values do not depend on each other and the place of each point in the lists is known
//! before: they are followed on all threads, each on one of its own, and every point goes to its place as
//! soon as it is there. Curves of unknown length, and those whose stability is judged from point to point,
//! come one after the other.

use std::f64::consts::TAU;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::super::target::target;
use super::{Observed, Observer, Recorder};
use crate::case::{self, Continuation, PredictorName, Vary};
use crate::continuation::{
    ArcSettings, Corrector, End, Ladder, Path, Predictor, Receiver, arc_length, constant_slip,
    sequential,
};
use crate::harmonic::{NewtonSettings, Parameter, Parameters};

/// Points that may wait to be written.
const WAITING: usize = 64;

/// One curve: what is held, what varies and where.
pub(super) struct Curve {
    parameter: Parameter,
    held: Parameters,
    values: Vec<f64>,
}

/// A curve per level and, where not the frequency varies, per frequency.
pub(super) fn curves(wanted: &case::Response, frequencies: &[f64]) -> Vec<Curve> {
    let parameter = match wanted.vary {
        Vary::Frequency => Parameter::Frequency,
        Vary::Load => Parameter::Load,
        Vary::Preload => Parameter::Preload,
        Vary::Friction => Parameter::Friction,
    };
    let mut curves = Vec::new();
    for &level in &wanted.levels {
        match &wanted.factors {
            None => {
                let held = Parameters::at(TAU * frequencies[0]).with(Parameter::Load, level);
                let values = frequencies.iter().map(|f| TAU * f).collect();
                curves.push(Curve { parameter, held, values });
            }
            Some(factors) => {
                for frequency in frequencies {
                    let held = Parameters::at(TAU * frequency).with(Parameter::Load, level);
                    curves.push(Curve { parameter, held, values: factors.values() });
                }
            }
        }
    }
    curves
}

/// Follows all curves; stops where a point cannot be written.
pub(super) fn follow_all(curves: &[Curve], wanted: &case::Response, recorder: &mut Recorder) {
    let is_independent =
        wanted.continuation == Continuation::Sequential && recorder.judge.is_none();
    match workers(if is_independent { curves.len() } else { 1 }) {
        Some(pools) => follow_together(curves, wanted, &pools, recorder),
        None => follow_in_turn(curves, wanted, recorder),
    }
}

/// A pool of one thread for each of the threads in use, as far as there is work for them; none if one does
/// it all.
fn workers(n_tasks: usize) -> Option<Vec<ThreadPool>> {
    let n = n_tasks.min(rayon::current_num_threads());
    let pool = |_| ThreadPoolBuilder::new().num_threads(1).build().ok();
    if n > 1 { (0..n).map(pool).collect() } else { None }
}

fn follow_in_turn(curves: &[Curve], wanted: &case::Response, recorder: &mut Recorder) {
    let observer = recorder.observer;
    let mut at = 0;
    for (i, curve) in curves.iter().enumerate() {
        let mut receive = |step| {
            let observed = recorder.judge(i, step);
            at += 1;
            recorder.write(at - 1, &observed)
        };
        let end = curve.follow(observer, wanted, &mut receive);
        recorder.tally.ends[i] = end;
    }
}

fn follow_together(
    curves: &[Curve],
    wanted: &case::Response,
    pools: &[ThreadPool],
    recorder: &mut Recorder,
) {
    let (observer, next) = (recorder.observer, AtomicUsize::new(0));
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        for pool in pools {
            let (sender, next) = (sender.clone(), &next);
            let work = move || follow_next(curves, wanted, observer, next, &sender);
            scope.spawn(move || pool.install(work));
        }
        // With its last copy gone, the list of points ends.
        drop(sender);
        for (at, observed) in receiver {
            if !recorder.write(at, &observed) {
                break;
            }
        }
    });
}

/// Takes one curve after the other, as long as there are any and somebody receives their points.
fn follow_next(
    curves: &[Curve],
    wanted: &case::Response,
    observer: Observer,
    next: &AtomicUsize,
    sender: &SyncSender<(usize, Observed)>,
) {
    loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(curve) = curves.get(i) else { return };
        let mut at: usize = curves[..i].iter().map(Curve::n_values).sum();
        let mut is_received = true;
        let mut receive = |step| {
            at += 1;
            is_received = sender.send((at - 1, observer.observe(i, step))).is_ok();
            is_received
        };
        curve.follow(observer, wanted, &mut receive);
        if !is_received {
            return;
        }
    }
}

impl Curve {
    /// Number of its points, where these are given.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// Factor of the vibrating loads where it begins.
    pub fn load(&self) -> f64 {
        self.held.with(self.parameter, self.values[0]).load
    }

    fn follow(&self, observer: Observer, wanted: &case::Response, receive: &mut Receiver) -> End {
        let Observer { rungs, motions, .. } = observer;
        let receive = &mut |step| receive(observer.resolved(step));
        let newton =
            NewtonSettings { tolerance: wanted.tolerance, max_iterations: wanted.max_iterations };
        let path = Path { parameter: self.parameter, held: self.held, newton };
        let mut values = self.values.clone();
        if wanted.downward {
            values.reverse();
        }
        if let Some(wanted) = &wanted.target_slip {
            constant_slip(&rungs[0], &path, &target(wanted), &values, receive);
            return End::Range;
        }
        let corrector = match wanted.continuation {
            Continuation::Sequential => {
                let predictor = match wanted.predictor {
                    PredictorName::Previous => Predictor::Previous,
                    PredictorName::Secant => Predictor::Secant,
                    PredictorName::Tangent => Predictor::Tangent,
                };
                let tolerance = wanted.truncation_tolerance;
                let ladder = Ladder { rungs, tolerance, motions };
                sequential(ladder, &path, &values, predictor, receive);
                return End::Range;
            }
            Continuation::ArcLength => Corrector::ArcLength,
            Continuation::PseudoArcLength => Corrector::PseudoArcLength,
        };
        let settings = ArcSettings {
            corrector,
            max_step: wanted.max_step,
            first_step: 0.2 * wanted.max_step,
            max_points: wanted.max_points,
            ..ArcSettings::default()
        };
        let ends = [values[0], values[values.len() - 1]];
        arc_length(&rungs[0], &path, ends, &settings, receive)
    }
}
