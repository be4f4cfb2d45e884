//! The reorder buffer against a simple model, on random arrivals.

use airtcp_packet::{EndpointId, Packet, PacketId, Pool, Segment, Side};
use airtcp_units::Narrow;
use proptest::prelude::*;

use super::*;

const WINDOW: u16 = 8;
const TIMEOUT: Span = Span(1_000);
const SESSION: Session = (NodeId(0), NodeId(1), 0);

/// The packets of numbers 0 to `count` - 1.
fn packets(count: usize) -> Vec<PacketId> {
    let mut pool = Pool::new();
    let to = EndpointId::new(0, Side::Server);
    (0..count).map(|_| pool.insert(Packet { to, segment: Segment::default() })).collect()
}

/// A buffer, and a model with unlimited sequence numbers that keeps what waits in a map.
struct Both {
    packets: Vec<PacketId>,
    buffers: ReorderBuffers,
    place: usize,
    out: Outbox,
    delivered: Vec<PacketId>,
    start: u64,
    waiting: BTreeMap<u64, Nanos>,
    handed_over: Vec<u64>,
}

impl Both {
    fn new(count: usize) -> Self {
        let (mut buffers, mut out) = (ReorderBuffers::new(), Outbox::default());
        let place = buffers.open(SESSION, 0, 0, &mut out);
        Self {
            packets: packets(count),
            buffers,
            place,
            out,
            delivered: Vec::new(),
            start: 0,
            waiting: BTreeMap::new(),
            handed_over: Vec::new(),
        }
    }

    /// Moves the start of the model, and hands over what no longer waits.
    fn advance(&mut self, start: u64) {
        self.start = self.start.max(start);
        while let Some((number, _)) = self.waiting.first_key_value()
            && *number <= self.start
        {
            let number = *number;
            self.waiting.remove(&number);
            self.handed_over.push(number);
            self.start = self.start.max(number + 1);
        }
    }

    /// MPDU `number` arrives, and takes the short cut at every other instant. Returns whether buffer and model take it.
    fn take(&mut self, now: Nanos, number: u64) -> (bool, bool) {
        let packet = self.packets[usize::try_from(number).unwrap()];
        let delivery = Delivery { to: NodeId(0), packet, frame_bytes: 0 };
        let sequence = u16::narrow(number % 4096);
        let limits = (WINDOW, TIMEOUT);
        let packets = Deliveries { first: delivery, more: Vec::new() };
        let Self { buffers, place, out, .. } = self;
        let taken = now.0.is_multiple_of(2) && buffers.take_next(*place, sequence, delivery, out)
            || buffers.take(now, *place, sequence, limits, packets, out).is_ok();
        let new = number >= self.start && !self.waiting.contains_key(&number);
        if new {
            self.waiting.insert(number, now);
            self.advance((number + 1).saturating_sub(u64::from(WINDOW)));
        }
        (taken, new)
    }

    fn expire(&mut self, now: Nanos) {
        self.buffers.expire(now, |_| TIMEOUT, &mut self.out);
        while let Some((number, since)) = self.waiting.first_key_value()
            && *since + TIMEOUT <= now
        {
            self.advance(*number);
        }
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        self.delivered.extend(std::iter::from_fn(|| self.out.poll()).map(|d| d.packet));
        let numbers: Vec<u64> = (self.delivered.iter())
            .map(|packet| self.packets.iter().position(|p| p == packet).unwrap() as u64)
            .collect();
        prop_assert_eq!(&numbers, &self.handed_over);
        prop_assert!(numbers.is_sorted_by(|a, b| a < b), "in order, each once");
        prop_assert_eq!(self.buffers.held(), self.waiting.len() as u64);
        let first = self.waiting.first_key_value().map(|(_, since)| *since + TIMEOUT);
        // The deadline may be early, never late.
        prop_assert!(first.is_none_or(|first| self.buffers.next() <= first));
        Ok(())
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// The MPDU with this distance from the highest one arrives, a time after the last step.
    Arrives(i64, u64),
    /// A BlockAckReq moves the window by this.
    Moves(u64),
    /// Time passes.
    Expires(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (-12..12i64, 0..300u64).prop_map(|(ahead, time)| Step::Arrives(ahead, time)),
        1 => (0..6u64).prop_map(Step::Moves),
        2 => (0..2_000u64).prop_map(Step::Expires),
    ]
}

proptest! {
    /// Packets come out in order, none twice, and none is lost: each is handed over, waits, or was refused as
    /// old. The numbers wrap around.
    #[test]
    fn a_buffer_is_its_model(steps in proptest::collection::vec(step(), 1..400), begin in 0..5000u64) {
        let mut both = Both::new(16_000);
        both.start = begin;
        both.buffers.move_window(both.place, u16::narrow(begin.min(2047)), TIMEOUT, &mut both.out);
        if begin > 2047 {
            both.buffers.move_window(both.place, u16::narrow(begin.min(4094) % 4096), TIMEOUT, &mut both.out);
            both.buffers.move_window(both.place, u16::narrow(begin % 4096), TIMEOUT, &mut both.out);
        }
        let (mut now, mut highest) = (Nanos(0), begin);
        for step in steps {
            match step {
                Step::Arrives(ahead, time) => {
                    now += Span(time);
                    let number = highest.saturating_add_signed(ahead).max(begin);
                    highest = highest.max(number);
                    let (taken, new) = both.take(now, number);
                    prop_assert_eq!(taken, new);
                }
                Step::Moves(by) => {
                    let start = both.start + by;
                    both.buffers.move_window(both.place, u16::narrow(start % 4096), TIMEOUT, &mut both.out);
                    both.advance(start);
                    highest = highest.max(start);
                }
                Step::Expires(time) => {
                    now += Span(time);
                    both.expire(now);
                }
            }
            both.check()?;
        }
        // At the end nothing stays behind.
        both.expire(now + TIMEOUT);
        both.check()?;
        prop_assert_eq!(both.buffers.held(), 0);
    }
}
