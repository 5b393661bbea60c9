//! Nonlinear responses of a run: points go to disk as they are found.

use std::f64::consts::TAU;

use serde_json::{Map, Value, json};

use super::stability::Judge;
use super::{Failure, Run};
use crate::case::{self, ContactState, FormName};
use crate::contact;
use crate::continuation::{KnownMotion, Step};
use crate::harmonic::{Balance, Basis, Form, Parameters, Point, PointError, Regime, Treatment};
use crate::linalg::Complex;
use crate::model::mechanism;
use crate::model::probes::Functional;
use crate::progress::Progress;
use crate::reduction::{Motion, ProbeView, ReducedStructure, ReductionError};
use crate::results::ResultError;
use crate::results::response::{PointRecord, ResponseWriter, Shape};
use crate::results::stability::StabilityRecord;

mod curves;

use curves::Curve;

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
        let probes = Probes::new(self, &structure, balance);
        let n_tangents = balance.joints.iter().map(|joint| joint.rows.tangents.len());
        let shape = Shape {
            probes: probes.units(),
            harmonics: (0..balance.basis.n_harmonics()).map(|i| balance.basis.order(i)).collect(),
            n_samples: balance.basis.n_samples(),
            interfaces: self.model.interfaces.iter().map(|i| i.pairs.len()).collect(),
            areas: balance.joints.iter().map(|joint| joint.area).collect(),
            frictions: balance.joints.iter().map(|joint| joint.friction).collect(),
            positions: self.pair_positions(),
            n_multipliers: judge.as_ref().map(Judge::n_multipliers),
            n_tangents: n_tangents.max().unwrap_or(0).max(1),
        };
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
        file.write_peaks(&tally.peaks)?;
        for failure in &tally.failures {
            self.summary.warnings.push(format!("analysis `{name}`: {}", failure.message));
        }
        let truncation = tally.worst_truncation();
        if truncation > LARGE_TRUNCATION {
            let percent = 100.0 * truncation;
            self.summary.warnings.push(format!(
                "analysis `{name}`: the retained harmonics leave an error of about {percent:.0} % of the \
                 slip at the worst point (`truncation` in the results); add harmonics and samples, or \
                 set harmonics = \"auto\""
            ));
        }
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

/// The probes as the condensation sees them, under vibrating and under constant loads.
struct Probes {
    names: Vec<String>,
    harmonic: Vec<(ProbeView, Functional)>,
    constant: Vec<(ProbeView, Functional)>,
}

impl Probes {
    fn new(run: &Run, structure: &ReducedStructure, balance: &Balance) -> Self {
        let model = &run.model;
        let damping = model.damping();
        let views = |load: &[Complex], held: &[Complex]| -> Vec<(ProbeView, Functional)> {
            let of = |row| {
                let functional = model.functional(row, damping.as_ref(), load);
                let view = ProbeView::new(structure, &balance.condensation, &functional, held);
                (view, functional)
            };
            model.probes.values().map(of).collect()
        };
        let complex = |values: &[f64]| values.iter().map(|v| Complex::from(*v)).collect::<Vec<_>>();
        Self {
            names: model.probes.keys().cloned().collect(),
            harmonic: views(&model.loads.nodal_harmonic, &model.dofs.harmonic_values),
            constant: views(
                &complex(&model.loads.nodal_constant),
                &complex(&model.dofs.static_values),
            ),
        }
    }

    fn units(&self) -> Vec<(String, String)> {
        let units = self.harmonic.iter().map(|(_, functional)| functional.unit.clone());
        self.names.iter().cloned().zip(units).collect()
    }

    /// Amplitudes of a probe in the orders of the tail.
    fn tail_values<'a>(
        &'a self,
        probe: usize,
        tail: &'a [(usize, Motion)],
    ) -> impl Iterator<Item = (usize, Complex)> + 'a {
        tail.iter().map(move |(order, motion)| (*order, self.harmonic[probe].0.free_value(motion)))
    }

    /// Complex amplitude of every probe in every harmonic.
    fn values(&self, balance: &Balance, point: &Point, motions: &[Motion]) -> Vec<Vec<Complex>> {
        let value = |probe: usize, i: usize| {
            let motion = &motions[i];
            let free = self.harmonic[probe].0.free_value(motion);
            match balance.basis.order(i) {
                0 => free + self.constant[probe].0.offset(0.0) * point.parameters.preload,
                1 => free + self.harmonic[probe].0.offset(motion.omega()) * point.parameters.load,
                _ => free,
            }
        };
        let n = balance.basis.n_harmonics();
        (0..self.names.len()).map(|p| (0..n).map(|i| value(p, i)).collect()).collect()
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

fn describe(parameters: &Parameters) -> String {
    let Parameters { omega, load, preload, friction, .. } = parameters;
    let mut text = format!("{:.6} Hz at load factor {load}", omega / TAU);
    if *preload != 1.0 {
        text += &format!(", preload factor {preload}");
    }
    if *friction != 1.0 {
        text += &format!(", friction factor {friction}");
    }
    text
}

/// Headline numbers of a response.
#[derive(Default)]
struct Tally {
    n_points: usize,
    iterations: usize,
    fallbacks: usize,
    imbalance: f64,
    /// Largest slip and estimated truncation error of every point.
    truncations: Vec<(f64, f64)>,
    /// Largest share of the friction work that is not in the retained harmonics.
    work_truncation: f64,
    failures: Vec<Missing>,
    /// For each curve: load factor and, per probe, the largest value and its frequency.
    peaks: Vec<(f64, Vec<(f64, f64)>)>,
    regimes: [usize; 4],
}

/// A point without solution.
struct Missing {
    /// Its place in the lists.
    at: usize,
    message: String,
    /// The residuals of every attempt at it.
    attempts: Value,
}

impl Missing {
    fn new(at: usize, parameters: &Parameters, error: &PointError) -> Self {
        let attempts = error
            .attempts()
            .iter()
            .map(|attempt| json!({"strategy": attempt.strategy, "residuals": attempt.history}));
        let attempts = json!({
            "frequency": parameters.omega / TAU,
            "load_factor": parameters.load,
            "attempts": attempts.collect::<Vec<_>>(),
        });
        Self { at, message: format!("{}: {error}", describe(parameters)), attempts }
    }
}

impl Tally {
    fn new(curves: &[Curve], n_probes: usize) -> Self {
        let peaks = |curve: &Curve| (curve.load(), vec![(0.0, curve.frequency()); n_probes]);
        Self { peaks: curves.iter().map(peaks).collect(), ..Self::default() }
    }

    /// Largest estimate of the truncation error among points that slip: where next to nothing slips, its
    /// relative error says nothing.
    fn worst_truncation(&self) -> f64 {
        let largest = self.truncations.iter().map(|(slip, _)| *slip).fold(0.0, f64::max);
        let slipping = self.truncations.iter().filter(|(slip, _)| *slip > 0.05 * largest);
        slipping.map(|(_, truncation)| *truncation).fold(0.0, f64::max)
    }

    fn add(&mut self, at: usize, Observed { record, failure }: &Observed) {
        let missing = |error| Missing::new(at, &record.parameters, error);
        self.failures.extend(failure.as_ref().map(missing));
        self.n_points += 1;
        self.iterations += record.iterations;
        if !record.is_converged {
            return;
        }
        self.fallbacks += usize::from(record.attempts > 1);
        let slip = record.loops.iter().map(|measures| measures.max_slip).fold(0.0, f64::max);
        self.truncations.push((slip, record.truncation));
        if let Some(energy) = &record.energy {
            self.imbalance = self.imbalance.max(energy.imbalance());
            self.work_truncation = self.work_truncation.max(energy.truncation());
        }
        for measures in &record.loops {
            self.regimes[measures.regime as usize] += 1;
        }
        let frequency = record.parameters.omega / TAU;
        for (probe, peak) in self.peaks[record.curve].1.iter_mut().enumerate() {
            let value = record.maximum(probe);
            if value > peak.0 {
                *peak = (value, frequency);
            }
        }
    }

    fn summary(&self, shape: &Shape) -> Value {
        let solved = self.n_points - self.failures.len();
        let peaks = |(load, values): &(f64, Vec<(f64, f64)>)| {
            let of = |((name, unit), (value, frequency)): (&(String, String), &(f64, f64))| {
                let peak = json!({"maximum": value, "unit": unit, "frequency": frequency});
                (name.clone(), peak)
            };
            let probes: Map<String, Value> = shape.probes.iter().zip(values).map(of).collect();
            json!({"load_factor": load, "peaks": probes})
        };
        json!({
            "type": "response",
            "points": self.n_points,
            "converged": solved,
            "failed": self.failures.len(),
            "failed_points": self.failures.iter().map(|f| f.attempts.clone()).collect::<Vec<_>>(),
            "mean_iterations": self.iterations as f64 / self.n_points.max(1) as f64,
            "points_with_fallback": self.fallbacks,
            "max_energy_imbalance": self.imbalance,
            "max_truncation": self.worst_truncation(),
            "max_work_truncation": self.work_truncation,
            "regimes": {
                "stick": self.regimes[Regime::Stick as usize],
                "partial_slip": self.regimes[Regime::PartialSlip as usize],
                "gross_slip": self.regimes[Regime::GrossSlip as usize],
                "apart": self.regimes[Regime::Apart as usize],
            },
            "curves": self.peaks.iter().map(peaks).collect::<Vec<_>>(),
        })
    }
}
