//! A queue that changes while it runs: another limit, another rate of the link behind it.
//!
//! Packets that wait stay, also above a smaller limit; then arrivals are dropped until there is room. Leaves out: the limits
//! of other disciplines than drop-tail, and their parameters.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Span};

use crate::drop_tail::limits;
use crate::{LinkInfo, Qdisc, Queue, QueueConfig};

/// Limits in packets and bytes, ready to be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueChange {
    packets: u32,
    bytes: u64,
}

impl QueueChange {
    /// What makes a queue of one configuration one of another; `None` if nothing does.
    ///
    /// # Errors
    /// If a value is impossible, or if a queue in use cannot take it.
    pub fn new(from: &QueueConfig, to: &QueueConfig) -> Result<Option<Self>, ConfigError> {
        match (from, to) {
            _ if from == to => Ok(None),
            (QueueConfig::DropTail(_), QueueConfig::DropTail(to)) => {
                let (packets, bytes) = limits(to.packets, to.bytes)?;
                Ok(Some(Self { packets, bytes }))
            }
            _ => Err(ConfigError::new(
                "",
                "only the limit of a drop-tail queue can change while it runs",
            )),
        }
    }
}

impl Queue {
    /// Takes another limit.
    pub fn change(&mut self, change: QueueChange) {
        if let Self::DropTail(queue) = self {
            queue.set_limits(change.packets, change.bytes);
        }
    }

    /// The transmission times of the link behind the queue have changed.
    pub fn on_rate(&mut self, time_for: &dyn Fn(Bytes) -> Span) {
        if let Self::Red(_) | Self::Jersey(_) = self {
            self.on_link(&LinkInfo::link(time_for, false));
        }
    }
}

impl QueueConfig {
    /// Why the rate of a link behind such a queue cannot change; `None` if it can.
    #[must_use]
    pub const fn fixes_rate(&self) -> Option<&'static str> {
        match self {
            Self::AirtimeFair(_) => {
                Some("cannot change while a queue airtime-fair counts time at the old rate")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Packet, Pool, Segment, Side};
    use airtcp_probe::{EventSource, NoProbe, PoolCx};
    use airtcp_random::Seed;
    use airtcp_units::Nanos;

    use super::*;
    use crate::{DropTailConfig, RedConfig, Verdict};

    fn of(packets: u32) -> QueueConfig {
        QueueConfig::DropTail(DropTailConfig { packets: Some(packets), bytes: None })
    }

    #[test]
    fn packets_above_a_smaller_limit_stay() {
        let mut queue = Queue::new(&of(3), Seed::new(1), "q").unwrap();
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
        let offer = |queue: &mut Queue, cx: &mut PoolCx<'_, NoProbe>| {
            let to = EndpointId::new(0, Side::Server);
            let id = cx.pool.insert(Packet { to, segment: Segment::datagram(0, 1_000) });
            queue.enqueue(Nanos::ZERO, id, cx) == Verdict::Queued
        };
        let taken: Vec<bool> = (0..4).map(|_| offer(&mut queue, &mut cx)).collect();
        assert_eq!(taken, [true, true, true, false]);
        queue.change(QueueChange::new(&of(3), &of(2)).unwrap().unwrap());
        assert_eq!(queue.backlog().packets, 3);
        queue.dequeue(Nanos::ZERO, &mut cx);
        assert!(!offer(&mut queue, &mut cx));
        queue.dequeue(Nanos::ZERO, &mut cx);
        assert!(offer(&mut queue, &mut cx));
        queue.change(QueueChange::new(&of(2), &of(9)).unwrap().unwrap());
        assert!((0..7).all(|_| offer(&mut queue, &mut cx)));
        assert!(!offer(&mut queue, &mut cx));
    }

    #[test]
    fn other_disciplines_are_refused() {
        let red = QueueConfig::Red(RedConfig::default());
        assert_eq!(QueueChange::new(&red, &red), Ok(None));
        for (from, to) in [(&red, &of(3)), (&of(3), &red)] {
            assert!(QueueChange::new(from, to).unwrap_err().message.contains("drop-tail"));
        }
        assert!(QueueChange::new(&of(3), &of(0)).unwrap_err().message.contains("passes nothing"));
    }
}
