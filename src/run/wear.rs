//! Wear analyses of a run: increments go to disk as they are accepted.

use std::f64::consts::TAU;

use serde_json::{Value, json};

use super::target::{find_loads, row};
use super::{Failure, Run};
use crate::case::{self, Contact, ContactLaw};
use crate::harmonic::{NewtonSettings, Parameter, Parameters, PointError};
use crate::progress::Progress;
use crate::results::ResultError;
use crate::results::wear::{Increment, Row, WearShape, WearWriter, rows};
use crate::wear::{self, Block, End, History, Scheme, Solved, State, Wear};

/// First jump of the adaptive scheme over all cycles, where the case gives none.
const FIRST_JUMP: f64 = 1e-4;

impl Run<'_> {
    pub(super) fn wear(&mut self, name: &str, wanted: &case::Wear) -> Result<(), Failure> {
        let vibration = wanted.vibration();
        let (structure, mut balances) = self.balances(name, &vibration)?;
        let balance = balances.swap_remove(0);
        let laws = wear::laws(&self.file.case, &self.model)
            .map_err(|problems| Failure::Case(self.file.refuse(problems)))?;
        let newton =
            NewtonSettings { tolerance: wanted.tolerance, max_iterations: wanted.max_iterations };
        let mut wear = Wear::new(balance, laws, scheme(wanted), newton);
        wear.limits = self.depth_limits(wanted, &wear);
        self.warn_of_endless_wear(name, &wear);
        self.warn_of_elastic_slip(name);
        let pairs = self.model.interfaces.iter().flat_map(|interface| &interface.pairs);
        let positions = pairs.map(|pair| self.model.geometry.coordinates[pair.first]);
        let shape = WearShape { positions: positions.collect(), n_unknowns: wear.balance.size() };
        let mut file = self.writer.begin_wear(name, &wear, &shape)?;
        let earlier = match &self.earlier {
            Some(results) => rows(results, name)?,
            None => vec![],
        };
        let mut histories = histories(wanted);
        let loads = find_loads(wanted, &wear, &mut histories);
        let found = histories.iter().zip(&loads).filter_map(|(history, load)| row(history, load));
        file.write_targets(&found.collect::<Vec<_>>())?;
        let total: f64 = histories.iter().map(History::total).sum();
        self.progress.begin("wear", total.ceil() as usize);
        let mut recorder = Recorder::new(&mut file, self.progress, wanted);
        for (number, (history, load)) in histories.iter().zip(loads).enumerate() {
            recorder.begin(number, history);
            if let Err(error) = load {
                recorder.end(&End::NotConverged { cycles: 0.0, error });
                continue;
            }
            let known = earlier.iter().filter(|row| row.history() == number);
            let last = recorder.replay(known)?;
            let end = match &last {
                Some((state, _)) if state.cycles >= history.total() => End::Finished,
                _ => history.follow(&mut wear, last, &mut |wear, state, solved| {
                    recorder.record(wear, state, solved)
                })?,
            };
            recorder.end(&end);
        }
        let Recorder { written, reports, stops, ends, .. } = recorder;
        self.progress.end();
        written?;
        file.write_ends(&ends)?;
        self.writer.place().publish()?;
        self.report_wear(name, &reports);
        self.follow_ups(wanted, &structure, &wear, &stops)
    }

    /// Deepest wear of each pair: a fraction of the height of each part, by the share that it loses.
    fn depth_limits(&self, wanted: &case::Wear, wear: &Wear) -> Vec<f64> {
        let contacts = self.file.case.contact.iter().zip(&self.model.interfaces);
        let pairs = contacts.flat_map(|(contact, interface)| {
            interface.pairs.iter().map(move |pair| (contact, pair.normal))
        });
        let limit = |((contact, normal), law): ((&Contact, [f64; 3]), &wear::WearLaw)| {
            let mut limit = wanted.max_depth.unwrap_or(f64::INFINITY);
            for (face, share) in contact.between.iter().zip(law.share) {
                if let Some(height) = self.height(face, normal).filter(|_| share > 0.0) {
                    limit = limit.min(wanted.max_depth_fraction * height / share);
                }
            }
            limit
        };
        pairs.zip(&wear.laws).map(limit).collect()
    }

    /// Height along a direction of the part that a face belongs to \[m\].
    fn height(&self, face: &str, [nx, ny, _]: [f64; 3]) -> Option<f64> {
        let (part, _) = face.split_once('.')?;
        let nodes = &self.model.geometry.parts.get(part)?.mesh.nodes;
        let along = nodes.iter().map(|[x, y]| nx * x + ny * y);
        let ends = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s), b.max(s)));
        Some(ends.1 - ends.0).filter(|height| *height > 0.0)
    }

    /// Contacts whose depth nothing limits: what wears has no height, and the load does not fall with the depth.
    fn warn_of_endless_wear(&mut self, name: &str, wear: &Wear) {
        let pairs = wear.balance.joints.iter().zip(&wear.laws).zip(&wear.limits);
        let endless = pairs.filter(|((joint, law), limit)| {
            law.coefficient > 0.0 && joint.preload_stiffness == 0.0 && limit.is_infinite()
        });
        let mut contacts: Vec<usize> = endless.map(|((joint, _), _)| joint.interface).collect();
        contacts.dedup();
        for i in contacts {
            let [first, second] = &self.file.case.contact[i].between;
            self.summary.warnings.push(format!(
                "analysis `{name}`: nothing limits the depth of wear of contact[{i}] ({first}, {second}): what \
                 wears has no height, of which max_depth_fraction is a part; give the analysis `max_depth` [m]"
            ));
        }
    }

    /// Laws that do not tell slip from deflection: their path is that of the motion, whatever their depth is.
    fn warn_of_elastic_slip(&mut self, name: &str) {
        for (i, contact) in self.file.case.contact.iter().enumerate() {
            let ContactLaw::Friction { tangential, .. } = &contact.law else { continue };
            if contact.wear.is_some() && tangential.has_deflection() {
                self.summary.warnings.push(format!(
                    "analysis `{name}`: contact[{i}]: `slip` and `force_path` of the results count the elastic \
                     motion of the law `{}` as slip; depth and volume follow the dissipated energy, to which \
                     elastic motion adds nothing",
                    tangential.name()
                ));
            }
        }
    }

    fn report_wear(&mut self, name: &str, reports: &[Report]) {
        let idle: Vec<&Report> = reports.iter().filter(|report| report.is_idle).collect();
        if let Some(first) = idle.first() {
            self.summary.warnings.push(format!(
                "analysis `{name}`: nothing wears in {} of {} histories, the first at {}: no pair that \
                 can wear slips under pressure",
                idle.len(),
                reports.len(),
                first.place
            ));
        }
        for report in reports {
            if let Some(why) = &report.stop {
                let message = format!("analysis `{name}`: {}: {why}", report.place);
                self.summary.warnings.push(message);
                self.summary.failed_points += 1;
            }
        }
        let histories: Vec<Value> = reports.iter().map(|report| report.summary.clone()).collect();
        let entry = json!({"type": "wear", "histories": histories});
        self.summary.analyses.insert(name.into(), entry);
    }
}

fn scheme(wanted: &case::Wear) -> Scheme {
    match wanted.scheme {
        case::Scheme::Explicit { max_increment, .. } => Scheme::Explicit { max_increment },
        case::Scheme::Adaptive { tolerance, depth_scale, max_jump, .. } => {
            let max_jump = max_jump.unwrap_or(f64::INFINITY);
            Scheme::Adaptive { tolerance, depth_scale, max_jump }
        }
    }
}

/// A history per level and frequency, or the one of the load spectrum.
fn histories(wanted: &case::Wear) -> Vec<History> {
    let stops = wanted.stops();
    let first_jump = wanted.scheme.first_jump().unwrap_or(FIRST_JUMP * wanted.total_cycles());
    let at =
        |frequency: f64, level: f64| Parameters::at(TAU * frequency).with(Parameter::Load, level);
    let history = |blocks: Vec<Block>| History { blocks, stops: stops.clone(), first_jump };
    if !wanted.blocks.is_empty() {
        let all = (0..wanted.repeat).flat_map(|_| &wanted.blocks);
        let block = |block: &case::WearBlock| Block {
            parameters: at(block.frequency, block.level),
            cycles: block.cycles,
        };
        return vec![history(all.map(block).collect())];
    }
    let cycles = wanted.total_cycles();
    let levels = wanted.levels.iter();
    let places = levels.flat_map(|level| wanted.frequencies().into_iter().map(|f| (f, *level)));
    places.map(|(f, level)| history(vec![Block { parameters: at(f, level), cycles }])).collect()
}

/// What is said about a history.
struct Report {
    place: String,
    is_idle: bool,
    stop: Option<String>,
    summary: Value,
}

/// Writes increments as they come and remembers the first failure to do so.
struct Recorder<'a> {
    file: &'a mut WearWriter,
    progress: &'a mut dyn Progress,
    wanted: &'a case::Wear,
    history: usize,
    place: String,
    cycles_before: f64,
    last: Option<Row>,
    n_increments: usize,
    largest: [f64; 2],
    written: Result<(), ResultError>,
    reports: Vec<Report>,
    /// Last row of each history, and whether all its cycles were done.
    ends: Vec<(Row, bool)>,
    /// Depths at the numbers of cycles that follow-ups ask for.
    stops: Vec<(f64, Vec<f64>)>,
}

impl<'a> Recorder<'a> {
    fn new(
        file: &'a mut WearWriter,
        progress: &'a mut dyn Progress,
        wanted: &'a case::Wear,
    ) -> Self {
        Self {
            file,
            progress,
            wanted,
            history: 0,
            place: String::new(),
            cycles_before: 0.0,
            last: None,
            n_increments: 0,
            largest: [0.0; 2],
            written: Ok(()),
            reports: vec![],
            ends: vec![],
            stops: vec![],
        }
    }

    fn begin(&mut self, number: usize, history: &History) {
        let Parameters { omega, load, .. } = history.blocks[0].parameters;
        self.place = match history.blocks.len() {
            1 => format!("{:.6} Hz at load factor {load}", omega / TAU),
            n => format!("{n} load blocks"),
        };
        self.history = number;
        self.cycles_before = number as f64 * history.total();
        (self.last, self.n_increments, self.largest) = (None, 0, [0.0; 2]);
    }

    /// Writes earlier rows again; the state of the last one.
    fn replay<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r Row>,
    ) -> Result<Option<(State, Vec<f64>)>, ResultError> {
        for row in rows {
            self.write(row.clone());
        }
        Ok(self.last.as_ref().map(Row::state))
    }

    fn record(&mut self, wear: &Wear, state: &State, solved: &Solved) -> bool {
        let row = Row::new(&Increment { history: self.history, wear, state, solved });
        let line = format!(
            "{:>12.6e} cycles (+{:.2e}): depth {:.4e} m, volume {:.4e} m³, error {:.1e}, {} solves",
            state.cycles,
            state.jump,
            row.value("max_depth"),
            row.volume(),
            state.error,
            state.solves
        );
        self.progress.note(&line);
        self.write(row);
        if self.written.is_ok() {
            self.written = self.file.publish();
        }
        self.written.is_ok()
    }

    fn write(&mut self, row: Row) {
        if self.written.is_ok() {
            self.written = self.file.append(&row);
        }
        let done = self.cycles_before + row.cycles();
        self.progress.advance(done as usize);
        self.progress.describe(&format!("wear {:.3e} m³", row.volume()));
        if self.wanted.follow_up.iter().any(|follow_up| follow_up.at.contains(&row.cycles())) {
            self.stops.retain(|(cycles, _)| *cycles != row.cycles());
            self.stops.push((row.cycles(), row.depth()));
        }
        self.n_increments += usize::from(row.value("jump") > 0.0);
        for (largest, name) in self.largest.iter_mut().zip(["error", "imbalance"]) {
            *largest = largest.max(row.value(name));
        }
        self.last = Some(row);
    }

    fn end(&mut self, end: &End) {
        let Some(last) = &self.last else {
            let stop = describe(end, self.wanted);
            let place = self.place.clone();
            self.reports.push(Report { place, is_idle: false, stop, summary: Value::Null });
            return;
        };
        self.ends.push((last.clone(), matches!(end, End::Finished)));
        let number = |name: &str| last.value(name);
        let solves = number("solves");
        let summary = json!({
            "frequency": number("frequency"),
            "load_factor": number("load_factor"),
            "target_slip": self.wanted.target_slip.map(|target| target.amplitude),
            "cycles": last.cycles(),
            "volume": last.volume(),
            "max_depth": number("max_depth"),
            "dissipated_energy": number("dissipated_energy"),
            "normal_force": number("normal_force"),
            "increments": self.n_increments,
            "rejected": number("rejected"),
            "solves": solves,
            "iterations_per_solve": number("iterations") / solves,
            "max_error_estimate": self.largest[0],
            "max_imbalance": self.largest[1],
        });
        let is_idle = matches!(end, End::Finished) && last.volume() == 0.0;
        let stop = describe(end, self.wanted);
        self.reports.push(Report { place: self.place.clone(), is_idle, stop, summary });
    }
}

/// Why a history ended early.
fn describe(end: &End, wanted: &case::Wear) -> Option<String> {
    let text = match end {
        End::Finished | End::Dismissed => return None,
        End::NotConverged { error: error @ PointError::Unreachable(_), .. } => error.to_string(),
        End::NotConverged { cycles, error } => {
            format!("stopped after {cycles} cycles, everything before is kept: {error}")
        }
        End::TooSmall { cycles, jump } => format!(
            "stopped after {cycles} cycles: even a jump of {jump:.2e} cycles misses the tolerance of the \
             scheme; raise `scheme.tolerance` or give `scheme.depth_scale`"
        ),
        End::TooDeep { cycles, pair } => format!(
            "stopped after {cycles} cycles: pair {pair} is worn deeper than allowed by \
             max_depth_fraction = {} of the part or by max_depth; raise it if this is meant",
            wanted.max_depth_fraction
        ),
    };
    Some(text)
}
