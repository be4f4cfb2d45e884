//! Frames, and the lengths of their headers.
//!
//! Source: IEEE 802.11-2012 clause 8. Frames are lengths, not bytes.

pub use airtcp_probe::FrameClass as Class;
use airtcp_units::Span;

use super::{Aggregation, MuTimes};
use crate::node::NodeId;
use crate::phy::{ACK_BYTES, CTS_BYTES, Mode, RTS_BYTES, RuSize, Width};

/// Kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Carries a packet.
    Data,
    /// Acknowledges a frame.
    Ack,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Announces the cell.
    Beacon,
    /// Authentication and association.
    Management,
    /// Acknowledges the MPDUs of an aggregate.
    BlockAck,
    /// Asks for a BlockAck, and moves the window of its receiver.
    BlockAckReq,
    /// Carries packets for several stations (HE MU PPDU).
    MultiUser,
    /// Asks several stations for data (trigger frame).
    Trigger,
    /// Acknowledges the data of several stations (Multi-STA BlockAck).
    MultiBlockAck,
}

/// A frame on the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Its kind.
    pub kind: Kind,
    /// Its class in the statistics.
    pub class: Class,
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Rate of its body.
    pub mode: Mode,
    /// Length of the PSDU: MAC header and FCS, and the delimiters of an A-MPDU and of a single MPDU in VHT and HE.
    pub bytes: u32,
    /// Duration field: time that the exchange takes after this frame (clause 8.2.5).
    pub duration: Span,
    /// Access category (0 under DCF).
    pub category: u8,
    /// Sequence number, modulo 4096; of an A-MPDU that of its first MPDU, of a BlockAckReq the start of
    /// the window.
    pub sequence: u16,
    /// Number of the fragment, from 0; of a BlockAckReq 4 if it asks for a bitmap of 256 bits.
    pub fragment: u8,
    /// True if another fragment of the packet follows.
    pub more_fragments: bool,
    /// Number of MPDUs if they are two or more (A-MPDU), else 0.
    pub subframes: u16,
    /// Retry bit: the data or management frame is a retransmission (clause 8.2.4.1.6).
    pub retry: bool,
    /// True if the receiver sends no MAC ACK (ack policy No Ack, clause 8.2.4.5.4).
    pub no_ack: bool,
    /// In RTS and CTS, if the receiver chooses the rate (RBAR). In an ACK, the data frame that it
    /// reserves the medium for; in that data frame, itself (DCF+).
    pub grant: Option<Grant>,
    /// Times of the PPDU that carries it, if that is a multi-user PPDU.
    pub multi_user: Option<MuTimes>,
    /// In a data frame of a station that reports its queue: the bytes in an A-MPDU of the packets that it still
    /// holds.
    pub report: Option<u64>,
    /// Width of a non-HT frame that is duplicated over less than the width of its cell.
    pub width: Option<Width>,
}

impl Frame {
    /// Length of its MPDU with MAC header and FCS; of an A-MPDU with several MPDUs the length of the PSDU.
    pub(crate) fn mpdu_bytes(&self) -> u32 {
        let is_single = self.kind == Kind::Data && self.subframes == 0 && self.multi_user.is_none();
        let delimiter = if is_single { Aggregation::single(0, self.mode) } else { 0 };
        self.bytes.saturating_sub(delimiter)
    }

    /// Width of the answer to it: that of its own band. `None` for the width of the cell.
    pub(crate) fn answer_width(&self) -> Option<Width> {
        if self.mode.is_mcs() { Some(self.mode.width()) } else { self.width }
    }

    /// True if its MPDUs are decoded each by itself.
    pub(crate) const fn is_judged_by_mpdu(&self) -> bool {
        let carries = matches!(self.kind, Kind::Data | Kind::MultiUser | Kind::BlockAckReq);
        self.subframes > 1 || self.multi_user.is_some() && carries
    }

    /// Bits of the body, service and tail bits included; of a multi-user PPDU all data bits of its symbols.
    pub(crate) fn body_bits(&self) -> u64 {
        let whole = |times: MuTimes| times.bits(self.mode);
        self.multi_user.map_or_else(|| self.mode.body_bits(self.bytes), whole)
    }

    /// True for an HE TB PPDU.
    pub(crate) fn is_triggered(&self) -> bool {
        self.multi_user.is_some_and(|times| times.triggered)
    }

    /// The access point whose trigger it answers, of an HE TB PPDU.
    pub(crate) fn group(&self) -> Option<NodeId> {
        self.is_triggered().then_some(self.to)
    }

    /// The part of a time on the air that counts for its sender: of an HE TB PPDU that of its resource unit.
    pub(crate) fn own_time(&self, time: Span) -> Span {
        if !self.is_triggered() {
            return time;
        }
        let whole = RuSize::whole(self.mode.width());
        let ru = self.mode.ru().unwrap_or(whole);
        Span(time.0 * u64::from(ru.tones()) / u64::from(whole.tones()))
    }

    /// Width of its band in Hz; `None` for the width that sender and receiver both have.
    pub(super) fn own_hz(&self) -> Option<f64> {
        match (self.mode.is_mcs(), self.mode.is_ofdm()) {
            (true, _) => Some(self.mode.bandwidth_hz()),
            (false, true) => self.width.map(|width| f64::from(width.mhz()) * 1e6),
            (false, false) => Some(20e6),
        }
    }

    /// An RTS, CTS or ACK. Its Retry bit is 0 (clause 8.2.4.1.6).
    pub(super) fn control(
        kind: Kind,
        from: NodeId,
        to: NodeId,
        mode: Mode,
        duration: Span,
        category: u8,
    ) -> Self {
        let (class, bytes) = match kind {
            Kind::Ack | Kind::BlockAck | Kind::MultiBlockAck => (Class::Ack, ACK_BYTES),
            Kind::Trigger => (Class::Trigger, RTS_BYTES),
            Kind::Rts => (Class::Rts, RTS_BYTES),
            _ => (Class::Cts, CTS_BYTES),
        };
        Self {
            kind,
            class,
            from,
            to,
            mode,
            bytes,
            duration,
            category,
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            subframes: 0,
            retry: false,
            no_ack: false,
            grant: None,
            multi_user: None,
            report: None,
            width: None,
        }
    }
}

/// The data frame that an RTS announces and a CTS grants (RBAR).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Its rate: in the RTS the sender's last one, in the CTS the receiver's choice.
    pub mode: Mode,
    /// Its length.
    pub bytes: u32,
}

/// Bytes of a data frame that carries an IP packet of `packet` bytes: 24 of MAC header, 2 of QoS
/// control, 8 of LLC and SNAP, 4 of FCS.
pub(crate) const fn data_bytes(packet: u32, qos: bool) -> u32 {
    packet + 24 + 8 + 4 + if qos { 2 } else { 0 }
}
