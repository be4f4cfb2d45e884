//! Measures the queueing delay of packets, and the time from the first transmission of bytes to their
//! in-order delivery.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Kind, PacketId, Segment, Side};
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_units::{Nanos, Span};

/// Option words of a symbol of the sliding transport, and of LT-TCP.
const SLIDING_WORDS: usize = 4;
const LT_WORDS: usize = 3;
/// Flag in LT-TCP's option: reactive parity.
const REACTIVE: u8 = 2;

/// Records the first queue and the first flow from `from` on.
#[derive(Debug)]
pub struct Watch {
    from: Nanos,
    /// Packets in the queue, in order.
    entered: VecDeque<(PacketId, Nanos)>,
    /// Queueing delay of each packet.
    pub queued: Vec<(Span, u64)>,
    /// Stream offset of the end of new data, when it was sent, and its bytes.
    left: VecDeque<(u64, Nanos, u64)>,
    sent: u64,
    delivered: u64,
    /// Time until in-order delivery, and bytes.
    pub delays: Vec<(Span, u64)>,
}

impl Watch {
    pub fn new(from: Nanos) -> Self {
        Self {
            from,
            entered: VecDeque::new(),
            queued: Vec::new(),
            left: VecDeque::new(),
            sent: 0,
            delivered: 0,
            delays: Vec::new(),
        }
    }
}

/// New stream bytes in a segment that was not sent before.
fn new_bytes(segment: &Segment) -> u64 {
    let len = u64::from(segment.len);
    if segment.kind != Kind::Coded {
        return len;
    }
    let (words, count) = segment.words();
    match count {
        SLIDING_WORDS => len,
        LT_WORDS => {
            let [index, k, _, flags] = words[2].to_be_bytes();
            if index < k && flags & REACTIVE == 0 { len } else { 0 }
        }
        _ => 0,
    }
}

impl Probe for Watch {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let sender = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        let receiver = EventSource::Endpoint(EndpointId::new(0, Side::Server));
        match *event {
            Event::Enqueued { packet, .. } if source == EventSource::Queue(0) => {
                self.entered.push_back((packet, now));
            }
            Event::Dequeued { packet, .. } if source == EventSource::Queue(0) => {
                while let Some((id, at)) = self.entered.pop_front() {
                    if id == packet {
                        if at >= self.from {
                            self.queued.push((now.since(at), 1));
                        }
                        break;
                    }
                }
            }
            Event::SegmentSent { segment, retransmission: false } if source == sender => {
                let bytes = new_bytes(&segment);
                if bytes > 0 {
                    self.sent += bytes;
                    self.left.push_back((self.sent, now, bytes));
                }
            }
            Event::Delivered { bytes } if source == receiver => {
                self.delivered += bytes;
                while let Some(&(end, at, bytes)) = self.left.front()
                    && end <= self.delivered
                {
                    self.left.pop_front();
                    if at >= self.from {
                        self.delays.push((now.since(at), bytes));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Weighted quantile in ms: the smallest value that `share` of the weight does not exceed.
pub fn percentile(values: &mut [(Span, u64)], share: f64) -> Option<f64> {
    values.sort_unstable();
    let all: u64 = values.iter().map(|v| v.1).sum();
    let mut seen = 0;
    for (value, weight) in values.iter() {
        seen += weight;
        if seen as f64 >= share * all as f64 {
            return Some(value.as_secs_f64() * 1e3);
        }
    }
    None
}

/// Weighted mean in ms.
pub fn mean(values: &[(Span, u64)]) -> Option<f64> {
    let all: u64 = values.iter().map(|v| v.1).sum();
    let sum: f64 = values.iter().map(|v| v.0.as_secs_f64() * 1e3 * v.1 as f64).sum();
    (all > 0).then(|| sum / all as f64)
}
