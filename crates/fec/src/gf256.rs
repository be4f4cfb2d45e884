//! Arithmetic in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (RFC 8681 section 3.7.1,
//! RFC 5510 section 8.1).
//!
//! Addition is exclusive or. Products of single elements use logarithms to the base 2 (the element x,
//! which generates the field). Products of symbols double 32 bytes at a time without table look-ups, so
//! that compilers emit vector instructions.

/// The polynomial without its leading term.
const REDUCTION: u8 = 0x1d;
/// Elements other than zero.
const ORDER: usize = 255;
/// Bytes that are doubled together.
const LANE: usize = 32;

/// Powers of two and their logarithms.
static TABLES: ([u8; 2 * ORDER], [u8; 256]) = tables();

const fn double(x: u8) -> u8 {
    (x << 1) ^ (if x >= 0x80 { REDUCTION } else { 0 })
}

#[allow(clippy::cast_possible_truncation, reason = "const; less than 255")]
const fn tables() -> ([u8; 2 * ORDER], [u8; 256]) {
    let (mut exp, mut log) = ([0; 2 * ORDER], [0; 256]);
    let (mut i, mut x) = (0, 1);
    while i < ORDER {
        exp[i] = x;
        exp[i + ORDER] = x;
        log[x as usize] = i as u8;
        x = double(x);
        i += 1;
    }
    (exp, log)
}

/// The product.
pub fn mul(a: u8, b: u8) -> u8 {
    if a == 0 || b == 0 {
        return 0;
    }
    let (exp, log) = &TABLES;
    exp[usize::from(log[usize::from(a)]) + usize::from(log[usize::from(b)])]
}

/// The inverse; 0 for 0, which has none.
pub fn inverse(a: u8) -> u8 {
    if a == 0 {
        return 0;
    }
    let (exp, log) = &TABLES;
    exp[ORDER - usize::from(log[usize::from(a)])]
}

/// Adds `c` times `from` to `to`, over the length of the shorter one.
pub fn add_scaled(to: &mut [u8], from: &[u8], c: u8) {
    let n = to.len().min(from.len());
    let (to, from) = (&mut to[..n], &from[..n]);
    let (whole, rest) = to.as_chunks_mut::<LANE>();
    let (from_whole, from_rest) = from.as_chunks::<LANE>();
    for (to, from) in whole.iter_mut().zip(from_whole) {
        let product = scaled(*from, c);
        for (a, b) in to.iter_mut().zip(product) {
            *a ^= b;
        }
    }
    for (a, b) in rest.iter_mut().zip(from_rest) {
        *a ^= mul(*b, c);
    }
}

/// Multiplies every byte by `c`.
pub fn scale(symbol: &mut [u8], c: u8) {
    let (whole, rest) = symbol.as_chunks_mut::<LANE>();
    for lane in whole {
        *lane = scaled(*lane, c);
    }
    for byte in rest {
        *byte = mul(*byte, c);
    }
}

#[inline]
fn scaled(mut x: [u8; LANE], c: u8) -> [u8; LANE] {
    let mut sum = [0; LANE];
    let mut left = c;
    while left != 0 {
        if left & 1 == 1 {
            for (a, b) in sum.iter_mut().zip(x) {
                *a ^= b;
            }
        }
        for byte in &mut x {
            *byte = double(*byte);
        }
        left >>= 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use airtcp_units::LowBits;

    use super::*;

    /// Multiplication as polynomials, with the remainder taken afterwards.
    fn schoolbook(a: u8, b: u8) -> u8 {
        let mut product = (0..8)
            .fold(0_u32, |sum, i| if b >> i & 1 == 1 { sum ^ u32::from(a) << i } else { sum });
        for i in (8..16).rev() {
            if product >> i & 1 == 1 {
                product ^= 0x11d << (i - 8);
            }
        }
        u8::low_bits(product)
    }

    #[test]
    fn products_are_those_of_polynomials() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(mul(a, b), schoolbook(a, b), "{a} times {b}");
            }
            assert_eq!(mul(a, inverse(a)), u8::from(a != 0));
        }
    }

    #[test]
    fn symbols_are_multiplied_byte_by_byte() {
        let from: Vec<u8> = (0..77_u8).map(|i| i.wrapping_mul(41) ^ 7).collect();
        for c in 0..=255 {
            let mut to: Vec<u8> = (0..77).collect();
            add_scaled(&mut to, &from, c);
            let mut alone = from.clone();
            scale(&mut alone, c);
            for i in 0..77 {
                assert_eq!(to[i], u8::low_bits(i) ^ schoolbook(from[i], c));
                assert_eq!(alone[i], schoolbook(from[i], c));
            }
        }
    }
}
