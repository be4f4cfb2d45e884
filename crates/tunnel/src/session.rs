//! What two ends share: a QUIC connection, the sliding transport in its DATAGRAM frames, and the channels.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use airtcp_packet::{Ecn, EndpointId, Side};
use airtcp_probe::{Cx, EventSource, Machine as _, NoProbe};
use airtcp_sliding::{Bytes as Symbols, Datagram, SlidingConfig, SlidingConnection};
use airtcp_units::{Nanos, Span};
use bytes::Bytes;
use quinn_proto::{Connection, ConnectionError, ConnectionEvent, EndpointEvent, Event, VarInt};
use rustls::pki_types::CertificateDer;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::key::PublicKey;
use crate::mux::Mux;
use crate::quic::SEGMENT;

/// A DATAGRAM frame whose first byte is below this has a packet of the transport, which begins with its flags. Others are
/// ignored.
const OTHERS: u8 = 0x80;
/// Symbols on the way: 9 MB, and twice as much at the receiver.
const MAX_SYMBOLS: u16 = 8192;
/// Most time of departures that leave together because the caller was woken late; a queue gets them in one go.
const LATENESS: Span = Span::from_millis(4);
/// Codes of the end of a connection.
const DONE: u32 = 0;
const BROKEN: u32 = 1;
const FULL: u32 = 2;
/// TLS alerts as errors of QUIC (RFC 9001 section 4.8): no_application_protocol (RFC 7301), and access_denied (RFC 8446
/// section 6.2), which an end says of a key that it was not told.
const NO_PROTOCOL: u64 = 0x100 + 120;
const UNKNOWN_KEY: u64 = 0x100 + 49;

/// Why a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Ended {
    /// An end closed it as it was asked to.
    #[error("closed")]
    Closed,
    /// The other end has a key that this one was not told.
    #[error("the other end has the key {0}, which is not the one that was given with --peer")]
    WrongKey(PublicKey),
    /// The other end does not accept this end's key.
    #[error("the other end does not accept the key of this one: it needs --peer {0} there")]
    Refused(PublicKey),
    /// The other end speaks another version.
    #[error("the other end has another version of airtcp tunnel")]
    Version,
    /// Nothing was heard for half a minute, or no handshake was done in 10 s.
    #[error("the other end does not answer")]
    Silent,
    /// A server has as many sessions as it takes.
    #[error("the server has as many tunnels as it takes, in all or with this key")]
    Full,
    /// The other end has started anew, and does not know this connection.
    #[error("the other end has started anew")]
    Restarted,
    /// An end broke the protocol.
    #[error("{0}")]
    Broken(String),
}

impl Ended {
    /// True if another attempt may do better.
    pub const fn may_recover(&self) -> bool {
        !matches!(self, Self::WrongKey(_) | Self::Refused(_) | Self::Version)
    }
}

/// A datagram to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Where to.
    pub to: SocketAddr,
    /// The address of this host that it comes from, if one was told.
    pub from: Option<IpAddr>,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// The UDP payload.
    pub bytes: Vec<u8>,
}

/// What an end has measured of a session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Round-trip time in seconds.
    pub rtt_s: f64,
    /// What of it is a queue, in seconds.
    pub queue_s: f64,
    /// Share of packets of this end that the path lost.
    pub loss: f64,
    /// Mean length of a run of lost packets.
    pub mean_burst: f64,
    /// Rate that the window allows, in bits of payload per second, with what the path then loses.
    pub rate_bps: f64,
    /// Bytes on the wire, with the headers of UDP and IPv4, per byte of applications that arrived; 0 before the first.
    pub overhead: f64,
    /// Bytes of UDP payload sent.
    pub wire_sent_bytes: u64,
    /// Bytes of UDP payload received.
    pub wire_received_bytes: u64,
}

/// A session with a peer.
pub struct Session {
    quic: Connection,
    /// Bytes that QUIC takes while no frame waits.
    room: usize,
    stream: SlidingConnection<Symbols>,
    mux: Mux,
    side: Side,
    /// The time that is called zero.
    base: Instant,
    peer: Option<PublicKey>,
    own: PublicKey,
    /// The transport may send: the handshake is done.
    is_connected: bool,
    is_open: bool,
    ended: Option<Ended>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("side", &self.side)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

/// An instant of the caller's time.
pub(crate) fn instant(base: Instant, now: Nanos) -> Instant {
    base + Duration::from_nanos(now.0)
}

fn cx(probe: &mut NoProbe, side: Side) -> Cx<'_, NoProbe> {
    Cx::new(probe, EventSource::Endpoint(EndpointId::new(0, side)))
}

impl Session {
    pub(crate) fn new(mut quic: Connection, side: Side, own: PublicKey, base: Instant) -> Self {
        let config = SlidingConfig {
            segment: SEGMENT,
            max_symbols: MAX_SYMBOLS,
            ..SlidingConfig::default()
        };
        Self {
            room: quic.datagrams().send_buffer_space(),
            quic,
            stream: SlidingConnection::of_bytes(&config, side),
            mux: Mux::new(side == Side::Client),
            side,
            base,
            peer: None,
            own,
            is_connected: false,
            is_open: false,
            ended: None,
        }
    }

    /// The channels.
    pub const fn mux(&mut self) -> &mut Mux {
        &mut self.mux
    }

    /// The peer's key, once it has proved it.
    pub const fn peer(&self) -> Option<PublicKey> {
        self.peer
    }

    /// Where the peer is now.
    pub fn remote(&self) -> SocketAddr {
        self.quic.remote_address()
    }

    /// True once the peer has answered with its key proved, until the end.
    pub const fn is_open(&self) -> bool {
        self.is_open && self.ended.is_none()
    }

    /// Why it ended, if it did.
    pub const fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Everything that was written has arrived.
    pub fn is_idle(&self) -> bool {
        self.stream.unacked() == 0 && self.mux.is_sent()
    }

    /// Ends it.
    pub fn close(&mut self, now: Nanos) {
        self.end(now, DONE, "", Ended::Closed);
    }

    /// What was measured until now.
    pub fn status(&self) -> Status {
        /// Headers of IPv4 and UDP.
        const BELOW: u64 = 28;
        let (path, udp) = (self.stream.path(), self.quic.stats());
        let stats = self.stream.stats();
        let rtt_s = path.srtt.as_secs_f64();
        let wire = udp.udp_tx.bytes + BELOW * udp.udp_tx.datagrams;
        let arrived = stats.bytes_acked;
        Status {
            rtt_s,
            queue_s: path.queue.as_secs_f64(),
            loss: path.loss,
            mean_burst: path.mean_burst,
            rate_bps: path.window as f64 * f64::from(SEGMENT) * 8.0 / rtt_s.max(1e-6),
            overhead: if arrived == 0 { 0.0 } else { wire as f64 / arrived as f64 },
            wire_sent_bytes: udp.udp_tx.bytes,
            wire_received_bytes: udp.udp_rx.bytes,
        }
    }

    /// Ends it for a reason of this end's own.
    pub(crate) fn give_up(&mut self, now: Nanos, why: Ended) {
        let code = if why == Ended::Full { FULL } else { DONE };
        self.end(now, code, "", why);
    }

    pub(crate) fn on_event(&mut self, now: Nanos, event: ConnectionEvent, ecn: Ecn) {
        self.quic.handle_event(event);
        self.after(now, ecn);
    }

    /// The server has accepted it; its first packet was handled with that.
    pub(crate) fn begun(&mut self, now: Nanos, ecn: Ecn) {
        self.after(now, ecn);
    }

    pub(crate) fn on_endpoint_answer(&mut self, event: ConnectionEvent) {
        self.quic.handle_event(event);
    }

    pub(crate) fn endpoint_event(&mut self) -> Option<EndpointEvent> {
        self.quic.poll_endpoint_events()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.quic.is_drained()
    }

    /// Time of the next timer.
    pub(crate) fn next(&mut self) -> Nanos {
        let quic = self.quic.poll_timeout().map_or(Nanos::NEVER, |at| {
            let since = at.saturating_duration_since(self.base).as_nanos();
            Nanos(u64::try_from(since).unwrap_or(u64::MAX))
        });
        let stream = if self.sends() { self.stream.next_timer() } else { Nanos::NEVER };
        quic.min(stream)
    }

    pub(crate) fn on_timer(&mut self, now: Nanos) {
        let at = instant(self.base, now);
        if self.quic.poll_timeout().is_some_and(|due| due <= at) {
            self.quic.handle_timeout(at);
        }
        if self.sends() {
            let late = now.since(self.stream.next_timer());
            self.stream.set_lateness(late.min(LATENESS));
        }
        if self.sends() && self.stream.next_timer() <= now {
            self.stream.on_timer(now, &mut cx(&mut NoProbe, self.side));
        }
        self.after(now, Ecn::NotEct);
    }

    /// The next datagram to send. The transport is asked only while QUIC has nothing left to send, so that no packet of it
    /// waits in a queue of QUIC's.
    pub(crate) fn transmit(&mut self, now: Nanos) -> Option<Outgoing> {
        let mut bytes = Vec::new();
        let at = instant(self.base, now);
        loop {
            if let Some(sent) = self.quic.poll_transmit(at, 1, &mut bytes) {
                let ecn = if sent.ecn.is_some() { Ecn::Ect0 } else { Ecn::NotEct };
                bytes.truncate(sent.size);
                return Some(Outgoing { to: sent.destination, from: sent.src_ip, ecn, bytes });
            }
            if !self.sends() || !self.offer(now) {
                // What follows is not late.
                self.stream.set_lateness(Span::ZERO);
                return None;
            }
        }
    }

    /// Gives QUIC the next packet of the transport. False if there is none, or while QUIC may not send the last one: to an
    /// address that has not proved itself, it sends only so many bytes.
    fn offer(&mut self, now: Nanos) -> bool {
        if self.quic.datagrams().send_buffer_space() < self.room {
            return false;
        }
        let unsent = self.stream.unsent();
        if unsent < usize::from(SEGMENT) {
            let more = self.mux.fill(unsent);
            self.stream.write(&more);
        }
        let Some(packet) = self.stream.poll(now, &mut cx(&mut NoProbe, self.side)) else {
            return false;
        };
        // The transport repairs what QUIC does not take.
        self.quic.datagrams().send(packet.bytes.into(), false).is_ok()
    }

    /// What QUIC has to say.
    fn after(&mut self, now: Nanos, ecn: Ecn) {
        while let Some(event) = self.quic.poll() {
            match event {
                Event::Connected => self.connected(now),
                Event::ConnectionLost { reason } => {
                    let why = self.why(&reason);
                    self.ended.get_or_insert(why);
                }
                _ => {}
            }
        }
        while let Some(frame) = self.quic.datagrams().recv() {
            if frame.first().is_some_and(|first| *first < OTHERS) {
                let packet = Datagram { ecn, bytes: frame.into() };
                self.stream.handle(now, packet, &mut cx(&mut NoProbe, self.side));
                self.is_open = true;
            }
        }
        let read = self.stream.read();
        if !read.is_empty()
            && let Err(violation) = self.mux.take(&read)
        {
            let text = violation.to_string();
            self.end(now, BROKEN, &text, Ended::Broken(text.clone()));
        }
    }

    /// Whether the transport may send: after the handshake, until the end.
    const fn sends(&self) -> bool {
        self.is_connected && self.ended.is_none()
    }

    fn connected(&mut self, now: Nanos) {
        let identity = self.quic.crypto_session().peer_identity();
        let keys = identity.and_then(|any| any.downcast::<Vec<CertificateDer<'static>>>().ok());
        self.peer = keys.and_then(|keys| PublicKey::of_spki(keys.first()?.as_ref()));
        self.is_connected = true;
        self.stream.open(now);
    }

    fn end(&mut self, now: Nanos, code: u32, text: &str, why: Ended) {
        if self.ended.is_none() {
            let text = Bytes::copy_from_slice(text.as_bytes());
            self.quic.close(instant(self.base, now), VarInt::from_u32(code), text);
            self.ended = Some(why);
        }
    }

    fn why(&self, reason: &ConnectionError) -> Ended {
        match reason {
            ConnectionError::VersionMismatch => Ended::Version,
            ConnectionError::TimedOut => Ended::Silent,
            ConnectionError::Reset => Ended::Restarted,
            ConnectionError::LocallyClosed => Ended::Closed,
            ConnectionError::ApplicationClosed(close)
                if close.error_code == VarInt::from_u32(DONE) =>
            {
                Ended::Closed
            }
            ConnectionError::ApplicationClosed(close)
                if close.error_code == VarInt::from_u32(FULL) =>
            {
                Ended::Full
            }
            ConnectionError::ApplicationClosed(close) => {
                let text = String::from_utf8_lossy(&close.reason);
                Ended::Broken(text.chars().filter(|c| !c.is_control()).collect())
            }
            ConnectionError::ConnectionClosed(close) => match u64::from(close.error_code) {
                NO_PROTOCOL => Ended::Version,
                UNKNOWN_KEY => Ended::Refused(self.own),
                _ => Ended::Broken(reason.to_string()),
            },
            other => Ended::Broken(other.to_string()),
        }
    }
}
