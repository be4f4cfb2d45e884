//! The sending side of BlockAck sessions: the MPDUs that each category of a station holds.
//!
//! A category holds the MPDUs of one receiver at a time: the head, and those that wait behind it in order of
//! their sequence numbers. Retransmissions therefore come before new packets, and, unless the queue orders them
//! (`repeats.rs`), before packets for other receivers. Sessions exist from the start, without ADDBA frames. What the
//! station sends of these MPDUs is in `ppdu.rs`, and what becomes of them in `block_ack.rs`.
//!
//! A receiver takes a sequence number that is 2048 or more ahead of its window for an old one. Before the sender
//! reaches such a number, it begins a new session, as a station does that has lost its peer for long.
//!
//! Source: IEEE 802.11-2020 clause 10.25.6.7 (originator); `bar_pending` of Linux's mac80211.

use std::collections::{BTreeMap, VecDeque};

use super::aggregation::Aggregation;
use super::receiver_lanes::ReceiverLanes;
use super::rider::{Place, Rider};
use super::series::Series;
use super::{CATEGORIES, Class, Mpdu, Rules};
use crate::node::NodeId;
use crate::phy::{Mode, Width};

/// The MPDUs of a category behind its head.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) waiting: VecDeque<Mpdu>,
    /// MPDUs of the current or last PPDU: the head and the first of those that wait.
    pub(super) on_air: usize,
    /// Failed PPDUs in a row, without those whose data followed an RTS.
    pub(super) failures: u32,
    /// Failed PPDUs in a row whose data followed an RTS.
    pub(super) failures_long: u32,
    /// Attempts for rate control.
    pub(super) series: Series,
}

/// What the aggregate of the current access can still take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) category: usize,
    pub(super) to: NodeId,
    pub(super) mode: Mode,
    /// Bytes of its MPDUs, each as if another one followed.
    pub(super) before: u32,
    /// Most bytes of the aggregate.
    pub(super) bytes: u32,
    pub(super) mpdus: usize,
    /// Bytes of the last MPDU, which packets may join (A-MSDU); 0 if they may not.
    pub(super) open: u32,
    /// Most bytes of an MPDU with several packets, which may be sent again in a slower mode.
    pub(super) alone: u32,
    /// True if that MPDU has several packets.
    pub(super) several: bool,
}

impl Room {
    /// Bytes of the last MPDU with a packet whose own MPDU would have `joining`; `None` if it does not fit.
    pub(super) fn extended(&self, rules: &Aggregation, joining: u32) -> Option<u32> {
        if self.open == 0 {
            return None;
        }
        let bytes = rules.extended(self.open, self.several, joining, self.mode)?;
        if bytes > self.alone {
            return None;
        }
        let before = self.before - rules.stride(self.open, self.mode);
        (Aggregation::with_last(before, bytes) <= self.bytes).then_some(bytes)
    }
}

/// How far a sequence number may be ahead of the last one that the receiver confirmed: 2048 less two windows of
/// 256, since the receiver's window may start one behind that number, and a PPDU may end one ahead.
const SESSION_SPAN: u16 = 2048 - 2 * 256;

/// What the sender knows of a session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Agreement {
    /// The next sequence number.
    next: u16,
    /// The receiver's window starts less than a window before this number.
    confirmed: u16,
    /// The number of the session.
    number: u8,
    /// Window of the last PPDU with data: 1 for frames without HT, which have no session.
    pub(super) window: u16,
    /// True if the receiver did not answer the last BlockAckReq. Another one follows when the receiver has
    /// acknowledged something.
    pub(super) bar_pending: bool,
}

/// The sending side of a station's sessions.
#[derive(Debug)]
pub(crate) struct Originator {
    pub(super) rules: Aggregation,
    /// By category.
    pub(super) lanes: Vec<Lane>,
    /// By receiver and category.
    agreements: Vec<Agreement>,
    pub(super) room: Option<Room>,
    /// The MPDUs that wait until the queue gives their receiver a turn; `None` if they keep the head.
    pub(super) parked: Option<ReceiverLanes>,
    /// The packets of MPDUs behind the first ones (A-MSDU).
    pub(super) riders: BTreeMap<Place, Vec<Rider>>,
    /// The longest PPDU of a mode, by the mode used last.
    longest: Option<(Mode, u32)>,
    /// By receiver, the slowest mode of a rate control that adapts. Empty without A-MSDU.
    slowest: Vec<Option<Mode>>,
    /// The longest MPDU with several packets, by the mode used last.
    longest_alone: Option<(Mode, u32)>,
}

impl Originator {
    pub(crate) fn new(rules: Aggregation, stations: usize, categories: usize) -> Self {
        Self {
            rules,
            lanes: (0..categories).map(|_| Lane::default()).collect(),
            agreements: vec![Agreement::default(); stations * CATEGORIES],
            room: None,
            parked: None,
            riders: BTreeMap::new(),
            longest: None,
            slowest: Vec::new(),
            longest_alone: None,
        }
    }

    /// Takes the slowest modes that rate control may choose, by receiver.
    #[must_use]
    pub(crate) fn with_slowest(self, slowest: Vec<Option<Mode>>) -> Self {
        Self { slowest, ..self }
    }

    /// Takes the next sequence number of a session.
    pub(super) fn number(&mut self, to: NodeId, category: usize) -> u16 {
        take_number(&mut self.agreement(to, category).next)
    }

    /// The room of the aggregate of this instant, the MPDUs of its category, and the next sequence number of its
    /// session.
    #[inline]
    pub(super) fn filling(&mut self) -> Option<(&Aggregation, &mut Room, &mut Lane, &mut u16)> {
        let Self { rules, room, lanes, agreements, .. } = self;
        let room = room.as_mut()?;
        let lane = lanes.get_mut(room.category)?;
        let agreement = agreements.get_mut(room.to.index() * CATEGORIES + room.category)?;
        Some((rules, room, lane, &mut agreement.next))
    }

    /// The next sequence number of a session.
    #[inline]
    pub(super) fn upcoming(&self, to: NodeId, category: usize) -> u16 {
        self.agreements[to.index() * CATEGORIES + category].next
    }

    /// The number of the session with a receiver.
    #[inline]
    pub(crate) fn session(&self, to: NodeId, category: usize) -> u8 {
        self.agreements[to.index() * CATEGORIES + category].number
    }

    pub(super) fn agreement(&mut self, to: NodeId, category: usize) -> &mut Agreement {
        &mut self.agreements[to.index() * CATEGORIES + category]
    }

    /// The most bytes of an MPDU with several packets, which must not last longer than a PPDU may when it is sent again:
    /// in the slowest mode towards its receiver, and over 20 MHz if transmissions become narrower (`narrows`). `mode`
    /// is the present one. 0 without A-MSDU.
    pub(super) fn longest_alone(
        &mut self,
        to: NodeId,
        mode: Mode,
        narrows: bool,
        rules: &Rules,
    ) -> u32 {
        if !self.rules.has_amsdu() {
            return 0;
        }
        let slowest = self.slowest.get(to.index()).copied().flatten().unwrap_or(mode);
        let slowest = if narrows { slowest.within(Width::Mhz20) } else { slowest };
        match self.longest_alone {
            Some((known, bytes)) if known == slowest => bytes,
            _ => {
                let bytes = self.rules.longest_alone(&rules.timing, slowest);
                self.longest_alone = Some((slowest, bytes));
                bytes
            }
        }
    }

    /// The most bytes of a PPDU in a mode.
    pub(super) fn longest(&mut self, mode: Mode, rules: &Rules) -> u32 {
        match self.longest {
            Some((known, bytes)) if known == mode => bytes,
            _ => {
                let bytes = self.rules.longest(&rules.timing, mode, self.rules.max_time);
                self.longest = Some((mode, bytes));
                bytes
            }
        }
    }
}

impl Agreement {
    /// Records that the receiver has the MPDU `sequence`, or that its window starts there.
    pub(super) fn confirm(&mut self, sequence: u16) {
        if distance(self.confirmed, sequence) < 2048 {
            self.confirmed = sequence;
        }
    }

    /// Begins a new session at `sequence` if the receiver could take it for an old one.
    pub(super) fn renew(&mut self, sequence: u16) {
        // Retransmissions are less than a window behind.
        let behind = distance(sequence, self.confirmed) < 2048;
        if !behind && distance(self.confirmed, sequence) >= SESSION_SPAN {
            self.confirmed = sequence;
            self.number = self.number.wrapping_add(1);
            self.bar_pending = false;
        }
    }
}

/// Takes the next sequence number.
#[inline]
pub(super) fn take_number(next: &mut u16) -> u16 {
    let number = *next;
    *next = (number + 1) % 4096;
    number
}

/// Number of sequence numbers from `from` up to `to`.
#[inline]
pub(crate) const fn distance(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) % 4096
}

impl Mpdu {
    /// True for a BlockAckReq, which takes the place of an MPDU at the head of a category.
    #[inline]
    pub(crate) fn is_bar(&self) -> bool {
        self.class == Class::BlockAckReq
    }
}
