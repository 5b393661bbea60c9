//! Two-node Euler–Bernoulli beam with axial freedom, in the plane.
//!
//! ```text
//! Freedoms (x₁, y₁, θ₁, x₂, y₂, θ₂), θ counter-clockwise. Along the axis linear, across it Hermite
//! cubics. In local axes, with length l:
//!
//!     K: EA/l on the axial pair; EI/l³ · ⎡ 12   6l   −12   6l  ⎤
//!                                        ⎢ 6l   4l²  −6l   2l² ⎥                  (1)
//!                                        ⎢ −12  −6l  12    −6l ⎥
//!                                        ⎣ 6l   2l²  −6l   4l² ⎦
//!     M: ρAl/6 · [2 1; 1 2] axial; ρAl/420 · ⎡ 156   22l   54    −13l ⎤
//!                                            ⎢ 22l   4l²   13l   −3l² ⎥           (2)
//!                                            ⎢ 54    13l   156   −22l ⎥
//!                                            ⎣ −13l  −3l²  −22l  4l²  ⎦
//! ```
//!
//! The lumped mass is ρAl/2 at each end, and ρAl³/24 as rotary inertia there (the beam's halves
//! turning about their ends), which keeps the mass matrix positive definite.

use nalgebra::{Matrix4, SMatrix};

use super::MassKind;

/// Matrix over (x₁, y₁, θ₁, x₂, y₂, θ₂).
pub type Matrix6 = SMatrix<f64, 6, 6>;

/// Positions of the bending freedoms (y₁, θ₁, y₂, θ₂) in the local order.
const BENDING: [usize; 4] = [1, 2, 4, 5];

/// Stiffness in global axes for the axial stiffness EA \[N\] and the bending stiffness EI \[N·m²\].
pub fn stiffness(ends: &[[f64; 2]; 2], axial: f64, bending: f64) -> Matrix6 {
    let l = length(ends);
    let mut local = Matrix6::zeros();
    for (i, j, sign) in [(0, 0, 1.0), (0, 3, -1.0), (3, 0, -1.0), (3, 3, 1.0)] {
        local[(i, j)] = sign * axial / l;
    }
    #[rustfmt::skip]
    let cubic = Matrix4::new(
        12.0,    6.0 * l,     -12.0,   6.0 * l,
        6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l,
        -12.0,   -6.0 * l,    12.0,    -6.0 * l,
        6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l,
    ) * (bending / l.powi(3));
    add_bending(&mut local, &cubic);
    to_global(ends, &local)
}

/// Mass in global axes for the mass per length ρA \[kg/m\].
pub fn mass(ends: &[[f64; 2]; 2], mass_per_length: f64, kind: MassKind) -> Matrix6 {
    let l = length(ends);
    let total = mass_per_length * l;
    if kind == MassKind::Lumped {
        let (half, inertia) = (0.5 * total, total * l * l / 24.0);
        return Matrix6::from_diagonal(&[half, half, inertia, half, half, inertia].into());
    }
    let mut local = Matrix6::zeros();
    for (i, j, share) in [(0, 0, 2.0), (0, 3, 1.0), (3, 0, 1.0), (3, 3, 2.0)] {
        local[(i, j)] = share * total / 6.0;
    }
    #[rustfmt::skip]
    let cubic = Matrix4::new(
        156.0,    22.0 * l,    54.0,      -13.0 * l,
        22.0 * l, 4.0 * l * l, 13.0 * l,  -3.0 * l * l,
        54.0,     13.0 * l,    156.0,     -22.0 * l,
        -13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l,
    ) * (total / 420.0);
    add_bending(&mut local, &cubic);
    to_global(ends, &local)
}

/// Distance of the ends \[m\].
pub fn length([[x1, y1], [x2, y2]]: &[[f64; 2]; 2]) -> f64 {
    (x2 - x1).hypot(y2 - y1)
}

fn add_bending(local: &mut Matrix6, cubic: &Matrix4<f64>) {
    for (a, &i) in BENDING.iter().enumerate() {
        for (b, &j) in BENDING.iter().enumerate() {
            local[(i, j)] = cubic[(a, b)];
        }
    }
}

fn to_global(ends: &[[f64; 2]; 2], local: &Matrix6) -> Matrix6 {
    let l = length(ends);
    let (c, s) = ((ends[1][0] - ends[0][0]) / l, (ends[1][1] - ends[0][1]) / l);
    let mut rotation = Matrix6::zeros();
    for first in [0, 3] {
        rotation[(first, first)] = c;
        rotation[(first, first + 1)] = s;
        rotation[(first + 1, first)] = -s;
        rotation[(first + 1, first + 1)] = c;
        rotation[(first + 2, first + 2)] = 1.0;
    }
    rotation.transpose() * local * rotation
}

#[cfg(test)]
mod tests {
    use nalgebra::SVector;

    use super::*;

    const ENDS: [[f64; 2]; 2] = [[0.3, -0.2], [1.5, 0.7]];

    #[test]
    fn tip_load_gives_the_textbook_deflection_in_any_direction() {
        let (l, bending) = (length(&ENDS), 3.0);
        let k = stiffness(&ENDS, 1e3, bending);
        let free = k.fixed_view::<3, 3>(3, 3).into_owned();
        let (nx, ny) = (-(ENDS[1][1] - ENDS[0][1]) / l, (ENDS[1][0] - ENDS[0][0]) / l);
        let tip = free.try_inverse().unwrap() * nalgebra::Vector3::new(nx, ny, 0.0);
        let deflection = tip[0] * nx + tip[1] * ny;
        assert!((deflection / (l.powi(3) / (3.0 * bending)) - 1.0).abs() < 1e-12);
        assert!((tip[2] / (l * l / (2.0 * bending)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn rigid_motion_has_no_energy_and_the_right_mass() {
        let k = stiffness(&ENDS, 1e3, 3.0);
        let rotation: SVector<f64, 6> =
            [-ENDS[0][1], ENDS[0][0], 1.0, -ENDS[1][1], ENDS[1][0], 1.0].into();
        assert!((k * rotation).norm() < 1e-10 * k.norm());
        for kind in [MassKind::Consistent, MassKind::Lumped] {
            let m = mass(&ENDS, 2.0, kind);
            let shift: SVector<f64, 6> = [0.6, 0.8, 0.0, 0.6, 0.8, 0.0].into();
            let total = (shift.transpose() * m * shift)[0];
            assert!((total / (2.0 * length(&ENDS)) - 1.0).abs() < 1e-12);
        }
    }
}
