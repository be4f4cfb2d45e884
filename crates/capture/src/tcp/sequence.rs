//! Sequence numbers without wrap.

/// The number nearest to `reference` whose low 32 bits are `sequence`.
pub(crate) fn unwrap(reference: u64, sequence: u32) -> u64 {
    let distance = sequence.wrapping_sub(low(reference)).cast_signed();
    reference.saturating_add_signed(i64::from(distance))
}

/// The low 32 bits.
pub(super) fn low(number: u64) -> u32 {
    use airtcp_units::LowBits as _;
    u32::low_bits(number)
}

/// True if `a` is later than `b` on a clock of 32 bits (RFC 7323 section 5.2).
pub(super) const fn later(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps() {
        let base = (7 << 32) | 0xffff_fff0;
        assert_eq!(unwrap(base, 0x10), (8 << 32) | 0x10);
        assert_eq!(unwrap(base, 0xffff_ff00), (7 << 32) | 0xffff_ff00);
        assert_eq!(unwrap((8 << 32) | 4, 0xffff_fff0), (7 << 32) | 0xffff_fff0);
        assert!(later(3, 0xffff_fffe) && !later(3, 3));
    }
}
