//! Fretwork: finite-element contact and wear solver for vibrating joints.
//!
//! ```text
//!     M ü + C u̇ + K u = f(t)                                                     (1)
//! ```
//!
//! A **case** file names a **mesh**; mesh and material give the **model** (1); **linear** analyses
//! give static displacement, modes and frequency responses; **results** go to HDF5.
//!
//! | module | role |
//! |---|---|
//! | [`case`] | what the user writes, checked |
//! | [`mesh`] | nodes, cells and sets, generated or read |
//! | [`material`], [`element`] | elasticity, element matrices |
//! | [`model`] | freedoms, constraints, assembly, loads, probes |
//! | [`linear`] | statics, modes, frequency response |
//! | [`reduction`] | Craig–Bampton superelements and their quality |
//! | [`transient`] | periodic response in time: integration, shooting |
//! | [`stability`] | Floquet multipliers of periodic solutions |
//! | [`wear`] | loss of material over many cycles |
//! | [`friction`] | friction laws with states and derivatives |
//! | [`linalg`] | symmetric sparse matrices, factorisation, eigenpairs |
//! | [`results`] | HDF5, VTU, CSV, summary |
//! | [`analytical`] | closed forms of contact and friction |
//! | [`plot`], [`page`], [`report`] | SVG figures, HTML pages, the report of a run |
//! | [`compare`] | measurements beside results |
//! | [`run`], [`validate`] | a run from case to results; comparison with the literature |
//! | [`cli`], [`terminal`] | the command line and what it shows |

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
pub mod transient;
pub mod validate;
pub mod wear;
