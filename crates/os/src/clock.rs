//! The monotonic clock, and its distance to the clock that the kernel stamps packets with.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds of a clock.
fn nanoseconds(time: Timespec) -> i64 {
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// `CLOCK_MONOTONIC`, in nanoseconds: it never steps, and stands still while the machine sleeps.
pub fn now() -> i64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// `CLOCK_BOOTTIME`, in nanoseconds: as [`now`], and it counts while the machine sleeps. A step of their difference
/// is a suspension.
pub fn boot() -> i64 {
    nanoseconds(clock_gettime(ClockId::Boottime))
}

/// `CLOCK_REALTIME`, in nanoseconds since 1970.
pub fn wall() -> i64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// The distance of the wall clock to the monotonic clock.
///
/// Each measurement reads the wall clock between two readings of the monotonic clock, and is wrong by at most half
/// of what lies between these. Linux slews both clocks alike, so the distance only changes when the wall clock is
/// set: the narrowest measurement is kept until a newer one contradicts it. A stamp made before the wall clock was
/// set and read after is wrong by that step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// Wall clock less monotonic clock, ns.
    pub value: i64,
    /// The greatest error of `value`, ns.
    pub error: i64,
}

impl Offset {
    /// The narrowest of five measurements.
    pub fn measure() -> Self {
        let mut best = Self::once();
        for _ in 0..4 {
            best.refresh(Self::once());
        }
        best
    }

    /// One measurement.
    pub fn once() -> Self {
        let (before, wall, after) = (now(), wall(), now());
        let error = (after - before) / 2 + 1;
        Self { value: wall - before - (after - before) / 2, error }
    }

    /// Takes a newer measurement if it is narrower, or if both cannot be true. Returns whether the wall clock was set.
    pub fn refresh(&mut self, newer: Self) -> bool {
        let stepped = (newer.value - self.value).abs() > newer.error + self.error;
        if stepped || newer.error < self.error {
            *self = newer;
        }
        stepped
    }

    /// The monotonic time at which something arrived that has just been read: that of its stamp, or now without one. A stamp
    /// is never later than now, unless the wall clock was set.
    pub fn arrival(&mut self, stamp: Option<(u32, u32)>) -> i64 {
        self.refresh(Self::once());
        let now = now();
        let stamped = stamp.map(|(seconds, nanoseconds)| self.monotonic(seconds, nanoseconds));
        stamped.filter(|at| *at <= now).unwrap_or(now)
    }

    /// The monotonic time of a stamp of the wall clock.
    pub fn monotonic(self, seconds: u32, nanoseconds: u32) -> i64 {
        i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds) - self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_bounded_and_steps_are_seen() {
        let offset = Offset::measure();
        assert!(offset.error < 50_000_000, "{offset:?}");
        let again = Offset::once();
        assert!((again.value - offset.value).abs() <= again.error + offset.error);
        let mut kept = Offset { value: 1_000, error: 10 };
        assert!(!kept.refresh(Offset { value: 1_015, error: 20 }));
        assert_eq!(kept.value, 1_000);
        assert!(kept.refresh(Offset { value: 5_000, error: 100 }));
        assert_eq!(kept.value, 5_000);
        assert_eq!(Offset { value: 2_000_000_000, error: 1 }.monotonic(3, 7), 1_000_000_007);
    }
}
