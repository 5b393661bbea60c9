//! Unit forces and unit motions of supports, to be driven in time.
//!
//! ```text
//! A drive s(t) acts on the free freedoms with
//!
//!     f(t) = f_0 s + f_1 ṡ + f_2 s̈ ,                                                         (1)
//!
//! f_0 the unit force itself, or −(K, C, M)_fc e for the unit displacement e of held freedoms.
//! ```

use super::{Model, Operator};
use crate::case::{Direction, Freedom};

/// What a drive of size 1 does.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitDrive {
    /// f_k of (1), over q_f.
    pub load: [Vec<f64>; 3],
    /// Displacement of q_c.
    pub held: Vec<f64>,
    /// Force over u, which reactions do not carry.
    pub nodal: Vec<f64>,
}

impl Model {
    /// A force of 1 N (or a moment of 1 N m) shared equally by the nodes of a set or point.
    pub fn unit_force(&self, on: &str, direction: Direction) -> Result<UnitDrive, String> {
        let nodes = self.geometry.nodes(on)?;
        let mut nodal = vec![0.0; self.dofs.n_all()];
        let share = 1.0 / nodes.len() as f64;
        for node in nodes {
            for (freedom, weight) in direction.freedoms() {
                if !self.dofs.add(&mut nodal, node, freedom, share * weight) {
                    return Err(self.lacks(node, freedom));
                }
            }
        }
        let mut load = self.dofs.project(&nodal);
        load.truncate(self.dofs.n_free);
        let zero = vec![0.0; self.dofs.n_free];
        let held = vec![0.0; self.dofs.n_prescribed()];
        Ok(UnitDrive { load: [load, zero.clone(), zero], held, nodal })
    }

    /// A displacement of 1 m (or a rotation of 1 rad) of the nodes of a set or point, all of them held.
    pub fn unit_displacement(
        &self,
        on: &str,
        freedom: Freedom,
        damping: Option<&Operator>,
    ) -> Result<UnitDrive, String> {
        let mut held = vec![0.0; self.dofs.n_prescribed()];
        for node in self.geometry.nodes(on)? {
            let number =
                self.dofs.number(node, freedom).ok_or_else(|| self.lacks(node, freedom))?;
            match *self.dofs.terms(number) {
                [(index, 1.0)] if index >= self.dofs.n_free => {
                    held[index - self.dofs.n_free] = 1.0;
                }
                _ => {
                    let (node, name) = (self.geometry.describe(node), freedom.name());
                    return Err(format!(
                        "no support holds {node} along `{name}`, so nothing can move it there: add one of \
                         type \"clamp\" or \"prescribed\", or drive it by a force"
                    ));
                }
            }
        }
        let operators = [Some(&self.operators.stiffness), damping, Some(&self.operators.mass)];
        let load = operators.map(|operator| {
            let mut load = vec![0.0; self.dofs.n_free];
            if let Some(operator) = operator {
                operator.add_prescribed_force(&mut load, &held, -1.0);
            }
            load
        });
        Ok(UnitDrive { load, held, nodal: vec![0.0; self.dofs.n_all()] })
    }

    fn lacks(&self, node: usize, freedom: Freedom) -> String {
        format!("{} has no freedom `{}`", self.geometry.describe(node), freedom.name())
    }
}
