//! Number of symbols of frames that are coded with LDPC: HE frames, and HT and VHT frames by choice.
//!
//! ```text
//! N_SYM = ceil((8 bytes + 16) / N_DBPS)
//! ```
//! One more follows if the last symbol has no room for padding (more than three of its four segments are in use) and
//! too many of the code's parity bits would have to be punctured:
//!
//! ```text
//! N_shrt = N_CW L R - N_pld               shortened bits; codewords N_CW, their length L, code rate R
//! N_punc = N_CW L - N_avbits - N_shrt     punctured bits
//! extra    if N_punc > 0.1 N_CW L (1 - R) and N_shrt < 1.2 N_punc R / (1 - R), or N_punc > 0.3 N_CW L (1 - R)
//! ```
//! The data bits `N_pld` are those of the frame in HT, and the bits of all symbols, padding included, in VHT and HE.
//! HT and VHT have no segments: their last symbol counts as full.
//!
//! Source: IEEE 802.11-2020 clauses 19.3.11.7.5 (HT) and 21.3.10.5.4 (VHT); 802.11ax-2021 clause 27.3.12.5. Leaves
//! out the segments after the last bits: the packet extension is 0. Users of a multi-user PPDU have the same number
//! of symbols (802.11ax-2021 clause 27.3.12.5.4).

use super::generation::LdpcBits;
use super::{Mode, RuSize};

/// Symbols of a body of `bits` bits, the service bits included.
pub(super) fn symbols(mode: Mode, bits: u64) -> u64 {
    let symbols = bits.div_ceil(mode.bits_per_symbol());
    let data = match mode.format().generation().ldpc {
        LdpcBits::Segments => return common_symbols(std::iter::once((mode, bits))),
        LdpcBits::Symbols => symbols * mode.bits_per_symbol(),
        LdpcBits::Frame => bits,
    };
    symbols + u64::from(needs_more_for(mode, symbols, data))
}

/// Symbols of a multi-user PPDU with a body of these bits for each user, the service bits included. The user whose
/// bits take the longest decides, and an extra symbol that one of them needs is common to all.
pub(super) fn common_symbols(users: impl Iterator<Item = (Mode, u64)> + Clone) -> u64 {
    let longest = users.clone().map(|(mode, bits)| length(mode, bits)).max();
    let Some((symbols, last)) = longest else { return 0 };
    let extra = last == 4 && users.into_iter().any(|(mode, _)| needs_more(mode, symbols));
    symbols + u64::from(extra)
}

/// Symbols of a body of `bits` bits without an extra symbol, and the number of segments in use of the last, 1 to 4.
fn length(mode: Mode, bits: u64) -> (u64, u64) {
    let per_symbol = mode.bits_per_symbol();
    let symbols = bits.div_ceil(per_symbol);
    let last = bits - symbols.saturating_sub(1) * per_symbol;
    (symbols, last.div_ceil(segment_bits(mode)).min(4))
}

/// Data bits of a segment of a symbol, `N_DBPS,short`.
fn segment_bits(mode: Mode) -> u64 {
    let (k, n) = mode.code();
    let ru = mode.ru().unwrap_or(RuSize::whole(mode.width()));
    let coded = u64::from(ru.segment() * mode.modulation().bits()) * u64::from(mode.streams());
    (coded * u64::from(k) / u64::from(n)).max(1)
}

/// True if a body that fills `symbols` symbols needs another one.
pub(super) fn needs_more(mode: Mode, symbols: u64) -> bool {
    needs_more_for(mode, symbols, symbols * mode.bits_per_symbol())
}

/// True if `data` bits in `symbols` symbols need another one.
fn needs_more_for(mode: Mode, symbols: u64, data: u64) -> bool {
    let (k, n) = mode.code();
    let per_subcarrier = u64::from(mode.modulation().bits()) * u64::from(mode.streams());
    let available = symbols * u64::from(mode.data_subcarriers()) * per_subcarrier;
    punctures_too_much(data, available, k.into(), n.into())
}

/// Maximum number of data bits in `symbols` symbols, the service bits included. With `room`, the last segment of the
/// last symbol is for parity bits, so that no extra symbol is needed.
pub(super) fn capacity(mode: Mode, symbols: u64, room: bool) -> u64 {
    let per_symbol = mode.bits_per_symbol();
    if room {
        return symbols.saturating_sub(1) * per_symbol + 3 * segment_bits(mode);
    }
    symbols * per_symbol
}

/// True if `data` bits in `available` coded bits need another symbol at the code rate `k / n`.
fn punctures_too_much(data: u64, available: u64, k: u64, n: u64) -> bool {
    let fits = |parity: u64| available * n >= data * n + parity * (n - k);
    let (codewords, length) = match available {
        0..=648 => (1, if fits(912) { 1_296 } else { 648 }),
        649..=1_296 => (1, if fits(1_464) { 1_944 } else { 1_296 }),
        1_297..=1_944 => (1, 1_944),
        1_945..=2_592 => (2, if fits(2_916) { 1_944 } else { 1_296 }),
        _ => ((data * n).div_ceil(1_944 * k), 1_944),
    };
    let coded = codewords * length;
    let shortened = (coded * k / n).saturating_sub(data);
    let punctured = coded.saturating_sub(available + shortened);
    let parity = coded * (n - k);
    10 * punctured * n > 3 * parity
        || 10 * punctured * n > parity && 10 * shortened * (n - k) < 12 * punctured * k
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, GuardInterval, Width};

    /// By hand, HE MCS 0 over 20 MHz: 117 bits in a symbol, 30 in a segment. 100 B are 816 bits in 7 symbols, 114 of
    /// them in the last. One codeword of 1944 bits has 153 shortened and 153 punctured bits, more than 97.2. Of 91 B,
    /// 42 bits are in the last symbol. Frames of 1500 to 1599 B have 13 or 14 codewords, which share what is
    /// shortened.
    #[test]
    fn extra_symbols() {
        let mode = Mode::mcs(Format::He, 0, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
        assert_eq!(symbols(mode, 8 * 100 + 16), 8);
        assert_eq!(symbols(mode, 8 * 91 + 16), 7);
        assert!((1_500..1_600).all(|b| symbols(mode, 8 * b + 16) == (8 * b + 16).div_ceil(117)));
    }

    /// At most one symbol more, for less than half of the short frames and for no long one, and never fewer symbols
    /// for more bits.
    #[test]
    fn the_number_of_symbols_is_bounded() {
        for mode in Mode::all().filter(|m| m.format() == Format::He && m.ru().is_none()) {
            let mut before = 0;
            let mut extra = 0;
            for bytes in (1..3_000).step_by(13) {
                let bits = 8 * bytes + 16;
                let (found, least) = (symbols(mode, bits), bits.div_ceil(mode.bits_per_symbol()));
                assert!((least..=least + 1).contains(&found) && found >= before, "{mode} {bytes}");
                (before, extra) = (found, extra + found - least);
            }
            assert!(extra < 115, "{mode}");
            let long = 8 * 40_000 + 16;
            assert_eq!(symbols(mode, long), long.div_ceil(mode.bits_per_symbol()), "{mode}");
        }
    }

    /// What a number of symbols can hold takes that number of symbols, and one bit more takes one more.
    #[test]
    fn capacities_are_exact() {
        let units = Mode::all().filter(|mode| mode.ru().is_some()).step_by(29);
        for mode in units.chain(Mode::all().filter(|mode| mode.format() == Format::He).step_by(31))
        {
            for n in [1, 2, 3, 7, 20, 100, 200] {
                let bits = capacity(mode, n, needs_more(mode, n));
                assert_eq!(symbols(mode, bits), n, "{mode} {n}");
                assert_eq!(symbols(mode, bits + 1), n + 1, "{mode} {n}");
            }
        }
    }
}
