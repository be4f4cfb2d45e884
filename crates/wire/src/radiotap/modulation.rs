//! How a frame of 802.11n or later is sent, in the terms of all generations. A generation is a format here, and a file
//! beside this one with its field.

/// Format of a frame with a modulation and coding scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// HT-mixed (802.11n).
    Ht,
    /// VHT (802.11ac).
    Vht,
    /// HE single-user (802.11ax).
    He,
    /// HE multi-user, of an access point.
    HeMu,
    /// HE trigger-based, of a station.
    HeTrigger,
}

/// Modulation and coding scheme of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulation {
    /// Format.
    pub format: Format,
    /// Index, from 0 for each number of streams.
    pub index: u8,
    /// Spatial streams.
    pub streams: u8,
    /// Width of the channel in MHz.
    pub width_mhz: u16,
    /// Guard interval in ns.
    pub guard_ns: u16,
    /// True if the frame is coded with LDPC, false for BCC.
    pub ldpc: bool,
    /// Tones of its resource unit, of a multi-user frame.
    pub ru_tones: Option<u16>,
}
