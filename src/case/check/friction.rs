//! Rules of contacts with a friction law of the library.

use super::Checker;
use crate::case::{Contact, ContactLaw, Load, PairValues, Variation, Vector};
use crate::friction::{Law, NormalLaw, Viscous};

impl Checker<'_> {
    pub(super) fn friction_law(&mut self, path: &str, contact: &Contact) {
        if let Some((key, message)) = contact.static_friction.as_ref().and_then(PairValues::problem)
        {
            self.refuse(format!("{path}.static_friction.{key}"), message);
        }
        self.springs(path, &contact.law);
        let ContactLaw::Friction { normal, tangential } = &contact.law else {
            if contact.static_friction.is_some() {
                let message = "is used by a law of type \"friction\" only";
                self.refuse(format!("{path}.static_friction"), message);
            }
            return;
        };
        for fault in normal.faults() {
            self.refuse(format!("{path}.law.normal.{}", fault.key), fault.message);
        }
        for fault in tangential.faults() {
            self.refuse(format!("{path}.law.tangential.{}", fault.key), fault.message);
        }
        self.coefficients(path, contact, tangential);
        if *normal == NormalLaw::Constant {
            self.takes_no_load(path, contact);
        }
        let needs_force =
            !matches!(tangential, Law::Viscous(Viscous { damping_per_force: 0.0, .. }));
        if *normal == NormalLaw::Constant && contact.preload == 0.0 && needs_force {
            let message = format!(
                "{}: without normal force there is no friction; give a preload greater than 0 N, or a normal \
                 law other than \"constant\"",
                tangential.name()
            );
            self.refuse(format!("{path}.preload"), message);
        }
    }

    /// An elastic slider of negative stiffness would make energy out of nothing; springs that store it may be negative.
    fn springs(&mut self, path: &str, law: &ContactLaw) {
        let ContactLaw::Penalty { normal_stiffness, tangential_stiffness } = law else { return };
        let keys = [
            ("normal_stiffness", normal_stiffness),
            ("tangential_stiffness", tangential_stiffness),
        ];
        for (key, _) in keys.into_iter().filter(|(_, stiffness)| **stiffness < 0.0) {
            let message = "penalty: must be at least 0 N/m3; law = { type = \"cubic\" } takes negative stiffnesses";
            self.refuse(format!("{path}.law.{key}"), message);
        }
    }

    /// A prescribed normal force takes nothing from the loads.
    fn takes_no_load(&mut self, path: &str, contact: &Contact) {
        // A normal that is left out is that of the face: any force on it may press.
        let presses = |force: &Vector| match &contact.normal {
            Some(n) => {
                let out_of_plane = force.z.unwrap_or(0.0) * n.z.unwrap_or(0.0);
                force.x * n.x + force.y * n.y + out_of_plane != 0.0
            }
            None => *force != Vector::default(),
        };
        for (i, load) in self.case.loads.iter().enumerate() {
            let Load::Force { on, force, variation: Variation::Static, .. } = load else {
                continue;
            };
            if contact.between.contains(on) && presses(force) {
                let message = format!(
                    "presses on {path}, whose normal law \"constant\" takes its normal force from `preload` alone: add \
                     it to `preload`, or use the normal law \"penalty\" or \"exact\""
                );
                self.refuse(format!("loads[{i}].force"), message);
            }
        }
    }

    fn coefficients(&mut self, path: &str, contact: &Contact, law: &Law) {
        let name = law.name();
        if law.has_limit() && !contact.friction.is_used() {
            let message = format!("{name}: the law needs a friction coefficient greater than 0");
            self.refuse(format!("{path}.friction"), message);
        }
        let Some(highest) = &contact.static_friction else { return };
        if !law.has_static_friction() {
            let message = match law {
                Law::VelocityLimited(_) => format!("{name}: is used with stribeck_velocity only"),
                _ => format!("{name}: the law knows one coefficient only, `friction`"),
            };
            self.refuse(format!("{path}.static_friction"), message);
        } else if let Some((highest, kinetic)) = highest.first_below(&contact.friction) {
            self.refuse(format!("{path}.static_friction"), contact.too_low(highest, kinetic));
        }
    }

    /// Laws that need to know the holding force have no place in harmonic balance.
    pub(super) fn needs_force_histories(&mut self) {
        for (i, contact) in self.case.contact.iter().enumerate() {
            let ContactLaw::Friction { tangential, .. } = &contact.law else { continue };
            if tangential.is_time_only() {
                let message = format!(
                    "{}: sticks by the force that holds the contact, which only time integration knows; harmonic \
                     balance needs a force that follows from the history of the slip: use an analysis of type \
                     \"transient\" or \"history\", or another law (\"exact\" is its limit)",
                    tangential.name()
                );
                self.refuse(format!("contact[{i}].law.tangential.type"), message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::case::{CaseFile, CaseSource};

    /// What is said of a mass on the ground with this contact and this analysis; nothing if it is accepted.
    fn problems(contact: &str, analysis: &str) -> String {
        let text = format!(
            r#"
            points = {{ mass = {{ mass = 1.0, freedoms = ["x"] }} }}
            springs = [{{ between = ["mass", "ground"], direction = "x", stiffness = 1.0 }}]
            loads = [{{ type = "force", on = "mass", force = [1, 0], variation = "harmonic" }}]
            probes.u = {{ type = "displacement", at = "mass", direction = "x" }}
            contact = [{{ between = ["mass", "ground"], normal = [0, 1], area = 1.0, {contact} }}]
            analysis = [{{ {analysis} }}]
            "#
        );
        let source = CaseSource::from_copies("case".into(), text, vec![], Default::default());
        CaseFile::load(source).err().map(|e| e.to_string()).unwrap_or_default()
    }

    const MODAL: &str = r#"type = "modal""#;
    const RESPONSE: &str = r#"type = "response", harmonics = 3, continuation = "sequential", frequencies = { spacing = "list", values = [0.2] }"#;

    fn law(tangential: &str) -> String {
        format!(r#"law = {{ type = "friction", tangential = {{ {tangential} }} }}"#)
    }

    #[test]
    fn laws_are_read_and_bad_parameters_named_with_law_and_key() {
        let lugre = |rest: &str| law(&format!(r#"type = "lugre", {rest}"#));
        let good = lugre("stiffness = 1e5, stribeck_velocity = 1e-3");
        let penalty =
            |rest: &str| format!(r#"law = {{ type = "penalty", normal_stiffness = {rest} }}"#);
        let both = "friction = 1.0, static_friction = 1.5, preload = 1.0";
        assert_eq!(problems(&format!("{both}, {good}"), MODAL), "");
        assert_eq!(problems(&format!("{both}, {good}"), RESPONSE), "");
        let refused = [
            (lugre("stiffness = -1, stribeck_velocity = 1e-3"), both, "lugre: must be greater than 0 N/m"),
            (lugre("stiffness = 1e5, stribeck_velocity = 0"), both, "tangential.stribeck_velocity"),
            (good.clone(), "friction = 1.0, static_friction = 0.9, preload = 1.0", "lugre: the static"),
            (good.clone(), "friction = 1.0", "lugre: without normal force"),
            (good.clone(), "preload = 1.0", "contact[0].friction"),
            (lugre("stiffness = 1e5"), both, "stribeck_velocity: lugre: is missing"),
            (lugre("stiffness = 1e5, stribeck_velocity = 1, speed = 2"), both, "lugre: unknown key"),
            (law(r#"type = "dahl", stiffness = 1"#), both, "dahl: the law knows one"),
            (law(r#"type = "dhal", stiffness = 1"#), both, "did you mean `dahl`"),
            (law(r#"type = "jenkins""#), both, "jenkins: give `stiffness` or"),
            (law(r#"type = "dahl", stiffness = nan"#), both, "stiffness = nan: dahl: must be a finite"),
            (law(r#"type = "dahl", stiffness = "1""#), both, "dahl: must be a number"),
            (penalty("-1, tangential_stiffness = 1"), both, "normal_stiffness = -1: penalty: must be at"),
            (penalty("1, tangential_stiffness = -1"), both, "tangential_stiffness = -1: penalty: must be"),
            (penalty("1, stiffness = -1"), both, "penalty: unknown key"),
            (r#"law = { type = "exact" }"#.into(), both, "contact[0].static_friction"),
            (
                r#"law = { type = "friction", normal = { type = "power", coefficient = 1, exponent = 0.5 }, tangential = { type = "dahl", stiffness = 1 } }"#
                    .into(),
                "friction = 1.0",
                "power: must lie between 1 and 5",
            ),
        ];
        let cubic = r#"law = { type = "cubic", linear = -1.0, cubic = 1.0 }"#;
        assert_eq!(problems(cubic, MODAL), "", "a spring that snaps through makes no energy");
        for (law, rest, expected) in refused {
            let found = problems(&format!("{rest}, {law}"), MODAL);
            assert!(found.contains(expected), "`{expected}` is missing in: {found}");
        }
    }

    #[test]
    fn exact_normal_contact_goes_with_any_law_but_not_with_hill_or_with_springs_beside_it() {
        let exact = r#"law = { type = "friction", normal = { type = "exact" }, tangential = { type = "dahl", stiffness = 1.0 } }"#;
        let contact = format!("friction = 1.0, preload = 1.0, {exact}");
        let transient = r#"type = "transient", frequencies = { spacing = "list", values = [0.2] }"#;
        for analysis in [MODAL, RESPONSE, transient] {
            assert_eq!(problems(&contact, analysis), "");
        }
        let hill = format!("{RESPONSE}, stability = \"hill\"");
        assert!(problems(&contact, &hill).contains("analysis[0].stability"));
        let beside = format!(
            r#"{contact} }}, {{ between = ["mass", "ground"], normal = [0, 1], area = 1.0, friction = 1.0, preload = 1.0, {}"#,
            law(r#"type = "dahl", stiffness = 1.0"#)
        );
        let found = problems(&beside, transient);
        assert!(found.contains("contact[1].law") && found.contains("exact along"), "{found}");
        let dashpot = exact.replace(r#""exact""#, r#""exact", stiffness = 1.0"#);
        let found = problems(&format!("friction = 1.0, preload = 1.0, {dashpot}"), MODAL);
        assert!(found.contains("law.normal.stiffness"), "{found}");
    }

    #[test]
    fn laws_in_time_only_say_so_in_harmonic_balance() {
        for tangential in [r#"type = "karnopp", velocity = 1e-3"#, r#"type = "force_balance""#] {
            let contact = format!("friction = 1.0, preload = 1.0, {}", law(tangential));
            assert_eq!(problems(&contact, MODAL), "");
            let found = problems(&contact, RESPONSE);
            assert!(found.contains("only time integration knows"), "{found}");
        }
    }
}
