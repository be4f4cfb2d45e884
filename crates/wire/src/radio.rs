//! What a radio header says of a frame.

/// Kind of a physical layer, as far as the length of its preamble depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phy {
    /// Not known.
    #[default]
    Unknown,
    /// Direct sequence and CCK, 1 to 11 Mbit/s.
    Dsss,
    /// OFDM of 802.11a and 802.11g.
    Ofdm,
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
}

/// The A-MPDU of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ampdu {
    /// Number that is the same for all frames of an A-MPDU.
    pub reference: u32,
}

/// What a radio stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// The first bit of the MPDU, as TSFT is defined.
    #[default]
    Mpdu,
    /// The start of the PPDU.
    Start,
    /// The end of the PPDU.
    End,
}

/// What a radio header says of a frame. A field that the header lacks is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Radio {
    /// Time of the frame in µs of the radio's clock.
    pub tsft_us: Option<u64>,
    /// What of the frame that is the time of.
    pub place: Place,
    /// The radio's clock counts milliseconds.
    pub counts_ms: bool,
    /// The frame check sequence is at the end of the frame.
    pub has_fcs: bool,
    /// The frame check sequence did not match.
    pub bad_fcs: bool,
    /// The 802.11 header is padded to a multiple of 4 bytes.
    pub padded: bool,
    /// The preamble is the short one of DSSS.
    pub short_preamble: bool,
    /// Physical layer.
    pub phy: Phy,
    /// Data rate in bit/s.
    pub rate_bps: Option<u64>,
    /// Length of a symbol with its guard interval in ns, of 802.11n and later; 0 if unknown.
    pub symbol_ns: u32,
    /// Spatial streams; 0 if unknown.
    pub streams: u8,
    /// Length of a training symbol of 802.11ax with its guard interval in ns; 0 if unknown.
    pub training_ns: u32,
    /// Centre frequency of the channel in MHz.
    pub frequency_mhz: Option<u16>,
    /// Signal at the antenna in dBm.
    pub signal_dbm: Option<i8>,
    /// Noise at the antenna in dBm.
    pub noise_dbm: Option<i8>,
    /// Number of the antenna.
    pub antenna: Option<u8>,
    /// The A-MPDU that the frame is part of.
    pub ampdu: Option<Ampdu>,
}

impl Radio {
    /// Sets the rate from a count of 500 kbit/s, and the physical layer that has this rate.
    pub fn set_legacy_rate(&mut self, units: u32) {
        if units == 0 {
            return;
        }
        self.rate_bps = Some(u64::from(units) * 500_000);
        self.phy = if matches!(units, 2 | 4 | 11 | 22 | 44 | 66) { Phy::Dsss } else { Phy::Ofdm };
    }
}
