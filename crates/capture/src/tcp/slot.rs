//! A connection that is followed. Until its second segment, one that begins with a SYN is no more than that
//! segment: a flood of SYNs, or a scan, takes little time and memory.

use super::connection::Connection;
use super::log::Budget;
use super::vantage::Vantage;
use crate::dissect::{Flags, Segment};

/// How connections are followed.
#[derive(Debug, Clone)]
pub(super) struct How {
    /// Where the capture was taken, if the user tells it.
    pub(super) vantage: Option<Vantage>,
    /// Series are recorded.
    pub(super) series: bool,
    /// Segments are kept.
    pub(super) log: Option<Budget>,
}

/// A followed connection.
#[derive(Debug, Clone)]
pub(super) enum Slot {
    /// A SYN without data.
    First(Box<Segment>),
    /// A connection that began otherwise, or with several segments.
    Open(Box<Connection>),
}

impl Slot {
    /// The connection that begins with this segment; `room` is for packets that wait for others.
    pub(super) fn new(first: &Segment, how: &How, room: &mut usize) -> Self {
        // Any other segment may wait for what it acknowledges.
        if begins(first) && first.payload == 0 && !how.series && how.log.is_none() {
            Self::First(Box::new(first.clone()))
        } else {
            Self::Open(opened(first, how, room))
        }
    }

    /// Takes a further segment.
    #[inline]
    pub(super) fn on_segment(&mut self, segment: &Segment, how: &How, room: &mut usize) {
        match self {
            Self::Open(connection) => connection.on_segment(segment, room),
            Self::First(first) => {
                let mut connection = opened(first, how, room);
                connection.on_segment(segment, room);
                *self = Self::Open(connection);
            }
        }
    }

    /// True if a SYN begins another connection between the same ends.
    #[inline]
    pub(super) fn is_over_for(&self, segment: &Segment) -> bool {
        match self {
            Self::Open(connection) => connection.is_over_for(segment),
            Self::First(first) => {
                begins(segment) && first.from == segment.from && first.sequence != segment.sequence
            }
        }
    }

    /// True if both ends have closed it, or one has reset it.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::First(first) => first.flags.has(Flags::RST),
            Self::Open(connection) => connection.is_over(),
        }
    }

    /// Time of the last segment.
    pub(super) fn last_ns(&self) -> u64 {
        match self {
            Self::First(first) => first.time_ns,
            Self::Open(connection) => connection.last_ns,
        }
    }

    /// The connection, if it is more than a segment.
    pub(super) fn open(&self) -> Option<&Connection> {
        match self {
            Self::First(_) => None,
            Self::Open(connection) => Some(connection),
        }
    }

    /// The same, to change it.
    pub(super) fn open_mut(&mut self) -> Option<&mut Connection> {
        match self {
            Self::First(_) => None,
            Self::Open(connection) => Some(connection),
        }
    }
}

/// True if a segment asks for a connection.
fn begins(segment: &Segment) -> bool {
    segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK)
}

/// A connection that has taken its first segment.
fn opened(first: &Segment, how: &How, room: &mut usize) -> Box<Connection> {
    let mut connection =
        Box::new(Connection::new(first, how.vantage, how.series, how.log.as_ref()));
    connection.on_segment(first, room);
    connection
}
