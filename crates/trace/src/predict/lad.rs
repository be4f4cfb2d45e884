//! Least absolute deviations: the coefficients that minimise `sum |y_i - x_i . beta|`, exactly.
//!
//! Some optimum interpolates as many observations as there are coefficients: it is a vertex of a
//! linear program. The search moves from vertex to vertex, as Barrodale and Roberts (1973) and
//! Bloomfield and Steiger (1983) do: at a vertex with interpolated rows `B`, `lambda = X_B^-T
//! sum_{i not in B} sign(r_i) x_i` are the duals of the interpolated rows; all `|lambda_j| <= 1` is
//! the proof of optimality (with `d_i = sign(r_i)` elsewhere, `X' d = 0` and `|d| <= 1`, so `d . y`
//! bounds the sum from below and meets it). Otherwise row `j` leaves the basis, and a weighted
//! median minimises the sum along the edge. The search updates its values from vertex to vertex,
//! and computes them anew before it accepts an optimum.
//!
//! To leave out an observation, the search removes it from a solved problem and continues from its
//! vertex, which takes few steps. An interpolated observation is the first to leave the basis.
//!
//! Ties (several links of equal values, perfect fits) make vertices degenerate, and a search could
//! cycle. The search therefore perturbs the values by a small amount ([`NUDGE`]), which removes
//! ties, and evaluates the final vertex with the original values. A residual can have the wrong
//! sign in the proof only if it is smaller than the perturbation, so the sum is optimal to that
//! precision. The tests measure it as `gap`.
//!
//! If several vertices are optimal, the same data always give the same one.

use std::cmp::Ordering;

use airtcp_random::Seed;

use super::linear::{Lu, dot};

/// Perturbation of the observations that breaks ties, relative to the largest.
const NUDGE: f64 = 1e-10;

/// How far a dual may exceed 1 in an optimum, for rounding.
const SLACK: f64 = 1e-9;

/// Steps from vertex to vertex after which everything is computed anew.
const FRESH: usize = 40;

/// Most rounds of [`FRESH`] steps for each coefficient and each ten rows. The searches of the tests
/// take less than one round for each coefficient.
const ROUNDS: usize = 20;

/// Most crossings that are sorted.
const FEW: usize = 24;

/// A problem, and the present vertex of its search.
#[derive(Clone)]
pub(super) struct Search<'a> {
    /// Rows of the design: well-conditioned, of full rank.
    rows: &'a [Vec<f64>],
    y: &'a [f64],
    /// `y` without ties.
    moved: Vec<f64>,
    /// The row that is left out.
    without: Option<usize>,
    /// The interpolated rows.
    basis: Vec<usize>,
    /// Whether a row is interpolated.
    inside: Vec<bool>,
    /// For each interpolated row, the direction that changes its value alone, by one.
    edges: Vec<Vec<f64>>,
    /// Residuals of the perturbed observations.
    residuals: Vec<f64>,
    /// `sum sign(r_i) x_i` over the rows that are neither interpolated nor left out.
    pull: Vec<f64>,
}

impl<'a> Search<'a> {
    /// A problem at its optimum. `None` if the rows do not have full rank.
    pub(super) fn solved(rows: &'a [Vec<f64>], y: &'a [f64]) -> Option<Self> {
        Self::from(rows, y, independent(rows)?)
    }

    /// The same, from a given vertex.
    pub(super) fn from(rows: &'a [Vec<f64>], y: &'a [f64], basis: Vec<usize>) -> Option<Self> {
        let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let size = if largest > 0.0 { largest } else { 1.0 };
        // The perturbation must have no pattern. Multiples of an irrational number, for instance,
        // are linear in the observation's number modulo 1, and would keep ties in evenly spaced
        // designs.
        let chance = Seed::new(0).keyed("predict/lad");
        let nudge = |i: usize| NUDGE * size * (0.5 + 0.5 * chance.unit(i as u64));
        let mut search = Self {
            rows,
            y,
            moved: y.iter().enumerate().map(|(i, v)| v + nudge(i)).collect(),
            without: None,
            inside: (0..rows.len()).map(|i| basis.contains(&i)).collect(),
            basis,
            edges: Vec::new(),
            residuals: Vec::new(),
            pull: Vec::new(),
        };
        search.refresh()?;
        search.run()?;
        Some(search)
    }

    /// The optimum without observation `i`. `None` if the others do not have full rank.
    pub(super) fn without(&self, i: usize) -> Option<Self> {
        let mut search = self.clone();
        search.without = Some(i);
        match search.basis.iter().position(|&b| b == i) {
            Some(at) => search.step(at, 0.0)?,
            None => add(&mut search.pull, -search.residuals[i].signum(), &self.rows[i]),
        }
        search.run()?;
        Some(search)
    }

    /// True if row `i` contributes to `pull`: it is neither interpolated nor left out.
    fn pulls(&self, i: usize) -> bool {
        !self.inside[i] && Some(i) != self.without
    }

    /// Computes everything anew from the interpolated rows.
    fn refresh(&mut self) -> Option<Lu> {
        let k = self.basis.len();
        let lu = Lu::of(self.basis.iter().map(|&i| self.rows[i].clone()).collect())?;
        let unit = |j: usize| (0..k).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        self.edges = (0..k).map(|j| lu.solve(&unit(j))).collect();
        let z = lu.solve(&self.basis.iter().map(|&i| self.moved[i]).collect::<Vec<_>>());
        self.residuals = self.rows.iter().zip(&self.moved).map(|(x, y)| y - dot(x, &z)).collect();
        self.pull = vec![0.0; k];
        for i in 0..self.rows.len() {
            if self.pulls(i) {
                add(&mut self.pull, self.residuals[i].signum(), &self.rows[i]);
            }
        }
        Some(lu)
    }

    /// The interpolated row with the largest dual beyond its bound, and that dual.
    fn worst(&self) -> (usize, f64) {
        self.edges.iter().map(|edge| dot(edge, &self.pull)).enumerate().fold(
            (0, 0.0),
            |best: (usize, f64), now| if now.1.abs() > best.1.abs() { now } else { best },
        )
    }

    /// Moves to the optimum.
    fn run(&mut self) -> Option<()> {
        for _ in 0..ROUNDS * (self.basis.len() + self.rows.len() / 10) {
            for _ in 0..FRESH {
                let (leaving, dual) = self.worst();
                if dual.abs() <= 1.0 + SLACK {
                    break;
                }
                self.step(leaving, 1.0)?;
            }
            self.refresh()?;
            if self.worst().1.abs() <= 1.0 + SLACK {
                return Some(());
            }
        }
        None
    }

    /// Removes the row at `leaving`, of weight `weight`, from the basis and minimises along the
    /// edge. `None` if the sum never grows along the edge, which happens only if a row of weight 0
    /// cannot be replaced.
    fn step(&mut self, leaving: usize, weight: f64) -> Option<()> {
        let dual = dot(&self.edges[leaving], &self.pull);
        let side = dual.signum();
        let direction: Vec<f64> = self.edges[leaving].iter().map(|e| side * e).collect();
        let rates: Vec<f64> = self.rows.iter().map(|x| dot(x, &direction)).collect();
        let mut crossings: Vec<Crossing> = Vec::new();
        for (i, rate) in rates.iter().enumerate() {
            let r = self.residuals[i];
            if self.pulls(i) && *rate != 0.0 && (r.signum() > 0.0) == (*rate > 0.0) {
                crossings.push(Crossing { at: r / rate, rate: rate.abs(), row: i });
            }
        }
        // Along the edge the sum falls by `|dual| - weight` a unit, until residuals change sign.
        let crossing = least(&mut crossings, weight - dual.abs())?;
        let (entering, at) = (crossing.row, crossing.at);
        let row = self.basis[leaving];
        add(&mut self.pull, -self.residuals[entering].signum(), &self.rows[entering]);
        for (i, rate) in rates.iter().enumerate() {
            let (old, new) = (self.residuals[i], self.residuals[i] - at * rate);
            self.residuals[i] = new;
            if i != entering && self.pulls(i) && old.signum().total_cmp(&new.signum()).is_ne() {
                add(&mut self.pull, 2.0 * new.signum(), &self.rows[i]);
            }
        }
        self.residuals[entering] = 0.0;
        self.residuals[row] = -side * at;
        if Some(row) != self.without {
            add(&mut self.pull, -side, &self.rows[row]);
        }
        self.inside[row] = false;
        self.inside[entering] = true;
        self.basis[leaving] = entering;
        // The new edges move the entering row alone, or not at all.
        let pivot = dot(&self.rows[entering], &self.edges[leaving]);
        let edge: Vec<f64> = self.edges[leaving].iter().map(|e| e / pivot).collect();
        for (j, other) in self.edges.iter_mut().enumerate() {
            if j != leaving {
                let part = dot(&self.rows[entering], other);
                add(other, -part, &edge);
            }
        }
        self.edges[leaving] = edge;
        Some(())
    }

    /// The coefficients at the vertex, for the original values.
    pub(super) fn coefficients(&self) -> Option<Vec<f64>> {
        let lu = Lu::of(self.basis.iter().map(|&i| self.rows[i].clone()).collect())?;
        Some(lu.solve(&self.basis.iter().map(|&i| self.y[i]).collect::<Vec<_>>()))
    }

    /// The sum of absolute deviations less its lower bound by duality: zero but for rounding.
    #[cfg(test)]
    fn gap(&self) -> f64 {
        let z = self.coefficients().unwrap();
        let mut gap = 0.0;
        for (i, x) in self.rows.iter().enumerate().filter(|(i, _)| Some(*i) != self.without) {
            // The dual of an interpolated row balances the other rows.
            let at = self.basis.iter().position(|&b| b == i);
            let dual =
                at.map_or_else(|| self.residuals[i].signum(), |j| -dot(&self.edges[j], &self.pull));
            gap += (self.y[i] - dot(x, &z)).abs() - dual * self.y[i];
        }
        gap
    }
}

/// Adds `factor x` to `to`.
fn add(to: &mut [f64], factor: f64, x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(t, x)| *t += factor * x);
}

/// The point of an edge where a residual changes sign, and half of the change in slope.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    at: f64,
    rate: f64,
    row: usize,
}

impl Crossing {
    fn order(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.row.cmp(&other.row))
    }
}

/// The first crossing after which a sum of slope `slope` no longer falls.
fn least(crossings: &mut [Crossing], mut slope: f64) -> Option<Crossing> {
    let mut left = crossings;
    while left.len() > FEW {
        let half = left.len() / 2;
        left.select_nth_unstable_by(half, Crossing::order);
        let below = slope + 2.0 * left[..half].iter().map(|c| c.rate).sum::<f64>();
        if below >= 0.0 {
            left = &mut left[..half];
        } else {
            slope = below;
            left = &mut left[half..];
        }
    }
    left.sort_unstable_by(Crossing::order);
    for crossing in left.iter() {
        slope += 2.0 * crossing.rate;
        if slope >= 0.0 {
            return Some(*crossing);
        }
    }
    // Rounding may leave a small slope after the last crossing.
    left.last().copied()
}

/// A greedy choice of nearly orthogonal rows.
fn independent(rows: &[Vec<f64>]) -> Option<Vec<usize>> {
    let k = rows.first()?.len();
    let mut left = rows.to_vec();
    let mut chosen = Vec::with_capacity(k);
    for _ in 0..k {
        let mut best = (0, 0.0);
        for (i, row) in left.iter().enumerate() {
            let size = dot(row, row);
            if !chosen.contains(&i) && size > best.1 {
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
            add(row, -part, &pivot);
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests;
