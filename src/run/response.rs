//! Nonlinear responses of a run: points go to disk as they are found.

use super::stability::Judge;
use super::{Failure, Run};
use crate::case::{self, ContactState, FormName};
use crate::contact;
use crate::continuation::{End, KnownMotion, Step};
use crate::harmonic::{Balance, Basis, Form, Point, PointError, Treatment};
use crate::linalg::Complex;
use crate::model::mechanism;
use crate::progress::Progress;
use crate::reduction::{ReducedStructure, ReductionError};
use crate::results::ResultError;
use crate::results::response::{PointRecord, ResponseWriter, Shape};
use crate::results::stability::StabilityRecord;

mod curves;
mod probes;
mod tally;

use curves::Curve;
use probes::Probes;
use tally::Tally;

/// Estimated truncation error above which the user is warned.
const LARGE_TRUNCATION: f64 = 0.05;

impl Run<'_> {
    /// The reduced structure of the model, and the balances that a response needs, from few harmonics to
    /// many.
    pub(super) fn balances(
        &mut self,
        name: &str,
        wanted: &case::Response,
    ) -> Result<(ReducedStructure, Vec<Balance>), Failure> {
        let highest = wanted.frequencies.values().into_iter().fold(0.0, f64::max);
        let structure = self.reduced_structure(name, highest)?;
        let joints = contact::joints(&self.file.case, &self.model, &structure.pairs);
        let rungs = wanted
            .harmonic_choices()
            .iter()
            .map(|harmonics| {
                let basis = Basis::new(harmonics, wanted.n_samples())
                    .expect("the case has been checked for enough samples");
                Balance::new(&structure, joints.clone(), basis, treatment(wanted))
            })
            .collect::<Result<Vec<Balance>, _>>()?;
        self.check_statics(&rungs[0])?;
        Ok((structure, rungs))
    }

    /// A response of the case as it is, or worn by depths.
    pub(super) fn response(
        &mut self,
        name: &str,
        wanted: &case::Response,
        depth: Option<&[f64]>,
    ) -> Result<(), Failure> {
        let frequencies = wanted.frequencies.values();
        let (structure, mut rungs) = self.balances(name, wanted)?;
        for balance in &mut rungs {
            for (joint, depth) in balance.joints.iter_mut().zip(depth.unwrap_or_default()) {
                *joint = joint.worn(*depth);
            }
        }
        let balance = &rungs[rungs.len() - 1];
        let judge = Judge::new(wanted.stability, &structure, balance)?;
        let probes = Probes::new(&self.model, &structure, balance);
        let shape = self.shape(balance, &probes, judge.as_ref());
        let file = self.writer.begin_response(name, &shape)?;
        let motions = wanted.start.as_ref().and_then(|name| self.motions.get(name));
        let motions = motions.map_or(&[][..], Vec::as_slice);
        let curves = curves::curves(wanted, &frequencies);
        let total: usize = curves.iter().map(Curve::n_values).sum();
        self.progress.begin("response", total);
        let mut recorder = Recorder {
            observer: Observer { rungs: &rungs, probes: &probes, motions },
            file,
            progress: self.progress,
            judge,
            tally: Tally::new(&curves, probes.names.len()),
            written: Ok(()),
        };
        curves::follow_all(&curves, wanted, &mut recorder);
        let Recorder { mut tally, judge, written, file, .. } = recorder;
        tally.failures.sort_by_key(|failure| failure.at);
        self.progress.end();
        written?;
        file.write_curves(
            &tally.peaks,
            &tally.ends.iter().map(|end| *end as u8).collect::<Vec<_>>(),
        )?;
        self.warn(name, wanted, &tally);
        self.summary.failed_points += tally.failures.len();
        let mut summary = tally.summary(&shape);
        if let Some(judge) = &judge {
            summary["stability"] = judge.summary();
            let warning = judge.warning().map(|text| format!("analysis `{name}`: {text}"));
            self.summary.warnings.extend(warning);
        }
        self.summary.analyses.insert(name.into(), summary);
        Ok(())
    }
}

impl Run<'_> {
    /// What the points of a response have in common.
    fn shape(&self, balance: &Balance, probes: &Probes, judge: Option<&Judge>) -> Shape {
        let n_tangents = balance.joints.iter().map(|joint| joint.rows.tangents.len());
        Shape {
            probes: probes.units(),
            harmonics: (0..balance.basis.n_harmonics()).map(|i| balance.basis.order(i)).collect(),
            n_samples: balance.basis.n_samples(),
            interfaces: self.model.interfaces.iter().map(|i| i.pairs.len()).collect(),
            areas: balance.joints.iter().map(|joint| joint.area).collect(),
            frictions: balance.joints.iter().map(|joint| joint.friction).collect(),
            positions: self.pair_positions(),
            n_multipliers: judge.map(Judge::n_multipliers),
            n_tangents: n_tangents.max().unwrap_or(0).max(1),
        }
    }

    /// Says which curves end early, which points have no solution, and where harmonics are too few.
    fn warn(&mut self, name: &str, wanted: &case::Response, tally: &Tally) {
        let mut warnings = Vec::new();
        for (i, _) in tally.ends.iter().enumerate().filter(|(_, end)| **end == End::Full) {
            warnings.push(format!(
                "curve {} ends early, at max_points = {} points, and does not reach the end of its range: allow more \
                 points, or longer steps by max_step",
                i + 1,
                wanted.max_points
            ));
        }
        warnings.extend(tally.failures.iter().map(|failure| failure.message.clone()));
        let (limit, advice) = match wanted.harmonics {
            case::Harmonics::Auto(_) => {
                (wanted.truncation_tolerance, "more than truncation_tolerance allows; add samples")
            }
            _ => (LARGE_TRUNCATION, "add harmonics and samples, or set harmonics = \"auto\""),
        };
        let truncation = tally.worst_truncation();
        if truncation > limit {
            let percent = 100.0 * truncation;
            warnings.push(format!(
                "the retained harmonics leave an error of about {percent:.2} % of the slip at the worst point \
                 (`truncation` in the results); {advice}"
            ));
        }
        let named = warnings.into_iter().map(|text| format!("analysis `{name}`: {text}"));
        self.summary.warnings.extend(named);
    }

    /// Where the first node of every pair is.
    fn pair_positions(&self) -> Vec<[f64; 2]> {
        let pairs = self.model.interfaces.iter().flat_map(|interface| &interface.pairs);
        pairs.map(|pair| self.model.geometry.coordinates[pair.first]).collect()
    }

    /// Without a static answer of the bonded structure there is no response at all: names what is loose.
    fn check_statics(&self, balance: &Balance) -> Result<(), Failure> {
        let Err(error) = balance.condensation.at(0.0) else { return Ok(()) };
        if let Some((bonded, symbolic)) = self.bonded(ContactState::Stuck)?
            && let Some(motion) = mechanism::find(&bonded, &symbolic)
        {
            return Err(ReductionError::Loose { motion }.into());
        }
        Err(error.into())
    }
}

/// How the case wants harmonics to be treated that are not retained.
fn treatment(wanted: &case::Response) -> Treatment {
    let form = match wanted.form {
        FormName::Interface => Form::Interface,
        FormName::Velocity => Form::Velocity,
        FormName::Displacement => Form::Displacement,
    };
    Treatment {
        form,
        penalty: wanted.penalty,
        corrections: wanted.n_corrections(),
        tolerance: wanted.tail_tolerance,
        wants_estimate: true,
    }
}

/// Writes points as they come and remembers the first failure to do so.
struct Recorder<'a> {
    observer: Observer<'a>,
    file: ResponseWriter,
    progress: &'a mut dyn Progress,
    /// Where stability is asked for.
    judge: Option<Judge>,
    tally: Tally,
    written: Result<(), ResultError>,
}

impl Recorder<'_> {
    /// Takes a step of a curve: its stability is judged from the point before.
    fn judge(&mut self, curve: usize, step: Step) -> Observed {
        let stability = match (&mut self.judge, &step) {
            (Some(judge), Step::Solved(point)) => {
                Some(judge.judge(self.observer.own(point), curve, point))
            }
            (Some(judge), Step::Failed { .. }) => {
                judge.skip();
                None
            }
            _ => None,
        };
        let mut observed = self.observer.observe(curve, step);
        observed.record.stability = stability.unwrap_or_default();
        observed
    }

    /// Writes a point at its place; false if that failed.
    fn write(&mut self, at: usize, observed: &Observed) -> bool {
        self.tally.add(at, observed);
        self.progress.advance(self.tally.n_points);
        self.written = self.file.write(at, &observed.record);
        self.written.is_ok()
    }
}

/// A point as it goes to disk and, if it has no solution, why not.
struct Observed {
    record: PointRecord,
    failure: Option<PointError>,
}

/// Makes records of points.
#[derive(Clone, Copy)]
struct Observer<'a> {
    /// The balances in use, that with most harmonics last.
    rungs: &'a [Balance],
    probes: &'a Probes,
    /// Motions in time to begin with.
    motions: &'a [KnownMotion],
}

impl<'a> Observer<'a> {
    fn observe(&self, curve: usize, step: Step) -> Observed {
        match step {
            Step::Solved(point) => Observed { record: self.solved(curve, &point), failure: None },
            Step::Failed { parameters, error } => Observed {
                record: PointRecord::failed(curve, &parameters, &error),
                failure: Some(error),
            },
        }
    }

    /// The step, failed if its harmonics are too few for the friction of its point.
    fn resolved(&self, step: Step) -> Step {
        let Step::Solved(point) = step else { return step };
        match self.own(&point).unresolved(&point) {
            Some(error) => Step::Failed { parameters: point.parameters, error },
            None => Step::Solved(point),
        }
    }

    /// The balance that a point solves.
    fn own(&self, point: &Point) -> &'a Balance {
        let own = self.rungs.iter().find(|balance| balance.size() == point.newton.u.len());
        own.expect("one of them solved it")
    }

    fn solved(&self, curve: usize, point: &Point) -> PointRecord {
        let balance = self.own(point);
        let most = self.rungs.last().map_or(0, |balance| balance.basis.n_harmonics());
        let motions = balance.motions(point);
        let histories = balance.histories(point);
        let mut probes = self.probes.values(balance, point, &motions);
        let basis = &balance.basis;
        let tail = balance.tail_motions(point);
        let probe_histories = probes
            .iter()
            .enumerate()
            .map(|(probe, amplitudes)| {
                let retained = basis.to_time(&basis.coefficients(amplitudes));
                let beyond = basis.sum(self.probes.tail_values(probe, &tail));
                retained.iter().zip(beyond).map(|(a, b)| a + b).collect()
            })
            .collect();
        probes.iter_mut().for_each(|amplitudes| amplitudes.resize(most, Complex::new(0.0, 0.0)));
        let n_interfaces = balance.joints.last().map_or(0, |joint| joint.interface + 1);
        PointRecord {
            curve,
            parameters: point.parameters,
            is_converged: true,
            iterations: point.iterations(),
            attempts: point.attempts.len(),
            residual: point.newton.history.last().copied().unwrap_or(f64::NAN),
            truncation: point.truncation,
            highest: basis.harmonics().last().copied().unwrap_or(0),
            probe_histories,
            loops: (0..n_interfaces).map(|i| balance.hysteresis(i, &histories)).collect(),
            energy: Some(balance.energy(point, &motions, &histories)),
            probes,
            histories,
            histories_of: balance.joints.iter().map(|joint| joint.interface).collect(),
            stability: StabilityRecord::default(),
        }
    }
}
