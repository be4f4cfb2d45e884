use airtcp_units::{LowBits, Narrow};
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{coefficients, combine};

const DENSITY: u8 = 15;

fn stream(n: u64) -> Vec<Vec<u8>> {
    (0..n).map(|i| (0..40).map(|j| u8::low_bits(i * 97 + j * 31 + i * j)).collect()).collect()
}

fn list(key: u16, n: usize) -> Vec<u8> {
    coefficients(key, DENSITY).take(n).collect()
}

#[test]
fn one_repair_symbol_replaces_any_one_of_its_window() {
    let data = stream(8);
    for lost in 0..8 {
        let mut decoder = WindowDecoder::new(100);
        for i in (0..8).filter(|i| *i != lost) {
            assert!(decoder.source(i, data[usize::narrow(i)].clone()));
        }
        assert_eq!(decoder.complete_up_to(), lost);
        let repair = combine(5, DENSITY, &data).unwrap();
        assert!(decoder.repair(0, &list(5, 8), repair.clone()));
        assert_eq!(decoder.next_decoded(), Some(lost));
        assert_eq!(decoder.get(lost), Some(&data[usize::narrow(lost)]));
        assert_eq!((decoder.complete_up_to(), decoder.rows()), (8, 0));
        assert!(!decoder.repair(0, &list(5, 8), repair), "it says nothing new now");
    }
}

#[test]
fn symbols_of_different_lengths_are_padded() {
    let data = vec![vec![1, 2, 3], vec![4], vec![5, 6]];
    let repair = combine(1, DENSITY, &data).unwrap();
    let mut decoder = WindowDecoder::new(9);
    decoder.source(0, data[0].clone());
    decoder.source(2, data[2].clone());
    decoder.repair(0, &list(1, 3), repair);
    assert_eq!(decoder.get(1), Some(&vec![4, 0, 0]));
}

#[test]
fn symbols_beyond_the_limit_are_refused() {
    let mut decoder = WindowDecoder::new(10);
    assert!(decoder.source(9, ()) && !decoder.source(10, ()) && !decoder.source(u64::MAX, ()));
    assert!(!decoder.repair(5, &[1; 6], ()) && !decoder.repair(u64::MAX, &[1, 1], ()));
    assert!(!decoder.source(9, ()), "known");
    decoder.forget(8);
    assert_eq!((decoder.base(), decoder.complete_up_to()), (8, 8));
    assert!(decoder.knows(3) && !decoder.source(3, ()) && !decoder.repair(7, &[1, 1], ()));
    assert!(decoder.source(8, ()));
    assert_eq!(decoder.complete_up_to(), 10);
    decoder.forget(1000);
    assert_eq!(decoder.complete_up_to(), 1000);
}

/// Rank of a set of equations, by elimination on a dense matrix.
fn rank(mut matrix: Vec<Vec<u8>>) -> usize {
    let columns = matrix.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..matrix.len()).find(|r| matrix[*r][column] != 0) else { continue };
        matrix.swap(rank, pivot);
        let inverse = gf256::inverse(matrix[rank][column]);
        for r in 0..matrix.len() {
            if r != rank && matrix[r][column] != 0 {
                let c = gf256::mul(matrix[r][column], inverse);
                let row = matrix[rank].clone();
                gf256::add_scaled(&mut matrix[r], &row, c);
            }
        }
        rank += 1;
    }
    rank
}

proptest! {
    /// Data and repair symbols over random windows in any order: a symbol is known exactly if the equations
    /// determine it, its bytes are correct, and a decoder without bytes agrees.
    #[test]
    fn symbols_are_known_if_the_equations_determine_them(
        events in proptest::collection::vec((any::<bool>(), 0_u64..24, 1_usize..14, any::<u16>()), 0..60),
    ) {
        const N: usize = 24;
        let data = stream(N as u64);
        let (mut real, mut bare) = (WindowDecoder::new(N), WindowDecoder::new(N));
        let mut equations = Vec::new();
        for (is_data, start, length, key) in events {
            let i = usize::narrow(start);
            let mut row = vec![0; N];
            let before = rank(equations.clone());
            let new;
            if is_data {
                row[i] = 1;
                new = real.source(start, data[i].clone());
                prop_assert_eq!(bare.source(start, ()), new);
            } else {
                let end = (i + length).min(N);
                let list = list(key, end - i);
                row[i..end].copy_from_slice(&list);
                new = real.repair(start, &list, combine(key, DENSITY, &data[i..end]).unwrap());
                prop_assert_eq!(bare.repair(start, &list, ()), new);
            }
            equations.push(row);
            let after = rank(equations.clone());
            prop_assert!(is_data || new == (after > before), "news is what raises the rank");
            let mut found = BTreeSet::new();
            while let Some(position) = real.next_decoded() {
                prop_assert_eq!(bare.next_decoded(), Some(position));
                prop_assert!(found.insert(position), "decoded once");
            }
            for position in 0..N {
                let mut unit = vec![0; N];
                unit[position] = 1;
                let mut with = equations.clone();
                with.push(unit);
                let determined = rank(with) == after;
                prop_assert_eq!(real.knows(position as u64), determined);
                if determined {
                    prop_assert_eq!(real.get(position as u64), Some(&data[position]));
                }
            }
        }
    }
}
