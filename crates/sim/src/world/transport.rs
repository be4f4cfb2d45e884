//! The transport at one end of a flow, as applications and the world see it.

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
        /// How much of what was delivered the application has taken notice of.
        taken: u64,
        /// What the application has for it and the send buffer had no room for yet.
        owed: u64,
        /// Whether it is to close after that.
        closing: bool,
    },
    Lt {
        connection: Box<LtConnection>,
        /// Likewise.
        taken: u64,
    },
    Sliding {
        connection: Box<SlidingConnection>,
        /// Likewise.
        taken: u64,
    },
    UdpSender(UdpSender),
    UdpReceiver(UdpReceiver),
    TfrcSender {
        sender: Box<TfrcSender>,
        /// It was given more than will ever leave, for a writer that will stop.
        topped: bool,
    },
    TfrcReceiver(Box<TfrcReceiver>),
}

/// More packets than any run sends.
const ENDLESS: u64 = 1 << 50;

impl Transport {
    pub(crate) fn tcp(connection: Connection) -> Self {
        Self::Tcp { connection: Box::new(connection), taken: 0, owed: 0, closing: false }
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

    /// Hands over `bytes` to send; for UDP, one datagram.
    pub(crate) fn write(&mut self, now: Nanos, bytes: u64) {
        match self {
            Self::Tcp { connection, owed, .. } => {
                let all = owed.saturating_add(bytes);
                *owed = all - connection.write(now, all);
            }
            Self::Lt { connection, .. } => connection.write(now, bytes),
            Self::Sliding { connection, .. } => connection.write(now, bytes),
            Self::UdpSender(udp) => udp.send(1),
            Self::TfrcSender { sender, .. } => {
                sender.send(bytes.div_ceil(u64::from(sender.size())));
            }
            Self::UdpReceiver(_) | Self::TfrcReceiver(_) => {}
        }
    }

    /// The application writes on where the send buffer has room again.
    #[inline]
    pub(crate) fn write_on(&mut self, now: Nanos) {
        if let Self::Tcp { connection, owed, closing, .. } = self
            && *owed > 0
        {
            *owed -= connection.write(now, *owed);
            if *owed == 0 && *closing {
                connection.close(now);
            }
        }
    }

    /// Keeps about two windows written ahead, for a writer that will stop at a given time.
    pub(crate) fn top_up(&mut self, now: Nanos) {
        if let Self::TfrcSender { sender, topped } = self
            && !*topped
        {
            sender.send(ENDLESS);
            *topped = true;
        }
        let (cwnd, unacked) = match self {
            Self::Tcp { connection, owed, .. } => (connection.cwnd(), connection.unacked() + *owed),
            Self::Lt { connection, .. } => (connection.cwnd(), connection.unacked()),
            Self::Sliding { connection, .. } => (connection.window_bytes(), connection.unacked()),
            _ => return,
        };
        let missing = (2 * cwnd + 65_536).saturating_sub(unacked);
        if missing > 0 {
            self.write(now, missing);
        }
    }

    /// No more will be written: closes after what was.
    pub(crate) fn close(&mut self, now: Nanos) {
        match self {
            Self::Tcp { owed, closing, .. } if *owed > 0 => *closing = true,
            Self::Tcp { connection, .. } => connection.close(now),
            Self::Lt { connection, .. } => connection.close(now),
            Self::Sliding { connection, .. } => connection.close(now),
            Self::TfrcSender { sender, topped: true } => sender.stop(),
            _ => {}
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
            Self::Lt { connection, .. } => connection.handle(now, segment, cx),
            Self::Sliding { connection, .. } => connection.handle(now, segment, cx),
            Self::UdpSender(_) => {}
            Self::UdpReceiver(udp) => udp.handle(now, segment, cx),
            Self::TfrcSender { sender, .. } => sender.handle(now, segment, cx),
            Self::TfrcReceiver(receiver) => receiver.handle(now, segment, cx),
        }
    }

    /// A link corrupted a packet that this end had sent.
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
            Self::UdpSender(_) | Self::UdpReceiver(_) => {}
        }
    }

    #[inline]
    pub(crate) fn next_timer(&self) -> Nanos {
        match self {
            Self::Tcp { connection, .. } => connection.next_timer(),
            Self::Lt { connection, .. } => connection.next_timer(),
            Self::Sliding { connection, .. } => connection.next_timer(),
            Self::TfrcSender { sender, .. } => sender.next_timer(),
            Self::TfrcReceiver(receiver) => receiver.next_timer(),
            Self::UdpSender(_) | Self::UdpReceiver(_) => Nanos::NEVER,
        }
    }

    #[inline]
    pub(crate) fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        match self {
            Self::Tcp { connection, .. } => connection.poll(now, cx),
            Self::Lt { connection, .. } => connection.poll(now, cx),
            Self::Sliding { connection, .. } => connection.poll(now, cx),
            Self::UdpSender(udp) => udp.poll(now, cx),
            Self::TfrcSender { sender, .. } => sender.poll(now, cx),
            Self::TfrcReceiver(receiver) => receiver.poll(now, cx),
            Self::UdpReceiver(_) => None,
        }
    }
}
