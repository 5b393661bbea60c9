//! Static analyses: probes, and the deformed mesh coloured by stress.

use super::{Source, quantity};
use crate::page::{Block, Figure, Section, Table};
use crate::results::ResultError;

pub fn section(source: &Source, name: &str) -> Result<Section, ResultError> {
    let mut blocks = Vec::new();
    let mut table = Table::new(&["probe", "value"]);
    for probe in source.results.members(&format!("{name}/probes")) {
        let path = format!("{name}/probes/{probe}");
        let value = source.results.scalar(&path)?;
        table.rows.push(vec![probe, quantity(&value.into(), &source.results.unit(&path)?)]);
    }
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    if source.mesh.has_cells() {
        let displacement = source.displacement(&format!("{name}/displacement"), 0)?;
        let stress = source.results.values(&format!("{name}/von_mises")).ok();
        let stress = stress.filter(|values| values.len() == source.mesh.quads.len());
        let megapascals = stress.map(|s| s.iter().map(|v| v * 1e-6).collect::<Vec<f64>>());
        let values = megapascals.as_deref().map(|values| ("MPa, von Mises stress", values));
        let svg = source.mesh.deformed("Deformed under the static loads", &displacement, values);
        let caption = "Displacement enlarged; grey: where the parts stood.";
        blocks.push(Block::Figure(Figure::new(name, svg, caption)));
    }
    Ok(Section { title: super::heading("Static analysis", name), blocks })
}

impl Source<'_> {
    /// Displacement of all nodes along x and y, out of a dataset whose last axes are nodes and components.
    pub(super) fn displacement(
        &self,
        dataset: &str,
        block: usize,
    ) -> Result<Vec<[f64; 2]>, ResultError> {
        let shape = self.results.shape(dataset)?;
        let components = self.results.components(dataset)?.len();
        let values = match shape.len() {
            3 => self.results.row(dataset, block)?,
            _ => self.results.values(dataset)?,
        };
        if values.len() != components * self.mesh.nodes.len() {
            return Err(ResultError::Read {
                path: self.results.path().to_path_buf(),
                message: format!("/{dataset} does not fit the nodes"),
            });
        }
        Ok(values.chunks(components).map(|u| [u[0], u[1]]).collect())
    }
}
