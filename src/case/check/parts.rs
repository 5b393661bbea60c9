//! Rules of parts: meshes, sections, sets.

use std::collections::HashSet;

use super::{Checker, NAME_RULE, is_guess, is_name};
use crate::case::{Block, BlockEdges, Line, MeshSource, Part, Section, Selection, suggestion};

impl Checker<'_> {
    pub(super) fn parts(&mut self) {
        let case = self.case;
        for (name, part) in &case.parts {
            let path = format!("parts.{name}");
            if let MeshSource::Structured { blocks, lines, .. } = &part.mesh {
                if blocks.is_empty() && lines.is_empty() {
                    self.refuse(format!("{path}.mesh"), "must have at least one block or line");
                }
                self.mesh_names(&path, part, blocks, lines);
            }
            self.has_sections(&path, part);
            self.sections(&path, part);
            for (set, selection) in &part.sets {
                self.selection(&format!("{path}.sets.{set}"), set, selection);
            }
        }
    }

    /// Names of groups and sets that the generator will use.
    fn mesh_names(&mut self, path: &str, part: &Part, blocks: &[Block], lines: &[Line]) {
        for (key, name) in group_names(blocks, lines) {
            if !is_name(name) {
                self.refuse(format!("{path}.mesh.{key}"), NAME_RULE);
            }
        }
        for (key, name) in set_names(blocks, lines) {
            let path = format!("{path}.mesh.{key}");
            if !is_name(name) {
                self.refuse(path, NAME_RULE);
            } else if part.sets.contains_key(name) {
                self.refuse(path, "the part's `sets` has an entry of the same name");
            }
        }
    }

    /// A set of a generated mesh must have been named in the case.
    pub(super) fn set(&mut self, path: &str, part_name: &str, part: &Part, set: &str) {
        let MeshSource::Structured { blocks, lines, .. } = &part.mesh else { return };
        let sources = ["mesh", "sets"].map(|key| format!("parts.{part_name}.{key}"));
        if sources.iter().any(|source| is_guess(source, self.guesses)) {
            return; // What cannot be read may name the set.
        }
        let named = set_names(blocks, lines).into_iter().map(|(_, name)| name);
        let known: Vec<&str> = named.chain(part.sets.keys().map(String::as_str)).collect();
        if !known.contains(&set) {
            let hint = suggestion(set, known);
            self.refuse(path, format!("part `{part_name}` has no set `{set}`{hint}"));
        }
    }

    fn sections(&mut self, path: &str, part: &Part) {
        let mut seen = HashSet::new();
        for (i, section) in part.sections.iter().enumerate() {
            let path = format!("{path}.sections[{i}]");
            let materials = &self.case.materials;
            if !materials.contains_key(section.material()) {
                let hint = suggestion(section.material(), materials.keys().map(String::as_str));
                let message = format!("no such material{hint}");
                self.refuse_name(format!("{path}.material"), "materials", message);
            }
            let kind = matches!(section, Section::Beam { .. });
            if !seen.insert((kind, section.group())) {
                self.refuse(&path, "another section has the same type and group");
            }
            if matches!(section, Section::Beam { group: None, .. })
                && matches!(part.mesh, MeshSource::Gmsh { .. })
            {
                let message =
                    "name the `group` of the beams: a Gmsh mesh also has its named edges as lines";
                self.refuse(&path, message);
            }
            if let Section::Beam { height, width, area, second_moment, .. } = section {
                let given =
                    (height.is_some(), width.is_some(), area.is_some(), second_moment.is_some());
                if !matches!(given, (true, true, false, false) | (false, false, true, true)) {
                    self.refuse(&path, "give `height` and `width`, or `area` and `second_moment`");
                }
            }
        }
    }

    fn selection(&mut self, path: &str, name: &str, selection: &Selection) {
        let Selection { r#box, nearest, nodes } = selection;
        let given = [r#box.is_some(), nearest.is_some(), nodes.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            self.refuse(path, "give exactly one of: box, nearest, nodes");
        }
        if !is_name(name) {
            self.refuse(path, NAME_RULE);
        }
    }
}

/// Names of the cell groups of a generated mesh, each with its key.
fn group_names<'a>(blocks: &'a [Block], lines: &'a [Line]) -> Vec<(String, &'a str)> {
    let blocks = blocks.iter().enumerate().map(|(i, b)| (format!("blocks[{i}].name"), &*b.name));
    let lines = lines.iter().enumerate().map(|(i, l)| (format!("lines[{i}].name"), &*l.name));
    blocks.chain(lines).collect()
}

/// Names of the sets of a generated mesh, each with its key.
fn set_names<'a>(blocks: &'a [Block], lines: &'a [Line]) -> Vec<(String, &'a str)> {
    let mut named = Vec::new();
    let mut add = |key: String, name: &'a Option<String>| {
        named.extend(name.as_deref().map(|name| (key, name)));
    };
    for (i, block) in blocks.iter().enumerate() {
        let BlockEdges { bottom, right, top, left } = &block.edges;
        for (key, name) in [("bottom", bottom), ("right", right), ("top", top), ("left", left)] {
            add(format!("blocks[{i}].edges.{key}"), name);
        }
    }
    for (i, line) in lines.iter().enumerate() {
        add(format!("lines[{i}].start"), &line.start);
        add(format!("lines[{i}].end"), &line.end);
    }
    named
}
