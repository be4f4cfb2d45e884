//! The receive window of a host that sizes its buffer by what the application reads: dynamic right-sizing (Fisk and
//! Feng, "Dynamic right-sizing in TCP", 2001), with the rules of Linux 6.16 and later (`tcp_input.c`).
//!
//! Two numbers grow. The *clamp* is what the buffer allows. After each round trip in which the application read more
//! than in any before, it becomes twice that, and four times the growth more, because an ACK answers for the
//! round trip after the next. The *window* is what is advertised. Each segment raises it by two segments, up to the clamp,
//! and is acknowledged at once. Beyond a gap, the clamp also holds the bytes that wait.
//!
//! The receiver measures the round trip by the echo of its timestamps, or else by the time in which a whole window
//! arrives. Bytes; payload only, because a configured buffer is what it advertises.

use airtcp_units::{Nanos, Span};

/// Payload from which a segment raises the window.
const LEAST: u64 = 128;
/// Segments that count as read in the round trip before the first.
const INITIAL_SEGMENTS: u64 = 10;

/// A receive window that grows.
#[derive(Debug, Clone)]
pub(crate) struct RightSizing {
    /// The advertised window, without what the application has not read.
    window: u64,
    clamp: u64,
    /// Largest clamp.
    most: u64,
    mss: u64,
    /// Payload of the largest segment so far.
    largest: u64,
    /// Most bytes read in a round trip.
    space: u64,
    /// When the present round trip began, and what had been read then.
    since: Nanos,
    read: u64,
    /// Smoothed round-trip time; the last echo that gave a sample.
    rtt: Option<Span>,
    echo: Option<u32>,
    /// A whole window after this time is a round trip: when it begins, and the offset at its end.
    whole: Option<(Nanos, u64)>,
}

impl RightSizing {
    /// A window of up to `most` bytes that begins with a buffer of `start` bytes.
    pub(crate) fn new(start: u64, most: u64, mss: u64) -> Self {
        let clamp = start.min(most);
        let window = clamp.min(0xffff);
        Self {
            window,
            clamp,
            most,
            mss,
            largest: 0,
            space: (INITIAL_SEGMENTS * mss).min(window).max(1),
            since: Nanos::ZERO,
            read: 0,
            rtt: None,
            echo: None,
            whole: None,
        }
    }

    /// The advertised window.
    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// A data segment of `len` bytes arrived. Returns whether the window grew.
    pub(crate) fn on_segment(&mut self, len: u64) -> bool {
        let room = self.clamp - self.window;
        if room == 0 || len < LEAST {
            return false;
        }
        self.window += room.min(2 * self.mss.max(len));
        true
    }

    /// The echo of a timestamp gives a round-trip time; each echo counts once, and only that of a whole segment.
    pub(crate) fn on_echo(&mut self, echo: u32, rtt: Span, len: u64) {
        self.largest = self.largest.max(len);
        if self.echo != Some(echo) && len >= self.largest {
            self.echo = Some(echo);
            self.rtt = Some(match self.rtt {
                // A shorter one counts at once.
                Some(old) if rtt > old => old - old / 8 + rtt / 8,
                _ => rtt,
            });
        }
    }

    /// Data in order up to `next` arrived, without timestamps: the time of a whole window is the round-trip time.
    pub(crate) fn on_progress(&mut self, now: Nanos, next: u64) {
        if let Some((since, end)) = self.whole {
            if next < end {
                return;
            }
            let rtt = now.since(since).max(Span(1));
            self.rtt = Some(self.rtt.map_or(rtt, |old| old.min(rtt)));
        }
        self.whole = Some((now, next + self.window));
    }

    /// The application has read `read` bytes so far, and `beyond` bytes from the next expected one on belong to a gap
    /// and what waits behind it.
    pub(crate) fn on_read(&mut self, now: Nanos, read: u64, beyond: u64) {
        let Some(rtt) = self.rtt else {
            return;
        };
        if now.since(self.since) < rtt {
            return;
        }
        let copied = read - self.read;
        // A clamp below ten segments was all that could be read.
        if copied > self.space || copied >= self.clamp {
            let before = self.space;
            self.space = copied;
            let wanted = 2 * copied;
            let growth =
                u128::from(wanted) * u128::from(copied.saturating_sub(before)) / u128::from(before);
            let growth = u64::try_from(growth).unwrap_or(u64::MAX);
            self.allow(wanted.saturating_add(growth.saturating_mul(2)).saturating_add(beyond));
        }
        self.since = now;
        self.read = read;
    }

    /// Data waits behind a gap, up to `beyond` bytes from the next expected one.
    pub(crate) fn on_gap(&mut self, beyond: u64) {
        self.allow((2 * self.space).saturating_add(beyond));
    }

    fn allow(&mut self, bytes: u64) {
        self.clamp = self.clamp.max(bytes.min(self.most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    fn at(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// What a Linux 6.18 receiver reads in each round trip at 100 Mb/s and 300 ms (`rcv_space`), and its buffer then,
    /// of which it advertises 5/8.
    #[test]
    fn the_clamp_follows_what_is_read_in_a_round_trip() {
        let mut sizing = RightSizing::new(81_920, 3_932_160, MSS);
        sizing.on_echo(1, Span::from_millis(300), MSS);
        let mut read = 0;
        let rounds = [
            (27_512, None),
            (57_920, Some(595_049)),
            (121_632, Some(1_245_510)),
            (228_784, None),
            (460_464, Some(4_457_756)),
        ];
        for (round, (copied, buffer)) in (1..).zip(rounds) {
            read += copied;
            sizing.on_read(at(300 * round), read, 0);
            if let Some(buffer) = buffer {
                let expected: u64 = buffer * 5 / 8;
                assert!(sizing.clamp.abs_diff(expected) <= expected / 500, "{}", sizing.clamp);
            }
        }
    }

    /// Ten segments may be more than the first window, and a buffer may be less than ten segments: the clamp grows all
    /// the same.
    #[test]
    fn long_segments_and_short_buffers_grow() {
        for (start, mss) in [(81_920, 8_960), (81_920, 65_495), (10_000, MSS), (14_480, MSS)] {
            let mut sizing = RightSizing::new(start, 1 << 22, mss);
            let (mut now, mut next, mut read) = (0, 0, 0);
            for _ in 0..20 {
                sizing.on_progress(at(now), next);
                now += 100;
                next += sizing.window();
                while sizing.on_segment(mss) {}
                read = next;
                sizing.on_progress(at(now), next);
                sizing.on_read(at(now), read, 0);
            }
            assert!(sizing.window() > 1 << 20, "{start} {mss}: {} {read}", sizing.window());
        }
    }

    #[test]
    fn each_segment_raises_the_window_by_two_up_to_the_clamp() {
        let mut sizing = RightSizing::new(81_920, 1 << 22, MSS);
        let before = sizing.window();
        assert!(!sizing.on_segment(100), "a small segment");
        assert!(sizing.on_segment(MSS));
        assert_eq!(sizing.window(), before + 2 * MSS);
        while sizing.on_segment(MSS) {}
        assert_eq!(sizing.window(), 81_920);
    }

    /// Without timestamps, the time in which a window arrives is the round-trip time, and the least one counts.
    #[test]
    fn a_window_takes_a_round_trip() {
        let mut sizing = RightSizing::new(10_000, 1 << 22, MSS);
        sizing.on_progress(at(0), 1);
        sizing.on_progress(at(40), 9_000);
        assert_eq!(sizing.rtt, None);
        sizing.on_progress(at(80), 10_001);
        assert_eq!(sizing.rtt, Some(Span::from_millis(80)));
        sizing.on_progress(at(200), 20_001);
        assert_eq!(sizing.rtt, Some(Span::from_millis(80)));
    }

    #[test]
    fn a_gap_needs_room_for_what_waits() {
        let mut sizing = RightSizing::new(20_000, 1 << 20, MSS);
        sizing.on_gap(100_000);
        assert_eq!(sizing.clamp, 100_000 + 2 * 10 * MSS);
        sizing.on_gap(u64::MAX);
        assert_eq!(sizing.clamp, 1 << 20);
    }
}
