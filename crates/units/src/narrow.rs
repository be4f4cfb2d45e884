//! Conversions to number types that may not hold the value.

/// Conversion of a value that fits: `u32::narrow(x)` beside `u32::from(x)`.
///
/// The caller knows that the value fits. Otherwise the caller uses [`low_bits`](LowBits::low_bits), or
/// for a float [`saturate`](Saturate::saturate).
pub trait Narrow<S>: Sized {
    /// `value` as this type. Builds with debug assertions check that it is in range.
    fn narrow(value: S) -> Self;
}

/// Conversion to the low bits.
pub trait LowBits<S>: Sized {
    /// The low bits of `value`.
    fn low_bits(value: S) -> Self;
}

/// Conversion of a float to the nearest value of an integer type.
pub trait Saturate: Sized {
    /// `value` truncated towards zero, at most the largest and at least the smallest value of this
    /// type; 0 for NaN.
    fn saturate(value: f64) -> Self;
}

macro_rules! from_integers {
    ($($to:ty: $($from:ty)+;)+) => {$($(
        impl Narrow<$from> for $to {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap,
                reason = "the range is the caller's promise, checked in debug builds"
            )]
            fn narrow(value: $from) -> Self {
                debug_assert!(Self::try_from(value).is_ok(), "{value} does not fit into {}", stringify!($to));
                value as Self
            }
        }

        impl LowBits<$from> for $to {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap,
                reason = "the low bits are what is asked for"
            )]
            fn low_bits(value: $from) -> Self {
                value as Self
            }
        }
    )+)+};
}

from_integers! {
    u8: u16 u32 u64 u128 usize i8 i16 i32 i64 isize;
    u16: u32 u64 u128 usize i8 i16 i32 i64 isize;
    u32: u64 u128 usize i8 i16 i32 i64 i128 isize;
    u64: u128 usize i8 i16 i32 i64 i128 isize;
    u128: usize i32 i64 i128 isize;
    usize: u32 u64 u128 i8 i16 i32 i64 i128 isize;
    i8: u8 u16 u32 u64 usize i16 i32 i64 isize;
    i16: u16 u32 u64 usize i32 i64 isize;
    i32: u32 u64 u128 usize i64 i128 isize;
    i64: u64 u128 usize i128 isize;
    i128: u128 usize;
    isize: u32 u64 usize i64 i128;
}

macro_rules! from_floats {
    ($($to:ty)+) => {$(
        impl Saturate for $to {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss,
                reason = "`as` saturates"
            )]
            fn saturate(value: f64) -> Self {
                value as Self
            }
        }
    )+};
}

from_floats! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_fit_stay_what_they_are() {
        assert_eq!(u32::narrow(7_u64), 7);
        assert_eq!(i64::narrow(u64::MAX >> 1), i64::MAX);
        assert_eq!((u64::saturate(2.9), i32::saturate(-2.9)), (2, -2));
    }

    #[test]
    fn values_that_do_not_fit_are_cut_or_saturated() {
        assert_eq!(u8::low_bits(0x1ff_u64), 0xff);
        assert_eq!(u64::low_bits(-1_i64), u64::MAX);
        assert_eq!(u64::saturate(f64::INFINITY), u64::MAX);
        assert_eq!((u8::saturate(-1.0), u8::saturate(f64::NAN)), (0, 0));
    }

    #[test]
    #[cfg(debug_assertions)]
    fn narrow_panics_on_values_that_do_not_fit() {
        for wrong in [
            || u64::from(u32::narrow(1_u64 << 32)),
            || u64::from(u8::narrow(256_u16)),
            || u64::narrow(-1_i64),
        ] {
            assert!(std::panic::catch_unwind(wrong).is_err());
        }
    }
}
