//! The rates of 802.11a, b, g, n, ac and ax: modulation, code rate and bits per symbol.
//!
//! Source: IEEE 802.11-2012 clauses 16 (DSSS), 17 (CCK), 18 (OFDM, table 18-4); the schemes of HT, VHT
//! and HE follow from the formulas in `mcs`.

use std::fmt;

use airtcp_units::{BitRate, Narrow};

use super::Format;
use super::RuSize;
use super::Width;
use super::generation::Shape;
use super::mcs::{Coding, GuardInterval, MAX_STREAMS, Modulation, Scheme};

/// One rate of the physical layer: an index into the table of all rates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(u16);

/// What HT, VHT and HE add to a rate.
#[derive(Clone, Copy)]
struct Mcs {
    format: Format,
    index: u8,
    streams: u8,
    width: Width,
    guard: GuardInterval,
    encoders: u32,
    ru: Option<RuSize>,
}

#[derive(Clone, Copy)]
struct Row {
    kbps: u32,
    modulation: Modulation,
    /// Numerator and denominator of the convolutional code.
    code: (u8, u8),
    /// Data bits in an OFDM symbol; 0 for DSSS, and for combinations that do not exist.
    bits_per_symbol: u32,
    /// Duration of an OFDM symbol in ns; 0 for DSSS.
    symbol_ns: u32,
    mcs: Option<Mcs>,
}

const fn row(kbps: u32, modulation: Modulation, code: (u8, u8), bits_per_symbol: u32) -> Row {
    let symbol_ns = if bits_per_symbol > 0 { 4_000 } else { 0 };
    Row { kbps, modulation, code, bits_per_symbol, symbol_ns, mcs: None }
}

/// Number of rates of 802.11a, b and g.
const OLD: usize = 12;
/// Schemes by number of streams and index: places in the table for one format, width and guard interval.
const BLOCK: usize = 12 * MAX_STREAMS as usize;
/// Formats whose rates are schemes, in the order of the table.
const FORMATS: [Format; 3] = [Format::Ht, Format::Vht, Format::He];
/// Formats, widths and guard intervals.
const BLOCKS: usize = first_block(FORMATS.len());
/// Resource units by width, with three guard intervals: 4 sizes in 20 MHz to 7 in 160 MHz.
const RU_BLOCKS: usize = (4 + 5 + 6 + 7) * 3;
/// Blocks of HT and VHT, the first ones; at the end of the table they follow again, with LDPC.
const CODED_BLOCKS: usize = first_block(2);
/// Number of rows.
const ROWS: usize = LDPC + CODED_BLOCKS * BLOCK;
/// Place of the first row of HT with LDPC.
const LDPC: usize = OLD + (BLOCKS + RU_BLOCKS) * BLOCK;

/// Widths and guard intervals of the formats before a place in [`FORMATS`].
const fn first_block(place: usize) -> usize {
    let (mut blocks, mut before) = (0, 0);
    while before < place {
        let own = FORMATS[before].generation();
        blocks += own.widths.len() * own.guards.len();
        before += 1;
    }
    blocks
}

static TABLE: [Row; ROWS] = table();

#[allow(clippy::large_stack_arrays, reason = "only the compiler evaluates it")]
const fn table() -> [Row; ROWS] {
    let old = [
        row(1_000, Modulation::Dbpsk, (1, 1), 0),
        row(2_000, Modulation::Dqpsk, (1, 1), 0),
        row(5_500, Modulation::Cck, (1, 1), 0),
        row(11_000, Modulation::Cck, (1, 1), 0),
        row(6_000, Modulation::Bpsk, (1, 2), 24),
        row(9_000, Modulation::Bpsk, (3, 4), 36),
        row(12_000, Modulation::Qpsk, (1, 2), 48),
        row(18_000, Modulation::Qpsk, (3, 4), 72),
        row(24_000, Modulation::Qam16, (1, 2), 96),
        row(36_000, Modulation::Qam16, (3, 4), 144),
        row(48_000, Modulation::Qam64, (2, 3), 192),
        row(54_000, Modulation::Qam64, (3, 4), 216),
    ];
    let mut rows = [row(0, Modulation::Bpsk, (1, 2), 0); ROWS];
    let mut place = 0;
    while place < OLD {
        rows[place] = old[place];
        place += 1;
    }
    let mut f = 0;
    while f < FORMATS.len() {
        let own = FORMATS[f].generation();
        let (widths, guards) = (own.widths, own.guards);
        let mut block = 0;
        while block < widths.len() * guards.len() {
            let (width, guard) = (widths[block / guards.len()], guards[block % guards.len()]);
            fill(&mut rows, place, FORMATS[f], width, guard, None);
            place += BLOCK;
            block += 1;
        }
        f += 1;
    }
    let mut w = 0;
    while w < Width::ALL.len() {
        let width = Width::ALL[w];
        let mut block = 0;
        while block < 3 * sizes(width) {
            let (ru, guard) = (RuSize::ALL[block / 3], Format::He.generation().guards[block % 3]);
            fill(&mut rows, place, Format::He, width, guard, Some(ru));
            place += BLOCK;
            block += 1;
        }
        w += 1;
    }
    let mut copied = 0;
    while copied < CODED_BLOCKS * BLOCK {
        rows[LDPC + copied] = rows[OLD + copied];
        if let Some(mcs) = &mut rows[LDPC + copied].mcs {
            mcs.encoders = 0;
        }
        copied += 1;
    }
    rows
}

/// Number of sizes of resource units in a width: the smallest ones.
const fn sizes(width: Width) -> usize {
    match width {
        Width::Mhz20 => 4,
        Width::Mhz40 => 5,
        Width::Mhz80 => 6,
        Width::Mhz160 => 7,
    }
}

/// Fills the block of one format, width, guard interval and resource unit.
const fn fill(
    rows: &mut [Row],
    from: usize,
    format: Format,
    width: Width,
    guard: GuardInterval,
    ru: Option<RuSize>,
) {
    let own = format.generation();
    let symbol_ns = own.symbol_ns + guard.ns();
    let tones = match ru {
        Some(ru) => ru.data_subcarriers(),
        None => own.tones[width as usize],
    };
    let mut streams = 1;
    while streams <= MAX_STREAMS {
        let mut index = 0;
        while (index as usize) < own.schemes.len() {
            if own.has(index, streams, width) {
                let Scheme { modulation, code } = own.schemes[index as usize];
                let coded = tones * modulation.bits() * streams as u32;
                let bits = coded * code.0 as u32 / code.1 as u32;
                let encoders = own.encoders.number(bits, coded);
                rows[from + 12 * (streams as usize - 1) + index as usize] = Row {
                    // Mb/s are bits per microsecond.
                    kbps: bits * 10_000 / (symbol_ns / 100),
                    modulation,
                    code,
                    bits_per_symbol: bits,
                    symbol_ns,
                    mcs: Some(Mcs { format, index, streams, width, guard, encoders, ru }),
                };
            }
            index += 1;
        }
        streams += 1;
    }
}

impl Mode {
    /// The four DSSS and CCK rates, slowest first.
    pub const DSSS: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];
    /// The eight OFDM rates of 802.11a and g, slowest first.
    pub const OFDM: [Self; 8] =
        [Self(4), Self(5), Self(6), Self(7), Self(8), Self(9), Self(10), Self(11)];
    /// Number of the rates of 802.11a, b and g, which have the lowest indices.
    pub const OLD: usize = OLD;
    /// Number of indices. Not all of them are rates.
    pub const COUNT: usize = TABLE.len();

    /// The mode of 802.11a, b or g with a rate in kb/s; each rate exists in one modulation only. `None` if
    /// no mode has it.
    pub fn from_kbps(kbps: u64) -> Option<Self> {
        let place = TABLE[..OLD].iter().position(|row| u64::from(row.kbps) == kbps)?;
        Some(Self(u16::narrow(place)))
    }

    /// The mode of a scheme of HT, VHT or HE. The index counts from 0 for each number of streams. `None` if
    /// the standard does not have the combination.
    pub fn mcs(
        format: Format,
        mcs: u8,
        streams: u8,
        width: Width,
        guard: GuardInterval,
    ) -> Option<Self> {
        let first = first_block(FORMATS.iter().position(|own| *own == format)?);
        let own = format.generation();
        let guard = own.guards.iter().position(|g| *g == guard)?;
        let width = own.widths.iter().position(|w| *w == width)?;
        let streams = streams.checked_sub(1).filter(|s| *s < MAX_STREAMS)?;
        if usize::from(mcs) >= own.schemes.len() {
            return None;
        }
        let block = first + width * own.guards.len() + guard;
        let place = OLD + BLOCK * block + 12 * usize::from(streams) + usize::from(mcs);
        TABLE[place].mcs?;
        Some(Self(u16::narrow(place)))
    }

    /// The same scheme in a resource unit of its width, in a multi-user PPDU. `None` if it is not of HE, or the
    /// width has no such unit.
    ///
    /// The width stays that of the PPDU; the rate, the bits of a symbol and the noise share are those of the unit.
    pub fn in_ru(self, ru: RuSize) -> Option<Self> {
        let mcs = self.row().mcs.filter(|mcs| mcs.format.generation().multi_user)?;
        if ru.count(mcs.width) == 0 {
            return None;
        }
        let narrower = Width::ALL.into_iter().take_while(|width| *width < mcs.width);
        let first = narrower.map(sizes).sum::<usize>() + ru as usize;
        let guard = mcs.format.generation().guards.iter().position(|g| *g == mcs.guard)?;
        let block = BLOCKS + 3 * first + guard;
        let scheme = 12 * usize::from(mcs.streams - 1) + usize::from(mcs.index);
        Some(Self(u16::narrow(OLD + BLOCK * block + scheme)))
    }

    /// The same scheme over the whole width of the PPDU, in a single-user PPDU.
    pub fn without_ru(self) -> Self {
        let whole = self.row().mcs.filter(|mcs| mcs.ru.is_some());
        let mode = whole.and_then(|m| Self::mcs(m.format, m.index, m.streams, m.width, m.guard));
        mode.unwrap_or(self)
    }

    /// The same scheme with another guard interval, in the same resource unit. `None` if its format does not have
    /// it.
    pub fn with_guard(self, guard: GuardInterval) -> Option<Self> {
        let own = self.row().mcs?;
        let mode = Self::mcs(own.format, own.index, own.streams, own.width, guard)?;
        own.ru.map_or_else(|| mode.with_coding(self.coding()?), |ru| mode.in_ru(ru))
    }

    /// The same scheme with another code. `None` if its format does not have it.
    pub fn with_coding(self, coding: Coding) -> Option<Self> {
        if self.coding()? == coding {
            return Some(self);
        }
        if !self.format().generation().codings.contains(&coding) {
            return None;
        }
        let place = match coding {
            Coding::Ldpc => LDPC + (self.index() - OLD),
            Coding::Bcc => OLD + (self.index() - LDPC),
        };
        Some(Self(u16::narrow(place)))
    }

    /// The code of its data bits; `None` for the rates of 802.11a, b and g.
    pub fn coding(self) -> Option<Coding> {
        let mcs = self.row().mcs?;
        Some(if mcs.encoders == 0 { Coding::Ldpc } else { Coding::Bcc })
    }

    /// All rates, in the order of their indices: those of single-user frames, of resource units, and of HT and VHT
    /// with LDPC.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS).filter_map(Self::at)
    }

    /// The rate of an index; `None` if there is none.
    pub(super) fn at(index: usize) -> Option<Self> {
        TABLE.get(index).filter(|row| row.kbps > 0).map(|_| Self(u16::narrow(index)))
    }

    /// Index into the table of all rates.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// True for the schemes of HT, VHT and HE.
    #[inline]
    pub const fn is_mcs(self) -> bool {
        self.index() >= OLD
    }

    #[inline]
    fn row(self) -> &'static Row {
        &TABLE[self.index()]
    }

    /// The rate in kb/s, rounded down.
    #[inline]
    pub fn kbps(self) -> u32 {
        self.row().kbps
    }

    /// The rate, in whole kb/s.
    pub fn rate(self) -> BitRate {
        BitRate::new(u64::from(self.kbps()) * 1_000).unwrap_or(BitRate::from_mbps(1))
    }

    /// The modulation.
    pub fn modulation(self) -> Modulation {
        self.row().modulation
    }

    /// The code rate, as numerator and denominator; 1/1 without a code.
    pub fn code(self) -> (u8, u8) {
        self.row().code
    }

    /// Data bits in one OFDM symbol, `N_DBPS`; 0 for DSSS and CCK.
    #[inline]
    pub fn bits_per_symbol(self) -> u64 {
        u64::from(self.row().bits_per_symbol)
    }

    /// Duration of an OFDM symbol with its guard interval, in ns; 0 for DSSS and CCK.
    #[inline]
    pub fn symbol_ns(self) -> u64 {
        u64::from(self.row().symbol_ns)
    }

    /// Format of its frames.
    #[inline]
    pub fn format(self) -> Format {
        match self.row().mcs {
            Some(mcs) => mcs.format,
            None if self.is_ofdm() => Format::Ofdm,
            None => Format::Dsss,
        }
    }

    /// Index of its modulation and coding scheme, from 0 for each number of streams; `None` for the
    /// rates of 802.11a, b and g.
    pub fn mcs_index(self) -> Option<u8> {
        self.row().mcs.map(|mcs| mcs.index)
    }

    /// Number of spatial streams.
    pub fn streams(self) -> u8 {
        self.row().mcs.map_or(1, |mcs| mcs.streams)
    }

    /// Width of its channel; 20 MHz for the rates of 802.11a, b and g.
    pub fn width(self) -> Width {
        self.row().mcs.map_or(Width::Mhz20, |mcs| mcs.width)
    }

    /// The same scheme over at most `width`, with the highest index up to its own that exists.
    #[must_use]
    pub fn within(self, width: Width) -> Self {
        let Some(Mcs { format, index, streams, guard, .. }) = self.row().mcs else { return self };
        if self.width() <= width {
            return self;
        }
        let narrow = (0..=index).rev().find_map(|i| Self::mcs(format, i, streams, width, guard));
        narrow.unwrap_or(self)
    }

    /// Width of its channel in MHz.
    pub fn width_mhz(self) -> u16 {
        self.width().mhz()
    }

    /// The resource unit of a multi-user PPDU that carries it; `None` for single-user frames.
    pub fn ru(self) -> Option<RuSize> {
        self.row().mcs.and_then(|mcs| mcs.ru)
    }

    /// Data subcarriers, `N_SD`; 0 for DSSS and CCK.
    pub fn data_subcarriers(self) -> u32 {
        let whole = || self.format().generation().tones[self.width() as usize];
        self.ru().map_or_else(whole, RuSize::data_subcarriers)
    }

    /// Bandwidth in Hz of the subcarriers that it uses: its width, or of a resource unit the width times the unit's
    /// part of the tones.
    pub fn bandwidth_hz(self) -> f64 {
        let whole = f64::from(self.width_mhz()) * 1e6;
        self.ru().map_or(whole, |ru| whole * ru.share(self.width()))
    }

    /// Guard interval of its symbols; `None` for DSSS and CCK.
    pub fn guard(self) -> Option<GuardInterval> {
        let old = self.is_ofdm().then_some(GuardInterval::Ns800);
        self.row().mcs.map_or(old, |mcs| Some(mcs.guard))
    }

    /// What decides the length of its preamble.
    pub(super) fn shape(self) -> Shape {
        Shape { streams: self.streams(), guard: self.guard(), in_unit: self.ru().is_some() }
    }

    /// Number of BCC encoders, `N_ES`; 0 for LDPC, and for DSSS and CCK.
    pub fn encoders(self) -> u64 {
        let old = u32::from(self.is_ofdm());
        u64::from(self.row().mcs.map_or(old, |mcs| mcs.encoders))
    }

    /// The non-HT reference rate in kb/s, by which the rate of answers is chosen: the OFDM rate with the
    /// modulation and code of one stream, at most 54 Mb/s (802.11-2020 clause 10.6.11).
    #[inline]
    pub fn reference_kbps(self) -> u32 {
        if self.is_mcs() { self.reference_of_scheme() } else { self.kbps() }
    }

    #[cold]
    fn reference_of_scheme(self) -> u32 {
        match self.mcs_index() {
            Some(0) => 6_000,
            Some(1) => 12_000,
            Some(2) => 18_000,
            Some(3) => 24_000,
            Some(4) => 36_000,
            Some(5) => 48_000,
            _ => 54_000,
        }
    }

    /// Bits of a frame's body: its `bytes` (MAC header and FCS included), and for OFDM 16 service bits and
    /// 6 tail bits per BCC encoder (802.11-2012 clause 18.3.5, 802.11-2020 clauses 19.4.3 and 21.4.3).
    #[inline]
    pub fn body_bits(self, bytes: u32) -> u64 {
        if self.is_mcs() {
            return self.scheme_body_bits(bytes);
        }
        8 * u64::from(bytes) + if self.is_ofdm() { 16 + 6 } else { 0 }
    }

    #[inline(never)]
    fn scheme_body_bits(self, bytes: u32) -> u64 {
        8 * u64::from(bytes) + 16 + 6 * self.encoders()
    }

    /// True for OFDM (HT, VHT and HE included), false for DSSS and CCK.
    #[inline]
    pub const fn is_ofdm(self) -> bool {
        self.0 >= Self::OFDM[0].0
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.kbps() + 50) / 100;
        write!(f, "{}", tenths / 10)?;
        if !tenths.is_multiple_of(10) {
            write!(f, ".{}", tenths % 10)?;
        }
        f.write_str(" Mb/s")?;
        if let Some(mcs) = self.row().mcs {
            let Mcs { format, index, streams, width, ru, .. } = mcs;
            let plural = if streams > 1 { "s" } else { "" };
            write!(f, " ({format} MCS {index}, {streams} stream{plural}, ")?;
            match ru {
                Some(ru) => write!(f, "{ru} of {width})")?,
                None if mcs.encoders == 0 && format.generation().codings.len() > 1 => {
                    write!(f, "{width}, LDPC)")?;
                }
                None => write!(f, "{width})")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mode({self})")
    }
}

#[cfg(test)]
mod tests;
