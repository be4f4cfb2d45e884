//! 802.11 frames as bytes: MAC header, body, FCS.
//!
//! ```text
//! data    frame control 2, duration 2, three addresses 18, sequence control 2, [QoS control 2,]
//!         LLC and SNAP 8, IP packet, FCS 4
//! ACK     frame control, duration, receiver, FCS                14 B;  CTS the same
//! RTS     frame control, duration, receiver, transmitter, FCS   20 B
//! BAR     frame control, duration, receiver, transmitter, BAR control 2, starting sequence control 2, FCS  24 B
//! BA      frame control, duration, receiver, transmitter, BA control 2, starting sequence control 2,
//!         bitmap 8 or 32, FCS                                   32 or 56 B
//! ```
//! Source: IEEE 802.11-2012 clauses 8.2.4 (fields), 8.2.5 (duration), 8.3.1 (control), 8.3.2.1 (data), 8.3.3.2
//! (beacon), 8.3.3.5, 8.3.3.6, 8.3.3.11 (association), 8.2.4.8 (FCS); 802.11-2020 clauses 9.3.1.7 and 9.3.1.8
//! (compressed BlockAckReq and BlockAck); RFC 1042 (LLC and SNAP). The
//! simulation gives the length of a frame, and the content is filled up to it.
//!
//! Addresses are locally administered: `02:00:00`, the medium's number, the station's number in two bytes.
//! Leaves out: encryption, and MAC addresses behind the access point, whose own address stands for them.

use airtcp_units::{LowBits, Narrow};

use crate::air::{AirFrame, FrameClass};

/// Bytes of FCS.
pub(crate) const FCS: usize = 4;
/// Length of the header of a data frame or beacon without QoS control.
const HEADER: usize = 24;
const LLC_SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
/// SNAP of a body without a known packet: EtherType 88b5, for local experiments (IEEE 802).
const LOCAL_SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 0x88, 0xb5];
/// User priority of each access category, lowest first (802.11-2012 table 9-1). A category above
/// voice has the highest priority of voice.
const PRIORITIES: [u8; 5] = [1, 0, 5, 6, 7];
/// Ack policy No Ack in QoS control (clause 8.2.4.5.4).
const NO_ACK: u8 = 0x20;
/// Supported rates of OFDM: 6 (basic), 9, 12 (basic), 18, 24 (basic), 36, 48, 54 Mb/s.
const RATES: [u8; 8] = [0x8c, 0x12, 0x98, 0x24, 0xb0, 0x48, 0x60, 0x6c];
/// Supported rates of 802.11b: 1 (basic), 2 (basic), 5.5, 11 Mb/s.
const RATES_B: [u8; 4] = [0x82, 0x84, 0x0b, 0x16];

/// Address of a station.
pub(crate) fn address(medium: u32, station: Option<u32>) -> [u8; 6] {
    station.map_or([0xff; 6], |station| {
        let [_, _, high, low] = station.to_be_bytes();
        [2, 0, 0, u8::low_bits(medium), high, low]
    })
}

/// CRC-32 of IEEE 802.3, used in the FCS.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0_u32;
        while i < 256 {
            let mut value = i;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
                bit += 1;
            }
            table[i as usize] = value;
            i += 1;
        }
        table
    };
    let step = |crc: u32, byte: &u8| crc >> 8 ^ TABLE[usize::from(u8::low_bits(crc) ^ byte)];
    !bytes.iter().fold(u32::MAX, step)
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
    let to = address(context.medium, frame.to);
    let from = address(context.medium, Some(frame.from));
    let [low, high] = duration(frame).to_le_bytes();
    let control = |kind: u8| [kind, 0, low, high];
    match frame.class {
        FrameClass::BlockAckReq => block_ack(out, frame, [to, from]),
        FrameClass::Ack if frame.block_ack.is_some() => block_ack(out, frame, [to, from]),
        FrameClass::Ack if frame.to.is_none() => {
            // Multi-STA BlockAck, whose type is 11; the parts of the stations are left out.
            out.extend(control(0x94));
            out.extend(to);
            out.extend(from);
            out.extend((11_u16 << 1).to_le_bytes());
            out.resize((frame.bytes as usize).saturating_sub(FCS), 0);
        }
        FrameClass::Trigger => {
            // Common info and user info are left out.
            out.extend(control(0x24));
            out.extend(to);
            out.extend(from);
            out.resize((frame.bytes as usize).saturating_sub(FCS), 0);
        }
        FrameClass::Ack => {
            out.extend(control(0xd4));
            out.extend(to);
        }
        FrameClass::Cts => {
            out.extend(control(0xc4));
            out.extend(to);
        }
        FrameClass::Rts => {
            out.extend(control(0xb4));
            out.extend(to);
            out.extend(from);
        }
        FrameClass::Beacon => {
            out.extend(control(0x80));
            out.extend([0xff; 6]);
            out.extend(from);
            out.extend(from);
            out.extend((frame.sequence << 4).to_le_bytes());
            beacon(out, frame, context);
        }
        FrameClass::Authentication
        | FrameClass::AssociationRequest
        | FrameClass::AssociationResponse => {
            association(out, frame, context, [to, from]);
        }
        FrameClass::Data | FrameClass::TcpAck => {
            data(out, frame, context, [to, from]);
            msdu(out, body_len(frame), packet, offset);
        }
    }
    let fcs = crc32(out).to_le_bytes();
    out.extend(fcs);
}

/// A BlockAck or BlockAckReq: its header, control field (compressed, with the user priority), start and bitmap.
fn block_ack(out: &mut Vec<u8>, frame: &AirFrame, [to, from]: [[u8; 6]; 2]) {
    let Some(block) = &frame.block_ack else { return };
    out.extend([if block.asks { 0x84 } else { 0x94 }, 0]);
    out.extend(duration(frame).to_le_bytes());
    out.extend(to);
    out.extend(from);
    let priority = frame.category.map_or(0, priority);
    let long = (frame.bytes as usize) > 32;
    out.extend((u16::from(priority) << 12 | 0x04).to_le_bytes());
    // A fragment number of 4 stands for a bitmap of 256 bits.
    out.extend((block.start << 4 | if long { 4 } else { 0 }).to_le_bytes());
    if !block.asks {
        let words = if long { 4 } else { 1 };
        out.extend(block.bitmap[..words].iter().flat_map(|word| word.to_le_bytes()));
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

fn data(out: &mut Vec<u8>, frame: &AirFrame, context: &FrameContext<'_>, [to, from]: [[u8; 6]; 2]) {
    let access_point = address(context.medium, Some(context.access_point));
    let down = frame.from == context.access_point;
    let mut flags = if down { 2 } else { 1 };
    flags |= if frame.more_fragments { 4 } else { 0 };
    flags |= if frame.retry { 8 } else { 0 };
    out.extend([if frame.category.is_some() { 0x88 } else { 0x08 }, flags]);
    out.extend(duration(frame).to_le_bytes());
    out.extend(to);
    out.extend(from);
    // Address 3: the source in a frame from the access point, the destination in a frame to it.
    out.extend(access_point);
    let number = frame.sequence << 4 | u16::from(frame.fragment & 15);
    out.extend(number.to_le_bytes());
    if let Some(category) = frame.category {
        out.extend([priority(category) | if frame.no_ack { NO_ACK } else { 0 }, 0]);
    }
}

fn msdu(out: &mut Vec<u8>, length: usize, packet: Option<&[u8]>, offset: usize) {
    let end = out.len() + length;
    let llc = if packet.is_some() { LLC_SNAP } else { LOCAL_SNAP };
    let whole = llc.iter().chain(packet.unwrap_or_default());
    out.extend(whole.skip(offset).take(length));
    out.resize(end, 0);
}

/// Authentication (open system), association request or response, padded to the frame's length.
fn association(
    out: &mut Vec<u8>,
    frame: &AirFrame,
    context: &FrameContext<'_>,
    [to, from]: [[u8; 6]; 2],
) {
    let down = frame.from == context.access_point;
    let kind = match frame.class {
        FrameClass::Authentication => 0xb0,
        FrameClass::AssociationRequest => 0x00,
        _ => 0x10,
    };
    out.extend([kind, if frame.retry { 8 } else { 0 }]);
    out.extend(duration(frame).to_le_bytes());
    out.extend(to);
    out.extend(from);
    out.extend(address(context.medium, Some(context.access_point)));
    out.extend((frame.sequence << 4).to_le_bytes());
    let end = (frame.bytes as usize).saturating_sub(FCS);
    match frame.class {
        // Algorithm, transaction sequence number, status.
        FrameClass::Authentication => out.extend([0, 0, if down { 2 } else { 1 }, 0, 0, 0]),
        // Capabilities (ESS) and listen interval, SSID of 8 bytes.
        FrameClass::AssociationRequest => {
            out.extend([1, 0, 10, 0, 0, 8]);
            out.extend(context.cell.bytes().chain(std::iter::repeat(b' ')).take(8));
        }
        // Capabilities, status, the association identifier: the station's number with the two highest bits set.
        _ => {
            let number = frame.to.unwrap_or_default().saturating_sub(context.access_point);
            out.extend([1, 0, 0, 0]);
            out.extend((u16::low_bits(number) | 0xc000).to_le_bytes());
        }
    }
    if let Some(room) = end.checked_sub(out.len() + 2).filter(|room| *room > 0) {
        let rates: &[u8] = if room < RATES.len() { &RATES_B } else { &RATES };
        out.extend([1, u8::narrow(room.min(rates.len()))]);
        out.extend(rates.iter().take(room));
    }
    out.resize(end, 0);
}

fn beacon(out: &mut Vec<u8>, frame: &AirFrame, context: &FrameContext<'_>) {
    let end = (frame.bytes as usize).saturating_sub(FCS);
    // Timestamp, interval in time units, capabilities: ESS.
    out.extend((frame.body.0 / 1_000).to_le_bytes());
    out.extend(context.beacon_interval.to_le_bytes());
    out.extend([1, 0]);
    let mut elements = Vec::new();
    let rates: &[u8] = if frame.ofdm { &RATES } else { &RATES_B };
    elements.extend([1, u8::narrow(rates.len())]);
    elements.extend(rates);
    if let Some(channel) = context.channel.and_then(|number| u8::try_from(number).ok()) {
        elements.extend([3, 1, channel]);
    }
    // The SSID; a vendor-specific element of at least 5 bytes fills up the length.
    let room = end.saturating_sub(out.len() + elements.len() + 2);
    let mut name = context.cell.as_bytes()[..context.cell.len().min(32).min(room)].to_vec();
    if (1..5).contains(&(room - name.len())) {
        name.resize(if room <= 32 { room } else { room - 5 }, b' ');
    }
    out.extend([0, u8::narrow(name.len())]);
    out.extend(&name);
    out.extend(elements);
    while end >= out.len() + 5 {
        let left = end - out.len() - 2;
        let length = if left > 255 { left.min(250) } else { left };
        out.extend([221, u8::narrow(length), 0, 0x50, 0xc2]);
        out.resize(out.len() + length - 3, 0);
    }
    out.resize(end, 0);
}
