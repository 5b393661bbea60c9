//! The equation of motion (1) of the parent module, and the probes that look at it.

use faer::Mat;

use super::TransientError;
use super::history::Excitation;
use crate::contact::{Joint, Law, Modification};
use crate::linalg::Complex;
use crate::model::{Model, ProbeRow, UnitDrive};
use crate::reduction::{
    Condensation, CondensedLoad, CondensedRow, LoadParts, ReducedStructure, TimeMatrices,
};

/// A pivot of M below this fraction of its diagonal means no mass.
const TOL_MASS: f64 = 1e-12;

/// What excites the structure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drive {
    /// ω \[rad/s\].
    pub omega: f64,
    /// Factor of the vibrating loads.
    pub load: f64,
}

impl Drive {
    /// Length of a period \[s\].
    pub fn period(&self) -> f64 {
        std::f64::consts::TAU / self.omega
    }
}

/// A reduced structure with its joints, in time.
#[derive(Debug, Clone)]
pub struct System {
    condensation: Condensation,
    constant: CondensedLoad,
    harmonic: CondensedLoad,
    /// M, C, K over x.
    pub matrices: TimeMatrices,
    /// Joints: all with exact normal contact, or none.
    pub joints: Vec<Joint>,
    /// Probes, in the order of the case.
    pub probes: Vec<Signal>,
}

/// f_0 + cosine · cos ωt + sine · sin ωt.
#[derive(Debug, Clone)]
pub struct Wave<T> {
    /// f_0.
    pub constant: T,
    /// Re f_1.
    pub cosine: T,
    /// −Im f_1.
    pub sine: T,
}

/// A probe: Σ_k row_k · d^k x/dt^k and a part that follows loads and supports directly.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// SI unit of its value.
    pub unit: String,
    rows: [CondensedRow; 3],
    /// row_k of the prescribed freedoms, times their amplitudes and rest positions.
    held: [(Complex, f64); 3],
    /// Loads that a reaction does not carry: amplitude and constant.
    constant: (Complex, f64),
}

impl System {
    /// The structure with its joints; refused if a relative displacement moves no mass.
    pub fn new(structure: &ReducedStructure, joints: Vec<Joint>) -> Result<Self, TransientError> {
        let n_exact = joints.iter().filter(|joint| joint.presses_exactly()).count();
        if n_exact != 0 && n_exact != joints.len() {
            return Err(TransientError::MixedLaws);
        }
        let condensation = Condensation::new(structure)?;
        let matrices = condensation.time_matrices();
        require_mass(&matrices.mass, condensation.n_modes())?;
        let constant = condensation.load(&LoadParts::constant(&structure.constant));
        let harmonic = condensation.load(&structure.harmonic);
        Ok(Self { condensation, constant, harmonic, matrices, joints, probes: vec![] })
    }

    /// The same with the probes of the model.
    pub fn with_probes(mut self, model: &Model, structure: &ReducedStructure) -> Self {
        let signal = |(name, row): (&String, &ProbeRow)| {
            Signal::new(name, row, model, structure, &self.condensation)
        };
        self.probes = model.probes.iter().map(signal).collect();
        self
    }

    /// The same under other constant loads and friction: factors of both.
    pub fn scaled(&self, preload: f64, friction: f64) -> Self {
        let factors = Modification { preload, friction, ..Modification::default() };
        Self {
            constant: self.constant.scaled(preload),
            joints: self.joints.iter().map(|joint| joint.modified(&factors)).collect(),
            ..self.clone()
        }
    }

    /// Number of coordinates x.
    pub fn size(&self) -> usize {
        self.matrices.mass.nrows()
    }

    /// Number of Floquet multipliers: positions, velocities and what sliders remember.
    pub fn n_state(&self) -> usize {
        let sliders = super::springs::remembered(&self.joints).len();
        2 * self.size() + sliders + super::friction::lengths(&self.joints).len()
    }

    /// Number of relative displacements, which are the last coordinates.
    pub fn n_relative(&self) -> usize {
        self.condensation.n_relative()
    }

    /// Number of modal coordinates ζ, which come first.
    pub fn n_modes(&self) -> usize {
        self.condensation.n_modes()
    }

    /// Whether a joint has a friction law of the library.
    pub fn has_friction_laws(&self) -> bool {
        self.joints.iter().any(|joint| matches!(joint.law, Law::Friction(_)))
    }

    /// Whether the joints obey the exact laws.
    pub fn is_exact(&self) -> bool {
        self.joints.iter().all(|joint| joint.law == Law::Exact)
    }

    /// Whether the joints obey the exact law along the normal.
    pub fn presses_exactly(&self) -> bool {
        self.joints.iter().all(Joint::presses_exactly)
    }

    /// f_0 over x.
    pub fn constant_load(&self) -> Vec<f64> {
        self.constant.coordinates(0.0).iter().map(|f| f.re).collect()
    }

    /// f_0 and f_1 over x.
    pub fn load(&self, drive: Drive) -> (Vec<f64>, Vec<Complex>) {
        let harmonic = self.harmonic.coordinates(drive.omega);
        (self.constant_load(), harmonic.iter().map(|f| f * drive.load).collect())
    }

    /// A drive of size 1 in the coordinates x, and what the probes see of it directly.
    ///
    /// Coordinates without mass follow a load at once; of their motion, what would need the third
    /// derivative of the drive is left out.
    pub fn excitation(
        &self,
        model: &Model,
        structure: &ReducedStructure,
        unit: &UnitDrive,
    ) -> Excitation {
        let parts = unit
            .load
            .each_ref()
            .map(|part| self.condensation.load(&LoadParts::constant(&structure.project(part))));
        let real = |load: &CondensedLoad| load.coordinates(0.0).iter().map(|f| f.re).collect();
        let damping = model.damping();
        let nodal: Vec<Complex> = unit.nodal.iter().map(|f| (*f).into()).collect();
        let direct = |(signal, probe): (&Signal, &ProbeRow)| {
            let functional = model.functional(probe, damping.as_ref(), &nodal);
            let mut seen = [functional.constant.re, 0.0, 0.0];
            for k in 0..3 {
                for &(index, weight) in functional.row(k) {
                    seen[k] +=
                        index.checked_sub(model.dofs.n_free).map_or(0.0, |h| weight * unit.held[h]);
                }
                for (j, part) in parts.iter().enumerate().take(3 - k) {
                    seen[k + j] += self.condensation.massless_part(&signal.rows[k], part, 0.0).re;
                }
            }
            seen
        };
        Excitation {
            load: parts.each_ref().map(real),
            direct: self.probes.iter().zip(model.probes.values()).map(direct).collect(),
        }
    }

    /// The part of a probe that loads and supports at rest make directly.
    pub(super) fn resting_part(&self, signal: &Signal) -> f64 {
        let at_rest = self.condensation.massless_part(&signal.rows[0], &self.constant, 0.0).re;
        signal.constant.1 + signal.held[0].1 + at_rest
    }

    /// f_0 and f_1 over x as a wave.
    pub fn wave(&self, drive: Drive) -> Wave<Vec<f64>> {
        let (constant, harmonic) = self.load(drive);
        Wave {
            constant,
            cosine: harmonic.iter().map(|f| f.re).collect(),
            sine: harmonic.iter().map(|f| -f.im).collect(),
        }
    }

    /// The part of a probe that follows loads and supports directly.
    pub fn direct_part(&self, signal: &Signal, drive: Drive) -> Wave<f64> {
        let mut amplitude = signal.constant.0;
        let mut derivative = Complex::new(1.0, 0.0);
        for (row, (moved, _)) in signal.rows.iter().zip(&signal.held) {
            let through = self.condensation.massless_part(row, &self.harmonic, drive.omega);
            amplitude += derivative * (moved + through);
            derivative *= Complex::new(0.0, drive.omega);
        }
        amplitude *= drive.load;
        Wave { constant: self.resting_part(signal), cosine: amplitude.re, sine: -amplitude.im }
    }
}

impl Wave<f64> {
    /// Value at the angle ωt.
    pub fn at(&self, angle: f64) -> f64 {
        self.constant + self.cosine * angle.cos() + self.sine * angle.sin()
    }
}

impl Signal {
    fn new(
        name: &str,
        probe: &ProbeRow,
        model: &Model,
        structure: &ReducedStructure,
        condensation: &Condensation,
    ) -> Self {
        let damping = model.damping();
        let at_rest: Vec<Complex> =
            model.loads.nodal_constant.iter().map(|f| (*f).into()).collect();
        let moving = model.functional(probe, damping.as_ref(), &model.loads.nodal_harmonic);
        let resting = model.functional(probe, damping.as_ref(), &at_rest);
        let n_free = model.dofs.n_free;
        let row = |k: usize| {
            let mut free = vec![0.0; n_free];
            let weights = moving.row(k).iter().filter(|(index, _)| *index < n_free);
            weights.for_each(|(index, weight)| free[*index] += weight);
            condensation.row(&structure.project(&free))
        };
        let held = |k: usize| {
            let mut sum = (Complex::new(0.0, 0.0), 0.0);
            for &(index, weight) in moving.row(k) {
                if let Some(held) = index.checked_sub(n_free) {
                    sum.0 += model.dofs.harmonic_values[held] * weight;
                    sum.1 += model.dofs.static_values[held] * weight;
                }
            }
            sum
        };
        Self {
            name: name.to_string(),
            unit: moving.unit.clone(),
            rows: std::array::from_fn(row),
            held: std::array::from_fn(held),
            constant: (moving.constant, resting.constant.re),
        }
    }

    /// Weights of x, ẋ and ẍ.
    pub fn weights(&self) -> [Vec<f64>; 3] {
        self.rows.each_ref().map(CondensedRow::coordinates)
    }
}

/// Refuses a relative displacement whose mass, the modes moving freely, vanishes.
fn require_mass(mass: &Mat<f64>, n_modes: usize) -> Result<(), TransientError> {
    let n = mass.nrows() - n_modes;
    let mut left = Mat::from_fn(n, n, |i, j| {
        let (i, j) = (n_modes + i, n_modes + j);
        mass[(i, j)] - (0..n_modes).map(|k| mass[(k, i)] * mass[(k, j)]).sum::<f64>()
    });
    // Elimination row by row names the first one that fails.
    for k in 0..n {
        if left[(k, k)] <= TOL_MASS * mass[(n_modes + k, n_modes + k)].abs() {
            return Err(TransientError::Massless { row: k });
        }
        for i in k + 1..n {
            let factor = left[(i, k)] / left[(k, k)];
            (k..n).for_each(|j| left[(i, j)] -= factor * left[(k, j)]);
        }
    }
    Ok(())
}
