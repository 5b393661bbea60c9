//! Linear algebra for real symmetric sparse matrices: storage, factorisation, eigenpairs.
//!
//! A thin, `f64`-only layer: storage is a triangle by columns, factorisations are faer's. Nothing
//! here knows of nodes, elements or frequencies.

pub mod complex_symmetric;
pub mod dense;
pub mod eigen;
pub mod exponential;
pub mod factor;
pub mod lu;
mod ordering;
pub mod pattern;
pub mod symmetric;

pub use complex_symmetric::ComplexSymmetric;
pub use eigen::{EigenError, EigenRequest, Eigenpairs, count_below, lowest_modes};
pub use factor::{Cholesky, FactorError, Ldlt, Symbolic};
pub use lu::Lu;
pub use pattern::Pattern;
pub use symmetric::SymmetricSparse;

/// Complex double-precision number.
pub type Complex = num_complex::Complex<f64>;
