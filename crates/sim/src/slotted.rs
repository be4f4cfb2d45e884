//! TCP over a delivery trace, one packet per slot: the single-hop method of S1.
//!
//! S1 ("PRR Is Not Enough", section 3) simulates TCP over a trace of receptions. The trace's entry at the
//! time of a transmission decides the fate of the packet, and throughput is in packets per second. Slot `k`
//! covers `[k S, (k+1) S)`. The link sends one packet of the sender's window per slot. A received packet
//! arrives at the end of its slot. Its acknowledgement arrives one slot later, without loss or with the
//! fate of the same slot in a reverse trace. The run stops at the end of the trace. While TCP waits for a
//! timer, the trace advances too.
//!
//! S1 leaves open (inventory 6.2) how acknowledgements travel. Here they take one slot, and the receiver
//! acknowledges every second segment.
//!
//! The TCP machines are those of the general simulator. This driver replaces queue, link and event queue by
//! a loop over four times, and a test compares the two.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe, Probe, Relay};
use airtcp_transport::tcp::{Connection, Corrupted, LossNotification, Role, TcpConfig, TcpStats};
use airtcp_units::{Nanos, Narrow, Outcomes, Span};

use crate::own_laws::OwnLaws;

/// Steps between two looks at a law from outside.
const CHUNK: u32 = 50_000;

/// More bytes than any trace can carry, and far from overflow.
const ENDLESS: u64 = 1 << 60;

/// Parameters of TCP over a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct SlottedConfig {
    /// TCP parameters of both ends.
    pub tcp: TcpConfig,
    /// Duration of a slot: the interval between packets of the trace.
    pub slot: Span,
    /// Maximum number of consecutive slots in which the link transmits a packet; 1 is a link without
    /// protocol. As in 802.11, the link knows the fate at the end of a slot. All units of a link protocol
    /// share the fate of the slot, so only the number of attempts matters.
    pub attempts: u32,
}

/// Result of TCP over a trace.
#[derive(Debug, Clone)]
pub struct SlottedResult {
    /// Packets delivered in order to the application (bytes over segment size).
    pub delivered_packets: f64,
    /// Duration of the trace.
    pub duration: Span,
    /// Counters of the sender.
    pub sender: TcpStats,
    /// Duration of a slot.
    pub slot: Span,
    /// Transmissions of the link, acknowledgements excluded.
    pub slots_used: u64,
}

impl SlottedResult {
    /// Delivered packets per second, S1's measure.
    pub fn packets_per_second(&self) -> f64 {
        if self.duration == Span::ZERO {
            0.0
        } else {
            self.delivered_packets / self.duration.as_secs_f64()
        }
    }
}

/// Runs one endless TCP transfer over `trace`. With `reverse`, the entry of that trace at an
/// acknowledgement's slot decides its fate; beyond the end acknowledgements are lost.
pub fn run<P: Probe>(
    trace: &Outcomes,
    reverse: Option<&Outcomes>,
    config: &SlottedConfig,
    probe: &mut P,
) -> SlottedResult {
    transfer(trace, reverse, config, P::ON.then(|| Relay::to(probe)))
}

/// As [`run`]. Not generic, so that the transfer is compiled in this crate: with a probe, and without.
fn transfer(
    trace: &Outcomes,
    reverse: Option<&Outcomes>,
    config: &SlottedConfig,
    probe: Option<Relay<'_>>,
) -> SlottedResult {
    let laws = OwnLaws::single(&config.tcp.congestion);
    let _begun = laws.begin(None);
    match probe {
        Some(mut probe) => to_end(Driver::new(trace, reverse, config, &mut probe), &laws),
        None => to_end(Driver::new(trace, reverse, config, &mut NoProbe), &laws),
    }
}

fn to_end<P: Probe>(mut driver: Driver<'_, P>, laws: &OwnLaws) -> SlottedResult {
    laws.around(|| driver.begin());
    // A law that has failed leaves a result without meaning, which its caller does not show.
    while !laws.around(|| driver.advance(CHUNK)) && !laws.have_failed() {}
    driver.result()
}

struct Driver<'a, P: Probe> {
    trace: &'a Outcomes,
    reverse: Option<&'a Outcomes>,
    slot: Span,
    mss: u64,
    sender: Connection,
    receiver: Connection,
    /// True if the send buffer is limited: the application then writes as the buffer empties.
    writes_on: bool,
    queue: VecDeque<Segment>,
    /// The packet in transmission: end of its slot, and the segment if it arrives.
    air: Option<(Nanos, Option<Segment>)>,
    /// A packet to retransmit, and its remaining attempts.
    again: Option<(Segment, u32)>,
    attempts: u32,
    acks: VecDeque<(Nanos, Segment)>,
    /// Pending corruption notices with their times; `None` if the sender uses no notices.
    corrupted: Option<VecDeque<(Nanos, Corrupted)>>,
    notice_delay: Span,
    /// Next timer of each end, read after draining it.
    sender_timer: Nanos,
    receiver_timer: Nanos,
    slots_used: u64,
    probe: &'a mut P,
}

impl<'a, P: Probe> Driver<'a, P> {
    fn new(
        trace: &'a Outcomes,
        reverse: Option<&'a Outcomes>,
        config: &SlottedConfig,
        probe: &'a mut P,
    ) -> Self {
        Self {
            trace,
            reverse,
            slot: config.slot,
            mss: u64::from(config.tcp.mss),
            sender: Connection::new(&config.tcp, Role::Active, Seq(0)),
            receiver: Connection::new(&config.tcp, Role::Passive, Seq(0)),
            writes_on: config.tcp.send_buffer.is_some(),
            queue: VecDeque::new(),
            air: None,
            again: None,
            attempts: config.attempts.max(1),
            acks: VecDeque::new(),
            corrupted: (config.tcp.loss_notification == LossNotification::Oracle)
                .then(VecDeque::new),
            notice_delay: config.tcp.loss_notification_delay,
            sender_timer: Nanos::NEVER,
            receiver_timer: Nanos::NEVER,
            slots_used: 0,
            probe,
        }
    }

    fn end(&self) -> Nanos {
        Nanos::ZERO + self.slot * self.trace.len() as u64
    }

    fn begin(&mut self) {
        let now = Nanos::ZERO;
        self.sender.open(now);
        self.sender.write(now, ENDLESS);
        self.drain_sender(now);
        self.start(now, self.end());
    }

    /// Takes up to `steps` steps. True at the end of the trace.
    fn advance(&mut self, steps: u32) -> bool {
        let end = self.end();
        for _ in 0..steps {
            let now = self.next_time();
            if now > end || now == Nanos::NEVER {
                return true;
            }
            self.step(now, end);
        }
        false
    }

    fn result(&self) -> SlottedResult {
        SlottedResult {
            delivered_packets: self.receiver.delivered() as f64 / self.mss as f64,
            duration: self.slot * self.trace.len() as u64,
            sender: *self.sender.stats(),
            slot: self.slot,
            slots_used: self.slots_used,
        }
    }

    fn next_time(&self) -> Nanos {
        let air = self.air.as_ref().map_or(Nanos::NEVER, |(at, _)| *at);
        let ack = self.acks.front().map_or(Nanos::NEVER, |(at, _)| *at);
        let corrupted = self.corrupted.as_ref().and_then(VecDeque::front);
        let notice = corrupted.map_or(Nanos::NEVER, |(at, _)| *at);
        air.min(ack).min(notice).min(self.sender_timer).min(self.receiver_timer)
    }

    /// Processes the events at `now`: arrivals, then timers, then the next transmission. Drains each end after
    /// every call, as the machine interface requires.
    fn step(&mut self, now: Nanos, end: Nanos) {
        if let Some((_, arrival)) = self.air.take_if(|(at, _)| *at <= now)
            && let Some(segment) = arrival
        {
            let mut cx = Cx::new(self.probe, RECEIVER);
            self.receiver.handle(now, segment, &mut cx);
            self.drain_receiver(now);
        }
        while let Some((_, lost)) =
            self.corrupted.as_mut().and_then(|c| c.pop_front_if(|(at, _)| *at <= now))
        {
            self.sender.on_corrupted(now, &lost);
            self.drain_sender(now);
        }
        while let Some((_, segment)) = self.acks.pop_front_if(|(at, _)| *at <= now) {
            let mut cx = Cx::new(self.probe, SENDER);
            self.sender.handle(now, segment, &mut cx);
            self.drain_sender(now);
        }
        if self.sender_timer <= now {
            self.sender.on_timer(now, &mut Cx::new(self.probe, SENDER));
            self.drain_sender(now);
        }
        if self.receiver_timer <= now {
            self.receiver.on_timer(now, &mut Cx::new(self.probe, RECEIVER));
            self.drain_receiver(now);
        }
        self.start(now, end);
    }

    /// Queues the sender's segments.
    fn drain_sender(&mut self, now: Nanos) {
        if self.writes_on {
            self.sender.write(now, ENDLESS);
        }
        let mut cx = Cx::new(self.probe, SENDER);
        while let Some(segment) = self.sender.poll(now, &mut cx) {
            self.queue.push_back(segment);
        }
        self.sender_timer = self.sender.next_timer();
    }

    /// Sends the receiver's acknowledgements.
    fn drain_receiver(&mut self, now: Nanos) {
        let mut cx = Cx::new(self.probe, RECEIVER);
        while let Some(segment) = self.receiver.poll(now, &mut cx) {
            if self.reverse.is_none_or(|r| received(r, self.slot, now)) {
                self.acks.push_back((now + self.slot, segment));
            }
        }
        self.receiver_timer = self.receiver.next_timer();
    }

    /// Starts the next packet if the link is free.
    fn start(&mut self, now: Nanos, end: Nanos) {
        if self.air.is_none()
            && now < end
            && let Some((segment, left)) = self
                .again
                .take()
                .or_else(|| self.queue.pop_front().map(|segment| (segment, self.attempts)))
        {
            self.slots_used += 1;
            let received = received(self.trace, self.slot, now);
            if !received && left > 1 {
                self.again = Some((segment, left - 1));
            } else if !received && let Some(corrupted) = &mut self.corrupted {
                let at = now + self.slot + self.notice_delay;
                corrupted.push_back((at, Corrupted { segment, started: now }));
            }
            self.air = Some((now + self.slot, received.then_some(segment)));
        }
    }
}

fn received(trace: &Outcomes, slot: Span, now: Nanos) -> bool {
    trace.get(usize::narrow(now.0 / slot.0)).unwrap_or(false)
}

const SENDER: EventSource = EventSource::Endpoint(EndpointId::new(0, Side::Client));
const RECEIVER: EventSource = EventSource::Endpoint(EndpointId::new(0, Side::Server));
