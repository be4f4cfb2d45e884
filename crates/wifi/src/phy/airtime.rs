//! Durations of HT-mixed, VHT and HE frames.
//!
//! ```text
//! preamble  L-STF 8, L-LTF 8, L-SIG 4 us, and then
//!           HT-SIG 8, HT-STF 4, HT-LTF 4 N us
//!           VHT-SIG-A 8, VHT-STF 4, VHT-LTF 4 N, VHT-SIG-B 4 us
//!           RL-SIG 4, HE-SIG-A 8, HE-STF 4, HE-LTF N (T + GI) us
//! N         1, 2, 4, 4 long training fields for 1, 2, 3, 4 streams
//! T         6.4 us with a guard interval of 800 or 1600 ns, 12.8 us with 3200 ns
//! body      N_SYM T_SYM; with 400 ns the end is rounded up to 4 us
//! symbols   N_SYM = ceil((8 bytes + 16 + 6 N_ES) / N_DBPS)
//! ```
//!
//! HT and VHT frames are coded with BCC or LDPC, HE frames with LDPC, for which `N_ES` is 0 and `ldpc` may add a
//! symbol.
//!
//! A mode in a resource unit has the times of an HE TB PPDU, whose HE-STF takes 8 us. The times of an HE MU PPDU
//! depend on all its users (`multi_user`).
//!
//! Source: IEEE 802.11-2020 clauses 19.4.3 (HT) and 21.4.3 (VHT), 802.11ax-2021 clause 27.4.3 (HE). Of the HE-LTF
//! sizes the model takes 2x (4x with 3200 ns), the ones that stations must support. Leaves out greenfield format,
//! STBC and packet extension.

use airtcp_units::Span;

use super::{Coding, Format, GuardInterval, Mode, Width, ldpc};

/// Duration of a frame of `bytes`, without signal extension.
#[inline(never)]
pub(super) fn mcs_frame(mode: Mode, bytes: u32) -> Span {
    mcs_preamble(mode) + mcs_body(mode, mode.body_bits(bytes))
}

/// Duration of preamble and SIGNAL fields.
#[inline(never)]
pub(super) fn mcs_preamble(mode: Mode) -> Span {
    let fields = training_fields(mode.streams());
    let own_ns = match mode.format() {
        Format::Dsss | Format::Ofdm => 0,
        Format::Ht => 12_000 + 4_000 * fields,
        Format::Vht => 16_000 + 4_000 * fields,
        Format::He if mode.ru().is_some() => 20_000 + he_ltf_ns(mode) * fields,
        Format::He => 16_000 + he_ltf_ns(mode) * fields,
    };
    Span(20_000 + own_ns)
}

/// Number of long training fields of a number of streams.
pub(super) const fn training_fields(streams: u8) -> u64 {
    match streams {
        0..=2 => streams as u64,
        _ => 4,
    }
}

/// Duration of an HE-LTF in ns.
pub(super) fn he_ltf_ns(mode: Mode) -> u64 {
    match mode.guard() {
        Some(GuardInterval::Ns3200) => 12_800 + 3_200,
        Some(GuardInterval::Ns1600) => 6_400 + 1_600,
        _ => 6_400 + 800,
    }
}

/// Bits of the SIGNAL fields.
#[inline(never)]
pub(super) fn mcs_plcp_bits(mode: Mode) -> u64 {
    match (mode.format(), mode.width()) {
        (Format::Dsss | Format::Ofdm, _) => 24,
        (Format::Ht, _) => 24 + 48,
        (Format::Vht, Width::Mhz20) => 24 + 48 + 26,
        (Format::Vht, Width::Mhz40) => 24 + 48 + 27,
        (Format::Vht, _) => 24 + 48 + 29,
        (Format::He, _) => 24 + 24 + 52,
    }
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

/// Time from the start of a frame to its detection (aRxPHYStartDelay): 33 us for HT-mixed, the preamble for VHT,
/// 32 us for HE.
pub(super) fn mcs_rx_start_delay(mode: Mode) -> Span {
    match mode.format() {
        Format::Ht => Span::from_micros(33),
        Format::He => Span::from_micros(32),
        _ => mcs_preamble(mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let guard = *format.guards().iter().find(|g| u64::from(g.ns()) == guard).unwrap();
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
