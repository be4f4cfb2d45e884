//! A Bluetooth voice link beside a cell.
//!
//! ```text
//! slot s carries a packet     s mod C < 2, C = 2, 4, 6 for HV1, HV2, HV3 (or drawn: `slots`)
//! the packet is in band       drawn for s: 22 of 79 hop channels lie in an 802.11 channel
//! a frame is hit              if a packet in band overlaps it, on the air or as S0 counts (`overlap`)
//! ```
//!
//! The hop channel of each slot is drawn independently, by the slot's number. It is uniform over 79
//! channels like Bluetooth's own sequence, and two protocols compared meet the same hops. The phase
//! of the slots is drawn once per run. The link can hit every frame that arrives at a station in
//! its reach: data, TCP ACKs and MAC acknowledgements. It does not hit frames that such a station
//! sends to others. The closed forms are in [`formula`].
//!
//! Source: S0 section IV-A; Bluetooth Core Specification, baseband (SCO links). Leaves out the actual hop
//! sequence, adaptive hopping, data links, carrier sense of Bluetooth packets, and loss of voice.

pub mod formula;

#[cfg(test)]
mod tests;

use airtcp_probe::ConfigError;
use airtcp_random::Keyed;
use airtcp_units::{Nanos, Probability, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reach::{InterferenceContext, Reach, ReachConfig};
use super::{Exposure, Interferer, Model};
use formula::{IN_BAND, PACKET, SLOT, Voice, whole_slots};

/// Which slots carry packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Slots {
    /// The slots reserved for the voice link: the first two of every 2, 4 or 6.
    #[default]
    Scheduled,
    /// Each slot independently with probability `duty` (as in S0's formula).
    Independent,
}

/// Overlap that destroys a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overlap {
    /// A packet on the air during part of the frame.
    #[default]
    Real,
    /// The number of whole slots that fit into the frame, from the slot in which it begins.
    FrameSlots,
    /// The number of whole slots that fit into the transmission time of the IP packet at the rate
    /// of the frame's body (S0's formula). Short frames and frames without a packet are never hit.
    PayloadSlots,
}

/// Bluetooth voice link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BluetoothConfig {
    /// Type of the voice packets.
    pub voice: Voice,
    /// Which slots carry packets.
    pub slots: Slots,
    /// Share of slots that carry packets, with `slots = "independent"`. Default: 1, 1/2 or 1/3 by
    /// `voice`. S0's lambda for HV3 is 0.3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duty: Option<Probability>,
    /// Probability that a packet's hop channel lies in the cell's channel. Default: 22/79. S0:
    /// 0.27.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_band: Option<Probability>,
    /// Overlap that destroys a frame.
    pub overlap: Overlap,
    /// Start of a cycle of slots relative to the start of the run. Default: random in each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
    /// Stations that the link reaches: those near the headset.
    pub reach: ReachConfig,
}

/// A Bluetooth voice link.
#[derive(Debug, Clone)]
pub struct Bluetooth {
    cycle: u64,
    /// Probability that a slot is in use, for independent slots.
    duty: Option<f64>,
    in_band: f64,
    overlap: Overlap,
    /// Added to the time so that cycles begin at multiples of their length.
    offset: u64,
    reach: Reach,
    draws: Keyed,
}

impl Model<BluetoothConfig> for Bluetooth {
    fn build(
        config: &BluetoothConfig,
        context: &InterferenceContext<'_>,
    ) -> Result<Self, ConfigError> {
        let independent = config.slots == Slots::Independent;
        if config.duty.is_some() && !independent {
            let text = "has no effect with slots = \"scheduled\", where voice gives the share; omit the key";
            return Err(ConfigError::new("duty", text));
        }
        let with_power = config.reach.received_dbm.is_some() || config.reach.power_dbm.is_some();
        if with_power && config.overlap != Overlap::Real {
            let text = "counts slots and has no effect if powers decide; accepted is \"real\"";
            return Err(ConfigError::new("overlap", text));
        }
        let cycle = config.voice.cycle();
        let length = cycle * SLOT.0;
        let phase = match config.phase {
            Some(phase) => phase.0 % length,
            None => context.seed.stream(&format!("{}/phase", context.label)).below(length),
        };
        let duty = config.duty.map_or_else(|| config.voice.duty(), Probability::get);
        Ok(Self {
            cycle,
            duty: independent.then_some(duty),
            in_band: config.in_band.map_or(IN_BAND, Probability::get),
            overlap: config.overlap,
            offset: length - phase,
            reach: Reach::build(&config.reach, context)?,
            draws: context.seed.keyed(&format!("{}/slots", context.label)),
        })
    }
}

impl Bluetooth {
    /// Slot of an instant, and the offset within the slot.
    fn slot(&self, at: Nanos) -> (u64, u64) {
        let since = at.0.saturating_add(self.offset);
        (since / SLOT.0, since % SLOT.0)
    }

    /// True if a slot carries a packet in band.
    fn carries(&self, slot: u64) -> bool {
        // Two draws per slot. The hop channel floor(79 u) is one of the first 22 if u < 22/79.
        let used = match self.duty {
            Some(duty) => self.draws.unit(slot.wrapping_mul(2) + 1) < duty,
            None => slot % self.cycle < 2,
        };
        used && self.draws.unit(slot.wrapping_mul(2)) < self.in_band
    }
}

impl Interferer for Bluetooth {
    fn reach(&self) -> &Reach {
        &self.reach
    }

    fn hits(&self, frame: &Exposure) -> bool {
        let (first, into) = self.slot(frame.from);
        let count = match self.overlap {
            Overlap::Real => {
                let first = if into < PACKET.0 { first } else { first + 1 };
                let (last, into) = self.slot(frame.to);
                // A packet that begins as the frame ends does not overlap it.
                let end = if into == 0 { last } else { last + 1 };
                return (first..end).any(|slot| self.carries(slot));
            }
            Overlap::FrameSlots => whole_slots(frame.to.since(frame.from)),
            Overlap::PayloadSlots => whole_slots(frame.payload),
        };
        (first..first + count).any(|slot| self.carries(slot))
    }

    fn state(&self, at: Nanos) -> (bool, Nanos) {
        let (slot, into) = self.slot(at);
        if into < PACKET.0 && self.carries(slot) {
            (true, at + Span(PACKET.0 - into))
        } else {
            (false, at + Span(SLOT.0 - into))
        }
    }
}
