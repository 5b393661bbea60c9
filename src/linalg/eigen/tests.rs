use std::f64::consts::PI;
use std::sync::Arc;

use super::*;
use crate::linalg::pattern::clique_pattern;

/// `copies` uncoupled chains of `size` unit masses and springs, both ends fixed (or free).
fn chains(copies: usize, size: usize, free: bool) -> (SymmetricSparse, SymmetricSparse) {
    let n = copies * size;
    let links: Vec<[usize; 2]> = (1..n).filter(|i| i % size != 0).map(|i| [i - 1, i]).collect();
    let pattern = Arc::new(clique_pattern(n, links.iter().map(|g| g.as_slice())));
    let mut stiffness = SymmetricSparse::zeros(pattern.clone());
    let mut mass = SymmetricSparse::zeros(pattern);
    for [i, j] in links {
        stiffness.add(i, i, 1.0);
        stiffness.add(j, j, 1.0);
        stiffness.add(i, j, -1.0);
    }
    for i in 0..n {
        mass.add(i, i, 1.0);
        if !free && (i % size == 0 || i % size == size - 1) {
            stiffness.add(i, i, 1.0);
        }
    }
    (stiffness, mass)
}

fn solve(
    stiffness: &SymmetricSparse,
    mass: &SymmetricSparse,
    request: EigenRequest,
) -> Result<Eigenpairs, EigenError> {
    let symbolic = Symbolic::analyse(stiffness.pattern()).unwrap();
    lowest_modes(stiffness, mass, &symbolic, request, &mut |_, _| {})
}

fn residual(stiffness: &SymmetricSparse, mass: &SymmetricSparse, pairs: &Eigenpairs) -> f64 {
    let mut worst: f64 = 0.0;
    for (i, value) in pairs.values.iter().enumerate() {
        let x = column(pairs.vectors.as_ref(), i);
        let (kx, mx) = (stiffness.mul(x), mass.mul(x));
        let norm = kx.iter().zip(&mx).map(|(k, m)| (k - value * m).powi(2)).sum::<f64>();
        worst = worst.max(norm.sqrt());
    }
    worst
}

#[test]
fn fixed_chain_has_its_closed_form_frequencies_dense_and_sparse() {
    for size in [60, 1000] {
        let (stiffness, mass) = chains(1, size, false);
        let pairs = solve(&stiffness, &mass, EigenRequest::Count(12)).unwrap();
        for (k, value) in pairs.values.iter().enumerate() {
            let exact = 2.0 - 2.0 * ((k + 1) as f64 * PI / (size + 1) as f64).cos();
            assert!((value / exact - 1.0).abs() < 1e-9, "{size} {k} {value} {exact}");
        }
        assert!(residual(&stiffness, &mass, &pairs) < 1e-9);
    }
}

#[test]
fn multiple_eigenvalues_are_all_found() {
    let (stiffness, mass) = chains(20, 60, false);
    let pairs = solve(&stiffness, &mass, EigenRequest::Count(60)).unwrap();
    for (k, value) in pairs.values.iter().enumerate() {
        let exact = 2.0 - 2.0 * ((k / 20 + 1) as f64 * PI / 61.0).cos();
        assert!((value / exact - 1.0).abs() < 1e-9, "{k} {value} {exact}");
    }
}

#[test]
fn free_chain_has_a_rigid_mode_at_zero() {
    for size in [60, 1000] {
        let (stiffness, mass) = chains(2, size, true);
        let pairs = solve(&stiffness, &mass, EigenRequest::Count(6)).unwrap();
        assert!(pairs.values[..2].iter().all(|v| v.abs() < 1e-12), "{:?}", pairs.values);
        let exact = 2.0 - 2.0 * (PI / size as f64).cos();
        assert!((pairs.values[2] / exact - 1.0).abs() < 1e-8);
    }
}

#[test]
fn all_modes_below_a_bound_are_returned() {
    let (stiffness, mass) = chains(1, 200, false);
    let pairs = solve(&stiffness, &mass, EigenRequest::Below(0.01)).unwrap();
    // 2 − 2 cos(kπ/201) < 0.01 ⇔ k ≤ 6.
    assert_eq!(pairs.values.len(), 6);
}

#[test]
fn massless_freedoms_reduce_the_number_of_modes() {
    for size in [40, 1000] {
        let (stiffness, full_mass) = chains(1, size, false);
        let mut mass = SymmetricSparse::zeros(full_mass.pattern().clone());
        for i in (0..size).step_by(size / 4) {
            mass.add(i, i, 1.0);
        }
        assert_eq!(solve(&stiffness, &mass, EigenRequest::Count(4)).unwrap().values.len(), 4);
        let error = solve(&stiffness, &mass, EigenRequest::Count(7)).unwrap_err();
        assert!(matches!(error, EigenError::TooMany { asked: 7, available: 4 }), "{size} {error}");
    }
}

#[test]
fn many_modes_need_restarts_and_still_converge() {
    let (stiffness, mass) = chains(1, 3000, false);
    let pairs = solve(&stiffness, &mass, EigenRequest::Count(40)).unwrap();
    assert!(residual(&stiffness, &mass, &pairs) < 1e-8);
}

#[test]
fn a_heavy_mass_on_a_soft_spring_does_not_hide_the_rest() {
    // One chain of unit masses, and beside it a mass of 1e6 on a spring of 1e-6.
    let (mut stiffness, mut mass) = chains(1, 1001, false);
    stiffness.add(1000, 1000, 1e-6 - stiffness.diagonal()[1000]);
    let coupling = stiffness.position(1000, 999);
    stiffness.add_at(coupling, 1.0);
    mass.add(1000, 1000, 1e6 - 1.0);
    let pairs = solve(&stiffness, &mass, EigenRequest::Count(8)).unwrap();
    assert!((pairs.values[0] / 1e-12 - 1.0).abs() < 1e-9, "{:?}", pairs.values);
    // The chain ends in a spring to the mass, which stands still, as it does at its other end.
    for (k, value) in pairs.values[1..].iter().enumerate() {
        let exact = 2.0 - 2.0 * ((k + 1) as f64 * PI / 1001.0).cos();
        assert!((value / exact - 1.0).abs() < 1e-7, "{k} {value} {exact}");
    }
}

#[test]
fn many_modes_of_a_stiff_chain_survive_restarts() {
    let (mut stiffness, mass) = chains(1, 1000, false);
    stiffness = stiffness.combine(1e11, &stiffness, 0.0);
    let pairs = solve(&stiffness, &mass, EigenRequest::Count(150)).unwrap();
    for (k, value) in pairs.values.iter().enumerate() {
        let exact = 1e11 * (2.0 - 2.0 * ((k + 1) as f64 * PI / 1001.0).cos());
        assert!((value / exact - 1.0).abs() < 1e-9, "{k} {value} {exact}");
    }
}
