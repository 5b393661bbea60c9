//! Where a symmetric sparse matrix has entries: the lower triangle, by columns.
//!
//! Indices are 32 bits wide: patterns, and the structures that factorisations make of them, are half of
//! the memory of a matrix otherwise.

use std::ops::Range;

use faer::sparse::SymbolicSparseColMatRef;
use rayon::prelude::*;

/// Columns of a pattern that are made together.
const PATTERN_CHUNK: usize = 8192;

/// Rows of the entries, column after column; rows ascend within each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Where each column begins, and the end.
    offsets: Vec<u32>,
    rows: Vec<u32>,
}

impl Default for Pattern {
    /// A pattern without columns.
    fn default() -> Self {
        Self { offsets: vec![0], rows: vec![] }
    }
}

impl Pattern {
    /// A pattern without entries.
    pub fn empty(size: usize) -> Self {
        Self { offsets: vec![0; size + 1], rows: vec![] }
    }

    /// Appends a column.
    ///
    /// # Panics
    /// If there are more entries than 32 bits can count.
    pub fn push_column(&mut self, rows: impl Iterator<Item = usize>) {
        self.rows.extend(rows.map(narrow));
        self.offsets.push(narrow(self.rows.len()));
    }

    /// Number of columns, which is that of rows.
    pub fn size(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// Where the entries of a column are among all entries.
    pub fn range(&self, col: usize) -> Range<usize> {
        self.offsets[col] as usize..self.offsets[col + 1] as usize
    }

    /// Rows of a column.
    pub fn rows(&self, col: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.column(col).iter().map(|row| *row as usize)
    }

    /// Rows of a column, as stored.
    pub(super) fn column(&self, col: usize) -> &[u32] {
        &self.rows[self.range(col)]
    }

    /// Where an entry is among all entries.
    pub fn position(&self, row: usize, col: usize) -> Option<usize> {
        let range = self.range(col);
        let offset = self.rows[range.clone()].binary_search(&narrow(row)).ok()?;
        Some(range.start + offset)
    }

    /// faer's view.
    pub(super) fn as_faer(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let size = self.size();
        SymbolicSparseColMatRef::new_checked(size, size, &self.offsets, None, &self.rows)
    }
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("fewer entries than 32 bits can count")
}

/// Lower-triangular pattern of the graph in which every group of indices is a clique.
///
/// The groups are the freedoms of the elements; the diagonal is always present.
pub fn clique_pattern<'a, I>(size: usize, groups: I) -> Pattern
where
    I: Iterator<Item = &'a [usize]> + Clone,
{
    let (offsets, members) = invert(size, groups.clone());
    let groups: Vec<&[usize]> = groups.collect();
    let column = |col: usize, rows: &mut Vec<u32>| {
        rows.clear();
        rows.push(col as u32);
        for &group in &members[offsets[col]..offsets[col + 1]] {
            rows.extend(groups[group].iter().filter(|row| **row > col).map(|row| *row as u32));
        }
        rows.sort_unstable();
        rows.dedup();
    };
    // Every column is made twice, to be counted and to be stored: lists of unknown length on every
    // thread would leave as much memory behind as the pattern takes.
    let count = |rows: &mut Vec<u32>, col: usize| {
        column(col, rows);
        rows.len() as u32
    };
    let mut pattern = Pattern::empty(narrow(size) as usize);
    let counts = pattern.offsets[1..].par_iter_mut().enumerate();
    counts.for_each_init(Vec::new, |rows, (col, entries)| *entries = count(rows, col));
    let mut end = 0;
    for offset in &mut pattern.offsets {
        end += *offset as usize;
        *offset = narrow(end);
    }
    pattern.rows = vec![0; end];
    pieces(&mut pattern).into_par_iter().for_each(|(start, mut piece)| {
        let mut rows = Vec::new();
        for col in start..size.min(start + PATTERN_CHUNK) {
            column(col, &mut rows);
            piece.split_off_mut(..rows.len()).expect("as counted").copy_from_slice(&rows);
        }
    });
    pattern
}

/// The entries of so many columns at a time, with the first of these columns.
fn pieces(pattern: &mut Pattern) -> Vec<(usize, &mut [u32])> {
    let size = pattern.size();
    let Pattern { offsets, rows } = pattern;
    let mut entries = rows.as_mut_slice();
    let mut pieces = Vec::new();
    for start in (0..size).step_by(PATTERN_CHUNK) {
        let length = (offsets[size.min(start + PATTERN_CHUNK)] - offsets[start]) as usize;
        pieces.push((start, entries.split_off_mut(..length).expect("as counted")));
    }
    pieces
}

/// Removes repetitions from the sorted entries from `start` on.
pub fn dedup_from(list: &mut Vec<usize>, start: usize) {
    let mut end = start;
    for i in start..list.len() {
        if end == start || list[i] != list[end - 1] {
            list[end] = list[i];
            end += 1;
        }
    }
    list.truncate(end);
}

/// For every index the groups that hold it, as offsets and a flat list.
fn invert<'a>(
    size: usize,
    groups: impl Iterator<Item = &'a [usize]> + Clone,
) -> (Vec<usize>, Vec<usize>) {
    let mut offsets = vec![0; size + 1];
    for group in groups.clone() {
        for &index in group {
            offsets[index + 1] += 1;
        }
    }
    for i in 0..size {
        offsets[i + 1] += offsets[i];
    }
    let mut next = offsets.clone();
    let mut members = vec![0; offsets[size]];
    for (number, group) in groups.enumerate() {
        for &index in group {
            members[next[index]] = number;
            next[index] += 1;
        }
    }
    (offsets, members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clique_pattern_holds_every_pair_once() {
        let groups: [&[usize]; 2] = [&[0, 2], &[2, 1, 3]];
        let pattern = clique_pattern(4, groups.iter().copied());
        assert_eq!(pattern.column(0), &[0, 2]);
        assert_eq!(pattern.column(1), &[1, 2, 3]);
        assert_eq!(pattern.column(2), &[2, 3]);
        assert_eq!(pattern.column(3), &[3]);
    }
}
