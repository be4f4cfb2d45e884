//! Share of frames that Bluetooth destroys, in closed form.
//!
//! ```text
//! p   = in_band * duty                     a slot carries a packet within the cell's channel
//! N   = floor(T / 625 us)                  slots that count
//! PCR = 1 - (1 - p)^N                      a frame is hit (packet collision rate)
//! PER = PCR^K                              all K attempts are hit (S0: the packet is lost)
//! ```
//! This is S0's formula. It ignores partial slots, and T is the time of the payload alone: 1500 bytes
//! at 11 Mb/s take 1 slot, or 2 with preamble and MAC header. A refinement uses the real overlap. A
//! Bluetooth packet takes 366 us of its slot. Over a uniform offset between frame and slots
//!
//! ```text
//! L   = (T + 366 us) / 625 us,  M = floor(L),  r = L - M
//! PCR = (1 - r) (1 - (1 - p)^M) + r (1 - (1 - p)^(M + 1))
//! ```
//! If the slots in use are scheduled (2 of 2, 4 or 6), the average runs over the offsets in a cycle.
//!
//! Source: S0 section IV-A; S. Shellhammer, *Estimation of packet error rate caused by interference*,
//! IEEE 802.19-06/0021 (the random number of overlaps); Bluetooth Core Specification, baseband (HV
//! packets of 72 + 54 + 240 bits at 1 Mb/s).

use airtcp_units::{BitRate, Span, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Bluetooth slot.
pub const SLOT: Span = Span::from_micros(625);
/// A voice packet: 366 bits at 1 Mb/s.
pub const PACKET: Span = Span::from_micros(366);
/// Share of the 79 hop channels that fall into an 802.11 channel of 22 MHz.
pub const IN_BAND: f64 = 22.0 / 79.0;
/// S0's rounded value of [`IN_BAND`].
pub const S0_IN_BAND: f64 = 0.27;

/// Type of the voice packets: more protection needs more packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Voice {
    /// 10 bytes of voice per packet: uses every slot.
    #[serde(rename = "HV1")]
    Hv1,
    /// 20 bytes of voice per packet: uses two slots of four.
    #[serde(rename = "HV2")]
    Hv2,
    /// 30 bytes of voice per packet: uses two slots of six.
    #[default]
    #[serde(rename = "HV3")]
    Hv3,
}

impl Voice {
    /// Slots from one pair of packets (one per direction) to the next.
    pub const fn cycle(self) -> u64 {
        match self {
            Self::Hv1 => 2,
            Self::Hv2 => 4,
            Self::Hv3 => 6,
        }
    }

    /// Share of the slots that carry a packet: 1, 1/2, 1/3.
    pub fn duty(self) -> f64 {
        2.0 / self.cycle() as f64
    }

    /// S0's rounded value (its lambda): 1.0, 0.5, 0.3.
    pub const fn s0_duty(self) -> f64 {
        match self {
            Self::Hv1 => 1.0,
            Self::Hv2 => 0.5,
            Self::Hv3 => 0.3,
        }
    }
}

/// S0's T: transmission time of `bytes` at a rate.
pub const fn payload_time(bytes: u64, rate: BitRate) -> Span {
    rate.time_for(bytes)
}

/// S0's N: number of whole slots in a time.
pub const fn whole_slots(time: Span) -> u64 {
    time.0 / SLOT.0
}

/// S0's PCR: probability that at least one of `slots` slots hits a frame, each with probability `p`.
pub fn packet_collision_rate(p: f64, slots: u64) -> f64 {
    if slots == 0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    -detmath::exp_m1(slots as f64 * detmath::ln_1p(-p))
}

/// S0's PER: probability that all of `attempts` independent attempts are hit.
pub fn packet_error_rate(pcr: f64, attempts: u32) -> f64 {
    detmath::pow(pcr, f64::from(attempts))
}

/// PCR by the real overlap of a frame of length `time`, if each slot independently carries a packet
/// in band with probability `p`.
pub fn overlap_collision_rate(p: f64, time: Span) -> f64 {
    let reach = time.0 + PACKET.0;
    let (whole, rest) = (reach / SLOT.0, reach % SLOT.0);
    let more = rest as f64 / SLOT.0 as f64;
    (1.0 - more) * packet_collision_rate(p, whole) + more * packet_collision_rate(p, whole + 1)
}

/// PCR by the real overlap of a frame of length `time`, with scheduled slots; `in_band` is the
/// probability that a packet lies within the cell's channel.
pub fn scheduled_collision_rate(voice: Voice, in_band: f64, time: Span) -> f64 {
    let cycle = voice.cycle() * SLOT.0;
    // Start times of the frame at which the number of overlapped packets changes.
    let mut cuts = vec![0, cycle];
    for first in [0, SLOT.0] {
        cuts.push(first + PACKET.0);
        cuts.push((first + cycle + 1 - time.0 % cycle) % cycle);
    }
    cuts.sort_unstable();
    let hit = |pair: &[u64]| {
        let share = (pair[1] - pair[0]) as f64 / cycle as f64;
        let n = overlaps(pair[0], pair[0] + time.0, cycle);
        share * packet_collision_rate(in_band, n)
    };
    cuts.windows(2).filter(|pair| pair[0] < pair[1]).map(hit).sum()
}

/// Number of packets, in the first two slots of every cycle, that overlap `from .. to`; `from` lies in
/// the first cycle.
fn overlaps(from: u64, to: u64, cycle: u64) -> u64 {
    let count = |first: u64| {
        // Packets that begin before `to`, less those that end by `from`.
        let begun = to.saturating_sub(first).div_ceil(cycle);
        begun - u64::from(first + PACKET.0 <= from)
    };
    count(0) + count(SLOT.0)
}
