//! Parts that come as matrices, entry by entry.

use super::{Assembler, ElementMatrices};
use crate::mesh::Matrices;

impl Assembler<'_> {
    /// The parts that come as matrices, with their first nodes.
    pub(super) fn matrices(&self) -> impl Iterator<Item = (usize, &Matrices)> + '_ {
        let parts = self.geometry.parts.values();
        parts.filter_map(|part| Some((part.first_node, part.mesh.matrices.as_ref()?)))
    }

    /// Every entry of K, M and C and its mirror image as a small element.
    pub(super) fn matrix_entries(&self) -> impl Iterator<Item = ElementMatrices> + '_ {
        self.matrices().flat_map(|(first_node, matrices)| {
            let numbers = self.dofs.matrix_rows(first_node);
            let kinds = matrices.all().into_iter().enumerate();
            kinds.flat_map(move |(kind, entries)| {
                entries.iter().map(move |&(i, j, value)| element(numbers, kind, i, j, value))
            })
        })
    }
}

fn element(numbers: &[usize], kind: usize, i: usize, j: usize, value: f64) -> ElementMatrices {
    let both = [numbers[i], numbers[j]];
    let mut values = [0.0; 64];
    let used = if i == j {
        values[0] = value;
        &both[..1]
    } else {
        (values[1], values[2]) = (value, value);
        &both[..]
    };
    let mut out = ElementMatrices::new(used);
    match kind {
        0 => out.stiffness = values,
        1 => out.mass = values,
        _ => out.damping = Some(values),
    }
    out
}
