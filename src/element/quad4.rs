//! Four-node quadrilateral, plain or with incompatible modes (QM6).
//!
//! ```text
//! Geometry and displacement, −1 ≤ ξ, η ≤ 1:
//!
//!     x = Σ Nᵢ xᵢ ,  u = Σ Nᵢ uᵢ + P₁ a₁ + P₂ a₂ ,  Nᵢ = (1 + ξξᵢ)(1 + ηηᵢ)/4      (1)
//!     P₁ = 1 − ξ² ,  P₂ = 1 − η²       (a₁, a₂: four internal freedoms; plain: none)
//!
//! Strain ε = B u + G a. With G from the true Jacobian the patch test fails on distorted meshes;
//! Taylor, Beresford and Wilson (1976) take the Jacobian J₀ at the centre,
//!
//!     ∇Pᵢ = (det J₀ / det J) J₀⁻¹ (∂Pᵢ/∂ξ, ∂Pᵢ/∂η)ᵀ ,                             (2)
//!
//! so that ∫ G dA = 0 and constant strain leaves a = 0. Static condensation on the element:
//!
//!     K = ∫BᵀDB − (∫GᵀDB)ᵀ (∫GᵀDG)⁻¹ (∫GᵀDB) ,  a = −(∫GᵀDG)⁻¹(∫GᵀDB) u           (3)
//! ```
//!
//! All integrals by 2×2 Gauss points times the thickness.

use nalgebra::{Matrix2, Matrix4, SMatrix, SVector, Vector2, Vector3};

use super::MassKind;

/// Corner coordinates \[m\], counter-clockwise.
pub type Corners = [[f64; 2]; 4];
/// Matrix over (x₁, y₁, … x₄, y₄).
pub type Matrix8 = SMatrix<f64, 8, 8>;
type StrainMatrix = SMatrix<f64, 3, 8>;
type ModeMatrix = SMatrix<f64, 3, 4>;

/// The two variants of the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formulation {
    /// Bilinear displacements only: stiff in bending.
    Plain,
    /// With the incompatible modes of (1)–(3).
    Incompatible,
}

/// ξᵢ, ηᵢ of the corners.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// The 2×2 Gauss points, each of weight 1.
pub fn gauss_points() -> [[f64; 2]; 4] {
    let g = 1.0 / 3f64.sqrt();
    CORNERS.map(|[a, b]| [a * g, b * g])
}

/// Shape functions N of (1).
pub fn shape([xi, eta]: [f64; 2]) -> [f64; 4] {
    CORNERS.map(|[a, b]| 0.25 * (1.0 + a * xi) * (1.0 + b * eta))
}

/// The Jacobian ∂(x, y)/∂(ξ, η), transposed: row i holds the derivatives along coordinate i.
pub fn jacobian(corners: &Corners, point: [f64; 2]) -> Matrix2<f64> {
    let mut jacobian = Matrix2::zeros();
    for (gradient, corner) in natural_gradients(point).iter().zip(corners) {
        jacobian += gradient * Vector2::from(*corner).transpose();
    }
    jacobian
}

fn natural_gradients([xi, eta]: [f64; 2]) -> [Vector2<f64>; 4] {
    CORNERS.map(|[a, b]| 0.25 * Vector2::new(a * (1.0 + b * eta), b * (1.0 + a * xi)))
}

/// Smallest Jacobian determinant at the corners \[m²\]; an admissible element has it positive.
pub fn smallest_corner_jacobian(corners: &Corners) -> f64 {
    CORNERS.map(|c| jacobian(corners, c).determinant()).into_iter().fold(f64::INFINITY, f64::min)
}

/// B and det J at a point.
fn strain_matrix(corners: &Corners, point: [f64; 2]) -> (StrainMatrix, f64) {
    let jacobian = jacobian(corners, point);
    let determinant = jacobian.determinant();
    let inverse = adjugate(&jacobian) / determinant;
    let mut b = StrainMatrix::zeros();
    for (i, natural) in natural_gradients(point).iter().enumerate() {
        put_gradient(&mut b, 2 * i, &(inverse * natural));
    }
    (b, determinant)
}

/// G of (2) at a point with Jacobian determinant `determinant`.
fn mode_matrix(centre: &Matrix2<f64>, [xi, eta]: [f64; 2], determinant: f64) -> ModeMatrix {
    // det J₀ · J₀⁻¹ is the adjugate of J₀.
    let scaled = adjugate(centre) / determinant;
    let mut g = ModeMatrix::zeros();
    put_gradient(&mut g, 0, &(scaled * Vector2::new(-2.0 * xi, 0.0)));
    put_gradient(&mut g, 2, &(scaled * Vector2::new(0.0, -2.0 * eta)));
    g
}

fn adjugate(m: &Matrix2<f64>) -> Matrix2<f64> {
    Matrix2::new(m[(1, 1)], -m[(0, 1)], -m[(1, 0)], m[(0, 0)])
}

/// Writes the strain of a displacement whose shape has gradient `d` into columns `col`, `col` + 1.
fn put_gradient<const C: usize>(b: &mut SMatrix<f64, 3, C>, col: usize, d: &Vector2<f64>) {
    b[(0, col)] = d[0];
    b[(1, col + 1)] = d[1];
    b[(2, col)] = d[1];
    b[(2, col + 1)] = d[0];
}

/// The integrals of (3): ∫BᵀDB, ∫GᵀDB, ∫GᵀDG.
struct Integrals {
    bb: Matrix8,
    gb: SMatrix<f64, 4, 8>,
    gg: Matrix4<f64>,
}

fn integrals(
    corners: &Corners,
    elasticity: &SMatrix<f64, 3, 3>,
    thickness: f64,
    formulation: Formulation,
) -> Integrals {
    let centre = jacobian(corners, [0.0, 0.0]);
    let mut sums = Integrals { bb: Matrix8::zeros(), gb: SMatrix::zeros(), gg: Matrix4::zeros() };
    for point in gauss_points() {
        let (b, determinant) = strain_matrix(corners, point);
        let weighted = elasticity * (thickness * determinant);
        let db = weighted * b;
        sums.bb += b.transpose() * db;
        if formulation == Formulation::Incompatible {
            let g = mode_matrix(&centre, point, determinant);
            sums.gb += g.transpose() * db;
            sums.gg += g.transpose() * weighted * g;
        }
    }
    sums
}

/// Stiffness \[N/m\] by (3).
pub fn stiffness(
    corners: &Corners,
    elasticity: &SMatrix<f64, 3, 3>,
    thickness: f64,
    formulation: Formulation,
) -> Matrix8 {
    let sums = integrals(corners, elasticity, thickness, formulation);
    if formulation == Formulation::Plain {
        return sums.bb;
    }
    let modes = internal_modes(&sums);
    let condensed = sums.bb + sums.gb.transpose() * modes;
    // Rounding in the condensation must not make the matrix unsymmetric.
    0.5 * (condensed + condensed.transpose())
}

/// The matrix −(∫GᵀDG)⁻¹(∫GᵀDB) that gives a from u.
fn internal_modes(sums: &Integrals) -> SMatrix<f64, 4, 8> {
    // Positive definite for a positive Jacobian; an element out of all proportion becomes not-a-number,
    // which every solver refuses.
    match sums.gg.cholesky() {
        Some(cholesky) => -cholesky.solve(&sums.gb),
        None => SMatrix::repeat(f64::NAN),
    }
}

/// Strain (εx, εy, γxy) inside an element, incompatible modes included.
pub struct StrainField<'a> {
    corners: &'a Corners,
    u: &'a SVector<f64, 8>,
    modes: SVector<f64, 4>,
    centre: Matrix2<f64>,
}

impl<'a> StrainField<'a> {
    /// The field of the nodal displacements `u` \[m\].
    pub fn new(
        corners: &'a Corners,
        elasticity: &SMatrix<f64, 3, 3>,
        formulation: Formulation,
        u: &'a SVector<f64, 8>,
    ) -> Self {
        let modes = match formulation {
            Formulation::Plain => SVector::zeros(),
            Formulation::Incompatible => {
                internal_modes(&integrals(corners, elasticity, 1.0, formulation)) * u
            }
        };
        Self { corners, u, modes, centre: jacobian(corners, [0.0, 0.0]) }
    }

    /// Strain at (ξ, η).
    pub fn at(&self, point: [f64; 2]) -> Vector3<f64> {
        let (b, determinant) = strain_matrix(self.corners, point);
        b * self.u + mode_matrix(&self.centre, point, determinant) * self.modes
    }
}

/// Mean stress (σx, σy, τxy) \[Pa\] over the Gauss points for nodal displacements `u` \[m\].
pub fn mean_stress(
    corners: &Corners,
    elasticity: &SMatrix<f64, 3, 3>,
    formulation: Formulation,
    u: &SVector<f64, 8>,
) -> Vector3<f64> {
    let field = StrainField::new(corners, elasticity, formulation, u);
    let sum: Vector3<f64> = gauss_points().map(|point| field.at(point)).iter().sum();
    elasticity * sum * 0.25
}

/// Mass matrix \[kg\] for a density times thickness `surface_density` \[kg/m²\].
///
/// The lumped form gives each corner ∫ρtNᵢ, its share of the element's mass.
pub fn mass(corners: &Corners, surface_density: f64, kind: MassKind) -> Matrix8 {
    let mut mass = Matrix8::zeros();
    for point in gauss_points() {
        let weight = surface_density * jacobian(corners, point).determinant();
        let n = shape(point);
        for i in 0..4 {
            for j in 0..4 {
                let row = if kind == MassKind::Lumped { j } else { i };
                for axis in 0..2 {
                    mass[(2 * row + axis, 2 * j + axis)] += weight * n[i] * n[j];
                }
            }
        }
    }
    mass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Material, PlaneState};

    const DISTORTED: Corners = [[0.0, 0.0], [1.3, 0.2], [1.1, 1.4], [-0.2, 0.9]];

    fn steel() -> Material {
        Material { young: 210e9, poisson: 0.3, density: 7800.0 }
    }

    #[test]
    fn only_rigid_motions_cost_no_energy() {
        for state in [PlaneState::Stress, PlaneState::Strain] {
            for formulation in [Formulation::Plain, Formulation::Incompatible] {
                let k = stiffness(&DISTORTED, &steel().elasticity(state), 0.01, formulation);
                let eigenvalues = k.symmetric_eigenvalues();
                let largest = eigenvalues.max();
                let zero = eigenvalues.iter().filter(|v| v.abs() < 1e-12 * largest).count();
                assert_eq!(zero, 3, "{eigenvalues}");
                assert!(eigenvalues.iter().all(|v| *v > -1e-12 * largest));
            }
        }
    }

    #[test]
    fn incompatible_modes_give_pure_bending_of_a_rectangle_exactly() {
        // u = xy, v = −x²/2 − ν y²/2 is pure bending about z; its energy is E I κ² L / 2 · 2.
        let corners = [[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]];
        let material = Material { young: 1.0, poisson: 0.3, density: 1.0 };
        let d = material.elasticity(PlaneState::Stress);
        let k = stiffness(&corners, &d, 1.0, Formulation::Incompatible);
        let mut u = SVector::<f64, 8>::zeros();
        for (i, [x, y]) in corners.iter().enumerate() {
            u[2 * i] = x * y;
            u[2 * i + 1] = -0.5 * x * x - 0.15 * y * y;
        }
        let energy = (u.transpose() * k * u)[0];
        let exact = 1.0 / 12.0 * 2.0;
        assert!((energy / exact - 1.0).abs() < 1e-12, "{energy} {exact}");
    }

    #[test]
    fn both_masses_hold_the_whole_mass() {
        // Half the cross product of the diagonals.
        let area = 0.5 * ((1.1 - 0.0) * (0.9 - 0.2) - (-0.2 - 1.3) * (1.4 - 0.0));
        for kind in [MassKind::Consistent, MassKind::Lumped] {
            let m = mass(&DISTORTED, 2.0, kind);
            let mut translation = SVector::<f64, 8>::zeros();
            (0..4).for_each(|i| translation[2 * i] = 1.0);
            let total = (translation.transpose() * m * translation)[0];
            assert!((total / (2.0 * area) - 1.0).abs() < 1e-12, "{total} {area}");
        }
    }

    #[test]
    fn stress_of_a_linear_displacement_is_constant_strain() {
        let d = steel().elasticity(PlaneState::Strain);
        let strain = Vector3::new(1e-3, -2e-4, 5e-4);
        let mut u = SVector::<f64, 8>::zeros();
        for (i, [x, y]) in DISTORTED.iter().enumerate() {
            u[2 * i] = strain[0] * x + strain[2] * y;
            u[2 * i + 1] = strain[1] * y;
        }
        let stress = mean_stress(&DISTORTED, &d, Formulation::Incompatible, &u);
        assert!((stress - d * strain).norm() < 1e-10 * (d * strain).norm());
    }

    #[test]
    fn a_non_convex_quadrilateral_has_a_negative_corner_jacobian() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]];
        assert!(smallest_corner_jacobian(&corners) < 0.0);
        assert!(smallest_corner_jacobian(&DISTORTED) > 0.0);
    }
}
