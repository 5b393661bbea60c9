//! Frequency responses of a run: points go to disk as they are finished.

use rayon::prelude::*;
use serde_json::json;

use super::{Failure, Run};
use crate::case::{Case, Damping, Frf, FrfMethod, FrfQuantity};
use crate::linalg::{Complex, Symbolic};
use crate::linear::response::{self, Direct, Receiver};
use crate::linear::{FrfPoint, FrfRequest, ModalSolution, ModeRange, modes};
use crate::model::probes::Functional;
use crate::model::{Model, Operator};
use crate::progress::Progress;
use crate::reduction::Response;
use crate::results::writer::FrfWriter;
use crate::results::{ResultError, ResultWriter};

/// Modes of a superposition that does not say how many.
const DEFAULT_SUPERPOSED: usize = 20;

impl Run<'_> {
    pub(super) fn frf(&mut self, name: &str, wanted: &Frf) -> Result<(), Failure> {
        let frequencies = wanted.frequencies.values();
        // A reduced structure sticks by itself; the other methods need the bonded model.
        let (bonded, structure) = match wanted.method {
            FrfMethod::Direct | FrfMethod::Modal => (self.bonded(wanted.contact)?, None),
            FrfMethod::Reduced => {
                let highest = frequencies.iter().copied().fold(0.0, f64::max);
                (None, Some(self.reduced_structure(name, highest)?))
            }
        };
        let own = (&self.model, &self.symbolic);
        let (model, symbolic) = bonded.as_ref().map_or(own, |(model, symbolic)| (model, symbolic));
        let damping = model.damping();
        let functionals = functionals(model, damping.as_ref(), wanted.quantity);
        let request = FrfRequest {
            model,
            damping: damping.as_ref(),
            functionals: &functionals,
            frequencies: &frequencies,
        };
        let solver = match structure {
            Some(structure) => {
                let response = Response::new(model, structure, wanted.contact, &functionals)?;
                Solver::Reduced(Box::new(response))
            }
            None if wanted.method == FrfMethod::Direct => {
                Solver::Direct(Direct::new(&request, symbolic)?)
            }
            None => {
                let count = wanted.modes.unwrap_or(DEFAULT_SUPERPOSED.min(model.n_massive()));
                let range = ModeRange::Count(count);
                let modes = modes::solve(model, symbolic, range, self.progress)?;
                Solver::Modal { symbolic, modes, ratios: modal_ratios(&self.file.case) }
            }
        };
        let named = model.probes.keys().zip(&functionals);
        let probes: Vec<(String, String)> =
            named.map(|(probe, functional)| (probe.clone(), functional.unit.clone())).collect();
        let quantity = json!(wanted.quantity);
        let file = self.writer.begin_frf(name, quantity.as_str().unwrap_or_default(), &probes)?;
        self.progress.begin("frequency response", frequencies.len());
        let mut recorder = Recorder::new(file, self.progress);
        let outcome = solver.sweep(&request, &mut |points| recorder.record(points));
        let Recorder { points, written, .. } = recorder;
        self.progress.end();
        written?;
        self.summary.add_frf(name, &probes, &points);
        outcome?;
        write_fields(&self.writer, name, model, &solver, &wanted.fields)
    }
}

fn modal_ratios(case: &Case) -> &[f64] {
    match &case.damping {
        Some(Damping::Modal { ratios }) => ratios,
        _ => &[],
    }
}

/// A method, prepared.
enum Solver<'a> {
    Direct(Direct<'a>),
    Modal { symbolic: &'a Symbolic, modes: ModalSolution, ratios: &'a [f64] },
    Reduced(Box<Response<'a>>),
}

impl Solver<'_> {
    /// Hands the points to `receive` in the order of their frequencies.
    fn sweep(&self, request: &FrfRequest, receive: &mut Receiver) -> Result<(), Failure> {
        match self {
            Self::Direct(direct) => Ok(direct.sweep(receive)?),
            Self::Modal { symbolic, modes, ratios } => {
                Ok(response::superposition(request, symbolic, modes, ratios, receive)?)
            }
            Self::Reduced(response) => reduced_sweep(response, request.frequencies, receive),
        }
    }

    /// The motion (q_f, q_c) at a frequency \[Hz\].
    fn field(&self, frequency: f64) -> Result<Vec<Complex>, Failure> {
        match self {
            Self::Direct(direct) => Ok(direct.motion(frequency)?),
            Self::Reduced(response) => Ok(response.field(frequency)?),
            Self::Modal { .. } => unreachable!("refused when the case was checked"),
        }
    }
}

/// Stores displacement and stress of the whole model at chosen frequencies.
fn write_fields(
    writer: &ResultWriter,
    name: &str,
    model: &Model,
    solver: &Solver,
    frequencies: &[f64],
) -> Result<(), Failure> {
    if frequencies.is_empty() {
        return Ok(());
    }
    let (n_nodes, n_quads) = (model.geometry.coordinates.len(), model.elements.quads.len());
    let file = writer.begin_fields(name, n_nodes, n_quads)?;
    for &frequency in frequencies {
        let displacement = model.dofs.expand(&solver.field(frequency)?);
        file.append(frequency, &displacement, &stress(model, &displacement))?;
    }
    Ok(())
}

/// Complex amplitudes of the mean stress in every quadrilateral.
fn stress(model: &Model, displacement: &[[Complex; 4]]) -> Vec<[Complex; 3]> {
    let part = |of: fn(Complex) -> f64| {
        let part: Vec<[f64; 4]> = displacement.iter().map(|u| u.map(of)).collect();
        model.stress(&part)
    };
    let (real, imaginary) = (part(|z| z.re), part(|z| z.im));
    let pairs = real.iter().zip(&imaginary);
    pairs.map(|(re, im)| std::array::from_fn(|i| Complex::new(re[i], im[i]))).collect()
}

fn reduced_sweep(
    response: &Response,
    frequencies: &[f64],
    receive: &mut Receiver,
) -> Result<(), Failure> {
    let point = |frequency: &f64| -> Result<FrfPoint, Failure> {
        let values = response.values(*frequency)?;
        Ok(FrfPoint { frequency: *frequency, values }.finite()?)
    };
    for batch in frequencies.chunks(16 * rayon::current_num_threads()) {
        let points = batch.par_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        receive(&points);
    }
    Ok(())
}

/// Writes points as they come and remembers the first failure to do so.
struct Recorder<'a> {
    file: FrfWriter,
    progress: &'a mut dyn Progress,
    points: Vec<FrfPoint>,
    written: Result<(), ResultError>,
}

impl<'a> Recorder<'a> {
    fn new(file: FrfWriter, progress: &'a mut dyn Progress) -> Self {
        Self { file, progress, points: Vec::new(), written: Ok(()) }
    }

    fn record(&mut self, points: &[FrfPoint]) {
        self.points.extend_from_slice(points);
        self.progress.advance(self.points.len());
        if self.written.is_ok() {
            self.written = self.file.append(points);
        }
    }
}

/// The probes as functionals of the motion, as they are or per unit force.
fn functionals(
    model: &Model,
    damping: Option<&Operator>,
    quantity: FrfQuantity,
) -> Vec<Functional> {
    let order = match quantity {
        FrfQuantity::Response => None,
        FrfQuantity::Receptance => Some(0),
        FrfQuantity::Mobility => Some(1),
        FrfQuantity::Accelerance => Some(2),
    };
    let per_force: Option<(u8, Complex)> = order.zip(model.loads.reference_force);
    let functional = |row| match per_force {
        Some((order, force)) => model.functional_per_force(row, damping, order, force),
        None => model.functional(row, damping, &model.loads.nodal_harmonic),
    };
    model.probes.values().map(functional).collect()
}
