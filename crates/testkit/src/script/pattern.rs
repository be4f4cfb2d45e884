//! A segment pattern of a script: some fields are given, the others are open.
//!
//! In an expectation ([`Pattern::mismatch`]), open fields are not checked. In an input ([`Pattern::fill`]),
//! they have the values of a normal peer.

use airtcp_packet::{Ecn, Flags, NO_WINDOW_SCALE, SackBlock, Segment};

use super::origin::{Origin, Origins};

/// A field that may be open, or required to be absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Field<T> {
    #[default]
    Open,
    Absent,
    Given(T),
}

impl<T> Field<T> {
    /// The same field with another kind of value.
    pub(super) fn map<U>(&self, f: impl FnOnce(&T) -> U) -> Field<U> {
        match self {
            Self::Open => Field::Open,
            Self::Absent => Field::Absent,
            Self::Given(value) => Field::Given(f(value)),
        }
    }
}

/// Payload of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Any,
    Exactly(u16),
}

/// Timestamps value and echo; `None` for `*`.
pub(super) type Stamps = (Option<u32>, Option<u32>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// `None` for any flags.
    pub(super) flags: Option<Flags>,
    pub(super) seq: Option<i64>,
    pub(super) len: Length,
    pub(super) ack: Option<i64>,
    pub(super) window: Option<u16>,
    pub(super) mss: Field<u16>,
    pub(super) scale: Field<u8>,
    pub(super) sack_ok: Field<()>,
    pub(super) stamps: Field<Stamps>,
    pub(super) sacks: Field<Vec<(i64, i64)>>,
    pub(super) ecn: Option<Ecn>,
}

/// Values of the open fields of an input, from the dialogue so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defaults {
    /// The peer's next sequence number.
    pub(super) seq: i64,
    /// The peer's last acknowledgement.
    pub(super) ack: i64,
    /// The peer's last window.
    pub(super) window: u16,
    /// The peer's timestamp clock.
    pub(super) clock: u32,
    /// The last timestamp that the connection sent.
    pub(super) echo: u32,
}

impl Pattern {
    /// The first field in which a segment sent by the connection differs from the pattern.
    pub(super) fn mismatch(&self, got: &Segment, origins: &Origins) -> Option<&'static str> {
        let (ours, peer) = (&origins.ours, &origins.peer);
        if let Some(flags) = self.flags {
            // PSH is a hint; it is compared only where a script names it.
            let ignored = if flags.has(Flags::PSH) { Flags::NONE } else { Flags::PSH };
            if got.flags.without(ignored) != flags {
                return Some("the flags differ");
            }
        }
        if self.seq.is_some_and(|seq| got.seq != ours.to_wire(seq)) {
            return Some("the sequence number differs");
        }
        if matches!(self.len, Length::Exactly(len) if len != got.len) {
            return Some("the length differs");
        }
        if let Some(ack) = self.ack
            && (!got.flags.has(Flags::ACK) || got.ack != peer.to_wire(ack))
        {
            return Some("the acknowledgement differs");
        }
        if self.window.is_some_and(|window| got.window != window) {
            return Some("the window differs");
        }
        self.option_mismatch(got, peer)
    }

    fn option_mismatch(&self, got: &Segment, peer: &Origin) -> Option<&'static str> {
        let differs = |field: &Field<u16>, got: Option<u16>| match field {
            Field::Open => false,
            Field::Absent => got.is_some(),
            Field::Given(want) => got != Some(*want),
        };
        if differs(&self.mss, Some(got.mss).filter(|m| *m != 0)) {
            return Some("the maximum segment size differs");
        }
        let scale = self.scale.map(|n| u16::from(*n));
        let got_scale = (got.window_scale != NO_WINDOW_SCALE).then_some(got.window_scale);
        if differs(&scale, got_scale.map(u16::from)) {
            return Some("the window scale differs");
        }
        if (self.sack_ok == Field::Absent && got.sack_permitted())
            || (self.sack_ok == Field::Given(()) && !got.sack_permitted())
        {
            return Some("SACK-permitted differs");
        }
        match self.stamps {
            Field::Absent if got.has_timestamps() => return Some("it has timestamps"),
            Field::Given(_) if !got.has_timestamps() => return Some("it has no timestamps"),
            Field::Given((value, echo)) => {
                if value.is_some_and(|v| v != got.timestamps.0) {
                    return Some("the timestamp differs");
                }
                if echo.is_some_and(|v| v != got.timestamps.1) {
                    return Some("the echoed timestamp differs");
                }
            }
            _ => {}
        }
        let sacks_differ = match &self.sacks {
            Field::Open => false,
            Field::Absent => !got.sacks().is_empty(),
            Field::Given(want) => {
                let want = want.iter().map(|&(s, e)| block(peer, s, e));
                !want.eq(got.sacks().iter().copied())
            }
        };
        if sacks_differ {
            return Some("the SACK blocks differ");
        }
        self.ecn.is_some_and(|ecn| ecn != got.ecn).then_some("the ECN field differs")
    }

    /// The segment that the peer sends.
    pub(super) fn fill(&self, defaults: &Defaults, origins: &Origins) -> Segment {
        let (ours, peer) = (&origins.ours, &origins.peer);
        let flags = self.flags.unwrap_or(Flags::ACK);
        let mut segment = Segment::tcp(flags, peer.to_wire(self.seq.unwrap_or(defaults.seq)));
        if flags.has(Flags::ACK) {
            segment.ack = ours.to_wire(self.ack.unwrap_or(defaults.ack));
        }
        segment.len = if let Length::Exactly(len) = self.len { len } else { 0 };
        segment.window = self.window.unwrap_or(defaults.window);
        segment.ecn = self.ecn.unwrap_or_default();
        if let Field::Given(mss) = self.mss {
            segment.mss = mss;
        }
        if let Field::Given(scale) = self.scale {
            segment.window_scale = scale;
        }
        if self.sack_ok == Field::Given(()) {
            segment.set_sack_permitted();
        }
        if let Field::Given((value, echo)) = self.stamps {
            segment.set_timestamps(
                value.unwrap_or(defaults.clock),
                echo.unwrap_or(if flags.has(Flags::ACK) { defaults.echo } else { 0 }),
            );
        }
        if let Field::Given(sacks) = &self.sacks {
            for &(start, end) in sacks {
                segment.push_sack(block(ours, start, end));
            }
        }
        segment
    }
}

/// A SACK block in the sequence space of what it reports.
fn block(origin: &Origin, start: i64, end: i64) -> SackBlock {
    SackBlock { start: origin.to_wire(start), end: origin.to_wire(end) }
}
