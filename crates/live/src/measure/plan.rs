//! What a measurement does and when, and what a server allows.

use airtcp_units::{Narrow, Saturate};

/// Nanoseconds of a millisecond.
pub(super) const MS: i64 = 1_000_000;
/// Nanoseconds of a second.
pub(super) const SECOND: i64 = 1_000_000_000;
/// Bytes of a probe of a train: with the headers of UDP and IPv4 100.
pub(super) const PROBE: usize = 72;
/// Bytes of a probe of a burst: with the headers of UDP and IPv4 1,200.
pub(super) const BURST_PROBE: usize = 1_172;
/// Probes of a burst.
pub(super) const BURST: u32 = 32;
/// Time from the start of a burst to that of the next.
pub(super) const BURST_EVERY: i64 = 100 * MS;
/// Time between echoes while the path is idle, and beside a load.
pub(super) const ECHO_EVERY: i64 = 20 * MS;
/// Probes of a train that are sent in a second, unless told otherwise: 0.8 Mb/s.
pub const RATE: u32 = 1_000;
/// Probes of a train that a server allows in a second, unless told otherwise: 1 Mb/s.
pub const RATE_ALLOWED: u32 = 1_250;
/// The most that can be asked for.
pub(super) const RATE_LIMIT: u32 = 10_000;
/// A measurement takes no longer, with all that the ends tell each other.
pub(super) const LONGEST: i64 = 120 * SECOND;
/// Its phases take no longer.
const PHASES: i64 = 100 * SECOND;

/// A phase in which an end numbers what it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Small probes at fixed times, in both directions at once.
    Train,
    /// Bursts to the server.
    BurstsUp,
    /// Bursts to the client.
    BurstsDown,
    /// A TCP connection that sends to the server.
    LoadUp,
    /// A TCP connection that sends to the client.
    LoadDown,
}

impl Phase {
    /// All, in order.
    pub const ALL: [Self; 5] =
        [Self::Train, Self::BurstsUp, Self::BurstsDown, Self::LoadUp, Self::LoadDown];

    /// Its number in datagrams.
    pub const fn number(self) -> u8 {
        match self {
            Self::Train => 0,
            Self::BurstsUp => 1,
            Self::BurstsDown => 2,
            Self::LoadUp => 3,
            Self::LoadDown => 4,
        }
    }

    /// The phase of a number.
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.number() == number)
    }

    /// Its place in a list of all.
    pub(super) fn place(self) -> usize {
        usize::from(self.number())
    }

    /// Whether TCP sends in it.
    pub(super) const fn is_load(self) -> bool {
        matches!(self, Self::LoadUp | Self::LoadDown)
    }
}

/// How long each phase takes, and how often a train has a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Probes of a train a second.
    pub rate: u32,
    /// Milliseconds of echoes over the idle path.
    pub idle_ms: u32,
    /// Milliseconds of the trains.
    pub train_ms: u32,
    /// Bursts in each direction.
    pub bursts: u32,
    /// Milliseconds of the TCP connection of each direction.
    pub load_ms: u32,
}

impl Plan {
    /// A measurement of about so many seconds: a third for the trains, a sixth for TCP in each direction, a twentieth
    /// for the idle path, a thirtieth for bursts in each direction, and the rest for what the ends tell each other.
    pub fn of(seconds: f64, rate: u32) -> Self {
        let part = |share: f64| u32::saturate(seconds * 1_000.0 / share + 0.5);
        Self {
            rate,
            idle_ms: part(20.0).min(3_000),
            train_ms: part(3.0),
            bursts: (part(30.0) / 100).clamp(5, 20),
            load_ms: part(6.0),
        }
    }

    /// Probes that each end sends in a phase.
    pub(super) fn probes(&self, phase: Phase) -> u32 {
        match phase {
            Phase::Train => {
                let count = u64::from(self.rate) * u64::from(self.train_ms) / 1_000;
                u32::narrow(count.min(u64::from(u32::MAX)))
            }
            Phase::BurstsUp | Phase::BurstsDown => self.bursts * BURST,
            Phase::LoadUp | Phase::LoadDown => 0,
        }
    }

    /// How long a phase sends, in nanoseconds.
    pub(super) fn lasts(&self, phase: Phase) -> i64 {
        match phase {
            Phase::Train => i64::from(self.train_ms) * MS,
            Phase::BurstsUp | Phase::BurstsDown => i64::from(self.bursts) * BURST_EVERY,
            Phase::LoadUp | Phase::LoadDown => i64::from(self.load_ms) * MS,
        }
    }

    /// Why a server that allows so many probes a second does not do this, if it does not.
    pub(super) fn refusal(&self, allowed: u32) -> Option<String> {
        if self.rate == 0 || self.rate > allowed {
            return Some(format!(
                "it allows {allowed} probes a second, and {} were asked for; start it with --rate {}/s",
                self.rate, self.rate
            ));
        }
        // Numbers of a stranger's size are compared before they are multiplied.
        let limit = u32::narrow(PHASES / MS);
        let each = [self.idle_ms, self.train_ms, self.load_ms, self.bursts.saturating_mul(100)];
        let long = each.iter().any(|ms| *ms > limit)
            || u64::from(self.idle_ms)
                + u64::from(self.train_ms)
                + 2 * u64::from(self.load_ms)
                + 200 * u64::from(self.bursts)
                > u64::from(limit);
        long.then(|| "a measurement takes 2 minutes at most; ask for less with --for".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_divided_as_documented() {
        let plan = Plan::of(60.0, RATE);
        let expected =
            Plan { rate: 1_000, idle_ms: 3_000, train_ms: 20_000, bursts: 20, load_ms: 10_000 };
        assert_eq!(plan, expected);
        assert_eq!(plan.probes(Phase::Train), 20_000);
        assert_eq!(plan.probes(Phase::BurstsUp), 640);
        assert_eq!(plan.refusal(RATE_ALLOWED), None);
    }

    #[test]
    fn what_is_not_allowed_is_refused_with_the_reason() {
        let plan = Plan::of(60.0, 1_251);
        assert!(plan.refusal(RATE_ALLOWED).unwrap().contains("--rate 1251/s"));
        assert_eq!(Plan::of(120.0, RATE).refusal(RATE), None);
        assert!(Plan::of(240.0, RATE).refusal(RATE).unwrap().contains("2 minutes"));
        let vast = Plan { bursts: u32::MAX, load_ms: u32::MAX, ..Plan::of(6.0, RATE) };
        assert!(vast.refusal(RATE).is_some());
        assert!(Plan { rate: 0, ..plan }.refusal(RATE).is_some());
    }

    #[test]
    fn each_phase_has_its_number() {
        for (place, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!((Phase::of(phase.number()), phase.place()), (Some(phase), place));
        }
        assert_eq!(Phase::of(5), None);
    }
}
