//! Linear algebra for the fits: an orthonormal basis of the columns of a design with its rank, and
//! the solution of small square systems.
//!
//! Designs of throughput fits are badly conditioned (powers of PRR over a narrow range), so no
//! normal equations are formed. Columns are scaled to unit length and orthonormalised one after
//! another, the one with the largest remainder first. Each is orthogonalised twice, which gives
//! working precision (Giraud, Langou and Rozloznik, 2005).
//!
//! Sizes are small (up to a few tens of coefficients), so factorisations are computed anew and not
//! updated.

/// Least remainder of a unit column for the column to count as independent. Below it, a coefficient
/// would depend on the last digits of the data. \[choice\]
const INDEPENDENT: f64 = 1e-9;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The columns of a design as `Q R`, rows of `Q` by observation.
pub(super) struct Basis {
    /// Orthonormal columns, one row for each observation.
    pub rows: Vec<Vec<f64>>,
    /// Columns of the design in the order in which they were taken.
    order: Vec<usize>,
    /// Upper triangle: `upper[j][i]`, `i <= j`, is the part of taken column `j` along `q_i`.
    upper: Vec<Vec<f64>>,
}

impl Basis {
    /// The basis of `columns`, all of one length. `Err` gives a column that depends on the others.
    pub(super) fn of(columns: &[Vec<f64>]) -> Result<Self, usize> {
        let n = columns.first().map_or(0, Vec::len);
        let mut left: Vec<(usize, f64, Vec<f64>)> = Vec::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let length = dot(column, column).sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return Err(index);
            }
            left.push((index, length, column.iter().map(|v| v / length).collect()));
        }
        let (mut taken, mut order, mut upper) = (Vec::<Vec<f64>>::new(), Vec::new(), Vec::new());
        while !left.is_empty() {
            // The remainders decide, so `left` is kept orthogonal to `taken`.
            let mut best = (0, -1.0);
            for (i, (_, _, column)) in left.iter().enumerate() {
                let size = dot(column, column);
                if size > best.1 {
                    best = (i, size);
                }
            }
            let (index, length, mut column) = left.remove(best.0);
            if best.1.sqrt() < INDEPENDENT {
                return Err(index);
            }
            for q in &taken {
                let part = dot(q, &column);
                column.iter_mut().zip(q).for_each(|(c, q)| *c -= part * q);
            }
            let size = dot(&column, &column).sqrt();
            for c in &mut column {
                *c /= size;
            }
            let mut parts: Vec<f64> = taken.iter().map(|q| dot(q, &columns[index])).collect();
            parts.push(dot(&column, &columns[index]));
            debug_assert!(length > 0.0);
            upper.push(parts);
            order.push(index);
            for (_, _, other) in &mut left {
                for _ in 0..2 {
                    let part = dot(&column, other);
                    other.iter_mut().zip(&column).for_each(|(o, c)| *o -= part * c);
                }
            }
            taken.push(column);
        }
        let rows = (0..n).map(|i| taken.iter().map(|q| q[i]).collect()).collect();
        Ok(Self { rows, order, upper })
    }

    /// Coefficients of the design's columns for coefficients `z` of the orthonormal ones.
    pub(super) fn coefficients(&self, z: &[f64]) -> Vec<f64> {
        let k = self.order.len();
        let mut solved = vec![0.0; k];
        for i in (0..k).rev() {
            let later: f64 = (i + 1..k).map(|j| self.upper[j][i] * solved[j]).sum();
            solved[i] = (z[i] - later) / self.upper[i][i];
        }
        let mut out = vec![0.0; k];
        for (position, &column) in self.order.iter().enumerate() {
            out[column] = solved[position];
        }
        out
    }
}

/// A square matrix as `P A = L U`, by elimination with the largest pivot.
pub(super) struct Lu {
    rows: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Lu {
    /// Factorises a matrix given by rows. `None` if it is singular.
    pub(super) fn of(mut rows: Vec<Vec<f64>>) -> Option<Self> {
        let k = rows.len();
        let mut order: Vec<usize> = (0..k).collect();
        for step in 0..k {
            let (mut pivot, mut size) = (step, 0.0);
            for (i, row) in rows.iter().enumerate().skip(step) {
                if row[step].abs() > size {
                    (pivot, size) = (i, row[step].abs());
                }
            }
            if size == 0.0 {
                return None;
            }
            rows.swap(step, pivot);
            order.swap(step, pivot);
            let (above, below) = rows.split_at_mut(step + 1);
            let top = &above[step];
            for row in below {
                let factor = row[step] / top[step];
                row[step] = factor;
                for j in step + 1..k {
                    row[j] -= factor * top[j];
                }
            }
        }
        Some(Self { rows, order })
    }

    /// Solves `A x = b`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let k = self.rows.len();
        let mut x: Vec<f64> = self.order.iter().map(|&i| b[i]).collect();
        for i in 1..k {
            x[i] -= dot(&self.rows[i][..i], &x[..i]);
        }
        for i in (0..k).rev() {
            x[i] = (x[i] - dot(&self.rows[i][i + 1..], &x[i + 1..])) / self.rows[i][i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved() {
        let a = vec![vec![0.0, 2.0, 1.0], vec![3.0, -1.0, 4.0], vec![1.0, 5.0, -2.0]];
        let lu = Lu::of(a.clone()).unwrap();
        let b = [1.0, -2.0, 0.5];
        let x = lu.solve(&b);
        for (row, b) in a.iter().zip(b) {
            assert!((dot(row, &x) - b).abs() < 1e-14);
        }
        assert!(Lu::of(vec![vec![1.0, 2.0], vec![2.0, 4.0]]).is_none());
    }

    #[test]
    fn a_basis_spans_badly_scaled_columns() {
        // Powers of a variable over a narrow range: the condition number is about 1e9.
        let x: Vec<f64> = (0..30).map(|i| 0.3 + 0.0001 * f64::from(i)).collect();
        let columns: Vec<Vec<f64>> =
            vec![vec![1000.0; 30], x.clone(), x.iter().map(|x| x * x).collect()];
        let basis = Basis::of(&columns).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = basis.rows.iter().map(|row| row[i] * row[j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13, "{i} {j} {product}");
            }
        }
        let wanted = [0.002, -1.0, 5.0];
        let y: Vec<f64> =
            (0..30).map(|i| (0..3).map(|j| wanted[j] * columns[j][i]).sum()).collect();
        let z: Vec<f64> =
            (0..3).map(|j| basis.rows.iter().zip(&y).map(|(row, y)| row[j] * y).sum()).collect();
        for (found, wanted) in basis.coefficients(&z).iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn dependent_columns_are_named() {
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let twice: Vec<f64> = x.iter().map(|x| 3.0 - 2.0 * x).collect();
        let found = Basis::of(&[vec![1.0; 6], x.clone(), twice]).err().unwrap();
        assert!(found < 3);
        assert_eq!(Basis::of(&[x, vec![0.0; 6]]).err(), Some(1));
    }
}
