//! Frame durations, and the inter-frame spaces and timeouts of medium access.
//!
//! ```text
//! OFDM   16 + 4 + 4 ceil((16 + 8 bytes + 6) / N_DBPS) us, + 6 us signal extension in 802.11g
//! DSSS   192 us (long) or 96 us (short preamble) + ceil(8 bytes / rate) us
//! DIFS = SIFS + 2 slots      AIFS[n] = SIFS + n slots      EIFS = SIFS + ACK at the lowest rate + DIFS
//! ACK timeout = SIFS + slot + PHY-RX-START delay
//! ```
//! Source: IEEE 802.11-2012 equations 18-11 (OFDM TXTIME), 19-9 (ERP), clause 17.3.4 (DSSS),
//! 9.3.2.3 (inter-frame spaces), 9.3.2.8 (timeout), 9.7.6.5 (rate of responses); tables 17-5, 18-17
//! and 19-8 (PHY-RX-START delay). Deviations of the papers are options. Propagation takes no time.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::airtime::{mcs_frame, mcs_plcp_bits, mcs_preamble, mcs_rx_start_delay};
use super::{Band, Mode, Standard};

/// Bytes of a MAC acknowledgement, FCS included.
pub(crate) const ACK_BYTES: u32 = 14;
/// Bytes of a request to send.
pub(crate) const RTS_BYTES: u32 = 20;
/// Bytes of a clear to send.
pub(crate) const CTS_BYTES: u32 = 14;

/// Reduced inter-frame space, between frames of one station that no MAC ACK follows (802.11-2012 clause
/// 9.3.2.3.2, of 802.11n).
pub(crate) const RIFS: Span = Span::from_micros(2);

/// Time to the detection of an HE frame (aRxPHYStartDelay).
const HE_RX_START_DELAY: Span = Span::from_micros(32);

/// Preamble and header of DSSS and CCK frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// 144 + 48 us.
    #[default]
    Long,
    /// 72 + 24 us; frames at 1 Mb/s keep the long one.
    Short,
}

/// Rate of MAC acknowledgements and CTS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckRate {
    /// The highest basic rate not above that of the answered frame (the standard).
    #[default]
    Basic,
    /// The highest rate not above half that of the answered frame, or the lowest rate (S2).
    Half,
    /// One rate for all, such as `{ fixed = "6 Mb/s" }` (S3), `"11 Mb/s"` (S0).
    Fixed(BitRate),
}

/// Timing of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimingConfig {
    /// Preamble of DSSS and CCK frames.
    pub preamble: Preamble,
    /// Rate of MAC acknowledgements and CTS.
    pub ack_rate: AckRate,
    /// Slot, for instance "20 us" for 802.11g beside 802.11b. Default: the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// Timeout of an answer, from the end of the frame, unless a frame has begun. Default: the
    /// standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_timeout: Option<Span>,
}

/// Timing of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// The version of 802.11.
    pub standard: Standard,
    /// A slot.
    pub slot: Span,
    /// Short inter-frame space.
    pub sifs: Span,
    /// The band.
    pub band: Band,
    /// Signal extension of OFDM frames.
    extension: Span,
    preamble: Preamble,
    answer: Answer,
    ack_timeout: Option<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Basic,
    Half,
    Fixed(Mode),
}

impl Timing {
    /// The timing of `standard` in its default band, with the options of `config`.
    ///
    /// # Errors
    /// If the standard lacks the rate of acknowledgements, or a slot or timeout is impossible.
    pub fn new(standard: Standard, config: &TimingConfig) -> Result<Self, ConfigError> {
        Self::in_band(standard, standard.band(), config)
    }

    /// The timing of `standard` in a band, with the options of `config`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_band(
        standard: Standard,
        band: Band,
        config: &TimingConfig,
    ) -> Result<Self, ConfigError> {
        let answer = match config.ack_rate {
            AckRate::Basic => Answer::Basic,
            AckRate::Half => Answer::Half,
            AckRate::Fixed(rate) => Answer::Fixed(control_mode(standard, band, rate)?),
        };
        let slot = config.slot.unwrap_or(standard.slot());
        if !(Span::from_micros(1)..=Span::from_millis(1)).contains(&slot) {
            let message = format!("is {slot}: expected 1 us to 1 ms");
            return Err(ConfigError::new("slot", message));
        }
        if let Some(timeout) = config.ack_timeout
            && !(band.sifs()..=Span::from_millis(10)).contains(&timeout)
        {
            let message = format!("is {timeout}: expected SIFS ({}) to 10 ms", band.sifs());
            return Err(ConfigError::new("ack_timeout", message));
        }
        Ok(Self {
            standard,
            slot,
            sifs: band.sifs(),
            band,
            extension: Span::from_micros(if extends(standard, band) { 6 } else { 0 }),
            preamble: config.preamble,
            answer,
            ack_timeout: config.ack_timeout,
        })
    }

    /// Duration of preamble and PLCP header of a frame in `mode`, to its first data symbol.
    #[inline]
    pub fn preamble(&self, mode: Mode) -> Span {
        if mode.is_mcs() {
            return mcs_preamble(mode);
        }
        if mode.is_ofdm() {
            return Span::from_micros(20);
        }
        match self.preamble {
            Preamble::Short if mode != Mode::DSSS[0] => Span::from_micros(96),
            _ => Span::from_micros(192),
        }
    }

    /// Bits of preamble and PLCP header of a frame in `mode`: 144 + 48 for DSSS (72 + 48 with the
    /// short preamble), and those of the SIGNAL fields for OFDM: 24 of L-SIG, and 48 of HT-SIG, 48 of
    /// VHT-SIG-A and 26 to 29 of VHT-SIG-B, or 24 of RL-SIG and 52 of HE-SIG-A.
    #[inline]
    pub fn plcp_bits(&self, mode: Mode) -> u64 {
        if mode.is_mcs() {
            return mcs_plcp_bits(mode);
        }
        if mode.is_ofdm() {
            return 24;
        }
        match self.preamble {
            Preamble::Short if mode != Mode::DSSS[0] => 72 + 48,
            _ => 144 + 48,
        }
    }

    /// Time on the air of a frame of `bytes` (MAC header and FCS included) in `mode`.
    #[inline]
    pub fn frame(&self, mode: Mode, bytes: u32) -> Span {
        if mode.is_mcs() {
            return mcs_frame(mode, bytes) + self.extension;
        }
        let bits = mode.body_bits(bytes);
        let body = if mode.is_ofdm() {
            Span::from_micros(4 * bits.div_ceil(mode.bits_per_symbol())) + self.extension
        } else {
            Span::from_micros((bits * 1_000).div_ceil(u64::from(mode.kbps())))
        };
        self.preamble(mode) + body
    }

    /// Timeout of the HE TB PPDUs that answer a trigger, from its end.
    pub(crate) fn group_timeout(&self) -> Span {
        self.ack_timeout.unwrap_or_else(|| self.aifs(1) + HE_RX_START_DELAY)
    }

    /// Signal extension of OFDM frames, which ends each PPDU at 2.4 GHz; 0 otherwise. [`Self::frame`] has it, the
    /// durations of multi-user PPDUs do not.
    pub const fn extension(&self) -> Span {
        self.extension
    }

    /// SIFS and `n` slots: DIFS for 2.
    pub fn aifs(&self, n: u32) -> Span {
        self.sifs + Span(self.slot.0 * u64::from(n))
    }

    /// DCF inter-frame space.
    pub fn difs(&self) -> Span {
        self.aifs(2)
    }

    /// EIFS - DIFS, which a frame that could not be decoded adds to DIFS or AIFS.
    pub fn eifs_extra(&self) -> Span {
        self.sifs + self.frame(self.lowest(), ACK_BYTES)
    }

    /// The lowest rate of the standard.
    pub const fn lowest(&self) -> Mode {
        match self.band {
            Band::Ghz2 => Mode::DSSS[0],
            Band::Ghz5 | Band::Ghz6 => Mode::OFDM[0],
        }
    }

    /// The mode of the ACK or CTS that answers a frame in `mode`.
    pub fn answer_mode(&self, mode: Mode) -> Mode {
        let of = mode.reference_kbps();
        match self.answer {
            Answer::Fixed(fixed) => fixed,
            Answer::Basic => {
                let basic = self.standard.basic(mode.is_ofdm());
                let fit = basic.iter().rev().find(|b| b.kbps() <= of);
                *fit.unwrap_or(&basic[0])
            }
            Answer::Half => {
                let same: &[Mode] = if mode.is_ofdm() { &Mode::OFDM } else { &Mode::DSSS };
                *same.iter().rev().find(|m| 2 * m.kbps() <= of).unwrap_or(&same[0])
            }
        }
    }

    /// Time on the air of the acknowledgement of a frame in `mode`.
    pub fn ack(&self, mode: Mode) -> Span {
        self.frame(self.answer_mode(mode), ACK_BYTES)
    }

    /// Time on the air of the CTS that answers an RTS in `mode`.
    pub fn cts(&self, mode: Mode) -> Span {
        self.frame(self.answer_mode(mode), CTS_BYTES)
    }

    /// Time from the start of a frame to its detection (aPHY-RX-START-Delay).
    pub fn rx_start_delay(&self, mode: Mode) -> Span {
        if mode.is_mcs() {
            return mcs_rx_start_delay(mode);
        }
        match (mode.is_ofdm(), self.band) {
            (true, Band::Ghz2) => Span::from_micros(24),
            (true, _) => Span::from_micros(25),
            (false, _) => self.preamble(mode),
        }
    }

    /// True if a frame in `mode` that began at `since` prevents a timeout at `now`.
    pub fn is_noticed(&self, since: Nanos, mode: Mode, now: Nanos) -> bool {
        let delay = self.ack_timeout.map_or_else(|| self.rx_start_delay(mode), |_| Span::ZERO);
        since + delay <= now
    }

    /// Timeout of an answer, from the end of a frame in `mode`.
    pub fn ack_timeout(&self, mode: Mode) -> Span {
        let answer = self.answer_mode(mode);
        self.ack_timeout.unwrap_or_else(|| self.aifs(1) + self.rx_start_delay(answer))
    }
}

/// The mode of ACKs and CTS with a rate.
fn control_mode(standard: Standard, band: Band, rate: BitRate) -> Result<Mode, ConfigError> {
    let mode = standard.mode(rate).map_err(|e| ConfigError::new("ack_rate", e.message))?;
    if mode.is_ofdm() || band == Band::Ghz2 {
        return Ok(mode);
    }
    let message = format!("is {rate}, a rate of 802.11b, which does not exist at {band}");
    Err(ConfigError::new("ack_rate", message))
}

/// True if OFDM frames end with a signal extension.
const fn extends(standard: Standard, band: Band) -> bool {
    matches!(band, Band::Ghz2) && !matches!(standard, Standard::B)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(standard: Standard) -> Timing {
        Timing::new(standard, &TimingConfig::default()).unwrap()
    }

    fn us(n: u64) -> Span {
        Span::from_micros(n)
    }

    fn mbps(kbps: u64) -> Mode {
        Mode::from_kbps(kbps).unwrap()
    }

    /// Frame times by hand, of S3's system and of 802.11b.
    #[test]
    fn known_frames() {
        let a = timing(Standard::A);
        assert_eq!(a.frame(mbps(54_000), 614), us(112));
        assert_eq!(a.frame(mbps(54_000), 78), us(32));
        assert_eq!(a.frame(mbps(6_000), 14), us(44));
        assert_eq!(a.frame(mbps(6_000), 20), us(52));
        assert_eq!(a.frame(mbps(54_000), 1536), us(248));
        let b = timing(Standard::B);
        assert_eq!(b.frame(mbps(11_000), 1536), us(192 + 1118));
        assert_eq!(b.frame(mbps(1_000), 14), us(304));
        assert_eq!(b.frame(mbps(5_500), 14), us(192 + 21));
        let g = timing(Standard::G);
        assert_eq!(g.frame(mbps(54_000), 1536), us(254));
        assert_eq!(g.frame(mbps(2_000), 14), us(192 + 56));
        let short = TimingConfig { preamble: Preamble::Short, ..TimingConfig::default() };
        let short = Timing::new(Standard::B, &short).unwrap();
        assert_eq!(short.frame(mbps(2_000), 14), us(96 + 56));
        assert_eq!(short.frame(mbps(1_000), 14), us(304));
    }

    #[test]
    fn spaces() {
        let a = timing(Standard::A);
        assert_eq!((a.slot, a.sifs, a.difs()), (us(9), us(16), us(34)));
        assert_eq!(a.difs() + a.eifs_extra(), us(94));
        let b = timing(Standard::B);
        assert_eq!((b.slot, b.sifs, b.difs()), (us(20), us(10), us(50)));
        assert_eq!(b.difs() + b.eifs_extra(), us(364));
        let g = timing(Standard::G);
        assert_eq!((g.slot, g.sifs, g.difs()), (us(9), us(10), us(28)));
        assert_eq!(a.aifs(7), us(16 + 63));
    }

    #[test]
    fn answers_by_rule() {
        let of = |ack_rate, standard, kbps| {
            let config = TimingConfig { ack_rate, ..TimingConfig::default() };
            Timing::new(standard, &config).unwrap().answer_mode(mbps(kbps)).kbps()
        };
        let a = |rule, kbps| of(rule, Standard::A, kbps);
        let basic: Vec<u32> =
            [6, 9, 12, 18, 24, 36, 48, 54].map(|m| a(AckRate::Basic, m * 1_000)).into();
        assert_eq!(basic, [6_000, 6_000, 12_000, 12_000, 24_000, 24_000, 24_000, 24_000]);
        let half: Vec<u32> =
            [6, 9, 12, 18, 24, 36, 48, 54].map(|m| a(AckRate::Half, m * 1_000)).into();
        assert_eq!(half, [6_000, 6_000, 6_000, 9_000, 12_000, 18_000, 24_000, 24_000]);
        assert_eq!(a(AckRate::Fixed(BitRate::from_mbps(6)), 54_000), 6_000);
        assert_eq!(of(AckRate::Basic, Standard::B, 11_000), 2_000);
        assert_eq!(of(AckRate::Basic, Standard::G, 11_000), 11_000);
        assert_eq!(of(AckRate::Basic, Standard::G, 54_000), 24_000);
    }

    #[test]
    fn impossible_choices_are_refused() {
        let refuse = |config: TimingConfig| Timing::new(Standard::A, &config).unwrap_err();
        let ack_rate = AckRate::Fixed(BitRate::from_mbps(11));
        assert_eq!(refuse(TimingConfig { ack_rate, ..TimingConfig::default() }).key, "ack_rate");
        let slot = Some(Span::ZERO);
        assert_eq!(refuse(TimingConfig { slot, ..TimingConfig::default() }).key, "slot");
        let ack_timeout = Some(us(1));
        assert_eq!(
            refuse(TimingConfig { ack_timeout, ..TimingConfig::default() }).key,
            "ack_timeout"
        );
    }
}
