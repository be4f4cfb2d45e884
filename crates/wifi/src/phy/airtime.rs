//! Durations of frames with schemes: HT-mixed, VHT and HE.
//!
//! ```text
//! preamble  L-STF 8, L-LTF 8, L-SIG 4 us, and then the fields of the generation (`generation`)
//! body      N_SYM T_SYM; with 400 ns the end is rounded up to 4 us
//! symbols   N_SYM = ceil((8 bytes + 16 + 6 N_ES) / N_DBPS)
//! ```
//!
//! With LDPC `N_ES` is 0, and `ldpc` may add a symbol. A mode in a resource unit has the times of an HE TB PPDU. The times
//! of an HE MU PPDU depend on all its users (`multi_user`).
//!
//! Source: IEEE 802.11-2020 clauses 19.4.3 (HT) and 21.4.3 (VHT), 802.11ax-2021 clause 27.4.3 (HE).

use airtcp_units::Span;

use super::{Coding, GuardInterval, Mode, ldpc};

/// Duration of a frame of `bytes`, without signal extension.
#[inline(never)]
pub(super) fn mcs_frame(mode: Mode, bytes: u32) -> Span {
    mcs_preamble(mode) + mcs_body(mode, mode.body_bits(bytes))
}

/// Duration of preamble and SIGNAL fields.
#[inline(never)]
pub(super) fn mcs_preamble(mode: Mode) -> Span {
    Span(20_000 + (mode.format().generation().preamble_ns)(mode.shape()))
}

/// Bits of the SIGNAL fields.
#[inline(never)]
pub(super) fn mcs_plcp_bits(mode: Mode) -> u64 {
    (mode.format().generation().plcp_bits)(mode.width())
}

/// Duration of the symbols of a body of `bits` bits, service and tail bits included.
fn mcs_body(mode: Mode, bits: u64) -> Span {
    let symbols = match mode.coding() {
        Some(Coding::Ldpc) => ldpc::symbols(mode, bits),
        _ => bits.div_ceil(mode.bits_per_symbol()),
    };
    let time = symbols * mode.symbol_ns();
    if mode.guard() == Some(GuardInterval::Ns400) {
        return Span(time.next_multiple_of(4_000));
    }
    Span(time)
}

/// Time from the start of a frame to its detection (aRxPHYStartDelay).
pub(super) fn mcs_rx_start_delay(mode: Mode) -> Span {
    mode.format().generation().rx_start_delay.unwrap_or_else(|| mcs_preamble(mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, Width};

    fn frame(mode: Mode, bytes: u32) -> u64 {
        mcs_frame(mode, bytes).0
    }

    /// By hand. HT MCS 7 over 20 MHz, 1536 B: 12310 bits in symbols of 260, which are 48 of 4 us after 36 us, or
    /// of 3.6 us rounded up to 176 us. VHT MCS 9 with two streams over 80 MHz, two encoders: 12316 bits in 4
    /// symbols of 3120. HE MCS 11 over 20 MHz: 12304 bits in 7 symbols of 1950.
    #[test]
    fn known_frames() {
        let ht = |guard| Mode::mcs(Format::Ht, 7, 1, Width::Mhz20, guard).unwrap();
        assert_eq!(frame(ht(GuardInterval::Ns800), 1536), 36_000 + 48 * 4_000);
        assert_eq!(frame(ht(GuardInterval::Ns400), 1536), 36_000 + 176_000);
        let vht = Mode::mcs(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns400).unwrap();
        assert_eq!(frame(vht, 1536), 36_000 + 8_000 + 16_000);
        let he = |guard| Mode::mcs(Format::He, 11, 1, Width::Mhz20, guard).unwrap();
        assert_eq!(frame(he(GuardInterval::Ns800), 1536), 36_000 + 7_200 + 7 * 13_600);
        assert_eq!(frame(he(GuardInterval::Ns1600), 1536), 36_000 + 8_000 + 7 * 14_400);
        assert_eq!(frame(he(GuardInterval::Ns3200), 1536), 36_000 + 16_000 + 7 * 16_000);
        let streams = |n| Mode::mcs(Format::Ht, 0, n, Width::Mhz40, GuardInterval::Ns800).unwrap();
        let preambles = [1, 2, 3, 4].map(|n| mcs_preamble(streams(n)).0 / 1_000);
        assert_eq!(preambles, [36, 40, 48, 48]);
    }

    /// By hand, MCS 7 over 20 MHz with 312 coded bits in a symbol of 260 bits. 20 B are 176 bits: in HT one codeword of
    /// 648 bits has 364 shortened bits and none punctured, and one symbol holds it. VHT counts the 84 bits of
    /// padding as data: 280 shortened and 56 punctured bits, more than 32.4, need a second symbol. 29 B, 248 bits,
    /// have 44 punctured bits in HT.
    #[test]
    fn frames_with_ldpc() {
        let long = GuardInterval::Ns800;
        let of = |format, bytes| {
            let mode = Mode::mcs(format, 7, 1, Width::Mhz20, long).unwrap();
            let ldpc = mode.with_coding(Coding::Ldpc).unwrap();
            [mode, ldpc].map(|mode| (frame(mode, bytes) - mcs_preamble(mode).0) / 4_000)
        };
        assert_eq!(of(Format::Ht, 20), [1, 1]);
        assert_eq!(of(Format::Vht, 20), [1, 2]);
        assert_eq!(of(Format::Ht, 29), [1, 2]);
        assert_eq!(of(Format::Ht, 1_536), [48, 48]);
        // 14560 bits fill 56 symbols; the tail needs one more. Nine codewords have 20 shortened and 4 punctured bits.
        assert_eq!(of(Format::Vht, 1_818), [57, 56]);
        assert_eq!(of(Format::Ht, 1_818), [57, 56]);
    }

    /// ns-3 leaves out the VHT-SIG-B of single-user frames, and does not round the end of frames with the
    /// short guard interval up to a multiple of 4 us. Its HE-LTF always take 8 us, as here with 1600 ns.
    #[test]
    fn frames_of_ns3() {
        let mut compared = 0;
        for row in include_str!("../../tests/data/ns3-mcs-airtime.csv").lines() {
            if row.starts_with('#') {
                continue;
            }
            let (format, numbers) = row.split_once(',').unwrap();
            let numbers: Vec<u64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
            let [mcs, streams, width, guard, bytes, theirs] = numbers[..] else { panic!("{row}") };
            let format = match format {
                "ht" => Format::Ht,
                "vht" => Format::Vht,
                _ => Format::He,
            };
            let width = Width::ALL.into_iter().find(|w| u64::from(w.mhz()) == width).unwrap();
            let guard =
                *format.generation().guards.iter().find(|g| u64::from(g.ns()) == guard).unwrap();
            let [mcs, streams] = [mcs, streams].map(|n| u8::try_from(n).unwrap());
            let mode = Mode::mcs(format, mcs, streams, width, guard).unwrap();
            let field = if format == Format::Vht { 4_000 } else { 0 };
            let body = theirs + field - mcs_preamble(mode).0;
            let rounded = match guard {
                GuardInterval::Ns400 => body.next_multiple_of(4_000),
                _ => body,
            };
            let ours = frame(mode, u32::try_from(bytes).unwrap());
            assert_eq!(ours, mcs_preamble(mode).0 + rounded, "{row}");
            compared += 1;
        }
        assert_eq!(compared, 80);
    }
}
