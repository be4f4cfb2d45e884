//! Fragments of IPv4 (RFC 791) and IPv6 (RFC 8200 section 4.5): the length of a datagram from its fragments. Only the header of TCP is
//! kept, not the payload.

use std::collections::VecDeque;

use super::segment::{IpFields, Segment};

/// Datagrams whose fragments are awaited; the oldest is forgotten when there are more.
const MAX_WAITING: usize = 256;

/// One fragment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) ip: IpFields,
    /// Identification of its datagram.
    pub(super) id: u32,
    pub(super) protocol: u8,
    /// Bytes of the datagram before it.
    pub(super) offset: usize,
    /// True if it is the last fragment of its datagram.
    pub(super) last: bool,
    /// Its bytes.
    pub(super) length: usize,
}

#[derive(Debug)]
struct Waiting {
    ip: IpFields,
    id: u32,
    /// The bytes of the first fragment that hold the header of TCP.
    header: Vec<u8>,
    /// Length of the datagram, once the last fragment has arrived.
    total: Option<usize>,
    /// Bytes that have arrived.
    arrived: usize,
}

/// Datagrams whose fragments have not all arrived.
#[derive(Debug, Default)]
pub struct Fragments {
    waiting: VecDeque<Waiting>,
    forgotten: u64,
}

impl Fragments {
    /// Datagrams that were forgotten before all their fragments arrived.
    pub fn incomplete(&self) -> u64 {
        self.forgotten + self.waiting.len() as u64
    }

    /// Adds a fragment of a datagram with TCP. The segment, if the fragment completes its datagram.
    pub(super) fn add(&mut self, part: &Part, payload: &[u8]) -> Option<Segment> {
        let same = |w: &Waiting| {
            (w.ip.source, w.ip.destination, w.id) == (part.ip.source, part.ip.destination, part.id)
        };
        let place = self.waiting.iter().position(same).unwrap_or_else(|| {
            if self.waiting.len() >= MAX_WAITING {
                self.waiting.pop_front();
                self.forgotten += 1;
            }
            let new =
                Waiting { ip: part.ip, id: part.id, header: Vec::new(), total: None, arrived: 0 };
            self.waiting.push_back(new);
            self.waiting.len() - 1
        });
        let waiting = &mut self.waiting[place];
        waiting.arrived += part.length;
        if part.offset == 0 {
            waiting.header = payload[..payload.len().min(60)].to_vec();
        }
        if part.last {
            waiting.total = Some(part.offset + part.length);
        }
        let total = waiting.total.filter(|total| waiting.arrived >= *total)?;
        let done = self.waiting.remove(place)?;
        let ip = IpFields { time_ns: part.ip.time_ns, ..done.ip };
        Segment::parse(&ip, &done.header, total)
    }
}
