//! Fill-reducing order of elimination.
//!
//! Neighbouring unknowns with the same connections, such as the freedoms of one node, are ordered as
//! one: the graph is a quarter as large and the order as good. They stay neighbours in the order, and
//! so share a supernode.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;

use super::pattern::Pattern;

/// Order of elimination by approximate minimum degree: entry i is the unknown eliminated as number i.
///
/// `pattern` is a lower triangle, diagonal included, by columns. Nothing if memory is short.
pub(super) fn fill_reducing(pattern: &Pattern) -> Option<Vec<u32>> {
    let groups = groups(pattern);
    let compressed = compress(pattern, &groups);
    let size = compressed.size();
    let (mut order, mut inverse) = (vec![0; size], vec![0; size]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(size, compressed.nnz())).ok()?;
    amd::order(
        &mut order,
        &mut inverse,
        compressed.as_faer(),
        Default::default(),
        MemStack::new(&mut memory),
    )
    .ok()?;
    let members = |group: u32| groups[group as usize]..groups[group as usize + 1];
    Some(order.into_iter().flat_map(members).map(|unknown| unknown as u32).collect())
}

/// First unknown of each group of neighbours with equal connections, and the end.
fn groups(pattern: &Pattern) -> Vec<usize> {
    let size = pattern.size();
    let mut starts = vec![0];
    for next in 1..size {
        // Equal columns below the diagonal suffice: earlier unknowns that see only one of the two
        // make the order less good, never wrong.
        if pattern.column(next - 1)[1..] != *pattern.column(next) {
            starts.push(next);
        }
    }
    if size > 0 {
        starts.push(size);
    }
    starts
}

/// The graph of the groups, as a lower triangle.
fn compress(pattern: &Pattern, groups: &[usize]) -> Pattern {
    let size = groups.len() - 1;
    let mut group_of = vec![0; pattern.size()];
    for group in 0..size {
        group_of[groups[group]..groups[group + 1]].fill(group);
    }
    let mut compressed = Pattern::default();
    let mut rows: Vec<usize> = Vec::new();
    for &start in &groups[..size] {
        rows.clear();
        rows.extend(pattern.rows(start).map(|row| group_of[row]));
        rows.dedup();
        compressed.push_column(rows.iter().copied());
    }
    compressed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::pattern::clique_pattern;

    #[test]
    fn freedoms_of_a_node_form_a_group_and_stay_together() {
        // Three nodes of two freedoms in a row.
        let elements: [&[usize]; 2] = [&[0, 1, 2, 3], &[2, 3, 4, 5]];
        let pattern = clique_pattern(6, elements.into_iter());
        assert_eq!(groups(&pattern), [0, 2, 6], "the last two nodes look alike from below");
        let order = fill_reducing(&pattern).unwrap();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        let place = |unknown| order.iter().position(|u| *u == unknown).unwrap();
        assert_eq!(place(1), place(0) + 1);
    }

    #[test]
    fn every_unknown_appears_once_for_scattered_patterns() {
        let elements: Vec<Vec<usize>> =
            (0..200).map(|i| vec![i * 7 % 100, i * 13 % 100, i * 29 % 100]).collect();
        let pattern = clique_pattern(100, elements.iter().map(Vec::as_slice));
        let mut order = fill_reducing(&pattern).unwrap();
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
