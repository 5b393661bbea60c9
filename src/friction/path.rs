//! A deflection that follows the path of the slip.
//!
//! ```text
//!     dw/ds = f(w) ,   w⁺ = w + δ f(w) φ₁(δ f'(w))                                               (1)
//! ```
//!
//! over the length s of the path. (1) is exact where f is linear, and stable for any δ where f' ≤ 0, as it is
//! for the laws of hysteresis. The path is cut into pieces of a fixed fraction of the distance on which w
//! settles, and a last one of any length, by which time w has settled: so the result depends continuously
//! on everything.

use super::real::Real;

/// A piece over the distance on which w settles.
const PIECE: f64 = 0.1;
/// Pieces after which w has settled.
const MAX_PIECES: usize = 80;

/// A path of some length with the distance on which w settles.
pub(super) struct Path<T> {
    pub length: T,
    pub scale: T,
}

impl<T: Real> Path<T> {
    /// w at the end; `rate` gives f and f', and w stays below `bound`.
    pub fn follow(&self, start: T, bound: Option<T>, rate: impl Fn(T) -> (T, T)) -> T {
        let limited = |w: T| bound.map_or(w, |bound| w.min(bound));
        let advance = |w: T, piece: T| {
            let (f, slope) = rate(w);
            limited(w + piece * f * (piece * slope).phi1())
        };
        let piece = self.scale * PIECE;
        let (mut w, mut left) = (limited(start), self.length);
        for _ in 0..MAX_PIECES {
            if left.value() <= piece.value() {
                break;
            }
            w = advance(w, piece);
            left = left - piece;
        }
        advance(w, left)
    }
}
