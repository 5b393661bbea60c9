//! Vectors and directions, in the plane and in space.
//!
//! Doc comments are the descriptions of the schema, verbatim, hence the plain brackets around units.
#![allow(rustdoc::broken_intra_doc_links)]

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A vector in the plane or, with a third component, in space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Vector {
    /// Along x.
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// Along z, if it was given.
    pub z: Option<f64>,
}

impl Vector {
    /// The components along x, y and z.
    pub fn components(self) -> [f64; 3] {
        [self.x, self.y, self.z.unwrap_or(0.0)]
    }

    /// The length.
    pub fn length(self) -> f64 {
        self.components().into_iter().fold(0.0, f64::hypot)
    }

    /// The unit vector along it; none of a vector without length.
    pub fn unit(self) -> Option<[f64; 3]> {
        let length = self.length();
        (length > 0.0 && length.is_finite()).then(|| self.components().map(|c| c / length))
    }
}

impl TryFrom<Vec<f64>> for Vector {
    type Error = String;

    fn try_from(values: Vec<f64>) -> Result<Self, String> {
        match values[..] {
            [x, y] => Ok(Self { x, y, z: None }),
            [x, y, z] => Ok(Self { x, y, z: Some(z) }),
            _ => Err(format!("{} components where 2 or 3 are needed", values.len())),
        }
    }
}

impl From<Vector> for Vec<f64> {
    fn from(vector: Vector) -> Self {
        [vector.x, vector.y].into_iter().chain(vector.z).collect()
    }
}

impl JsonSchema for Vector {
    fn schema_name() -> Cow<'static, str> {
        "Vector".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "number", "format": "double" },
            "minItems": 2,
            "maxItems": 3
        })
    }
}

/// One direction of motion of a node.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Freedom {
    /// Displacement along x.
    X,
    /// Displacement along y.
    Y,
    /// Rotation about z, counter-clockwise.
    Rotation,
    /// Displacement along z, out of the plane: of points and of parts that come as matrices.
    Z,
}

impl Freedom {
    /// All of them, in storage order.
    pub const ALL: [Freedom; 4] = [Freedom::X, Freedom::Y, Freedom::Rotation, Freedom::Z];
    /// Those in the plane, as elements have them.
    pub const PLANE: [Freedom; 3] = [Freedom::X, Freedom::Y, Freedom::Rotation];
    /// The displacements, along the axes.
    pub const TRANSLATIONS: [Freedom; 3] = [Freedom::X, Freedom::Y, Freedom::Z];

    /// The name used in case files.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Rotation => "rotation",
            Self::Z => "z",
        }
    }
}

/// A freedom by name, or a direction as a vector of any length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Direction {
    /// "x", "y", "z" or "rotation".
    Named(Freedom),
    /// (dx, dy) or (dx, dy, dz), normalised when used.
    Vector(Vector),
}

impl Direction {
    /// Weights of the freedoms, in storage order; a vector is normalised.
    pub fn weights(self) -> [f64; 4] {
        match self {
            Self::Named(freedom) => Freedom::ALL.map(|f| if f == freedom { 1.0 } else { 0.0 }),
            Self::Vector(vector) => {
                // One without length was refused when the case was checked.
                let [x, y, z] = vector.unit().unwrap_or_default();
                [x, y, 0.0, z]
            }
        }
    }

    /// The freedoms with a weight, in storage order.
    pub fn freedoms(self) -> impl Iterator<Item = (Freedom, f64)> + Clone {
        let weighted = Freedom::ALL.into_iter().zip(self.weights());
        weighted.filter(|(_, weight)| weight.abs() > 1e-12)
    }

    /// Whether this is a rotation.
    pub fn is_rotation(self) -> bool {
        self == Self::Named(Freedom::Rotation)
    }
}
