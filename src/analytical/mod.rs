//! Closed forms: what contact and friction do where theory knows it exactly.
//!
//! | module | problem |
//! |---|---|
//! | [`coulomb_oscillator`] | mass on a spring with Coulomb friction to ground: exact motion, piece by piece |
//! | [`den_hartog`] | its periodic motion without stops, or with one stop in each half cycle |
//! | [`hertz`] | a cylinder pressed on a flat |
//! | [`cattaneo_mindlin`] | the same under a tangential load: partial slip, energy of a cycle |
//! | [`richard_abbott`] | stiffness of a joint that falls with its amplitude |

pub mod cattaneo_mindlin;
pub mod coulomb_oscillator;
pub mod den_hartog;
pub mod hertz;
pub mod richard_abbott;
