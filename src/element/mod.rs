//! Element matrices: geometry and material in, small dense matrices out.
//!
//! Elements know coordinates and properties only; nodes, freedoms and assembly belong to `model`.

pub mod beam2;
pub mod quad4;

/// How the mass of an element is spread over its freedoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MassKind {
    /// From the shape functions.
    Consistent,
    /// Diagonal.
    Lumped,
}
