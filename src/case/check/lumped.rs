//! Rules of points, masses, springs and ties.

use std::collections::HashSet;

use super::{Checker, GROUND};
use crate::case::{Freedom, Spring, suggestion};

impl Checker<'_> {
    pub(super) fn lumped(&mut self) {
        let case = self.case;
        for (name, point) in &case.points {
            let path = format!("points.{name}");
            self.freedoms(&format!("{path}.freedoms"), &point.freedoms);
            if point.inertia > 0.0 && !point.freedoms.contains(&Freedom::Rotation) {
                let message = "needs `rotation` among the freedoms of the point";
                self.refuse(format!("{path}.inertia"), message);
            }
            if point.mass > 0.0 && point.freedoms == [Freedom::Rotation] {
                let message = "needs a translation among the freedoms of the point";
                self.refuse(format!("{path}.mass"), message);
            }
        }
        for (i, mass) in case.masses.iter().enumerate() {
            self.target(&format!("masses[{i}].on"), &mass.on);
            if mass.mass == 0.0 && mass.inertia == 0.0 {
                self.refuse(format!("masses[{i}]"), "give a `mass` or an `inertia`");
            }
        }
        for (i, spring) in case.springs.iter().enumerate() {
            self.spring(&format!("springs[{i}]"), spring);
        }
        for (i, tie) in case.ties.iter().enumerate() {
            let path = format!("ties[{i}]");
            self.target(&format!("{path}.nodes"), &tie.nodes);
            self.freedoms(&format!("{path}.freedoms"), &tie.freedoms);
            if !case.points.contains_key(&tie.to) {
                let hint = suggestion(&tie.to, case.points.keys().map(String::as_str));
                self.refuse_name(format!("{path}.to"), "points", format!("no such point{hint}"));
            }
            if tie.nodes == tie.to {
                self.refuse(path, "ties a point to itself");
            }
        }
    }

    fn freedoms(&mut self, path: &str, freedoms: &[Freedom]) {
        let distinct: HashSet<&Freedom> = freedoms.iter().collect();
        if distinct.len() < freedoms.len() {
            self.refuse(path, "lists a freedom twice");
        }
    }

    fn spring(&mut self, path: &str, spring: &Spring) {
        let [a, b] = &spring.between;
        for (i, end) in spring.between.iter().enumerate() {
            if end != GROUND {
                self.target(&format!("{path}.between[{i}]"), end);
            }
        }
        if a == b {
            self.refuse(format!("{path}.between"), "connects a point with itself");
        }
        if spring.stiffness == 0.0 && spring.damping == 0.0 {
            self.refuse(path, "give a `stiffness` or a `damping` greater than 0");
        }
        self.direction(&format!("{path}.direction"), spring.direction);
    }
}
