//! Least absolute deviations: the coefficients that minimise `sum |y_i - x_i . beta|`, exactly.
//!
//! Some optimum interpolates as many observations as there are coefficients (it is a vertex of
//! a linear program). The search goes from vertex to vertex, as Barrodale and Roberts (1973) and
//! Bloomfield and Steiger (1983) do: at a vertex with interpolated rows `B`,
//! `lambda = X_B^-T sum_{i not in B} sign(r_i) x_i` are the duals of the interpolated rows; all
//! `|lambda_j| <= 1` is the proof of optimality (with `d_i = sign(r_i)` elsewhere, `X' d = 0` and
//! `|d| <= 1`, so `d . y` bounds the sum from below and meets it). Else row `j` is let go and the
//! sum is minimised along the edge, which a weighted median does.
//!
//! Ties (several links of equal values, fits that are perfect) make vertices degenerate, and a
//! search could go in circles. It therefore works on values moved by amounts too small to
//! matter ([`NUDGE`]), which have no ties; the vertex found is then evaluated with the values
//! given. A residual can have the wrong sign in the proof only if it is smaller than the amount
//! moved, so the sum is optimal to that precision; [`Lad::gap`] is what was reached.
//!
//! Where several vertices are optimal, one of them is given, always the same for the same data.

use super::linear::{Lu, dot};

/// By how much observations are moved to break ties, in parts of the largest.
const NUDGE: f64 = 1e-10;

/// How far a dual may exceed 1 in an optimum, for rounding.
const SLACK: f64 = 1e-9;

/// Steps from vertex to vertex for each row and coefficient, before the search is given up. The
/// searches of the tests take less than one.
const STEPS: usize = 20;

/// An optimum.
#[derive(Debug, Clone)]
pub(super) struct Lad {
    /// Coefficients.
    pub z: Vec<f64>,
    /// The rows that are interpolated.
    pub basis: Vec<usize>,
    /// The sum of absolute deviations less its lower bound by duality: zero but for rounding.
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof, which the tests look at"))]
    pub gap: f64,
}

/// The fraction by which observation `i` is moved: between 1/2 and 1, without a pattern.
fn nudge(i: usize) -> f64 {
    // The golden ratio's multiples are spread evenly and never coincide.
    let turns = (i as f64 + 1.0) * 0.618_033_988_749_894_9;
    0.5 + 0.5 * (turns - turns.floor())
}

/// Solves for `rows` (well-conditioned, full rank) and `y`, both finite, starting from the rows
/// `start` if these are independent. `without` is a row to be left out. `None` if the rows have
/// not the full rank.
pub(super) fn solve(
    rows: &[Vec<f64>],
    y: &[f64],
    without: Option<usize>,
    start: Option<&[usize]>,
) -> Option<Lad> {
    let k = rows.first()?.len();
    let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let size = if largest > 0.0 { largest } else { 1.0 };
    let moved: Vec<f64> = y.iter().enumerate().map(|(i, v)| v + NUDGE * size * nudge(i)).collect();
    let mut basis = match start {
        Some(start) => start.to_vec(),
        None => independent(rows, without)?,
    };
    let used = |i: usize, basis: &[usize]| Some(i) != without && !basis.contains(&i);
    let pick = |basis: &[usize]| basis.iter().map(|&i| rows[i].clone()).collect::<Vec<_>>();
    for _ in 0..STEPS * (rows.len() + k) {
        let lu = Lu::of(pick(&basis))?;
        let z = lu.solve(&basis.iter().map(|&i| moved[i]).collect::<Vec<_>>());
        let residuals: Vec<f64> = rows.iter().zip(&moved).map(|(x, y)| y - dot(x, &z)).collect();
        let mut pull = vec![0.0; k];
        for (i, r) in residuals.iter().enumerate() {
            if used(i, &basis) {
                pull.iter_mut().zip(&rows[i]).for_each(|(p, x)| *p += r.signum() * x);
            }
        }
        let duals = lu.solve_transposed(&pull);
        let (leaving, worst) = duals
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (j, d)| if d.abs() > best.1 { (j, d.abs()) } else { best });
        if worst <= 1.0 + SLACK {
            return Some(finish(rows, y, without, basis, &lu, &residuals, &duals));
        }
        let mut unit = vec![0.0; k];
        unit[leaving] = duals[leaving].signum();
        let direction = lu.solve(&unit);
        // Along the edge the sum falls by `worst - 1` a unit, until residuals change sign.
        let mut crossings: Vec<(f64, f64, usize)> = (0..rows.len())
            .filter(|&i| used(i, &basis))
            .filter_map(|i| {
                let rate = dot(&rows[i], &direction);
                let at = residuals[i] / rate;
                (rate != 0.0 && at >= 0.0 && at.is_finite()).then_some((at, rate.abs(), i))
            })
            .collect();
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let mut slope = 1.0 - worst;
        let entering = crossings.iter().find(|(_, rate, _)| {
            slope += 2.0 * rate;
            slope >= 0.0
        });
        // The sum is bounded below, so some residual does change sign.
        basis[leaving] = entering?.2;
    }
    None
}

/// The optimum of the values given, at the vertex found.
fn finish(
    rows: &[Vec<f64>],
    y: &[f64],
    without: Option<usize>,
    basis: Vec<usize>,
    lu: &Lu,
    moved_residuals: &[f64],
    duals: &[f64],
) -> Lad {
    let z = lu.solve(&basis.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let (mut sum, mut bound) = (0.0, 0.0);
    for (i, x) in rows.iter().enumerate() {
        if Some(i) == without {
            continue;
        }
        sum += (y[i] - dot(x, &z)).abs();
        let at = basis.iter().position(|&b| b == i);
        // The dual of an interpolated row carries the sign with which it balances the others.
        bound += y[i] * at.map_or_else(|| moved_residuals[i].signum(), |j| -duals[j]);
    }
    Lad { z, basis, gap: sum - bound }
}

/// Rows that are as independent of one another as a greedy choice makes them.
fn independent(rows: &[Vec<f64>], without: Option<usize>) -> Option<Vec<usize>> {
    let k = rows.first()?.len();
    let mut left = rows.to_vec();
    let mut chosen = Vec::with_capacity(k);
    for _ in 0..k {
        let mut best = (0, 0.0);
        for (i, row) in left.iter().enumerate() {
            let size = dot(row, row);
            if Some(i) != without && !chosen.contains(&i) && size > best.1 {
                best = (i, size);
            }
        }
        if best.1 <= f64::EPSILON * f64::EPSILON {
            return None;
        }
        let pivot: Vec<f64> = left[best.0].iter().map(|v| v / best.1.sqrt()).collect();
        chosen.push(best.0);
        for row in &mut left {
            let part = dot(row, &pivot);
            row.iter_mut().zip(&pivot).for_each(|(r, p)| *r -= part * p);
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests;
