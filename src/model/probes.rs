//! Named outputs as linear functionals of the independent freedoms.

use num_complex::Complex;

use super::dofs::DofMap;
use super::geometry::Geometry;
use super::{Model, Operator};
use crate::case::{Case, Direction, Freedom, Named, Probe, Problem};

/// A probe ready to be evaluated.
#[derive(Debug, Clone)]
pub struct ProbeRow {
    /// What it measures.
    pub kind: ProbeKind,
    /// Weights of independent freedoms (motion) or of freedoms of u (reaction).
    pub terms: Vec<(usize, f64)>,
    /// Whether it measures a rotation or a moment.
    pub is_rotation: bool,
}

/// What a probe measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeKind {
    /// Motion, differentiated so many times in time.
    Motion(u8),
    /// Force of the supports.
    Reaction,
}

impl ProbeRow {
    /// SI unit of its value.
    pub fn unit(&self) -> &'static str {
        match (self.kind, self.is_rotation) {
            (ProbeKind::Motion(0), false) => "m",
            (ProbeKind::Motion(1), false) => "m/s",
            (ProbeKind::Motion(_), false) => "m/s^2",
            (ProbeKind::Motion(0), true) => "rad",
            (ProbeKind::Motion(1), true) => "rad/s",
            (ProbeKind::Motion(_), true) => "rad/s^2",
            (ProbeKind::Reaction, false) => "N",
            (ProbeKind::Reaction, true) => "N m",
        }
    }
}

/// A linear functional of a harmonic motion q e^{iωt}:
///
/// ```text
///     value = scale · Σ_k (iω)^k row_k·q + constant ,   k = 0, 1, 2
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Functional {
    rows: [Vec<(usize, f64)>; 3],
    /// Factor of the rows and of nothing else.
    pub scale: Complex<f64>,
    /// Part that does not depend on the motion.
    pub constant: Complex<f64>,
    /// SI unit of the value.
    pub unit: String,
}

impl Functional {
    /// row_k·q for k = 0, 1, 2, of a q given by index.
    pub fn rows<T>(&self, q: impl Fn(usize) -> T) -> [T; 3]
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        std::array::from_fn(|k| {
            let terms = self.rows[k].iter();
            terms.fold(T::default(), |sum, &(index, weight)| sum + q(index) * weight)
        })
    }

    /// Entries of row_k: indices into q and weights.
    pub fn row(&self, k: usize) -> &[(usize, f64)] {
        &self.rows[k]
    }

    /// The value for the motion q at ω \[rad/s\].
    pub fn value(&self, omega: f64, q: &[Complex<f64>]) -> Complex<f64> {
        let [r0, r1, r2] = self.rows(|i| q[i]);
        self.scale * (r0 + Complex::new(0.0, omega) * r1 - r2 * (omega * omega)) + self.constant
    }

    /// The value for a motion at rest.
    pub fn value_at_rest(&self, q: &[f64]) -> f64 {
        self.scale.re * self.rows(|i| q[i])[0] + self.constant.re
    }
}

impl Model {
    /// The probe as a functional. A reaction is K u + C u̇ + M ü − f at the nodes, before supports and
    /// ties are eliminated; `load` is f over u.
    pub fn functional(
        &self,
        probe: &ProbeRow,
        damping: Option<&Operator>,
        load: &[Complex<f64>],
    ) -> Functional {
        let mut rows = [vec![], vec![], vec![]];
        let mut constant = Complex::new(0.0, 0.0);
        match probe.kind {
            ProbeKind::Motion(order) => rows[order as usize] = probe.terms.clone(),
            ProbeKind::Reaction => {
                rows = self.nodal_force_rows(&probe.terms, damping.is_some());
                constant -=
                    probe.terms.iter().map(|(number, w)| load[*number] * *w).sum::<Complex<f64>>();
            }
        }
        let scale = Complex::new(1.0, 0.0);
        Functional { rows, scale, constant, unit: probe.unit().to_string() }
    }

    /// The probe per unit force: its motion differentiated `order` times, divided by `force`.
    pub fn functional_per_force(
        &self,
        probe: &ProbeRow,
        damping: Option<&Operator>,
        order: u8,
        force: Complex<f64>,
    ) -> Functional {
        let kind = match probe.kind {
            ProbeKind::Motion(_) => ProbeKind::Motion(order),
            ProbeKind::Reaction => ProbeKind::Reaction,
        };
        let probe = ProbeRow { kind, ..probe.clone() };
        let mut functional = self.functional(&probe, damping, &self.loads.nodal_harmonic);
        functional.scale /= force;
        functional.constant /= force;
        let numerator = if probe.is_rotation { "rad" } else { "m" };
        functional.unit = match kind {
            ProbeKind::Motion(0) => format!("{numerator}/N"),
            ProbeKind::Motion(1) => format!("{numerator}/(N s)"),
            ProbeKind::Motion(_) => format!("{numerator}/(N s^2)"),
            ProbeKind::Reaction => format!("{}/N", probe.unit()),
        };
        functional
    }
}

pub(super) struct ProbeBuilder<'a> {
    pub geometry: &'a Geometry,
    pub dofs: &'a DofMap,
}

impl ProbeBuilder<'_> {
    pub fn build(&self, case: &Case, problems: &mut Vec<Problem>) -> Named<ProbeRow> {
        let mut rows = Named::new();
        for (name, probe) in &case.probes {
            match self.row(probe) {
                Ok(row) => {
                    rows.insert(name.clone(), row);
                }
                Err(message) => problems.push(Problem::new(format!("probes.{name}"), message)),
            }
        }
        rows
    }

    fn row(&self, probe: &Probe) -> Result<ProbeRow, String> {
        let (kind, direction, terms) = match probe {
            Probe::Displacement { at, direction } => {
                (ProbeKind::Motion(0), direction, self.motion(at, *direction)?)
            }
            Probe::Velocity { at, direction } => {
                (ProbeKind::Motion(1), direction, self.motion(at, *direction)?)
            }
            Probe::Acceleration { at, direction } => {
                (ProbeKind::Motion(2), direction, self.motion(at, *direction)?)
            }
            Probe::RelativeDisplacement { between: [a, b], direction } => {
                let mut terms = self.motion(a, *direction)?;
                let second = self.motion(b, *direction)?;
                terms.extend(second.into_iter().map(|(index, weight)| (index, -weight)));
                (ProbeKind::Motion(0), direction, terms)
            }
            Probe::Reaction { at, direction } => {
                (ProbeKind::Reaction, direction, self.reaction(at, *direction)?)
            }
        };
        Ok(ProbeRow { kind, terms, is_rotation: direction.is_rotation() })
    }

    /// Mean motion of the nodes of a target.
    fn motion(&self, at: &str, direction: Direction) -> Result<Vec<(usize, f64)>, String> {
        let nodes = self.geometry.nodes(at)?;
        let share = 1.0 / nodes.len() as f64;
        let mut terms = Vec::new();
        for (node, number, weight) in self.components(&nodes, direction) {
            let Some(number) = number else {
                return Err(format!(
                    "{} cannot move in that direction",
                    self.geometry.describe(node)
                ));
            };
            let expansion = self.dofs.terms(number).iter();
            terms.extend(expansion.map(|&(index, factor)| (index, share * weight * factor)));
        }
        Ok(terms)
    }

    /// Freedoms of the nodes of a target whose forces add up to the reaction; the forces that ties
    /// bring to a point are among them.
    fn reaction(&self, at: &str, direction: Direction) -> Result<Vec<(usize, f64)>, String> {
        let nodes = self.geometry.nodes(at)?;
        let mut terms = Vec::new();
        let mut is_held = false;
        for (node, number, weight) in self.components(&nodes, direction) {
            let Some(number) = number else { continue };
            let mut own = Freedom::ALL.into_iter().filter_map(|f| self.dofs.number(node, f));
            is_held |= self.dofs.is_constrained(number)
                || own.any(|other| self.dofs.decides(number, other));
            terms.push((number, weight));
            let followers = self.dofs.followers(number);
            terms.extend(followers.map(|(follower, factor)| (follower, factor * weight)));
        }
        if !is_held {
            return Err("no support or tie holds these nodes in that direction".into());
        }
        Ok(terms)
    }

    /// The freedoms of `nodes` that a direction touches, with their weights.
    fn components<'a>(
        &'a self,
        nodes: &'a [usize],
        direction: Direction,
    ) -> impl Iterator<Item = (usize, Option<usize>, f64)> + 'a {
        nodes.iter().flat_map(move |&node| {
            let number = move |(f, weight)| (node, self.dofs.number(node, f), weight);
            direction.freedoms().map(number)
        })
    }
}
