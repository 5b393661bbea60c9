//! The case in words, table by table.

use crate::case::{
    Analysis, Case, Contact, ContactLaw, Damping, Direction, FrequencyGrid, Load, MeshSource,
    PairValues, Probe, Profile, Section, Spring, Support, Variation,
};
use crate::page::{Block, Table};
use crate::plot::{engineering, short};

/// Sentences about parts, joints, loads and what is asked for.
pub fn describe(case: &Case) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !case.materials.is_empty() {
        let mut table = Table::new(&["material", "Young's modulus", "Poisson's ratio", "density"]);
        for (name, m) in &case.materials {
            let density = format!("{} kg/m³", short(m.density));
            table.rows.push(vec![
                name.clone(),
                engineering(m.young, "Pa"),
                short(m.poisson),
                density,
            ]);
        }
        blocks.push(Block::Table(table));
    }
    blocks.push(Block::List(sentences(case)));
    blocks
}

fn sentences(case: &Case) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (name, part) in &case.parts {
        let sections: Vec<String> = part.sections.iter().map(section).collect();
        lines.push(format!("Part {name}: {}; {}.", mesh(&part.mesh), sections.join(", ")));
    }
    for (name, point) in &case.points {
        let freedoms: Vec<&str> = point.freedoms.iter().map(|f| f.name()).collect();
        let mass =
            if point.mass > 0.0 { format!("{} kg, ", short(point.mass)) } else { String::new() };
        lines.push(format!("Point {name}: {mass}moves in {}.", freedoms.join(", ")));
    }
    for spring in &case.springs {
        let [a, b] = &spring.between;
        lines.push(format!(
            "Between {a} and {b} along {}: {}.",
            direction(&spring.direction),
            spring_and_dashpot(spring)
        ));
    }
    for tie in &case.ties {
        lines.push(format!("{} follows the point {} rigidly.", tie.nodes, tie.to));
    }
    lines.extend(case.supports.iter().map(support));
    lines.extend(case.contact.iter().map(contact));
    lines.extend(case.loads.iter().map(load));
    lines.extend(case.damping.as_ref().map(damping));
    for (body, table) in &case.reduction {
        let modes = match (table.modes, table.up_to) {
            (Some(count), _) => format!("{count} fixed-interface modes"),
            (None, Some(limit)) => format!("fixed-interface modes up to {} Hz", short(limit)),
            (None, None) => "no modes".into(),
        };
        lines.push(format!("The body of {body} is reduced to its interface and {modes}."));
    }
    for (name, probe) in &case.probes {
        lines.push(format!("Probe {name}: {}.", self::probe(probe)));
    }
    lines.extend(case.analysis.iter().map(analysis));
    lines
}

fn spring_and_dashpot(spring: &Spring) -> String {
    let is_rotation = spring.direction.is_rotation();
    let units = if is_rotation { ["N m/rad", "N m s/rad"] } else { ["N/m", "N s/m"] };
    let named = [(spring.stiffness, "a spring of"), (spring.damping, "a dashpot of")];
    let parts = named.iter().zip(units).filter(|((value, _), _)| *value > 0.0);
    let words = parts.map(|((value, name), unit)| format!("{name} {}", engineering(*value, unit)));
    words.collect::<Vec<_>>().join(" and ")
}

fn mesh(source: &MeshSource) -> String {
    match source {
        MeshSource::Structured { blocks, lines, .. } => {
            let cells: usize = blocks.iter().map(|block| block.cells[0].0 * block.cells[1].0).sum();
            match (blocks.len(), lines.len()) {
                (0, lines) => format!("{lines} generated lines"),
                (blocks, 0) => format!("{cells} cells generated in {blocks} blocks"),
                (blocks, lines) => format!("{cells} cells in {blocks} blocks and {lines} lines"),
            }
        }
        other => format!("from {}", other.files().join(", ")),
    }
}

fn section(section: &Section) -> String {
    match section {
        Section::Plane { material, state, thickness, .. } => {
            let state = format!("{state:?}").to_lowercase();
            format!("plane {state}, {} thick, {material}", engineering(*thickness, "m"))
        }
        Section::Beam { material, height: Some(h), width: Some(w), .. } => {
            format!("beams {} × {}, {material}", engineering(*h, "m"), engineering(*w, "m"))
        }
        Section::Beam { material, .. } => format!("beams, {material}"),
    }
}

fn direction(direction: &Direction) -> String {
    match direction {
        Direction::Named(freedom) => freedom.name().to_string(),
        Direction::Vector(along) => components(&Vec::from(*along)),
    }
}

fn components(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|value| short(*value)).collect();
    format!("({})", values.join(", "))
}

/// μ in words.
fn friction(values: &PairValues) -> String {
    match values {
        PairValues::Uniform(value) => short(value.0),
        PairValues::Each(values) | PairValues::Profile(Profile { values, .. }) => {
            let low = values.iter().map(|value| value.0).fold(f64::INFINITY, f64::min);
            let high = values.iter().map(|value| value.0).fold(0.0, f64::max);
            format!("{} to {}", short(low), short(high))
        }
    }
}

fn support(support: &Support) -> String {
    match support {
        Support::Clamp { on } => format!("{on} is clamped."),
        Support::Roller { on, direction: held } => {
            format!("{on} is held along {}.", direction(held))
        }
        Support::Prescribed { on, x, y, z, rotation, variation, .. } => {
            let given =
                [(x, "x", "m"), (y, "y", "m"), (z, "z", "m"), (rotation, "rotation", "rad")];
            let given: Vec<String> = given
                .iter()
                .filter_map(|(value, name, unit)| {
                    Some(format!("{name} = {}", engineering((**value)?, unit)))
                })
                .collect();
            format!("{on} is moved: {}{}.", given.join(", "), time(*variation))
        }
    }
}

fn time(variation: Variation) -> &'static str {
    match variation {
        Variation::Static => "",
        Variation::Harmonic => ", vibrating",
    }
}

fn load(load: &Load) -> String {
    let vibrates = time(load.variation().0);
    match load {
        Load::Force { on, force, moment, .. } => {
            let moment =
                if *moment == 0.0 { String::new() } else { format!(", {} N m", short(*moment)) };
            format!(
                "Force {}{moment} on {on}{vibrates}.",
                format_args!("{} N", components(&Vec::from(*force)))
            )
        }
        Load::Traction { on, traction, .. } => {
            format!("Traction {} on {on}{vibrates}.", format_args!("{} Pa", components(traction)))
        }
        Load::Pressure { on, pressure, .. } => {
            format!("Pressure {} on {on}{vibrates}.", engineering(*pressure, "Pa"))
        }
        Load::Gravity { acceleration } => {
            format!("Gravity {}.", format_args!("{} m/s²", components(&Vec::from(*acceleration))))
        }
    }
}

fn contact(contact: &Contact) -> String {
    let [a, b] = &contact.between;
    let law = match contact.law {
        ContactLaw::Exact if !contact.friction.is_used() => "exact contact without friction".into(),
        ContactLaw::Exact => {
            format!("exact contact and Coulomb friction, μ = {}", friction(&contact.friction))
        }
        ContactLaw::Penalty { normal_stiffness, tangential_stiffness } => format!(
            "elastic contact, {} and {} N/m³ along normal and face, μ = {}",
            short(normal_stiffness),
            short(tangential_stiffness),
            friction(&contact.friction)
        ),
        ContactLaw::Cubic { linear, cubic } => {
            format!("a spring of {} N/m and {} N/m³", short(linear), short(cubic))
        }
        ContactLaw::Friction { tangential, .. } => {
            let is_exact = contact.law.presses_exactly();
            let exact = if is_exact { "exact contact and " } else { "" };
            let highest = match &contact.static_friction {
                Some(highest) => format!(", μ_s = {}", friction(highest)),
                None => String::new(),
            };
            let name = tangential.name();
            format!("{exact}friction law {name}, μ = {}{highest}", friction(&contact.friction))
        }
    };
    let preload = match contact.preload {
        0.0 => String::new(),
        load => format!(", pressed together with {}", engineering(load, "N")),
    };
    let gap = match contact.gap {
        0.0 => String::new(),
        gap => format!(", clearance {}", engineering(gap, "m")),
    };
    format!("Contact of {a} and {b}: {law}{preload}{gap}.")
}

fn damping(damping: &Damping) -> String {
    match damping {
        Damping::Rayleigh { alpha, beta } => {
            format!("Damping C = αM + βK with α = {} 1/s, β = {} s.", short(*alpha), short(*beta))
        }
        Damping::RayleighFit { ratios: [a, b], frequencies: [f, g] } => format!(
            "Rayleigh damping with ratios {} and {} at {} and {} Hz.",
            short(*a),
            short(*b),
            short(*f),
            short(*g)
        ),
        Damping::Modal { ratios } => {
            let ratios: Vec<String> = ratios.iter().map(|r| short(*r)).collect();
            format!("Modal damping ratios {}.", ratios.join(", "))
        }
    }
}

fn probe(probe: &Probe) -> String {
    let (what, along) = match probe {
        Probe::Displacement { at, direction } => (format!("displacement of {at}"), direction),
        Probe::Velocity { at, direction } => (format!("velocity of {at}"), direction),
        Probe::Acceleration { at, direction } => (format!("acceleration of {at}"), direction),
        Probe::RelativeDisplacement { between: [a, b], direction } => {
            (format!("displacement of {a} relative to {b}"), direction)
        }
        Probe::Reaction { at, direction } => {
            (format!("reaction of the supports at {at}"), direction)
        }
    };
    format!("{what} along {}", direction(along))
}

fn grid(frequencies: &FrequencyGrid) -> String {
    range(&frequencies.values())
}

fn range(values: &[f64]) -> String {
    match (values.first(), values.last()) {
        (Some(first), Some(last)) if values.len() > 1 => {
            format!("{} to {} Hz", short(*first), short(*last))
        }
        (Some(only), _) => format!("{} Hz", short(*only)),
        _ => "no frequency".into(),
    }
}

fn analysis(analysis: &Analysis) -> String {
    let name = analysis.name();
    let what = match analysis {
        Analysis::Static { .. } => "displacement under the constant loads".into(),
        Analysis::Modal { contact, .. } => {
            format!("natural frequencies, contacts {}", format!("{contact:?}").to_lowercase())
        }
        Analysis::Reduction { .. } => "quality of the reduction".into(),
        Analysis::Frf(frf) => format!(
            "linear response, contacts {}, {}",
            format!("{:?}", frf.contact).to_lowercase(),
            grid(&frf.frequencies)
        ),
        Analysis::Response(response) => {
            let levels: Vec<String> = response.levels.iter().map(|level| short(*level)).collect();
            format!(
                "periodic response, {}, load times {}",
                grid(&response.frequencies),
                levels.join(", ")
            )
        }
        Analysis::History(history) => {
            format!(
                "motion over {}, {} drives",
                engineering(history.duration, "s"),
                history.drives.len()
            )
        }
        Analysis::Transient(wanted) => format!("motion in time, {}", grid(&wanted.frequencies)),
        Analysis::Wear(wear) => {
            let cycles = short(wear.total_cycles());
            format!("wear over {cycles} cycles, {}", range(&wear.frequencies()))
        }
    };
    format!("Analysis {name}: {what}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_support_names_every_direction() {
        let moved = Support::Prescribed {
            on: "lid".into(),
            x: None,
            y: Some(2e-3),
            z: Some(-5e-6),
            rotation: Some(0.1),
            variation: Variation::Harmonic,
            phase: 0.0,
        };
        assert_eq!(
            support(&moved),
            "lid is moved: y = 2 mm, z = −5 µm, rotation = 0.1 rad, vibrating."
        );
    }
}
