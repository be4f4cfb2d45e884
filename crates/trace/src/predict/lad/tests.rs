use airtcp_random::Seed;
use proptest::prelude::*;

use super::super::linear::Basis;
use super::*;

fn total(rows: &[Vec<f64>], y: &[f64], z: &[f64]) -> f64 {
    rows.iter().zip(y).map(|(x, y)| (y - dot(x, z)).abs()).sum()
}

/// The least sum over every choice of rows to interpolate, which is the optimum by theory.
fn brute_force(rows: &[Vec<f64>], y: &[f64]) -> f64 {
    let (n, k) = (rows.len(), rows[0].len());
    let mut best = f64::INFINITY;
    for mask in 0_u32..1 << n {
        if mask.count_ones() as usize != k {
            continue;
        }
        let chosen: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        let Some(lu) = Lu::of(chosen.iter().map(|&i| rows[i].clone()).collect()) else { continue };
        let z = lu.solve(&chosen.iter().map(|&i| y[i]).collect::<Vec<_>>());
        if z.iter().all(|z| z.is_finite()) {
            best = best.min(total(rows, y, &z));
        }
    }
    best
}

fn basis(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    Basis::of(columns).unwrap().rows
}

struct Lad {
    z: Vec<f64>,
    basis: Vec<usize>,
    gap: f64,
}

fn optimum(search: &Search<'_>) -> Lad {
    let z = search.coefficients().unwrap();
    Lad { z, basis: search.basis.clone(), gap: search.gap() }
}

fn solved(rows: &[Vec<f64>], y: &[f64]) -> Lad {
    optimum(&Search::solved(rows, y).unwrap())
}

fn powers(x: &[f64], degree: usize) -> Vec<Vec<f64>> {
    let mut columns = vec![vec![1.0; x.len()]];
    for _ in 0..degree {
        let last = columns[columns.len() - 1].iter();
        columns.push(last.zip(x).map(|(c, x)| c * x).collect());
    }
    columns
}

#[test]
fn a_constant_is_the_median() {
    let rows = basis(&[vec![1.0; 5]]);
    let y = [3.0, -100.0, 5.0, 4.0, 1e6];
    let fit = solved(&rows, &y);
    assert!((dot(&rows[0], &fit.z) - 4.0).abs() < 1e-12);
    assert_eq!(fit.basis, [3]);
    // Without the median, either middle value of an even number is an optimum.
    let fit = optimum(&Search::solved(&rows, &y).unwrap().without(3).unwrap());
    let level = dot(&rows[0], &fit.z);
    assert!((3.0 - 1e-12..=5.0 + 1e-12).contains(&level), "{level}");
}

#[test]
fn outliers_do_not_move_a_line() {
    let x: Vec<f64> = (0..21).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|x| 2.0 - 0.5 * x).collect();
    for i in [3, 9, 15, 20] {
        y[i] += 1000.0;
    }
    let columns = powers(&x, 1);
    let design = Basis::of(&columns).unwrap();
    let fit = solved(&design.rows, &y);
    let beta = design.coefficients(&fit.z);
    assert!((beta[0] - 2.0).abs() < 1e-9 && (beta[1] + 0.5).abs() < 1e-10, "{beta:?}");
}

#[test]
fn ties_of_every_kind() {
    // Repeated rows, integers, values on a line: each vertex is degenerate.
    let x = [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0];
    let rows = basis(&powers(&x, 2));
    for y in [
        [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0],
        [0.0; 10],
        [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
        [5.0, 5.0, 0.0, 0.0, 5.0, 5.0, 0.0, 0.0, 5.0, 5.0],
    ] {
        let fit = solved(&rows, &y);
        let (found, best) = (total(&rows, &y, &fit.z), brute_force(&rows, &y));
        assert!((found - best).abs() < 1e-8 && fit.gap.abs() < 1e-8, "{found} {best} {}", fit.gap);
    }
}

#[test]
fn as_many_coefficients_as_terms_of_two_metrics() {
    // 16 badly conditioned columns, as in S1's largest fit, and 200 observations.
    let mut stream = Seed::new(3).stream("lad");
    let draws: Vec<(f64, f64, f64)> =
        (0..200).map(|_| (stream.unit(), stream.unit(), stream.unit())).collect();
    let in_range: Vec<(f64, f64)> =
        draws.iter().map(|(a, b, _)| (0.2 + 0.4 * a, 0.95 * b)).collect();
    let shapes = |v: f64| [1.0, 1.0 / (1.0 - v).sqrt(), v, v * v];
    let columns: Vec<Vec<f64>> = (0..16)
        .map(|c| in_range.iter().map(|(p, m)| shapes(*p)[c / 4] * shapes(*m)[c % 4]).collect())
        .collect();
    let rows = basis(&columns);
    let y: Vec<f64> = draws.iter().zip(&in_range).map(|(d, (p, m))| p * m + 0.1 * d.2).collect();
    let fit = solved(&rows, &y);
    let sum = total(&rows, &y, &fit.z);
    assert!(fit.gap.abs() < 1e-9 * sum, "gap {} of {sum}", fit.gap);
    // The proof of optimality: the signs of the residuals off the vertex, and the duals that
    // balance them.
    let mut pull = [0.0; 16];
    for (i, x) in rows.iter().enumerate() {
        let r = y[i] - dot(x, &fit.z);
        if fit.basis.contains(&i) {
            assert!(r.abs() < 1e-11, "row {i} is not interpolated: {r}");
        } else {
            pull.iter_mut().zip(x).for_each(|(p, x)| *p += r.signum() * x);
        }
    }
    let transposed = (0..16).map(|c| fit.basis.iter().map(|&i| rows[i][c]).collect()).collect();
    let duals = Lu::of(transposed).unwrap().solve(&pull);
    assert!(duals.iter().all(|d| d.abs() <= 1.0 + 1e-6));
}

#[test]
fn a_large_fit_ends() {
    let mut stream = Seed::new(4).stream("lad");
    let x: Vec<f64> = (0..3000).map(|_| stream.unit()).collect();
    let y: Vec<f64> =
        x.iter().map(|x| airtcp_units::detmath::sin(7.0 * x) + (stream.unit() - 0.5)).collect();
    let rows = basis(&powers(&x, 5));
    let fit = solved(&rows, &y);
    assert!(fit.gap.abs() < 1e-7, "{}", fit.gap);
}

proptest! {
    #[test]
    fn equals_brute_force(
        x in prop::collection::vec(-3.0_f64..3.0, 5..10),
        y in prop::collection::vec(-5_i32..5, 10),
        noise in prop::collection::vec(-1.0_f64..1.0, 10),
        whole in any::<bool>(),
        degree in 0_usize..3,
    ) {
        let y: Vec<f64> = (0..x.len())
            .map(|i| f64::from(y[i]) + if whole { 0.0 } else { noise[i] })
            .collect();
        if let Ok(design) = Basis::of(&powers(&x, degree)) {
            let fit = solved(&design.rows, &y);
            let (found, best) = (total(&design.rows, &y, &fit.z), brute_force(&design.rows, &y));
            prop_assert!((found - best).abs() < 1e-7 * (1.0 + best), "{found} {best}");
            prop_assert!(fit.gap.abs() < 1e-7 * (1.0 + best), "gap {}", fit.gap);
            // The same optimum from another vertex.
            let last: Vec<usize> = (x.len() - design.rows[0].len()..x.len()).collect();
            if let Some(again) = Search::from(&design.rows, &y, last) {
                let again = optimum(&again);
                prop_assert!((total(&design.rows, &y, &again.z) - best).abs() < 1e-7 * (1.0 + best));
            }
        }
    }
}

#[test]
fn leaving_out_is_solving_without() {
    // With whole numbers, zeros and repeated rows, the sums must agree, but not the optima.
    let mut stream = Seed::new(5).stream("lad");
    for (n, k, whole) in [(12, 3, false), (40, 4, true), (40, 6, false), (60, 4, true)] {
        let x: Vec<f64> = (0..n)
            .map(|_| if whole { stream.below(6) as f64 } else { stream.uniform(-1.0, 1.0) })
            .collect();
        let y: Vec<f64> =
            (0..n).map(|_| if whole { stream.below(3) as f64 } else { stream.unit() }).collect();
        let rows = basis(&powers(&x, k - 1));
        let search = Search::solved(&rows, &y).unwrap();
        for gone in 0..n {
            let Some(fit) = search.without(gone) else { continue };
            let fit = optimum(&fit);
            let (mut rows, mut y) = (rows.clone(), y.clone());
            rows.remove(gone);
            y.remove(gone);
            let again = solved(&rows, &y);
            let (found, wanted) = (total(&rows, &y, &fit.z), total(&rows, &y, &again.z));
            assert!((found - wanted).abs() < 1e-8, "{n} {k} {gone}: {found} {wanted}");
            assert!(fit.gap.abs() < 1e-8 && !fit.basis.contains(&gone));
        }
    }
}

#[test]
fn nothing_but_zeros_over_an_even_design() {
    let x: Vec<f64> = (0..300).map(|i| 0.2 + 0.4 * f64::from(i) / 300.0).collect();
    let mu: Vec<f64> = (0..300).map(|i| 0.3 + f64::from(i % 7) / 10.0).collect();
    let mut columns = powers(&x, 2);
    columns.extend(powers(&mu, 2).into_iter().skip(1));
    columns.push(x.iter().zip(&mu).map(|(x, mu)| x * mu).collect());
    let rows = basis(&columns);
    let y = vec![0.0; 300];
    let search = Search::solved(&rows, &y).unwrap();
    for gone in 0..300 {
        let fit = optimum(&search.without(gone).unwrap());
        assert!(fit.z.iter().all(|z| *z == 0.0));
    }
}
