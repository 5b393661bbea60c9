//! Motions of a run under drives: instants go to disk in blocks while they are integrated.

use serde_json::{Map, Value, json};

use super::{Failure, Run};
use crate::case::{Freedom, History, HistoryDrive, Problem, SlipCriterion};
use crate::model::UnitDrive;
use crate::results::history::{HistoryShape, PairPlace};
use crate::transient::history::CourseOf;
use crate::transient::{
    Criterion, Effort, Excitation, HistorySettings, Instant, Record, SlipMeter, System, ZoneMeter,
};

/// Progress is shown in so many parts of a record.
const PARTS: usize = 200;

impl Run<'_> {
    pub(super) fn history(&mut self, name: &str, wanted: &History) -> Result<(), Failure> {
        let (system, structure) = self.system()?;
        let units = self.unit_drives(name, wanted)?;
        let excitations: Vec<Excitation> =
            units.iter().map(|unit| system.excitation(&self.model, &structure, unit)).collect();
        let courses: Vec<CourseOf> = wanted.drives.iter().map(|drive| course(drive)).collect();
        let settings = settings(wanted);
        let record = Record::new(&system, &excitations, &courses, settings);
        let shape = self.history_shape(&system, wanted);
        let probes = shape.probes.clone();
        let mut file = self.writer.begin_history(name, shape)?;
        let mut meters = meters(&system, wanted);
        let mut zones = ZoneMeter::all(&system.joints);
        let mut largest = vec![0.0_f64; probes.len()];
        self.progress.begin("time integration", PARTS);
        let mut shown = 0;
        let outcome = record.integrate(|instant: &Instant| -> Result<(), Failure> {
            meters.iter_mut().for_each(|meter| meter.take(instant));
            zones.iter_mut().flatten().for_each(|meter| meter.take(instant));
            if instant.is_end && instant.interval.is_multiple_of(wanted.store_every) {
                file.append(instant, &zones)?;
                for (largest, value) in largest.iter_mut().zip(instant.probes()) {
                    *largest = largest.max(value.abs());
                }
            }
            let part = PARTS * instant.interval / settings.count;
            if part > shown {
                shown = part;
                self.progress.advance(part);
            }
            Ok(())
        });
        self.progress.end();
        // A motion that ends early leaves what it had computed.
        let effort = *outcome.as_ref().unwrap_or(&Effort::default());
        file.finish(&meters, effort)?;
        self.summarise(name, &probes, &largest, &meters, effort);
        outcome.map(|_| ())
    }

    /// What every drive of size 1 does.
    fn unit_drives(&self, name: &str, wanted: &History) -> Result<Vec<UnitDrive>, Failure> {
        let damping = self.model.damping();
        let number = self.file.case.analysis.iter().position(|a| a.name() == name).unwrap_or(0);
        let mut problems = Vec::new();
        let mut units = Vec::new();
        for (i, drive) in wanted.drives.iter().enumerate() {
            let unit = match drive {
                HistoryDrive::Force { on, direction, .. } => self.model.unit_force(on, *direction),
                HistoryDrive::Displacement { on, direction, .. } => self
                    .model
                    .unit_displacement(on, *direction, damping.as_ref())
                    .and_then(|unit| self.moves_no_contact(unit)),
            };
            match unit {
                Ok(unit) => units.push(unit),
                Err(message) => {
                    let path = format!("analysis[{number}].drives[{i}].on");
                    problems.push(Problem::new(path, message));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(units),
            false => Err(Failure::Case(self.file.refuse(problems))),
        }
    }

    /// Relative displacements are those of free nodes: a held one that moves is not among them.
    fn moves_no_contact(&self, unit: UnitDrive) -> Result<UnitDrive, String> {
        let dofs = &self.model.dofs;
        let is_moved = |node: usize| {
            Freedom::TRANSLATIONS.into_iter().filter_map(|f| dofs.number(node, f)).any(|number| {
                let held = dofs.terms(number).iter().filter_map(|t| t.0.checked_sub(dofs.n_free));
                held.into_iter().any(|held| unit.held[held] != 0.0)
            })
        };
        let pairs = self.model.interfaces.iter().flat_map(|interface| &interface.pairs);
        let mut nodes = pairs.flat_map(|pair| std::iter::once(pair.first).chain(pair.second));
        match nodes.find(|node| is_moved(*node)) {
            None => Ok(unit),
            Some(node) => Err(format!(
                "moves {}, which is in contact: drive it through a stiff spring, or move the other face",
                self.model.geometry.describe(node)
            )),
        }
    }

    fn history_shape(&self, system: &System, wanted: &History) -> HistoryShape {
        let mut interfaces = vec![vec![]; self.model.interfaces.len()];
        for joint in &system.joints {
            interfaces[joint.interface].push(PairPlace {
                preload: joint.preload,
                normal: joint.rows.normal,
                tangents: joint.rows.tangents.clone(),
                has_zones: joint.has_zones(),
            });
        }
        let unit = |drive: &HistoryDrive| match drive {
            HistoryDrive::Force { direction, .. } if direction.is_rotation() => "N m",
            HistoryDrive::Force { .. } => "N",
            HistoryDrive::Displacement { direction: Freedom::Rotation, .. } => "rad",
            HistoryDrive::Displacement { .. } => "m",
        };
        let probes = system.probes.iter().map(|probe| (probe.name.clone(), probe.unit.clone()));
        HistoryShape {
            probes: probes.collect(),
            drives: wanted.drives.iter().map(|drive| unit(drive).to_string()).collect(),
            interfaces,
        }
    }

    fn summarise(
        &mut self,
        name: &str,
        probes: &[(String, String)],
        largest: &[f64],
        meters: &[SlipMeter],
        effort: Effort,
    ) {
        let peak = |((probe, unit), largest): (&(String, String), &f64)| {
            (probe.clone(), json!({"largest": largest, "unit": unit}))
        };
        let peaks: Map<String, Value> = probes.iter().zip(largest).map(peak).collect();
        let pair = |meter: &SlipMeter| {
            json!({
                "break_away_force_N": meter.break_away(),
                "slip_ratio": meter.slip_ratio(),
                "sticks": meter.sticks().len(),
                "work_J": meter.work,
                "work_rate_W": meter.work_rate(),
            })
        };
        let pairs: Vec<Value> = meters.iter().map(pair).collect();
        let entry = json!({
            "type": "history",
            "steps": effort.steps,
            "rejected_steps": effort.rejected,
            "probes": peaks,
            "pairs": pairs,
        });
        self.summary.analyses.insert(name.into(), entry);
    }
}

fn course(drive: &HistoryDrive) -> CourseOf<'_> {
    let course = drive.course();
    Box::new(|time| course.at(time))
}

fn settings(wanted: &History) -> HistorySettings {
    // A last interval shorter than the others would need matrices of its own: all are shortened a little.
    let count = (wanted.duration / wanted.time_step - 1e-9).ceil().max(1.0);
    HistorySettings {
        interval: wanted.duration / count,
        count: count as usize,
        tolerance: wanted.tolerance,
        dissipation: wanted.numerical_damping.min(1.0 / 3.0),
    }
}

fn meters(system: &System, wanted: &History) -> Vec<SlipMeter> {
    let criterion = match wanted.slip {
        SlipCriterion::Law => Criterion::Law,
        SlipCriterion::Velocity { above } => Criterion::Velocity(above),
        SlipCriterion::SettledState { below } => Criterion::SettledState(below),
    };
    let (shortest, from) = (wanted.shortest_stick, wanted.measure_from);
    SlipMeter::all(&system.joints, criterion, shortest, from)
}
