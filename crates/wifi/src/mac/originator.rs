//! The sending side of BlockAck sessions: the MPDUs that each category of a station holds.
//!
//! A category holds the MPDUs of one receiver at a time: the head, and those that wait behind it in order of
//! their sequence numbers. Retransmissions therefore come before new packets, and before packets for other
//! receivers. Sessions exist from the start, without ADDBA frames. What the station sends of these MPDUs is in
//! `ppdu.rs`, and what becomes of them in `block_ack.rs`.
//!
//! Source: IEEE 802.11-2020 clause 10.25.6.7 (originator).

use std::collections::VecDeque;

use super::aggregation::Aggregation;
use super::feedback::Series;
use super::{CATEGORIES, Class, Mpdu, NodeId, Rules};
use crate::phy::Mode;

/// The MPDUs of a category behind its head.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) waiting: VecDeque<Mpdu>,
    /// MPDUs of the current or last PPDU: the head and the first of those that wait.
    pub(super) on_air: usize,
    /// Failed PPDUs in a row.
    pub(super) failures: u32,
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
}

/// The sending side of a station's sessions.
#[derive(Debug)]
pub(crate) struct Originator {
    pub(super) rules: Aggregation,
    /// By category.
    pub(super) lanes: Vec<Lane>,
    /// By receiver and category, the next sequence number.
    next: Vec<u16>,
    pub(super) room: Option<Room>,
    /// The longest PPDU of a mode, by the mode used last.
    longest: Option<(Mode, u32)>,
}

impl Originator {
    pub(crate) fn new(rules: Aggregation, stations: usize, categories: usize) -> Self {
        Self {
            rules,
            lanes: (0..categories).map(|_| Lane::default()).collect(),
            next: vec![0; stations * CATEGORIES],
            room: None,
            longest: None,
        }
    }

    /// Takes the next sequence number of a session.
    pub(super) fn number(&mut self, to: NodeId, category: usize) -> u16 {
        let next = &mut self.next[to.index() * CATEGORIES + category];
        let number = *next;
        *next = (number + 1) % 4096;
        number
    }

    /// The next sequence number of a session.
    pub(super) fn upcoming(&self, to: NodeId, category: usize) -> u16 {
        self.next[to.index() * CATEGORIES + category]
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

/// Number of sequence numbers from `from` up to `to`.
pub(crate) const fn distance(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) % 4096
}

impl Mpdu {
    /// True for a BlockAckReq, which takes the place of an MPDU at the head of a category.
    pub(super) fn is_bar(&self) -> bool {
        self.class == Class::Ack
    }
}
