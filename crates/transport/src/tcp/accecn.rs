//! More accurate ECN feedback, RFC 9768: the flags AE, CWR and ECE of a segment are a counter, ACE.
//!
//! ```text
//! SYN         AE CWR ECE = 1 1 1, which a peer without AccECN takes for an offer of RFC 3168
//! SYN/ACK     0 1 0 if the SYN was not ECT, 0 1 1 ECT(1), 1 0 0 ECT(0), 1 1 0 CE           section 3.1.2, table 2
//! its ACK     the same for the SYN/ACK, on a segment without data and SACK blocks          section 3.2.2.1, table 3
//! later       the number of packets with CE that this end received, plus 5, modulo 8       section 3.2.2.2
//! ACK at once with the first CE after another field, and with the second CE since an ACK   section 3.2.2.5.1
//! ```
//!
//! The sender takes the increase of ACE from segments that acknowledge something for the first time: others are old, or
//! the next one repeats them. If an ACK covers more than seven segments, ACE may have gone round: the sender takes the
//! largest number of marks that the ACK allows (section 3.2.2.5.2, appendix A.2).
//!
//! SYNs, SYN/ACKs, pure ACKs and retransmissions are not ECT. Leaves out: the option with counters of bytes (section
//! 3.2.3), the fall-back of repeated SYNs (3.1.4), tests for mangled fields but a zeroed count in the handshake (3.2.2.3).

use airtcp_packet::{Ecn, Flags, Segment};
use airtcp_units::Narrow;

/// First value of both counters (section 3.2.1).
const INITIAL: u64 = 5;
/// Bits of the counter on the wire.
const MASK: u64 = 7;
/// Marks that are told at once, with unacknowledged data (section 3.2.2.5.1).
const PENDING: u32 = 2;

/// Flags of a SYN that asks for this feedback.
pub(super) const OFFER: u8 = 0b111;

/// What the ECN field of a segment of the handshake is told as (tables 2 and 3).
const fn told(field: Ecn) -> u8 {
    match field {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

/// State of an end whose connection has this feedback.
#[derive(Debug, Clone)]
pub(super) struct AccEcn {
    /// Receiver: packets with CE that came (`r.cep`).
    came: u64,
    /// Receiver: packets with CE since the last ACK, and whether the last data had CE.
    pending: (u32, bool),
    /// Sender: packets with CE that the peer has told (`s.cep`).
    told: u64,
    /// The ECN field of the peer's SYN or SYN/ACK, as it is told.
    field: u8,
    /// The next segment without data and SACK blocks tells it instead of the counter.
    tells_field: bool,
}

impl AccEcn {
    const fn new(field: Ecn, tells_field: bool) -> Self {
        Self { came: INITIAL, pending: (0, false), told: INITIAL, field: told(field), tells_field }
    }

    /// The side that answers a SYN with these flags: anything but no ECN and the offer of RFC 3168 is taken for an offer
    /// of AccECN (section 3.1.3).
    pub(super) fn answering(syn: &Segment) -> Option<Self> {
        let offered = !matches!(syn.ace(), 0b000 | 0b011);
        offered.then(|| Self::new(syn.ecn, false))
    }

    /// The side that offered AccECN, by the SYN/ACK.
    pub(super) fn answered(syn_ack: &Segment) -> Option<Self> {
        let agreed = (0b010..=0b110).contains(&syn_ack.ace());
        agreed.then(|| {
            let mut end = Self::new(syn_ack.ecn, true);
            end.came += u64::from(syn_ack.ecn == Ecn::Ce);
            end
        })
    }

    /// Flags of the SYN/ACK.
    pub(super) const fn syn_ack(&self) -> u8 {
        self.field
    }

    /// The ACK of our SYN/ACK arrived. False if its flags are zero: then nothing may be ECT, and the counter says nothing.
    pub(super) fn on_handshake_ack(&mut self, ack: &Segment) -> bool {
        if ack.len > 0 || !ack.sacks().is_empty() {
            return true;
        }
        self.told += u64::from(ack.ace() == told(Ecn::Ce));
        ack.ace() != 0
    }

    /// The SYN/ACK came again.
    pub(super) const fn on_syn_ack_again(&mut self, syn_ack: &Segment) {
        (self.field, self.tells_field) = (told(syn_ack.ecn), true);
    }

    /// A segment with data arrived. Returns whether it was marked.
    pub(super) fn on_data(&mut self, segment: &Segment) -> bool {
        let marked = segment.ecn == Ecn::Ce;
        self.came += u64::from(marked);
        let (pending, last) = self.pending;
        // The first mark after another field counts as much as all that may wait.
        let weight = if last { 1 } else { PENDING };
        self.pending = (pending + if marked { weight } else { 0 }, marked);
        marked
    }

    /// True if an ACK is due at once.
    pub(super) const fn wants_ack(&self) -> bool {
        self.pending.0 >= PENDING
    }

    /// Writes the counter, or the end of the handshake, to a segment with an ACK.
    #[inline]
    pub(super) fn write(&mut self, segment: &mut Segment, pure: bool) {
        self.pending.0 = 0;
        let plain = pure && segment.sacks().is_empty() && !segment.flags.has(Flags::SYN);
        let tells_field = plain && std::mem::take(&mut self.tells_field);
        segment.set_ace(if tells_field { self.field } else { u8::narrow(self.came & MASK) });
    }

    #[cfg(test)]
    pub(super) const fn marks_told(&self) -> u64 {
        self.told - INITIAL
    }

    /// The number of segments newly reported as marked by an ACK that covers `covered` segments for the first time.
    #[inline]
    pub(super) fn on_ack(&mut self, ack: &Segment, covered: u64) -> u64 {
        if covered == 0 {
            return 0;
        }
        let least = u64::from(ack.ace()).wrapping_sub(self.told) & MASK;
        let marked = if covered <= MASK { least } else { covered - ((covered - least) & MASK) };
        self.told += marked;
        marked
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::Seq;

    use super::*;

    fn ack(bits: u8) -> Segment {
        let mut s = Segment::tcp(Flags::ACK, Seq(0));
        s.set_ace(bits);
        s
    }

    fn data(ecn: Ecn) -> Segment {
        let mut s = Segment::tcp(Flags::ACK, Seq(0));
        (s.len, s.ecn) = (1000, ecn);
        s
    }

    /// Tables 2 and 3 of RFC 9768.
    #[test]
    fn handshakes() {
        for (field, bits) in
            [(Ecn::NotEct, 0b010), (Ecn::Ect1, 0b011), (Ecn::Ect0, 0b100), (Ecn::Ce, 0b110)]
        {
            let mut syn = Segment::tcp(Flags::SYN, Seq(0));
            syn.ecn = field;
            syn.set_ace(OFFER);
            assert_eq!(AccEcn::answering(&syn).unwrap().syn_ack(), bits);
            let mut syn_ack = ack(0b010);
            syn_ack.ecn = field;
            syn_ack.flags |= Flags::SYN;
            let mut client = AccEcn::answered(&syn_ack).unwrap();
            let mut out = ack(0);
            client.write(&mut out, true);
            assert_eq!(out.ace(), bits);
            client.write(&mut out, true);
            assert_eq!(out.ace(), if field == Ecn::Ce { 6 } else { 5 });
        }
        for (bits, agreed) in [
            (0, false),
            (1, false),
            (2, true),
            (3, true),
            (4, true),
            (5, true),
            (6, true),
            (7, false),
        ] {
            assert_eq!(AccEcn::answered(&ack(bits)).is_some(), agreed, "SYN/ACK {bits:03b}");
            assert_eq!(
                AccEcn::answering(&ack(bits)).is_some(),
                bits != 0 && bits != 3,
                "{bits:03b}"
            );
        }
    }

    /// Table 4 of RFC 9768.
    #[test]
    fn the_last_step() {
        for (bits, counter, in_use) in
            [(0, 5, false), (1, 5, true), (2, 5, true), (6, 6, true), (7, 5, true)]
        {
            let mut server = AccEcn::answering(&ack(OFFER)).unwrap();
            assert_eq!(server.on_handshake_ack(&ack(bits)), in_use);
            assert_eq!(server.told, counter);
        }
    }

    #[test]
    fn marks_are_counted_and_told_at_once() {
        let mut end = AccEcn::answered(&ack(0b010)).unwrap();
        end.tells_field = false;
        let mut counts = Vec::new();
        for field in [Ecn::Ect1, Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::Ect0, Ecn::Ce, Ecn::Ce] {
            end.on_data(&data(field));
            let due = end.wants_ack();
            let mut out = ack(0);
            if due {
                end.write(&mut out, true);
            }
            counts.push(due.then_some(out.ace()));
        }
        // The first of a run; then every second; 5 + 5 is 2 modulo 8.
        assert_eq!(counts, [None, Some(6), None, Some(0), None, Some(1), None]);
        assert_eq!(end.came, 10);
    }

    /// Appendix A.2: an increase of 2 over 10 segments may be 10 marks.
    #[test]
    fn the_counter_may_have_gone_round() {
        for (bits, covered, marked) in [
            (5, 2, 0),
            (6, 2, 1),
            (4, 7, 7),
            (7, 8, 2),
            (7, 9, 2),
            (7, 10, 10),
            (5, 8, 8),
            (4, 1, 7),
            (7, 0, 0),
        ] {
            let mut end = AccEcn::answered(&ack(0b010)).unwrap();
            assert_eq!(end.on_ack(&ack(bits), covered), marked, "{bits} over {covered}");
        }
        let mut end = AccEcn::answered(&ack(0b010)).unwrap();
        let told: u64 = [7, 1, 1, 5].iter().map(|bits| end.on_ack(&ack(*bits), 4)).sum();
        assert_eq!(told, 2 + 2 + 4);
    }
}
