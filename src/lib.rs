//! Fretwork: finite-element contact and wear solver for vibrating joints.
//!
//! ```text
//!     M ü + C u̇ + K u = f(t)                                                     (1)
//! ```
//!
//! A **case** file names a **mesh**; mesh and material give the full **model** (1): M, C, K and loads;
//! **linear** analyses give static displacement, modes and frequency responses; **reduction** keeps the
//! contact freedoms and a few modes of each body and condenses them to relative displacements; **contact**
//! laws act on these; **harmonic** balance makes one algebraic problem of it, **continuation** follows its
//! solutions, **transient** integrates the same structure in time and **stability** tells which solutions
//! last; **wear** turns pressure and slip of a periodic response into depth, jumps many cycles, opens the gaps
//! and solves again; **results** are on disk after every accepted point, and a **report** is drawn from them.
//!
//! | module | role |
//! |---|---|
//! | [`progress`], [`memory`] | the observer of long steps; freed memory back to the system |
//! | [`analytical`] | closed forms of contact and friction |
//! | [`linalg`] | symmetric sparse matrices, factorisation, eigenpairs |
//! | [`material`], [`element`] | elasticity, element matrices |
//! | [`friction`] | friction laws with states and derivatives |
//! | [`case`] | what the user writes, checked |
//! | [`mesh`] | nodes, cells and sets, generated or read |
//! | [`model`] | freedoms, constraints, assembly, loads, probes |
//! | [`linear`] | statics, modes, frequency response |
//! | [`reduction`] | Craig–Bampton superelements and their quality |
//! | [`contact`] | contact laws of node pairs over a period |
//! | [`harmonic`] | harmonic balance of the relative displacements |
//! | [`continuation`] | solutions followed over a parameter, through turning points |
//! | [`transient`] | periodic response in time: integration, shooting |
//! | [`stability`] | Floquet multipliers of periodic solutions |
//! | [`wear`] | loss of material over many cycles |
//! | [`results`] | HDF5, VTU, CSV, summary |
//! | [`plot`], [`page`], [`report`] | SVG figures, HTML pages, the report of a run |
//! | [`compare`] | measurements beside results |
//! | [`error`] | the errors of all layers, exit codes |
//! | [`run`], [`validate`] | a run from case to results; comparison with the literature |
//! | [`terminal`], [`cli`] | what the program shows, and its arguments |

#![warn(missing_docs)]

pub mod analytical;
pub mod case;
pub mod cli;
pub mod compare;
pub mod contact;
pub mod continuation;
pub mod element;
pub mod error;
pub mod friction;
pub mod harmonic;
pub mod linalg;
pub mod linear;
pub mod material;
pub mod memory;
pub mod mesh;
pub mod model;
pub mod page;
pub mod plot;
pub mod progress;
pub mod reduction;
pub mod report;
pub mod results;
pub mod run;
pub mod stability;
pub mod terminal;
#[cfg(test)]
mod testing;
pub mod transient;
pub mod validate;
pub mod wear;
