//! Requirements on every registered code, and on Reed-Solomon in addition.

use airtcp_units::{LowBits, Narrow};
use proptest::prelude::*;

use crate::{Code, CodeConfig, ErasureCode, FecError, MAX_SYMBOLS, registry};

/// Random bytes, in which no error of a linear code goes unnoticed.
fn block(symbols: usize, bytes: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        u8::low_bits(x >> 32)
    };
    (0..symbols).map(|_| (0..bytes).map(|_| next()).collect()).collect()
}

fn slices(symbols: &[Vec<u8>]) -> Vec<&[u8]> {
    symbols.iter().map(Vec::as_slice).collect()
}

/// All N symbols of a block.
fn all(code: &mut Code, data: &[Vec<u8>], repair: usize) -> Vec<Vec<u8>> {
    let k = data.len();
    let made = code.encode(&slices(data), k..k + repair).unwrap();
    data.iter().cloned().chain(made).collect()
}

/// Decodes from the symbols with these numbers and checks the result. Returns whether it succeeded.
fn decodes(code: &mut Code, symbols: &[Vec<u8>], k: usize, numbers: &[usize]) -> bool {
    let received: Vec<(usize, &[u8])> =
        numbers.iter().map(|&n| (n, symbols[n].as_slice())).collect();
    let bytes = symbols[0].len();
    let predicted = code.recovers(k, numbers);
    match code.decode(k, bytes, &received) {
        Ok(restored) => {
            let missing: Vec<usize> = (0..k).filter(|n| !numbers.contains(n)).collect();
            assert_eq!(restored.iter().map(|r| r.0).collect::<Vec<_>>(), missing);
            for (n, symbol) in restored {
                assert_eq!(symbol, symbols[n], "symbol {n} of {k} from {numbers:?}");
            }
            assert!(predicted, "decoded although {numbers:?} should not suffice");
            true
        }
        Err(e) => {
            assert!(matches!(e, FecError::NotEnough { .. }), "{e}");
            assert!(!predicted, "{numbers:?} should have sufficed");
            false
        }
    }
}

#[test]
fn the_list_is_whole() {
    assert_eq!(registry().len(), CodeConfig::all().len());
    for (entry, config) in registry().iter().zip(CodeConfig::all()) {
        assert_eq!(entry.name, config.kind());
        assert!(!entry.description.ends_with('.') && !entry.source.is_empty());
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<CodeConfig>(&json).unwrap(), config);
    }
    assert!(serde_json::from_str::<CodeConfig>(r#"{"kind":"raptorq","x":1}"#).is_err());
}

/// Every subset of every small block: decoded data are correct, fewer than K symbols never decode, and
/// with Reed-Solomon any K symbols decode.
#[test]
fn all_subsets_of_small_blocks() {
    for config in CodeConfig::all() {
        let mut code = Code::new(&config);
        let (mut enough, mut failed) = (0, 0);
        for k in 1..=5 {
            for repair in 0..=4 {
                let data = block(k, 7 + k, (k * 10 + repair) as u64);
                let symbols = all(&mut code, &data, repair);
                for mask in 0_u32..1 << (k + repair) {
                    let numbers: Vec<usize> =
                        (0..k + repair).filter(|n| mask >> n & 1 == 1).collect();
                    let decoded = decodes(&mut code, &symbols, k, &numbers);
                    assert!(numbers.len() >= k || !decoded, "{k} from {numbers:?}");
                    enough += u32::from(numbers.len() >= k);
                    failed += u32::from(numbers.len() >= k && !decoded);
                }
            }
        }
        match config {
            CodeConfig::ReedSolomon(_) => assert_eq!(failed, 0),
            // Subsets share symbols, so one singular pair counts several times; the bound is far above 1/255.
            _ => assert!(failed * 25 < enough, "{config:?}: {failed} of {enough}"),
        }
    }
}

#[test]
fn refusals_say_what_is_accepted() {
    for config in CodeConfig::all() {
        let mut code = Code::new(&config);
        assert_eq!(code.plan(0, 1), Err(FecError::NoSource));
        assert!(code.plan(1, 254).is_ok());
        assert!(matches!(code.plan(10, usize::MAX), Err(FecError::TooMany { .. })));
        assert_eq!(code.encode(&[], 0..1), Err(FecError::NoSource));
        assert_eq!(code.encode(&[&[]], 1..2), Err(FecError::NoBytes));
        assert_eq!(
            code.encode(&[&[1, 2], &[3]], 2..3),
            Err(FecError::Length { number: 1, bytes: 1, expected: 2 })
        );
        assert_eq!(
            code.encode(&[&[1, 2], &[3, 4]], 1..3),
            Err(FecError::NotRepair { number: 1, first: 2 })
        );
        assert_eq!(code.encode(&[&[1, 2]], 1..1), Ok(vec![]));
        assert_eq!(code.decode(2, 0, &[]), Err(FecError::NoBytes));
        assert!(matches!(code.decode(2, 2, &[(0, &[1])]), Err(FecError::Length { .. })));
        assert!(matches!(code.decode(2, 1, &[(usize::MAX, &[1])]), Err(FecError::TooMany { .. })));
        assert!(!code.recovers(0, &[0]) && !code.recovers(2, &[0, 1, usize::MAX]));
    }
    let mut code = Code::new(&CodeConfig::default());
    let error = code.plan(200, 56).unwrap_err();
    assert_eq!(
        error.to_string(),
        "200 symbols of data and 56 of repair are 256: this code has at most 255 in a block"
    );
    let symbol = [0_u8; 2];
    assert!(code.encode(&[&symbol[..]; 200], 255..256).is_err());
    assert!(code.plan(200, 55).is_ok());
}

#[test]
fn a_symbol_that_comes_twice_counts_once() {
    for config in CodeConfig::all() {
        let mut code = Code::new(&config);
        let symbols = all(&mut code, &block(3, 9, 1), 2);
        assert!(!decodes(&mut code, &symbols, 3, &[0, 3, 3, 0]));
    }
}

/// Reed-Solomon by its definition: Lagrange's formula evaluates the polynomial through the data at the
/// point of a repair symbol. The field is built here from its polynomial.
mod definition {
    use airtcp_units::Narrow;

    /// Leopard's field polynomial and Cantor basis.
    const POLYNOMIAL: u32 = 0x1002d;
    const BASIS: [u16; 16] = [
        0x0001, 0xacca, 0x3c0e, 0x163e, 0xc582, 0xed2e, 0x914c, 0x4012, 0x6c98, 0x10d8, 0x6a72,
        0xb900, 0xfdb8, 0xfb34, 0xff38, 0x991e,
    ];

    fn mul(a: u16, b: u16) -> u16 {
        let mut product = 0_u32;
        for i in 0..16 {
            if b >> i & 1 == 1 {
                product ^= u32::from(a) << i;
            }
        }
        for i in (16..32).rev() {
            if product >> i & 1 == 1 {
                product ^= POLYNOMIAL << (i - 16);
            }
        }
        u16::narrow(product)
    }

    fn inverse(a: u16) -> u16 {
        // a^(2^16 - 2).
        let (mut result, mut power) = (1, mul(a, a));
        for _ in 1..16 {
            result = mul(result, power);
            power = mul(power, power);
        }
        result
    }

    /// The element with a number.
    fn element(number: u16) -> u16 {
        (0..16).filter(|i| number >> i & 1 == 1).fold(0, |sum, i| sum ^ BASIS[i])
    }

    fn number(element: u16) -> u16 {
        (0..=u16::MAX).find(|n| self::element(*n) == element).unwrap()
    }

    #[test]
    fn the_basis_is_cantors() {
        for pair in BASIS.windows(2) {
            assert_eq!(mul(pair[1], pair[1]) ^ pair[1], pair[0]);
        }
        assert_eq!(number(element(0x1234)), 0x1234);
        assert_eq!(mul(inverse(77), 77), 1);
    }

    /// Repair symbol `j` over data symbols of one element each.
    pub(super) fn repair(data: &[u16], j: u16) -> u16 {
        let span = u16::narrow(data.len().next_power_of_two());
        let x = element(span + j);
        let mut sum = 0;
        for (i, d) in data.iter().enumerate() {
            let mut term = element(*d);
            for m in (0..span).filter(|m| *m != u16::narrow(i)) {
                let (at, m) = (element(u16::narrow(i)), element(m));
                term = mul(term, mul(x ^ m, inverse(at ^ m)));
            }
            sum ^= term;
        }
        number(sum)
    }
}

#[test]
fn reed_solomon_equals_its_definition() {
    let mut code = Code::new(&CodeConfig::default());
    for k in [1, 2, 3, 5, 8, 13] {
        // The two bytes of a symbol are the low and the high byte of its element.
        let data = block(k, 2, k as u64);
        let elements: Vec<u16> = data.iter().map(|d| u16::from_le_bytes([d[0], d[1]])).collect();
        for j in [0, 1, 7, 30] {
            let made = code.encode(&slices(&data), k + j..k + j + 1).unwrap();
            let expected = definition::repair(&elements, u16::narrow(j)).to_le_bytes();
            assert_eq!(made[0], expected, "repair symbol {j} of {k}");
        }
    }
}

/// Encoding by transforms and by sums, and decoding by the Cauchy inverse and by the library, agree.
#[test]
fn all_reed_solomon_algorithms_agree() {
    let mut code = Code::new(&CodeConfig::default());
    for (k, bytes) in [(1, 1), (20, 63), (64, 130), (100, 65), (128, 200)] {
        let data = block(k, bytes, bytes as u64);
        let symbols = all(&mut code, &data, MAX_SYMBOLS - k);
        for n in [k, k + 1, MAX_SYMBOLS - 1] {
            let one = code.encode(&slices(&data), n..n + 1).unwrap();
            assert_eq!(one[0], symbols[n], "symbol {n} of {k}, alone");
        }
        let max = k.min(MAX_SYMBOLS - k);
        for lost in [1, 2, 17, 56, 57, max].into_iter().filter(|l| *l <= max) {
            for first in [k, MAX_SYMBOLS - lost] {
                let numbers: Vec<usize> = (lost..k).chain(first..first + lost).collect();
                assert!(decodes(&mut code, &symbols, k, &numbers), "{lost} of {k} from {first}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Large blocks, random losses. With Reed-Solomon, any K symbols decode and K - 1 do not. With any code,
    /// decoded data equal the data sent, and further repair symbols do not change earlier ones.
    #[test]
    fn random_blocks(
        k in 1_usize..200,
        repair in 1_usize..60,
        bytes in 1_usize..300,
        order in proptest::collection::vec(any::<u32>(), 255),
        seed: u64,
    ) {
        let repair = repair.min(MAX_SYMBOLS - k);
        let mut numbers: Vec<usize> = (0..k + repair).collect();
        numbers.sort_by_key(|n| order[*n]);
        for config in CodeConfig::all() {
            let mut code = Code::new(&config);
            let data = block(k, bytes, seed);
            let symbols = all(&mut code, &data, repair);
            let again = code.encode(&slices(&data), k..k + repair.div_ceil(2)).unwrap();
            prop_assert_eq!(&again[..], &symbols[k..k + again.len()]);
            let exact = matches!(config, CodeConfig::ReedSolomon(_));
            let decoded = decodes(&mut code, &symbols, k, &numbers[..k]);
            prop_assert!(decoded || !exact);
            prop_assert!(!decodes(&mut code, &symbols, k, &numbers[..k - 1]));
            let more = (k + 3).min(k + repair);
            prop_assert!(more < k + 3 || decodes(&mut code, &symbols, k, &numbers[..more]));
        }
    }
}
