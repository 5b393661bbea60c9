//! Reductions of a run and the report on their quality.

use super::{Failure, Run};
use crate::case::Analysis;
use crate::reduction::{self, Body, Plan, Quality, ReducedStructure, Superelement, plan};
use crate::results::superelement;

impl Run<'_> {
    pub(super) fn reduction(&mut self, name: &str, compare: Option<usize>) -> Result<(), Failure> {
        let plans = self.plans()?;
        let wanted = self.file.case.analysis.iter().filter_map(|analysis| match analysis {
            Analysis::Frf(frf) => frf.frequencies.values().into_iter().reduce(f64::max),
            _ => None,
        });
        let wanted = wanted.fold(0.0, f64::max);
        let mut reports = Vec::new();
        self.progress.begin("reduction", plans.len());
        for (i, plan) in plans.iter().enumerate() {
            let superelement =
                reduction::reduce(&self.model, &plan.body, &plan.boundary, plan.modes)?;
            let count = compare.unwrap_or(superelement.n_modes()).max(1);
            let quality = Quality::of(&self.model, &plan.body, &superelement, count)?;
            self.warn_about_band(name, &superelement, wanted);
            self.save(&plan.body, &superelement)?;
            reports.push((superelement, quality));
            self.progress.advance(i + 1);
        }
        self.progress.end();
        self.writer.write_reduction(name, &reports)?;
        self.summary.add_reduction(name, &reports);
        Ok(())
    }

    /// Saves a superelement where a table of its body asks for it.
    fn save(&self, body: &Body, superelement: &Superelement) -> Result<(), Failure> {
        let tables = self.file.case.reduction.iter();
        let own = tables.filter(|(name, _)| body.names.contains(name));
        for file in own.filter_map(|(_, table)| table.save.as_ref()) {
            let path = self.writer.path().with_file_name(file);
            superelement::save(&path, &self.model, superelement)?;
        }
        Ok(())
    }

    /// Plans of the `[reduction]` tables.
    pub(super) fn plans(&self) -> Result<Vec<Plan>, Failure> {
        plan::plan(&self.file.case, &self.model)
            .map_err(|problems| Failure::Case(self.file.refuse(problems)))
    }

    /// All bodies of the model, reduced for a response up to `wanted` \[Hz\].
    pub(super) fn reduced_structure(
        &mut self,
        name: &str,
        wanted: f64,
    ) -> Result<ReducedStructure, Failure> {
        let plans = plan::plan_all(&self.model, self.plans()?)?;
        self.progress.begin("reduction", 0);
        let structure = ReducedStructure::new(&self.model, &plans)?;
        self.progress.end();
        for superelement in structure.superelements() {
            self.warn_about_band(name, superelement, wanted);
        }
        Ok(structure)
    }

    /// A superelement is good up to about half the highest fixed-interface mode it keeps.
    fn warn_about_band(&mut self, name: &str, superelement: &Superelement, wanted: f64) {
        let frequencies = superelement.fixed_interface_frequencies();
        let highest = frequencies.last().copied().unwrap_or(0.0);
        let is_whole = superelement.n_modes() == superelement.internal.len();
        if !is_whole && wanted > 0.5 * highest {
            let (body, covered) = (&superelement.name, 0.5 * highest);
            self.summary.warnings.push(format!(
                "analysis `{name}`: the fixed-interface modes of body `{body}` end at {highest:.1} Hz, \
                 good to about {covered:.1} Hz, but a response goes to {wanted:.1} Hz; keep more modes"
            ));
        }
    }
}
