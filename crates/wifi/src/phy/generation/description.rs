//! What a generation of 802.11 may bring.

use airtcp_probe::air::AirFormat;
use airtcp_units::Span;

use crate::phy::Width;
use crate::phy::band::Band;
use crate::phy::mcs::{Coding, GuardInterval, MAX_STREAMS, Scheme};

/// Maximum duration of an HT, VHT or HE frame, `aPPDUMaxTime` (802.11-2020 table 21-28, 802.11ax-2021 table 27-54). An
/// HT-mixed frame may not last longer than its L-SIG field can announce, the same.
pub const MAX_TIME: Span = Span::from_micros(5_484);

/// A generation: its frames, channels and limits.
#[derive(Debug)]
pub(crate) struct Generation {
    /// Name of the format of its frames.
    pub(crate) name: &'static str,
    /// Its channels by band.
    pub(crate) bands: &'static [Channels],
    /// Widths of its channels, the narrowest first.
    pub(crate) widths: &'static [Width],
    /// Guard intervals of its symbols, the shortest first.
    pub(crate) guards: &'static [GuardInterval],
    /// Its modulation and coding schemes, for each number of streams; empty for the rates of 802.11a, b and g.
    pub(crate) schemes: &'static [Scheme],
    /// Schemes that it does not have: width, index and numbers of streams.
    pub(crate) excluded: &'static [(Width, u8, &'static [u8])],
    /// Data subcarriers by width, `N_SD`.
    pub(crate) tones: [u32; 4],
    /// Duration of a symbol without its guard interval, in ns.
    pub(crate) symbol_ns: u32,
    /// Codes of its data bits with schemes; the first is the default.
    pub(crate) codings: &'static [Coding],
    /// Encoders of the convolutional code.
    pub(crate) encoders: Encoders,
    /// Data bits that LDPC counts.
    pub(crate) ldpc: LdpcBits,
    /// Duration of its own fields, which follow L-SIG, in ns.
    pub(crate) preamble_ns: fn(Shape) -> u64,
    /// Bits of all SIGNAL fields.
    pub(crate) plcp_bits: fn(Width) -> u64,
    /// Time from the start of a frame to its detection, `aRxPHYStartDelay`; `None` if it is the preamble.
    pub(crate) rx_start_delay: Option<Span>,
    /// Limits of aggregates; `None` without A-MPDU.
    pub(crate) limits: Option<Limits>,
    /// Time from the start of a frame to the end of the field with its colour and TXOP, which stations decode that do
    /// not decode the rest; `None` without such a field.
    pub(crate) signal_a: Option<Span>,
    /// True if a PPDU may be for, or of, several stations (OFDMA).
    pub(crate) multi_user: bool,
    /// How probes name its frames; `None` for the rates of 802.11a, b and g.
    pub(crate) air: Option<AirFormats>,
}

/// The channels of a generation in a band.
#[derive(Debug)]
pub(crate) struct Channels {
    pub(crate) band: Band,
    /// Widths, the narrowest first.
    pub(crate) widths: &'static [Width],
    /// The default width.
    pub(crate) usual: Width,
    /// First number and count of the 20 MHz channels of each group of which wider ones are made.
    pub(crate) groups: &'static [(u16, u16)],
}

/// What decides the length of a preamble.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) streams: u8,
    pub(crate) guard: Option<GuardInterval>,
    /// True for the PPDU of one of several stations that send at once.
    pub(crate) in_unit: bool,
}

/// Number of BCC encoders of a scheme.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Encoders {
    /// None: its schemes are coded with LDPC.
    None,
    /// Two from more than this number of data bits in a symbol on, else one.
    TwoAbove(u32),
    /// The least number of at least the data bits over this one that divides the data bits and the coded bits.
    Dividing(u32),
}

impl Encoders {
    /// Number of encoders for the data bits and the coded bits of a symbol.
    pub(crate) const fn number(self, data_bits: u32, coded_bits: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::TwoAbove(most) => 1 + (data_bits > most) as u32,
            Self::Dividing(most) => {
                let mut number = data_bits.div_ceil(most);
                while !coded_bits.is_multiple_of(number) || !data_bits.is_multiple_of(number) {
                    number += 1;
                }
                number
            }
        }
    }
}

/// Data bits that LDPC counts to decide on an extra symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LdpcBits {
    /// Those of the frame.
    Frame,
    /// Those of all symbols, padding included.
    Symbols,
    /// Those of all segments in use, of which the last symbol has four.
    Segments,
}

/// Limits of aggregates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most MPDUs of an A-MPDU.
    pub(crate) mpdus: u16,
    /// Most bytes of an A-MPDU.
    pub(crate) bytes: u32,
    /// The default of them.
    pub(crate) usual_bytes: u32,
    /// Longest time on the air.
    pub(crate) time: Span,
    /// Most bytes of an MPDU in an A-MPDU.
    pub(crate) mpdu: u32,
    /// Most bytes of an A-MSDU that is alone in its PPDU.
    pub(crate) amsdu: u32,
    /// True if a delimiter precedes a single MPDU, whose PPDU has the format of an A-MPDU (S-MPDU).
    pub(crate) delimits_single: bool,
}

/// How probes name frames of one station, of an access point for several, and of one of several stations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AirFormats {
    pub(crate) single: AirFormat,
    pub(crate) multi_user: AirFormat,
    pub(crate) triggered: AirFormat,
}

impl AirFormats {
    /// One name for all.
    pub(super) const fn all(name: AirFormat) -> Self {
        Self { single: name, multi_user: name, triggered: name }
    }
}

impl Generation {
    /// Its channels in a band; `None` if it has none.
    pub(crate) fn in_band(&self, band: Band) -> Option<&'static Channels> {
        self.bands.iter().find(|channels| channels.band == band)
    }

    /// True if it has a width.
    const fn has_width(&self, width: Width) -> bool {
        let mut place = 0;
        while place < self.widths.len() {
            if self.widths[place] as usize == width as usize {
                return true;
            }
            place += 1;
        }
        false
    }

    /// True if it has the scheme of an index over a width.
    pub(crate) const fn has(&self, index: u8, streams: u8, width: Width) -> bool {
        if !self.has_width(width)
            || index as usize >= self.schemes.len()
            || streams == 0
            || streams > MAX_STREAMS
        {
            return false;
        }
        let mut place = 0;
        while place < self.excluded.len() {
            let (excluded, number, without) = self.excluded[place];
            if excluded as usize == width as usize && number == index {
                let mut n = 0;
                while n < without.len() {
                    if without[n] == streams {
                        return false;
                    }
                    n += 1;
                }
            }
            place += 1;
        }
        true
    }
}

/// Number of long training fields of a number of streams.
pub(crate) const fn training_fields(streams: u8) -> u64 {
    match streams {
        0..=2 => streams as u64,
        _ => 4,
    }
}
