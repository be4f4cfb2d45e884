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
//! BCC       N_SYM = ceil((8 bytes + 16 + 6 N_ES) / N_DBPS)
//! ```
//!
//! Source: IEEE 802.11-2020 equations 19-90 to 19-92 (HT), 21-107 to 21-109 (VHT); 802.11ax-2021 equations
//! 27-135 and 27-136, table 27-12 (HE). Of the HE-LTF sizes the model takes 2x (4x with 3200 ns), the ones
//! that stations must support. Leaves out greenfield format, STBC and packet extension.

use airtcp_units::Span;

use super::{Format, GuardInterval, Mode};

/// Duration of preamble and SIGNAL fields.
pub(super) fn mcs_preamble(mode: Mode) -> Span {
    let fields = match mode.streams() {
        streams @ (0..=2) => u64::from(streams),
        _ => 4,
    };
    let own_ns = match mode.format() {
        Format::Dsss | Format::Ofdm => 0,
        Format::Ht => 12_000 + 4_000 * fields,
        Format::Vht => 16_000 + 4_000 * fields,
        Format::He => {
            let field = match mode.guard() {
                Some(GuardInterval::Ns3200) => 12_800 + 3_200,
                Some(GuardInterval::Ns1600) => 6_400 + 1_600,
                _ => 6_400 + 800,
            };
            16_000 + field * fields
        }
    };
    Span(20_000 + own_ns)
}

/// Duration of the symbols of a body of `bits` bits, service and tail bits included.
pub(super) fn mcs_body(mode: Mode, bits: u64) -> Span {
    let time = bits.div_ceil(mode.bits_per_symbol()) * mode.symbol_ns();
    if mode.guard() == Some(GuardInterval::Ns400) {
        return Span(time.next_multiple_of(4_000));
    }
    Span(time)
}

/// Time from the start of a frame to its detection: to the end of the SIGNAL field that gives its length.
pub(super) fn mcs_rx_start_delay(mode: Mode) -> Span {
    match mode.format() {
        // aPHY-RX-START-Delay: 33 us for HT-mixed, 36 us + 4 N_VHTLTF + 4 for VHT, 32 us for HE.
        Format::Ht => Span::from_micros(33),
        _ => mcs_preamble(mode),
    }
}
