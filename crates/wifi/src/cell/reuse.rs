//! Spatial reuse by OBSS PD: stations ignore frames of another colour below a level.
//!
//! ```text
//! ignored   = HE frame, both cells have a colour, the colours differ, HE-SIG-A decoded,
//!             power in the primary 20 MHz < OBSS_PD
//! TXPWR_max = TXPWR_ref - (OBSS_PD - OBSS_PD_min)       OBSS_PD_min = -82 dBm
//! TXPWR_ref = 21 dBm, or 25 dBm for an access point with more than 2 streams
//! ```
//! The radio is free again at the end of HE-SIG-A. Frames below the level that began while the station was sending, or
//! receiving another frame, are only energy, and do not limit the power: the station has not detected their
//! preamble. The limit of the power applies from then on, until the end of the
//! station's next transmission opportunity. Source: 802.11ax-2021 clause 26.10.2; ns-3 (`ObssPdAlgorithm`) and the
//! published Wi-Fi 6 driver of HiSilicon have the same formula.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Db, Dbm, Nanos, Narrow, Span};

use super::medium::Medium;
use super::plan::Reuse;
use super::radio::Judge;
use crate::phy::Format;

/// Least level of OBSS PD in dBm, without a limit of the power.
const LEAST_DBM: f64 = -82.0;
/// Reference power of OBSS PD in dBm: of stations, and of access points with more than two streams.
const REFERENCE_DBM: [f64; 2] = [21.0, 25.0];
/// Time from the start of an HE frame to the end of HE-SIG-A: 20 us up to L-SIG, RL-SIG, HE-SIG-A.
const HE_SIG_A: Span = Span::from_micros(20 + 4 + 8);

/// Spatial reuse of a cell.
#[derive(Debug, Default)]
pub(crate) struct ObssPd {
    color: Option<u8>,
    /// Level in mW below which frames are ignored; `None` without reuse.
    below: Option<f64>,
    /// By station, the factor on its power while it is limited.
    limits: Vec<f64>,
}

impl ObssPd {
    /// Of a cell whose stations ignore frames below `level_dbm`.
    pub(crate) fn new(reuse: &Reuse, level_dbm: Option<f64>) -> Self {
        let level = level_dbm.unwrap_or(LEAST_DBM);
        let limit = |(i, power_dbm): (usize, &f64)| {
            let many = i == 0 && reuse.streams > 2;
            let most = REFERENCE_DBM[usize::from(many)] - (level - LEAST_DBM);
            if level <= LEAST_DBM { 1.0 } else { Db((most - power_dbm).min(0.0)).linear() }
        };
        let limits = reuse.power_dbm.iter().enumerate().map(limit).collect();
        let below = level_dbm.map(|dbm| Dbm(dbm).milliwatts());
        Self { color: Some(reuse.color), below, limits }
    }

    /// Factor on the power of a station while it is limited.
    pub(crate) fn limit(&self, station: usize) -> f64 {
        self.limits.get(station).copied().unwrap_or(1.0)
    }

    /// True if the stations ignore frames.
    pub(crate) const fn is_on(&self) -> bool {
        self.below.is_some()
    }

    /// True if a frame of a cell with this power in mW is ignored.
    fn ignores(&self, other: &Self, power: f64) -> bool {
        let different = self.color.zip(other.color).is_some_and(|(own, other)| own != other);
        different && self.below.is_some_and(|below| power < below)
    }
}

impl Medium {
    /// Schedules the ends of the HE-SIG-A fields of frames that begin now.
    pub(super) fn schedule_reuse(&mut self, now: Nanos) {
        if self.bss.iter().any(|bss| bss.reuse.is_on())
            && self.starting.iter().any(|frame| frame.mode.format() == Format::He)
        {
            self.schedule_detection(now + HE_SIG_A);
        }
    }

    /// Lets stations ignore frames whose HE-SIG-A field ends now.
    pub(super) fn ignore_others<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        if self.detections.front().is_none_or(|at| *at > now) {
            return;
        }
        for i in 0..self.radios.len() {
            let knows = self.formats.get(i).is_none_or(|format| *format >= Format::He);
            if knows && self.bss[self.cell_of[i]].reuse.is_on() {
                let ignored = self.is_ignored(now, i);
                if ignored {
                    self.radios[i].reception = None;
                    self.stations[i].on_rx_ignored(now, &self.bss[self.cell_of[i]].rules);
                    self.settle(now, i, cx);
                }
                self.unsense(now, i);
                if !self.sense(now, i) && ignored {
                    self.refresh(u32::narrow(i));
                }
            }
        }
    }

    /// Frames below the level are not sensed from now on, unless the radio receives them. If the station has missed
    /// the preamble, because it was sending or receiving another frame, they are only energy to it.
    fn unsense(&mut self, now: Nanos, i: usize) {
        let Self { bss, cell_of, radios, air, .. } = self;
        let own = &bss[cell_of[i]];
        let received = radios[i].reception.map(|reception| reception.place);
        for signal in &mut radios[i].signals {
            if signal.since + HE_SIG_A != now || Some(signal.place) == received {
                continue;
            }
            let Some(sent) = &air[signal.place as usize] else { continue };
            let sender = &bss[cell_of[sent.frame.from.index()]];
            let power = signal.power * own.primary_part(signal.band);
            if sent.frame.mode.format() == Format::He && own.reuse.ignores(&sender.reuse, power) {
                signal.readable = false;
            }
        }
    }

    /// True if a station ignores the frame that its radio receives.
    fn is_ignored(&mut self, now: Nanos, i: usize) -> bool {
        let bss = &self.bss[self.cell_of[i]];
        let radio = &mut self.radios[i];
        let Some(reception) = radio.reception.filter(|r| r.started + HE_SIG_A == now) else {
            return false;
        };
        let Some(sent) = self.air[reception.place as usize] else { return false };
        let sender = &self.bss[self.cell_of[sent.frame.from.index()]];
        if sent.frame.mode.format() != Format::He
            || !bss.reuse.ignores(&sender.reuse, reception.power * bss.primary_part(reception.band))
        {
            return false;
        }
        radio.judge(now, &Judge::of(bss, i));
        let Some(reception) = self.radios[i].reception else { return false };
        // Of a frame that is not all in the radio's band, the radio decodes HE-SIG-A.
        let outside = self.lacks(i, &sent);
        let survival = if outside { 1.0 } else { reception.survival() };
        survival >= 1.0 || survival > 0.0 && self.draw(&sent, i) < survival
    }
}
