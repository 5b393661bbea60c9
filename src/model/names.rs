//! Names of the sets and cell groups of meshes that a case uses.

use super::geometry::Geometry;
use super::read_meshes;
use crate::case::{Case, CaseError, CaseFile, CaseSource, Problem, Section, suggestion};

/// Reads and checks a case. If it has problems, names that its mesh files do not hold are reported with
/// them; of a case without other problems [`super::Model::build`] finds them.
pub fn load_case(source: CaseSource) -> Result<CaseFile, CaseError> {
    CaseFile::load_with(source, problems_in_files)
}

/// Unreadable mesh files, and names of sets and cell groups that the others do not hold.
fn problems_in_files(case: &Case, source: &CaseSource) -> Vec<Problem> {
    let (meshes, mut problems) = read_meshes(case, source, |mesh| !mesh.files().is_empty());
    for (name, mesh) in &meshes {
        for (i, section) in case.parts[name].sections.iter().enumerate() {
            let path = format!("parts.{name}.sections[{i}].group");
            problems.extend(check_group(section, &mesh.groups).map(|m| Problem::new(path, m)));
        }
    }
    let geometry = Geometry::new(case, meshes);
    for_each_target(case, |path, target| {
        let part = target.split_once('.').map(|(part, _)| part);
        if part.is_some_and(|part| geometry.parts.contains_key(part))
            && let Err(message) = geometry.set(target)
        {
            problems.push(Problem::new(path, message));
        }
    });
    problems
}

/// What is wrong with the cell group of a section.
pub(super) fn check_group(section: &Section, groups: &[String]) -> Option<String> {
    let group = section.group().filter(|group| !groups.iter().any(|known| known == group))?;
    let hint = suggestion(group, groups.iter().map(String::as_str));
    Some(format!("the mesh has no such cell group{hint}"))
}

/// Looks up every set that the case names, so that all wrong names are reported together.
pub(super) fn check_targets(case: &Case, geometry: &Geometry, problems: &mut Vec<Problem>) {
    for_each_target(case, |path, target| {
        if target != "ground"
            && let Err(message) = geometry.nodes(target)
        {
            problems.push(Problem::new(path, message));
        }
    });
}

/// Calls `look_up` with the key path and the name of every set or point that the case names.
fn for_each_target(case: &Case, mut look_up: impl FnMut(String, &str)) {
    for (i, mass) in case.masses.iter().enumerate() {
        look_up(format!("masses[{i}].on"), &mass.on);
    }
    for (i, spring) in case.springs.iter().enumerate() {
        spring.between.iter().enumerate().for_each(|(end, target)| {
            look_up(format!("springs[{i}].between[{end}]"), target);
        });
    }
    for (i, tie) in case.ties.iter().enumerate() {
        look_up(format!("ties[{i}].nodes"), &tie.nodes);
    }
    for (i, support) in case.supports.iter().enumerate() {
        look_up(format!("supports[{i}].on"), support.on());
    }
    for (i, load) in case.loads.iter().enumerate() {
        load.on().into_iter().for_each(|on| look_up(format!("loads[{i}].on"), on));
    }
    for (i, contact) in case.contact.iter().enumerate() {
        contact.between.iter().enumerate().for_each(|(side, target)| {
            look_up(format!("contact[{i}].between[{side}]"), target);
        });
    }
    for (name, probe) in &case.probes {
        for (key, target) in probe.targets() {
            look_up(format!("probes.{name}.{key}"), target);
        }
    }
}
