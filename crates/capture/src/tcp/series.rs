//! What a direction did over time, point by point: the material of a time-sequence diagram.
//!
//! Nothing is recorded unless [`super::TrackerLimits::series`] asks for it. A list holds at most
//! [`MAX_POINTS`] points. When it is full, every second point is removed, and from then on every
//! second new point is left out, so that a long transfer is thinned evenly. The tracker thins the
//! longest lists further if all lists together hold more than its limit of points.

use super::cause::Cause;

/// Most points of a list.
pub const MAX_POINTS: usize = 1 << 16;

/// A list of points that keeps every n-th of those that it was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinned<T> {
    points: Vec<T>,
    /// Each point stands for this many.
    one_of: u64,
    given: u64,
}

impl<T> Default for Thinned<T> {
    fn default() -> Self {
        Self { points: Vec::new(), one_of: 1, given: 0 }
    }
}

impl<T> Thinned<T> {
    fn push(&mut self, point: T) {
        if self.given.is_multiple_of(self.one_of) {
            if self.points.len() == MAX_POINTS {
                self.halve();
            }
            // Halving may have made this point one of those that are left out.
            if self.given.is_multiple_of(self.one_of) {
                self.points.push(point);
            }
        }
        self.given += 1;
    }

    /// Removes every second point.
    fn halve(&mut self) {
        let mut place = 0usize;
        self.points.retain(|_| {
            place += 1;
            !place.is_multiple_of(2)
        });
        self.points.shrink_to_fit();
        self.one_of *= 2;
    }

    /// The points, in the order of time.
    pub fn points(&self) -> &[T] {
        &self.points
    }

    /// How many points each of [`Self::points`] stands for: 1 if none was left out.
    pub const fn one_of(&self) -> u64 {
        self.one_of
    }

    const fn len(&self) -> usize {
        self.points.len()
    }
}

/// What a data segment was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// Sent for the first time.
    First,
    /// Sent again.
    Retransmission(Cause),
    /// An original that others overtook.
    OutOfOrder,
    /// A copy that the network or the capture made.
    Duplicate,
}

impl SegmentKind {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Retransmission(_) => "retransmission",
            Self::OutOfOrder => "out_of_order",
            Self::Duplicate => "duplicate",
        }
    }
}

/// A data segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentPoint {
    /// Time in ns since 1970-01-01.
    pub time_ns: u64,
    /// Place of its first byte in the stream, without wrap; see [`Series::origin`].
    pub start: u64,
    /// Bytes of payload.
    pub length: u32,
    /// What it was.
    pub kind: SegmentKind,
    /// True if it was sent again needlessly.
    pub spurious: bool,
    /// Its number among the retransmissions of the direction.
    pub(super) number: usize,
}

/// An ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckPoint {
    /// Time in ns since 1970-01-01.
    pub time_ns: u64,
    /// The first byte that it does not acknowledge.
    pub ack: u64,
    /// Window of the receiver in bytes: it accepts the bytes from `ack` to `ack + window`.
    pub window: u64,
    /// Bytes in flight after it.
    pub flight: u64,
}

/// A SACK block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SackPoint {
    /// Time in ns since 1970-01-01.
    pub time_ns: u64,
    /// First byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// True if it reports data received twice (RFC 2883).
    pub duplicate: bool,
}

/// A round-trip time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RttPoint {
    /// Time of its ACK in ns since 1970-01-01.
    pub time_ns: u64,
    /// The sample in ns.
    pub rtt_ns: u64,
    /// Smoothed (RFC 6298), after this sample.
    pub srtt_ns: u64,
}

/// A round trip of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundPoint {
    /// Its end in ns since 1970-01-01.
    pub time_ns: u64,
    /// Most bytes in flight.
    pub flight: u64,
    /// Estimated congestion window in bytes, if the flight shows it.
    pub cwnd: Option<u64>,
    /// Window of the receiver in bytes, at its end.
    pub window: u64,
}

/// The series of a direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Place of the first byte of the stream; places in points minus this are offsets.
    pub origin: u64,
    /// Segments that were sent for the first time.
    pub first: Thinned<SegmentPoint>,
    /// All other data segments.
    pub other: Thinned<SegmentPoint>,
    /// ACKs for this direction.
    pub acks: Thinned<AckPoint>,
    /// SACK blocks in these ACKs.
    pub sacks: Thinned<SackPoint>,
    /// Samples of the round-trip time.
    pub rtts: Thinned<RttPoint>,
    /// Round trips.
    pub rounds: Thinned<RoundPoint>,
}

impl Series {
    pub(super) fn segment(&mut self, point: SegmentPoint) {
        let list = if point.kind == SegmentKind::First { &mut self.first } else { &mut self.other };
        list.push(point);
    }

    pub(super) fn ack(&mut self, point: AckPoint) {
        self.acks.push(point);
    }

    pub(super) fn sack(&mut self, point: SackPoint) {
        self.sacks.push(point);
    }

    pub(super) fn rtt(&mut self, point: RttPoint) {
        self.rtts.push(point);
    }

    pub(super) fn round(&mut self, point: RoundPoint) {
        self.rounds.push(point);
    }

    /// Points of all lists.
    pub(super) const fn len(&self) -> usize {
        self.first.len()
            + self.other.len()
            + self.acks.len()
            + self.sacks.len()
            + self.rtts.len()
            + self.rounds.len()
    }

    /// Removes every second point of the lists that hold more than `most`.
    pub(super) fn thin(&mut self, most: usize) {
        fn thin<T>(list: &mut Thinned<T>, most: usize) {
            if list.len() > most {
                list.halve();
            }
        }
        thin(&mut self.first, most);
        thin(&mut self.other, most);
        thin(&mut self.acks, most);
        thin(&mut self.sacks, most);
        thin(&mut self.rtts, most);
        thin(&mut self.rounds, most);
    }

    /// Points of the longest list.
    pub(super) fn longest(&self) -> usize {
        let [first, other] = [&self.first, &self.other].map(Thinned::len);
        first
            .max(other)
            .max(self.acks.len())
            .max(self.sacks.len())
            .max(self.rtts.len())
            .max(self.rounds.len())
    }

    /// Sets which retransmissions were spurious; `is_spurious` gets their numbers.
    pub(super) fn judge(&mut self, is_spurious: impl Fn(usize) -> bool) {
        for point in &mut self.other.points {
            if matches!(point.kind, SegmentKind::Retransmission(_)) {
                point.spurious = is_spurious(point.number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every n-th point stays, whenever the list was halved.
    #[test]
    fn a_full_list_is_thinned_evenly() {
        let mut list = Thinned::default();
        let given = 5 * MAX_POINTS as u64 / 2;
        for i in 0..given {
            list.push(i);
            assert!(list.points().len() <= MAX_POINTS);
        }
        assert_eq!(list.one_of(), 4);
        let even: Vec<u64> = (0..given).step_by(4).collect();
        assert_eq!(list.points(), even);
        list.halve();
        let even: Vec<u64> = (0..given).step_by(8).collect();
        assert_eq!(list.points(), even);
    }
}
