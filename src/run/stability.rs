//! Stability of the points of a response, as they are found.

use std::f64::consts::TAU;

use serde_json::{Value, json};

use crate::case::StabilityMethod;
use crate::harmonic::{Balance, Parameters, Point};
use crate::reduction::ReducedStructure;
use crate::results::stability::StabilityRecord;
use crate::stability::{Bifurcation, Floquet, Method, Stability};
use crate::transient::TransientError;

/// Judges point after point and counts what it finds.
pub(super) struct Judge {
    stability: Stability,
    /// The curve and multipliers of the point before.
    before: Option<(usize, Parameters, Floquet)>,
    n_unstable: usize,
    /// Points whose stability was not found, and why not.
    unknown: Vec<String>,
    bifurcations: Vec<Value>,
}

impl Judge {
    /// Nothing where stability is not asked for.
    pub fn new(
        method: StabilityMethod,
        structure: &ReducedStructure,
        balance: &Balance,
    ) -> Result<Option<Self>, TransientError> {
        let method = match method {
            StabilityMethod::None => return Ok(None),
            StabilityMethod::Monodromy => Method::Monodromy,
            StabilityMethod::Hill => Method::Hill,
        };
        Ok(Some(Self {
            stability: Stability::new(structure, balance, method)?,
            before: None,
            n_unstable: 0,
            unknown: vec![],
            bifurcations: vec![],
        }))
    }

    /// Number of multipliers of a point.
    pub fn n_multipliers(&self) -> usize {
        self.stability.n_multipliers()
    }

    /// Stability of the next point of a curve.
    pub fn judge(&mut self, balance: &Balance, curve: usize, point: &Point) -> StabilityRecord {
        let floquet = match self.stability.of(balance, point) {
            Ok(Some(floquet)) => floquet,
            Ok(None) => return self.unknown("no periodic motion in time was found beside it"),
            Err(error) => return self.unknown(&error.to_string()),
        };
        self.n_unstable += usize::from(floquet.n_unstable() > 0);
        let before = self.before.take().filter(|(of, ..)| *of == curve);
        let bifurcation = before.as_ref().and_then(|(_, parameters, before)| {
            let bifurcation = before.bifurcation_before(&floquet)?;
            self.bifurcations.push(describe(bifurcation, curve, [parameters, &point.parameters]));
            Some(bifurcation)
        });
        self.before = Some((curve, point.parameters, floquet.clone()));
        StabilityRecord { floquet: Some(floquet), bifurcation }
    }

    /// A point without solution: what lies beyond it is not compared with what was before.
    pub fn skip(&mut self) {
        self.before = None;
    }

    fn unknown(&mut self, reason: &str) -> StabilityRecord {
        self.unknown.push(reason.into());
        self.before = None;
        StabilityRecord::default()
    }

    /// What the user should know.
    pub fn warning(&self) -> Option<String> {
        let first = self.unknown.first()?;
        Some(format!("the stability of {} points is not known: {first}", self.unknown.len()))
    }

    /// Headline numbers.
    pub fn summary(&self) -> Value {
        json!({
            "unstable": self.n_unstable,
            "unknown": self.unknown.len(),
            "bifurcations": self.bifurcations,
        })
    }
}

/// A bifurcation between two points.
fn describe(bifurcation: Bifurcation, curve: usize, between: [&Parameters; 2]) -> Value {
    let of = |value: fn(&Parameters) -> f64| between.map(value);
    json!({
        "type": bifurcation.name(),
        "curve": curve,
        "frequency": of(|p| p.omega / TAU),
        "load_factor": of(|p| p.load),
        "preload_factor": of(|p| p.preload),
        "friction_factor": of(|p| p.friction),
    })
}
