//! Captures of 802.11 frames at the radios of stations: pcapng with radiotap headers (link type 127,
//! <https://www.radiotap.org>).
//!
//! A station's file holds the frames that the station sent and received. A frame that it locked on to but
//! could not decode has the flag *bad FCS* and a wrong FCS. Its other bytes are those sent, because bit
//! errors are not modelled. Frames that the station never locked on to are absent, as with a real radio.
//! Radiotap fields: TSFT (when the first bit of the MAC header was on the air, in us), flags (short
//! preamble, FCS at the end, bad FCS), rate (of HT, VHT and HE frames MCS, VHT or HE instead), channel; of a
//! frame received, signal and noise in dBm; of a frame sent, the power in dBm instead; of an MPDU in an A-MPDU, the
//! A-MPDU status. The time of a packet is that of the frame's end, and of an MPDU that of the A-MPDU's end.
//!
//! The IP identification counts the packets of each station and access category.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

use airtcp_packet::{EndpointId, Segment};
use airtcp_units::{Nanos, Narrow, Saturate};
use airtcp_wire::ieee80211::FCS;
use airtcp_wire::link_type;
use airtcp_wire::pcapng::Pcapng;
use airtcp_wire::radiotap::{self, AmpduStatus, BAD_FCS, Channel, FCS_AT_END, SHORT_PREAMBLE};

use crate::air::{AirEvent, AirFrame, FrameClass};
use crate::mac80211::{self, FrameContext};
use crate::{Event, EventSource, Probe, as_bytes};

/// Duration of the short preamble and header of DSSS, in ns (clause 17.2.2.3: 96 us).
const SHORT_PREAMBLE_NS: u64 = 96_000;

/// A station's radio and its cell.
#[derive(Debug, Clone, PartialEq)]
pub struct RadioSite {
    /// Name of the station.
    pub name: String,
    /// Name of its cell.
    pub cell: String,
    /// The access point of its cell, by number on the medium.
    pub access_point: u32,
    /// Number of the cell's channel, if it has one.
    pub channel: Option<u16>,
    /// Centre frequency of the channel in MHz.
    pub frequency_mhz: u16,
    /// Beacon interval of the cell, in units of 1024 us.
    pub beacon_interval: u16,
    /// Transmit power.
    pub power_dbm: f64,
}

struct Radio<W: Write> {
    site: RadioSite,
    file: Pcapng<W>,
}

/// An MSDU that a station sent.
struct Msdu {
    to: Option<u32>,
    sequence: u16,
    /// Start of its first transmission.
    started: Nanos,
    content: Option<(EndpointId, Segment)>,
    ip_id: u16,
    /// Bytes of the MSDU in each fragment but the last.
    part: usize,
}

/// The last MSDUs that a station sent in an access category, at most [`KEPT`].
#[derive(Default)]
struct Recent {
    ip_ids: u16,
    msdus: VecDeque<Msdu>,
}

/// Twice the longest window of a BlockAck session.
const KEPT: usize = 512;

impl Recent {
    /// The MSDU of a data frame, which is new unless the frame is a fragment, a retransmission, or the same frame
    /// at another radio.
    fn of(&mut self, frame: &AirFrame) -> &Msdu {
        let is_it = |msdu: &Msdu| {
            (msdu.to, msdu.sequence) == (frame.to, frame.sequence)
                && (frame.retry || frame.fragment > 0 || msdu.started == frame.started)
        };
        let place = self.msdus.iter().rposition(is_it).unwrap_or_else(|| {
            let ip_id = self.ip_ids;
            self.ip_ids = ip_id.wrapping_add(1);
            if self.msdus.len() == KEPT {
                self.msdus.pop_front();
            }
            let AirFrame { to, sequence, started, content, .. } = *frame;
            let part = mac80211::body_len(frame);
            self.msdus.push_back(Msdu { to, sequence, started, content, ip_id, part });
            self.msdus.len() - 1
        });
        &self.msdus[place]
    }
}

/// Writes a capture for each station. Give it buffered writers. After a write error the probe writes
/// nothing more, and [`finish`](Self::finish) returns the error.
pub struct RadiotapProbe<W: Write> {
    /// By medium and station.
    radios: Vec<Vec<Radio<W>>>,
    last: BTreeMap<(u32, u32, u8), Recent>,
    packet: Vec<u8>,
    mpdu: Vec<u8>,
    bytes: Vec<u8>,
    error: Option<io::Error>,
}

impl<W: Write> RadiotapProbe<W> {
    /// Begins the captures: by medium and station, the radio and the writer of its capture.
    ///
    /// # Errors
    /// If a writer cannot be written to.
    pub fn new(radios: Vec<Vec<(RadioSite, W)>>) -> io::Result<Self> {
        let begin = |(site, out): (RadioSite, W)| {
            let mut file = Pcapng::new(out, concat!("airtcp ", env!("CARGO_PKG_VERSION")))?;
            file.interface_with_link_type(link_type::RADIOTAP, &site.name, 0)?;
            Ok(Radio { site, file })
        };
        let medium = |radios: Vec<_>| radios.into_iter().map(begin).collect::<io::Result<_>>();
        Ok(Self {
            radios: radios.into_iter().map(medium).collect::<io::Result<_>>()?,
            last: BTreeMap::new(),
            packet: Vec::new(),
            mpdu: Vec::new(),
            bytes: Vec::new(),
            error: None,
        })
    }

    /// Ends the captures and returns the writers, by medium and station.
    ///
    /// # Errors
    /// The first error met while writing.
    pub fn finish(self) -> io::Result<Vec<Vec<W>>> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let medium = |radios: Vec<Radio<W>>| radios.into_iter().map(|r| r.file.finish()).collect();
        self.radios.into_iter().map(medium).collect()
    }

    /// Encodes a frame.
    fn encode(&mut self, medium: u32, frame: &AirFrame) {
        let Some(sender) = radio(&self.radios, medium, frame.from).map(|r| &r.site) else { return };
        let context = FrameContext {
            medium,
            access_point: sender.access_point,
            cell: &sender.cell,
            channel: sender.channel,
            beacon_interval: sender.beacon_interval,
        };
        if !matches!(frame.class, FrameClass::Data | FrameClass::TcpAck) {
            mac80211::encode(&mut self.mpdu, frame, &context, None, 0);
            return;
        }
        let key = (medium, frame.from, frame.category.unwrap_or_default());
        let last = self.last.entry(key).or_default().of(frame);
        let offset = usize::from(frame.fragment) * last.part;
        let content = last.content.map(|(to, segment)| {
            as_bytes::encode(&mut self.packet, to.peer(), &segment, last.ip_id, usize::MAX);
            self.packet.as_slice()
        });
        mac80211::encode(&mut self.mpdu, frame, &context, content, offset);
    }

    /// Writes a frame into a station's capture. `heard` is signal and noise in dBm for a received frame.
    fn write(
        &mut self,
        now: Nanos,
        medium: u32,
        station: u32,
        frame: &AirFrame,
        heard: Option<(f64, f64)>,
        decoded: bool,
    ) -> io::Result<()> {
        self.encode(medium, frame);
        let radios = self.radios.get_mut(medium as usize);
        let Some(radio) = radios.and_then(|r| r.get_mut(station as usize)) else { return Ok(()) };
        self.bytes.clear();
        header(frame, &radio.site, heard, decoded).emit(&mut self.bytes);
        self.bytes.extend(&self.mpdu);
        if !decoded {
            let fcs = self.bytes.len() - FCS;
            self.bytes[fcs..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        let length = u32::narrow(self.bytes.len());
        radio.file.packet(0, now, &self.bytes, length)
    }
}

fn radio<W: Write>(radios: &[Vec<Radio<W>>], medium: u32, station: u32) -> Option<&Radio<W>> {
    radios.get(medium as usize)?.get(station as usize)
}

/// The radiotap header of a frame. Powers are whole dBm, as radiotap has them.
fn header(
    frame: &AirFrame,
    site: &RadioSite,
    heard: Option<(f64, f64)>,
    decoded: bool,
) -> radiotap::Repr {
    let preamble = frame.body.since(frame.started).0;
    let short = !frame.ofdm && preamble <= SHORT_PREAMBLE_NS;
    let modulation = if frame.ofdm { Channel::OFDM } else { Channel::CCK };
    let band = if site.frequency_mhz < 3_000 { Channel::GHZ_2 } else { Channel::GHZ_5 };
    let dbm = |power: f64| i8::saturate(power.round().clamp(-127.0, 127.0));
    let mut header = radiotap::Repr {
        tsft_us: Some(frame.body.0 / 1_000),
        flags: Some(
            FCS_AT_END | if short { SHORT_PREAMBLE } else { 0 } | if decoded { 0 } else { BAD_FCS },
        ),
        channel: Some(Channel { frequency_mhz: site.frequency_mhz, flags: modulation | band }),
        signal_dbm: heard.map(|(signal, _)| dbm(signal)),
        noise_dbm: heard.map(|(_, noise)| dbm(noise)),
        power_dbm: if heard.is_none() { Some(dbm(site.power_dbm)) } else { None },
        ampdu: frame.aggregate.map(|aggregate| AmpduStatus {
            reference: aggregate.reference,
            flags: AmpduStatus::LAST_KNOWN
                | if aggregate.number + 1 == aggregate.count { AmpduStatus::LAST } else { 0 },
            delimiter_crc: 0,
        }),
        ..radiotap::Repr::default()
    };
    match frame.mcs {
        Some(mcs) => header.set_modulation(&mcs),
        None => header.rate = Some(u8::narrow(frame.rate.bps() / 500_000)),
    }
    header
}

impl<W: Write> Probe for RadiotapProbe<W> {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let (EventSource::Medium(medium), Event::Air(event)) = (source, event) else { return };
        let written = match event {
            _ if self.error.is_some() => return,
            AirEvent::Sent { frame, .. } => self.write(now, medium, frame.from, frame, None, true),
            AirEvent::Heard { station, frame, signal_dbm, noise_dbm, decoded } => {
                let heard = Some((*signal_dbm, *noise_dbm));
                self.write(now, medium, *station, frame, heard, *decoded)
            }
            AirEvent::BackedOff { .. } | AirEvent::Reserved { .. } => return,
        };
        self.error = written.err();
    }

    fn wants_air(&self, _now: Nanos) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
