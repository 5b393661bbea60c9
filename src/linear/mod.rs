//! Linear analyses of a model: statics, modes, frequency response.

pub mod error;
pub mod modes;
mod resonance;
pub mod response;
pub mod statics;

pub use error::LinearError;
pub use modes::{ModalSolution, ModeRange};
pub use response::{FrfPoint, FrfRequest};
pub use statics::StaticSolution;
