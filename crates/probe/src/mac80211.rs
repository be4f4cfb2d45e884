//! 802.11 frames of simulated stations as bytes: MAC header, body, FCS.
//!
//! The header is filled from the frame's record, the body up to the length that the simulation gives; what both mean
//! is in `wire`. A data frame holds LLC and SNAP, then the IP packet or its fragment. Of a Trigger frame the common and
//! user info are left out, and of a block acknowledgement for several stations the parts of the stations.
//! Source: IEEE 802.11-2012 clauses 8.2.4 (fields), 8.2.5 (duration), 8.3.1 (control), 8.3.2.1 (data), 8.3.3.2
//! (beacon), 8.3.3.5, 8.3.3.6, 8.3.3.11 (association).
//!
//! Addresses are locally administered: `02:00:00`, the medium's number, the station's number in two bytes.
//! Leaves out: encryption, and MAC addresses behind the access point, whose own address stands for them.

use airtcp_units::LowBits;
use airtcp_wire::ieee80211::block_ack::{self, Bitmap};
use airtcp_wire::ieee80211::management::{self, CHANNEL, ESS, RATES, SSID, VENDOR, emit_element};
use airtcp_wire::ieee80211::{FCS, Kind, Mac, Qos, Repr, fcs, snap};

use crate::air::{AirBlockAck, AirFrame, FrameClass};

/// Length of the header of a data frame or beacon without QoS control.
const HEADER: usize = 24;
/// EtherTypes: IPv4, and that of a body without a known packet, for local experiments (IEEE 802).
const IPV4: u16 = 0x0800;
const LOCAL: u16 = 0x88b5;
/// User priority of each access category, lowest first (802.11-2012 table 9-1). A category above
/// voice has the highest priority of voice.
const PRIORITIES: [u8; 5] = [1, 0, 5, 6, 7];
/// Ack policy No Ack in QoS control (clause 8.2.4.5.4).
const NO_ACK: u8 = 1;
/// Subtype of a Trigger frame.
const TRIGGER: u8 = 2;
/// Supported rates of OFDM: 6 (basic), 9, 12 (basic), 18, 24 (basic), 36, 48, 54 Mb/s.
const OFDM_RATES: [u8; 8] = [0x8c, 0x12, 0x98, 0x24, 0xb0, 0x48, 0x60, 0x6c];
/// Supported rates of 802.11b: 1 (basic), 2 (basic), 5.5, 11 Mb/s.
const DSSS_RATES: [u8; 4] = [0x82, 0x84, 0x0b, 0x16];
/// Shortest BlockAck with a bitmap of 256 bits is longer than this.
const SHORT_BLOCK_ACK: u32 = 32;

/// Address of a station.
fn address(medium: u32, station: Option<u32>) -> Mac {
    station.map_or(Mac::BROADCAST, |station| {
        let [_, _, high, low] = station.to_be_bytes();
        Mac([2, 0, 0, u8::low_bits(medium), high, low])
    })
}

/// Properties of a frame's cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameContext<'a> {
    pub(crate) medium: u32,
    /// The access point of the sender's cell.
    pub(crate) access_point: u32,
    /// Name of that cell, its SSID.
    pub(crate) cell: &'a str,
    /// Number of its channel, if it has one.
    pub(crate) channel: Option<u16>,
    /// Beacon interval, in units of 1024 us.
    pub(crate) beacon_interval: u16,
}

/// Header length of a data frame.
const fn header(frame: &AirFrame) -> usize {
    HEADER + if frame.category.is_some() { 2 } else { 0 }
}

/// Bytes of the MSDU (LLC, SNAP, packet), or of its fragment, in a data frame.
pub(crate) fn body_len(frame: &AirFrame) -> usize {
    (frame.bytes as usize).saturating_sub(header(frame) + FCS)
}

/// Writes a frame into `out`, which is cleared first. `packet` has the bytes of the IP packet, and
/// `offset` is the position of this fragment in the MSDU.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    frame: &AirFrame,
    context: &FrameContext<'_>,
    packet: Option<&[u8]>,
    offset: usize,
) {
    out.clear();
    let from = address(context.medium, Some(frame.from));
    let header = |kind| Repr {
        duration: duration(frame),
        transmitter: Some(from),
        ..Repr::new(kind, address(context.medium, frame.to))
    };
    let end = (frame.bytes as usize).saturating_sub(FCS);
    match (frame.class, &frame.block_ack) {
        (FrameClass::BlockAckReq, None) => {}
        (FrameClass::BlockAckReq | FrameClass::Ack, Some(block)) => {
            let kind = if block.asks { Kind::BlockAckRequest } else { Kind::BlockAck };
            header(kind).emit(out);
            block_ack(frame, block).emit(out);
        }
        (FrameClass::Ack, None) if frame.to.is_none() => {
            header(Kind::BlockAck).emit(out);
            block_ack::emit_multi_station(out);
            out.resize(end, 0);
        }
        (FrameClass::Trigger, _) => {
            header(Kind::Control(TRIGGER)).emit(out);
            out.extend(from.0);
            out.resize(end, 0);
        }
        (FrameClass::Ack, None) => header(Kind::Ack).emit(out),
        (FrameClass::Cts, _) => header(Kind::Cts).emit(out),
        (FrameClass::Rts, _) => header(Kind::Rts).emit(out),
        (FrameClass::Beacon, _) => {
            let receiver = Mac::BROADCAST;
            let sequence = Some(frame.sequence);
            Repr { receiver, third: Some(from), sequence, ..header(Kind::Beacon) }.emit(out);
            beacon(out, frame, context);
        }
        (
            FrameClass::Authentication
            | FrameClass::AssociationRequest
            | FrameClass::AssociationResponse,
            _,
        ) => {
            let fields = fixed_fields(frame, context);
            Repr {
                retry: frame.retry,
                third: Some(address(context.medium, Some(context.access_point))),
                sequence: Some(frame.sequence),
                ..header(fields.kind())
            }
            .emit(out);
            fields.emit(out);
            association(out, frame, context);
        }
        (FrameClass::Data | FrameClass::TcpAck, _) => {
            data(header(Kind::Data), frame, context).emit(out);
            msdu(out, body_len(frame), packet, offset);
        }
    }
    let check = fcs(out).to_le_bytes();
    out.extend(check);
}

/// What a BlockAck or a BlockAckReq says.
fn block_ack(frame: &AirFrame, block: &AirBlockAck) -> block_ack::Repr {
    block_ack::Repr {
        tid: frame.category.map_or(0, priority),
        start: block.start,
        bitmap: match block.asks {
            true => Bitmap::Asked,
            false if frame.bytes > SHORT_BLOCK_ACK => Bitmap::Long(block.bitmap),
            false => Bitmap::Short(block.bitmap[0]),
        },
    }
}

/// User priority of an access category.
fn priority(category: u8) -> u8 {
    PRIORITIES[usize::from(category).min(PRIORITIES.len() - 1)]
}

/// The Duration field in microseconds, rounded up.
fn duration(frame: &AirFrame) -> u16 {
    frame.duration.0.div_ceil(1_000).min(32_767) as u16
}

/// The header of a data frame.
fn data(header: Repr, frame: &AirFrame, context: &FrameContext<'_>) -> Repr {
    let down = frame.from == context.access_point;
    Repr {
        to_ds: !down,
        from_ds: down,
        more_fragments: frame.more_fragments,
        retry: frame.retry,
        // Address 3: the source in a frame from the access point, the destination in a frame to it.
        third: Some(address(context.medium, Some(context.access_point))),
        sequence: Some(frame.sequence),
        fragment: frame.fragment & 15,
        qos: frame.category.map(|category| Qos {
            tid: priority(category),
            ack_policy: if frame.no_ack { NO_ACK } else { 0 },
            is_amsdu: false,
        }),
        ..header
    }
}

fn msdu(out: &mut Vec<u8>, length: usize, packet: Option<&[u8]>, offset: usize) {
    let end = out.len() + length;
    let llc = snap(if packet.is_some() { IPV4 } else { LOCAL });
    let whole = llc.iter().chain(packet.unwrap_or_default());
    out.extend(whole.skip(offset).take(length));
    out.resize(end, 0);
}

/// Fields of authentication (open system), association request or response.
fn fixed_fields(frame: &AirFrame, context: &FrameContext<'_>) -> management::Repr {
    match frame.class {
        FrameClass::Authentication => management::Repr::Authentication {
            algorithm: 0,
            transaction: if frame.from == context.access_point { 2 } else { 1 },
            status: 0,
        },
        FrameClass::AssociationRequest => {
            management::Repr::AssociationRequest { capabilities: ESS, listen_interval: 10 }
        }
        // The association identifier is the station's number.
        _ => {
            let number = frame.to.unwrap_or_default().saturating_sub(context.access_point);
            management::Repr::AssociationResponse {
                capabilities: ESS,
                status: 0,
                association: u16::low_bits(number) | 0xc000,
            }
        }
    }
}

/// The elements of authentication and association, padded to the frame's length.
fn association(out: &mut Vec<u8>, frame: &AirFrame, context: &FrameContext<'_>) {
    let end = (frame.bytes as usize).saturating_sub(FCS);
    if frame.class == FrameClass::AssociationRequest {
        let name = context.cell.bytes().chain(std::iter::repeat(b' '));
        emit_element(out, SSID, &name.take(8).collect::<Vec<_>>());
    }
    if let Some(room) = end.checked_sub(out.len() + 2).filter(|room| *room > 0) {
        let rates: &[u8] = if room < OFDM_RATES.len() { &DSSS_RATES } else { &OFDM_RATES };
        emit_element(out, RATES, &rates[..rates.len().min(room)]);
    }
    out.resize(end, 0);
}

fn beacon(out: &mut Vec<u8>, frame: &AirFrame, context: &FrameContext<'_>) {
    let end = (frame.bytes as usize).saturating_sub(FCS);
    let fields = management::Repr::Beacon {
        timestamp_us: frame.body.0 / 1_000,
        interval: context.beacon_interval,
        capabilities: ESS,
    };
    fields.emit(out);
    let mut elements = Vec::new();
    emit_element(&mut elements, RATES, if frame.ofdm { &OFDM_RATES } else { &DSSS_RATES });
    if let Some(channel) = context.channel.and_then(|number| u8::try_from(number).ok()) {
        emit_element(&mut elements, CHANNEL, &[channel]);
    }
    // The SSID; a vendor-specific element of at least 5 bytes fills up the length.
    let room = end.saturating_sub(out.len() + elements.len() + 2);
    let mut name = context.cell.as_bytes()[..context.cell.len().min(32).min(room)].to_vec();
    if (1..5).contains(&(room - name.len())) {
        name.resize(if room <= 32 { room } else { room - 5 }, b' ');
    }
    emit_element(out, SSID, &name);
    out.extend(elements);
    while end >= out.len() + 5 {
        let left = end - out.len() - 2;
        let mut value = vec![0, 0x50, 0xc2];
        value.resize(if left > 255 { left.min(250) } else { left }, 0);
        emit_element(out, VENDOR, &value);
    }
    out.resize(end, 0);
}
