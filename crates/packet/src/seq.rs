//! TCP sequence numbers, RFC 9293 section 3.4: 32 bits that wrap.

use std::fmt;

/// A sequence number on the wire. Endpoints count in 64-bit offsets, which never wrap, and convert with
/// [`Seq::wrap`] and [`Seq::unwrap_near`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seq(pub u32);

impl Seq {
    /// This number plus `n`, wrapping.
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }

    /// Signed distance from `earlier` to `self`; meaningful within 2^31 of one another.
    pub const fn distance_from(self, earlier: Self) -> i32 {
        self.0.wrapping_sub(earlier.0).cast_signed()
    }

    /// The 64-bit offset closest to `near` whose low 32 bits, counted from `origin`, are this
    /// number. `None` if it would lie before offset 0.
    #[allow(clippy::cast_possible_truncation, reason = "the low bits are what is counted")]
    pub const fn unwrap_near(self, origin: Self, near: u64) -> Option<u64> {
        let relative = self.0.wrapping_sub(origin.0);
        let step = relative.wrapping_sub(near as u32).cast_signed();
        near.checked_add_signed(step as i64)
    }

    /// The wire form of a 64-bit offset counted from `origin`.
    #[allow(clippy::cast_possible_truncation, reason = "the low bits are what is counted")]
    pub const fn wrap(origin: Self, offset: u64) -> Self {
        Self(origin.0.wrapping_add(offset as u32))
    }
}

impl fmt::Debug for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn offsets_before_the_origin_are_none() {
        assert_eq!(Seq(5).unwrap_near(Seq(6), 0), None);
        assert_eq!(Seq(6).unwrap_near(Seq(6), 0), Some(0));
        assert_eq!(Seq(1).unwrap_near(Seq(u32::MAX), 0), Some(2));
    }

    proptest! {
        #[test]
        fn wrap_and_unwrap_agree(origin: u32, near in 0u64..1 << 40, delta in -(1i64 << 31) + 1..(1i64 << 31)) {
            let offset = near.saturating_add_signed(delta);
            let wire = Seq::wrap(Seq(origin), offset);
            prop_assert_eq!(wire.unwrap_near(Seq(origin), near), Some(offset));
        }
    }
}
