//! Any transport at one end of a flow, as an interface for applications and the world.

use airtcp_link::CorruptionNotice;
use airtcp_packet::Segment;
use airtcp_probe::{Cx, Machine, Probe};
use airtcp_sliding::SlidingConnection;
use airtcp_transport::lt::LtConnection;
use airtcp_transport::tcp::{Connection, Corrupted};
use airtcp_transport::tfrc::{TfrcReceiver, TfrcSender};
use airtcp_transport::udp::{UdpReceiver, UdpSender};
use airtcp_units::Nanos;

/// A TCP or LT-TCP connection, or one end of a UDP or TFRC flow.
pub(crate) enum Transport {
    Tcp {
        connection: Box<Connection>,
        /// Delivered bytes that the application has read.
        taken: u64,
        /// Bytes for which the send buffer has no room yet.
        unwritten: u64,
        /// True if the connection closes after these bytes.
        closing: bool,
    },
    Lt {
        connection: Box<LtConnection>,
        /// As in `Tcp`.
        taken: u64,
    },
    Sliding {
        connection: Box<SlidingConnection>,
        /// As in `Tcp`.
        taken: u64,
    },
    UdpSender(UdpSender),
    UdpReceiver(UdpReceiver),
    TfrcSender {
        sender: Box<TfrcSender>,
        /// True if it was given more bytes than it will send, for an application that stops.
        topped: bool,
    },
    TfrcReceiver(Box<TfrcReceiver>),
    /// The world outside: it sends and receives by other means.
    Outside,
}

/// More packets than any run sends.
const ENDLESS: u64 = 1 << 50;

impl Transport {
    pub(crate) fn tcp(connection: Connection) -> Self {
        Self::Tcp { connection: Box::new(connection), taken: 0, unwritten: 0, closing: false }
    }

    /// Opens the connection; nothing to do for UDP.
    pub(crate) fn open(&mut self, now: Nanos) {
        match self {
            Self::Tcp { connection, .. } => connection.open(now),
            Self::Lt { connection, .. } => connection.open(now),
            Self::Sliding { connection, .. } => connection.open(now),
            _ => {}
        }
    }

    /// Writes `bytes`; for UDP, one datagram.
    pub(crate) fn write(&mut self, now: Nanos, bytes: u64) {
        match self {
            Self::Tcp { connection, unwritten, .. } => {
                let all = unwritten.saturating_add(bytes);
                *unwritten = all - connection.write(now, all);
            }
            Self::Lt { connection, .. } => connection.write(now, bytes),
            Self::Sliding { connection, .. } => connection.write(now, bytes),
            Self::UdpSender(udp) => udp.send_one(u16::try_from(bytes).unwrap_or(u16::MAX)),
            Self::TfrcSender { sender, .. } => {
                sender.send(bytes.div_ceil(u64::from(sender.size())));
            }
            Self::UdpReceiver(_) | Self::TfrcReceiver(_) | Self::Outside => {}
        }
    }

    /// Writes the pending bytes if the send buffer has room.
    #[inline]
    pub(crate) fn write_on(&mut self, now: Nanos) {
        if let Self::Tcp { connection, unwritten, closing, .. } = self
            && *unwritten > 0
        {
            *unwritten -= connection.write(now, *unwritten);
            if *unwritten == 0 && *closing {
                connection.close(now);
            }
        }
    }

    /// Keeps about two windows in the send buffer, for an application that stops at a given time.
    pub(crate) fn top_up(&mut self, now: Nanos) {
        if let Self::TfrcSender { sender, topped } = self
            && !*topped
        {
            sender.send(ENDLESS);
            *topped = true;
        }
        let (cwnd, unacked) = match self {
            Self::Tcp { connection, unwritten, .. } => {
                (connection.cwnd(), connection.unacked() + *unwritten)
            }
            Self::Lt { connection, .. } => (connection.cwnd(), connection.unacked()),
            Self::Sliding { connection, .. } => (connection.window_bytes(), connection.unacked()),
            _ => return,
        };
        let missing = (2 * cwnd + 65_536).saturating_sub(unacked);
        if missing > 0 {
            self.write(now, missing);
        }
    }

    /// Closes after the bytes written so far.
    pub(crate) fn close(&mut self, now: Nanos) {
        match self {
            Self::Tcp { unwritten, closing, .. } if *unwritten > 0 => *closing = true,
            Self::Tcp { connection, .. } => connection.close(now),
            Self::Lt { connection, .. } => connection.close(now),
            Self::Sliding { connection, .. } => connection.close(now),
            Self::TfrcSender { sender, topped: true } => sender.stop(),
            Self::TfrcSender { sender, topped: false } => sender.close(),
            _ => {}
        }
    }

    /// True for a TCP connection that is open for the peer's data, has nothing to send, and has said so.
    #[inline]
    pub(crate) fn rests(&self) -> bool {
        match self {
            Self::Tcp { connection, unwritten: 0, .. } => {
                connection.rests() && !connection.peer_closed()
            }
            _ => false,
        }
    }

    #[inline]
    pub(crate) fn peer_closed(&self) -> bool {
        match self {
            Self::Tcp { connection, .. } => connection.peer_closed(),
            Self::Lt { connection, .. } => connection.peer_closed(),
            Self::Sliding { connection, .. } => connection.peer_closed(),
            _ => false,
        }
    }

    /// Bytes delivered in order since the last call.
    pub(crate) fn take_delivered(&mut self) -> u64 {
        let (delivered, taken) = match self {
            Self::Tcp { connection, taken, .. } => (connection.delivered(), taken),
            Self::Lt { connection, taken } => (connection.delivered(), taken),
            Self::Sliding { connection, taken } => (connection.delivered(), taken),
            _ => return 0,
        };
        let new = delivered - *taken;
        *taken = delivered;
        new
    }

    #[inline]
    pub(crate) fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        match self {
            Self::Tcp { connection, .. } => connection.handle(now, segment, cx),
            _ => self.handle_other(now, segment, cx),
        }
    }

    fn handle_other<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        match self {
            Self::Lt { connection, .. } => connection.handle(now, segment, cx),
            Self::Sliding { connection, .. } => connection.handle(now, segment, cx),
            Self::Tcp { .. } | Self::UdpSender(_) | Self::Outside => {}
            Self::UdpReceiver(udp) => udp.handle(now, segment, cx),
            Self::TfrcSender { sender, .. } => sender.handle(now, segment, cx),
            Self::TfrcReceiver(receiver) => receiver.handle(now, segment, cx),
        }
    }

    /// Counts the open wait of a sender until `now`: a measurement begins. Only these transports date a
    /// wait back.
    pub(crate) fn settle_waits(&mut self, now: Nanos) {
        match self {
            Self::Tcp { connection, .. } => connection.settle_waits(now),
            Self::Lt { connection, .. } => connection.settle_waits(now),
            Self::Sliding { connection, .. } => connection.settle_waits(now),
            _ => {}
        }
    }

    /// The device of this host reports what it has completed; see [`Connection::on_device`]. Only TCP limits what waits
    /// there.
    pub(crate) fn on_device(&mut self, shift: u32) -> bool {
        if let Self::Tcp { connection, .. } = self { connection.on_device(shift) } else { false }
    }

    /// The device of this host has completed a packet of this payload. True if the sender waited for it.
    pub(crate) fn on_completed(&mut self, bytes: u64) -> bool {
        if let Self::Tcp { connection, .. } = self { connection.on_completed(bytes) } else { false }
    }

    /// Handles a corruption notice for a packet that this end sent.
    pub(crate) fn on_corrupted(&mut self, now: Nanos, notice: &CorruptionNotice) {
        let lost = Corrupted { segment: notice.segment, started: notice.started };
        match self {
            Self::Tcp { connection, .. } => connection.on_corrupted(now, &lost),
            Self::Lt { connection, .. } => connection.on_corrupted(now, &lost),
            _ => {}
        }
    }

    pub(crate) fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        match self {
            Self::Tcp { connection, .. } => connection.on_timer(now, cx),
            Self::Lt { connection, .. } => connection.on_timer(now, cx),
            Self::Sliding { connection, .. } => connection.on_timer(now, cx),
            Self::TfrcSender { sender, .. } => sender.on_timer(now, cx),
            Self::TfrcReceiver(receiver) => receiver.on_timer(now, cx),
            Self::UdpSender(_) | Self::UdpReceiver(_) | Self::Outside => {}
        }
    }

    /// A time before which no timer is due. [`settle_timers`](Self::settle_timers) then finds out whether one is.
    #[inline]
    pub(crate) fn timer_bound(&self) -> Nanos {
        match self {
            Self::Tcp { connection, .. } => connection.timer_bound(),
            _ => self.next_timer_of_other(),
        }
    }

    /// The time of the next timer.
    pub(crate) fn settle_timers(&mut self) -> Nanos {
        match self {
            Self::Tcp { connection, .. } => connection.settle_timers(),
            _ => self.next_timer_of_other(),
        }
    }

    fn next_timer_of_other(&self) -> Nanos {
        match self {
            Self::Lt { connection, .. } => connection.next_timer(),
            Self::Sliding { connection, .. } => connection.next_timer(),
            Self::TfrcSender { sender, .. } => sender.next_timer(),
            Self::TfrcReceiver(receiver) => receiver.next_timer(),
            Self::Tcp { .. } | Self::UdpSender(_) | Self::UdpReceiver(_) | Self::Outside => {
                Nanos::NEVER
            }
        }
    }

    /// The next segment of another transport than TCP, which sends runs ([`Connection::poll_run`]).
    pub(crate) fn poll_other<P: Probe>(
        &mut self,
        now: Nanos,
        cx: &mut Cx<'_, P>,
    ) -> Option<Segment> {
        match self {
            Self::Lt { connection, .. } => connection.poll(now, cx),
            Self::Sliding { connection, .. } => connection.poll(now, cx),
            Self::UdpSender(udp) => udp.poll(now, cx),
            Self::TfrcSender { sender, .. } => sender.poll(now, cx),
            Self::TfrcReceiver(receiver) => receiver.poll(now, cx),
            Self::Tcp { .. } | Self::UdpReceiver(_) | Self::Outside => None,
        }
    }
}
