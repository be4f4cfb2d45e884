//! Packets of decoded MPDUs, from their sender through the reorder buffer of the receiver.
//!
//! [`Medium::take_mpdu`] finds the session of an MPDU by receiver, sender and category, and takes the MPDU into its
//! buffer. All MPDUs of an aggregate are of one session, which neither begins anew nor moves between them. For an
//! aggregate, [`Medium::take_by_session`] therefore finds it once. Most MPDUs are the next ones of their session while
//! nothing waits: then the packet is handed over, and the start of the window moves by one, which is all that
//! [`ReorderBuffers::take`] does in this case. Runs with a probe take the first way, so that
//! `crates/sim/tests/cells/overload.rs` compares both.
//!
//! [`ReorderBuffers::take`]: super::reorder::ReorderBuffers::take

use airtcp_packet::PacketId;
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use super::medium::Medium;
use super::packet::Delivery;
use super::reorder::Deliveries;
use crate::mac::Frame;
use crate::node::NodeId;

impl Medium {
    /// Moves the packets of the decoded MPDUs of a PPDU from their sender to the reorder buffer of the receiver.
    pub(super) fn take_mpdus<P: Probe>(
        &mut self,
        now: Nanos,
        frame: &Frame,
        outcomes: &[bool],
        cx: &mut PoolCx<'_, P>,
    ) {
        // A probe takes the plain path, so that tests can compare.
        let taken = if P::ON { 0 } else { self.take_by_session(now, frame, outcomes, cx) };
        for (number, right) in outcomes.iter().enumerate().skip(taken) {
            if *right {
                self.take_mpdu(now, frame, number, cx);
            }
        }
    }

    /// The same as [`Self::take_mpdu`] for each decoded MPDU, with the session of the PPDU found once. Returns the number
    /// of the first MPDU that is left, because it holds several packets.
    fn take_by_session<P: Probe>(
        &mut self,
        now: Nanos,
        frame: &Frame,
        outcomes: &[bool],
        cx: &mut PoolCx<'_, P>,
    ) -> usize {
        let Self { stations, cells, reorder, outbox, books, .. } = self;
        let (from, to, category) = (frame.from, frame.to, usize::from(frame.category));
        let (Some(buffers), Some(rules)) = (reorder, &cells.of(to.index()).rules.aggregation)
        else {
            return 0;
        };
        if rules.is_single() || !frame.mode.is_mcs() {
            return 0;
        }
        let sender = &mut stations[from.index()];
        let window = (rules.window(frame.mode).max(2), rules.reorder_timeout);
        let number = sender.session(to, category);
        let mut place = None;
        let mut taken = outcomes.len();
        for (done, right) in outcomes.iter().enumerate() {
            if !*right {
                continue;
            }
            let Some(mpdu) = sender.subframe(category, done) else { continue };
            if mpdu.riders > 0 {
                taken = done;
                break;
            }
            let Some(packet) = mpdu.packet.take() else { continue };
            let (sequence, frame_bytes) = (mpdu.sequence, mpdu.part.bytes_of_all());
            let place = *place.get_or_insert_with(|| {
                buffers.open((to, from, frame.category), number, frame.sequence, outbox)
            });
            let first = Delivery { to, packet, frame_bytes };
            if buffers.take_next(place, sequence, first, outbox) {
                continue;
            }
            let packets = Deliveries { first, more: Vec::new() };
            if buffers.take(now, place, sequence, window, packets, outbox).is_err() {
                cx.discard(now, packet, DropReason::Duplicate, from.0);
                books.on_outdated(from, frame.category);
            }
        }
        if place.is_some() {
            self.refresh_reorder();
        }
        taken
    }

    /// Moves the packet of an MPDU that was decoded from its sender to the reorder buffer of the receiver. The
    /// MPDU is number `number` of its PPDU.
    pub(super) fn take_mpdu<P: Probe>(
        &mut self,
        now: Nanos,
        frame: &Frame,
        number: usize,
        cx: &mut PoolCx<'_, P>,
    ) {
        let sender = &mut self.stations[frame.from.index()];
        let Some(mpdu) = sender.subframe(usize::from(frame.category), number) else { return };
        let Some(packet) = mpdu.packet.take() else { return };
        let (sequence, frame_bytes) = (mpdu.sequence, mpdu.part.bytes_of_all());
        let place = (usize::from(frame.category), frame.to, sequence);
        let has_riders = mpdu.riders > 0;
        self.keep_in_order(now, frame, (packet, frame_bytes), (place, has_riders), cx);
    }

    /// Gives the packets of a frame that was decoded to the reorder buffer of the receiver: the first one with the length
    /// of its data frame, and those behind it in the MPDU at `place`, if it has any.
    pub(super) fn keep_in_order<P: Probe>(
        &mut self,
        now: Nanos,
        frame: &Frame,
        (packet, frame_bytes): (PacketId, u32),
        (place, has_riders): ((usize, NodeId, u16), bool),
        cx: &mut PoolCx<'_, P>,
    ) {
        let (from, to, sequence) = (frame.from, frame.to, place.2);
        let rules = self.cells.of(to.index()).rules.aggregation;
        let sender = &mut self.stations[from.index()];
        let mut packets =
            Deliveries { first: Delivery { to, packet, frame_bytes }, more: Vec::new() };
        if has_riders {
            let more = sender.take_riders(place).into_iter();
            packets.more =
                more.map(|(packet, frame_bytes)| Delivery { to, packet, frame_bytes }).collect();
        }
        let Some((rules, buffers)) = rules.zip(self.reorder.as_mut()) else {
            packets.hand_over(&mut self.outbox);
            return;
        };
        let session = (to, from, frame.category);
        // Frames between stations without HT have no session, nor have those of stations without A-MPDU.
        if rules.is_single() || !frame.mode.is_mcs() && !buffers.has(session) {
            packets.hand_over(&mut self.outbox);
            return;
        }
        let window = (rules.window(frame.mode).max(2), rules.reorder_timeout);
        let number = sender.session(to, usize::from(frame.category));
        let place = buffers.open(session, number, frame.sequence, &mut self.outbox);
        let taken = buffers.take(now, place, sequence, window, packets, &mut self.outbox);
        if let Err(Deliveries { first, more }) = taken {
            for delivery in std::iter::once(first).chain(more) {
                cx.discard(now, delivery.packet, DropReason::Duplicate, from.0);
                self.books.on_outdated(from, frame.category);
            }
        }
        self.refresh_reorder();
    }

    /// Moves the window of a receiver to the start that a BlockAckReq names.
    pub(super) fn move_window(&mut self, frame: &Frame) {
        let rules = self.cells.of(frame.to.index()).rules.aggregation;
        if let Some((rules, buffers)) = rules.zip(self.reorder.as_mut()) {
            let session = (frame.to, frame.from, frame.category);
            let timeout = rules.reorder_timeout;
            let sender = &self.stations[frame.from.index()];
            let number = sender.session(frame.to, usize::from(frame.category));
            let place = buffers.open(session, number, frame.sequence, &mut self.outbox);
            buffers.move_window(place, frame.sequence, timeout, &mut self.outbox);
            self.refresh_reorder();
        }
    }

    /// Hands over the packets that have waited in reorder buffers for the timeout.
    #[inline(never)]
    pub(super) fn release_due(&mut self, now: Nanos) {
        let Self { reorder, cells, outbox, .. } = self;
        let Some(buffers) = reorder.as_mut().filter(|buffers| buffers.next() <= now) else {
            return;
        };
        let timeout = |receiver: NodeId| {
            let rules = &cells.of(receiver.index()).rules.aggregation;
            rules.map_or(Span::ZERO, |rules| rules.reorder_timeout)
        };
        buffers.expire(now, timeout, outbox);
        self.refresh_reorder();
    }

    /// Takes the deadline of the reorder buffers.
    fn refresh_reorder(&mut self) {
        let next = self.reorder.as_ref().map_or(Nanos::NEVER, |buffers| buffers.next());
        self.agenda.set_reorder(next);
    }
}
