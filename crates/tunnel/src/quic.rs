//! What QUIC is asked for: keys and an end, and nothing that paces or limits what is sent.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn_proto::congestion::{Controller, ControllerFactory};
use quinn_proto::{
    AckFrequencyConfig, EndpointConfig, IdleTimeout, RandomConnectionIdGenerator, TransportConfig,
    VarInt,
};

/// UDP payload that every path must carry: IPv6 has links of at least 1,280 bytes (RFC 8200 section 5), less its header
/// and that of UDP.
const PAYLOAD: u16 = 1232;
/// Payload of a symbol in bytes. With the headers of the transport (24), of a DATAGRAM frame and a QUIC packet with its tag
/// (up to 38) it fits into [`PAYLOAD`], and leaves room for an ACK frame, which otherwise takes a packet of its own.
pub const SEGMENT: u16 = 1144;

/// Longest UDP payload that is read or sent: 1,500 bytes less the headers of IPv4 and UDP.
pub(crate) const LONGEST: u16 = 1472;
/// Beyond 2^32 bytes of window, QUIC's own pacer rests.
const NO_WINDOW: u64 = 1 << 40;
/// Round trip that is assumed before the first: a lost first packet costs three times as much, not a second.
const FIRST_ROUND_TRIP: Duration = Duration::from_millis(100);
/// Silence after which the other end is gone, and time between signs of life.
const SILENCE: Duration = Duration::from_secs(30);
const SIGNS_OF_LIFE: Duration = Duration::from_secs(8);
/// Packets per QUIC acknowledgement: the transport has feedback of its own, so QUIC needs few.
const PER_ACK: u32 = 32;
const ACK_DELAY: Duration = Duration::from_millis(100);
/// Bytes of a connection identifier: enough to tell apart the few connections of an end.
const CID: usize = 4;
/// DATAGRAM frames that wait to be read: a batch of them.
const WAITING: usize = 256 << 10;

/// A controller that allows everything: the sliding transport has the window.
#[derive(Debug, Clone, Copy)]
struct Unlimited;

impl Controller for Unlimited {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        NO_WINDOW
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }

    fn initial_window(&self) -> u64 {
        NO_WINDOW
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl ControllerFactory for Unlimited {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(*self)
    }
}

/// How connections behave.
pub(crate) fn transport() -> Arc<TransportConfig> {
    let mut acks = AckFrequencyConfig::default();
    acks.ack_eliciting_threshold(VarInt::from_u32(PER_ACK)).max_ack_delay(Some(ACK_DELAY));
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(Arc::new(Unlimited))
        .initial_rtt(FIRST_ROUND_TRIP)
        .initial_mtu(PAYLOAD)
        .min_mtu(PAYLOAD)
        .max_idle_timeout(IdleTimeout::try_from(SILENCE).ok())
        .keep_alive_interval(Some(SIGNS_OF_LIFE))
        .ack_frequency_config(Some(acks))
        // Everything is in DATAGRAM frames.
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .datagram_receive_buffer_size(Some(WAITING))
        .datagram_send_buffer_size(WAITING)
        // A symbol keeps its length over all paths, so a longer packet is of no use.
        .mtu_discovery_config(None)
        .enable_segmentation_offload(false)
        .allow_spin(false);
    Arc::new(config)
}

/// How endpoints behave. `seed` decides connection identifiers; tests give one.
pub(crate) fn endpoint(seed: Option<[u8; 32]>) -> Arc<EndpointConfig> {
    let mut config = EndpointConfig::default();
    config.rng_seed(seed);
    config.cid_generator(|| Box::new(RandomConnectionIdGenerator::new(CID)));
    // The value is in the range that QUIC allows.
    let _ = config.max_udp_payload_size(LONGEST);
    Arc::new(config)
}
