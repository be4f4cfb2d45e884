//! Durations of multi-user PPDUs of 802.11ax.
//!
//! ```text
//! HE MU     20 us + RL-SIG 4 + HE-SIG-A 8 + HE-SIG-B 4 N_B + HE-STF 4 us + N (T_LTF + GI) + N_SYM (12.8 us + GI)
//! HE TB     20 us + RL-SIG 4 + HE-SIG-A 8                  + HE-STF 8 us + N (T_LTF + GI) + N_SYM (12.8 us + GI)
//! N         long training fields, by the largest number of streams of a user
//! N_SYM     common to all users, that of the user whose bits take longest (`ldpc`)
//! N_B       ceil((C + 52 floor(u / 2) + 31 (u mod 2)) / D)
//! u         users of a content channel: all over 20 MHz, half of them, rounded up, over more
//! C         18, 18, 27, 43 bits of the common field over 20, 40, 80, 160 MHz:
//!           8 for each 20 MHz of a content channel, 1 from 80 MHz on, CRC 4 and tail 6
//! D         26, 52, 78, 104, 156, 208 bits of a symbol at MCS 0 to 5 of HE-SIG-B
//! L_LENGTH  3 ceil((T - 20 us) / 4 us) - 5       of an HE TB PPDU; the trigger frame gives it
//! ```
//! A pair of user fields takes 2 x 21 bits, CRC 4 and tail 6.
//!
//! Choices: HE-SIG-B has the lowest MCS of the users, at most 5 (ns-3's choice). Users are spread evenly over the
//! two content channels. The GI and T_LTF are those of `airtime`; an HE TB PPDU has a GI of 1600 or 3200 ns.
//!
//! Source: 802.11ax-2021 clauses 27.3.11.8 (HE-SIG-B), 27.3.12.5 (coding) and 27.4.3 (times). Leaves out compression
//! of HE-SIG-B, MU-MIMO, packet extension and midambles. Times are without signal extension.

use airtcp_units::{Narrow, Span};

use super::generation::{ltf_ns, training_fields};
use super::{GuardInterval, Mode, Width, ldpc};

/// Service bits before the bits of a user.
const SERVICE: u64 = 16;

/// Format of a multi-user PPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MuFormat {
    /// HE MU: of an access point for several stations.
    Mu,
    /// HE TB: of a station for the access point that triggered it. All stations that one trigger frame addresses send
    /// PPDUs of the same duration.
    Tb,
}

/// Times of a multi-user PPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MuPpdu {
    format: MuFormat,
    preamble: Span,
    symbols: u64,
    symbol_ns: u64,
    /// True if a segment of the last symbol is for additional parity bits: bits in it would need an extra symbol.
    room: bool,
}

fn bits(bytes: u32) -> u64 {
    8 * u64::from(bytes) + SERVICE
}

/// The modes of all users, if they are of resource units of one width and guard interval.
fn common(users: &[Mode]) -> Option<(Width, u64)> {
    let first = users.first()?;
    let alike = |mode: &Mode| {
        mode.ru().is_some() && mode.width() == first.width() && mode.guard() == first.guard()
    };
    users.iter().all(alike).then(|| (first.width(), first.symbol_ns()))
}

/// Duration of the long training fields in ns.
fn training_ns(users: &[Mode]) -> u64 {
    let fields = users.iter().map(|mode| training_fields(mode.streams())).max();
    users.first().map_or(0, |mode| ltf_ns(mode.guard())) * fields.unwrap_or(0)
}

/// Number of symbols of HE-SIG-B for `users` users of which the slowest has an MCS.
fn sig_b_symbols(width: Width, users: usize, lowest_mcs: u8) -> u64 {
    let (field, channels) = match width {
        Width::Mhz20 => (8 + 10, 1),
        Width::Mhz40 => (8 + 10, 2),
        Width::Mhz80 => (16 + 1 + 10, 2),
        Width::Mhz160 => (32 + 1 + 10, 2),
    };
    let in_channel = users.div_ceil(channels) as u64;
    let user_bits = 52 * (in_channel / 2) + 31 * (in_channel % 2);
    let per_symbol = match lowest_mcs {
        0 => 26,
        1 => 52,
        2 => 78,
        3 => 104,
        4 => 156,
        _ => 208,
    };
    (field + user_bits).div_ceil(per_symbol)
}

impl MuPpdu {
    /// The shortest PPDU that holds these bytes (the PSDU of each user) in these modes. `None` without users, if the
    /// modes are not of resource units of one width and guard interval, or if that of an HE TB PPDU is 800 ns.
    pub fn new(format: MuFormat, users: &[(Mode, u32)]) -> Option<Self> {
        let modes: Vec<Mode> = users.iter().map(|(mode, _)| *mode).collect();
        let empty = Self::empty(format, &modes)?;
        let symbols = ldpc::common_symbols(users.iter().map(|(mode, bytes)| (*mode, bits(*bytes))));
        let ppdu = empty.with_symbols(&modes, symbols);
        // In an HE TB PPDU another user's parity bits can take the room of the last bits.
        let full = format == MuFormat::Tb && users.iter().any(|(m, bytes)| ppdu.bytes(*m) < *bytes);
        Some(if full { empty.with_symbols(&modes, symbols + 1) } else { ppdu })
    }

    /// The longest PPDU of users with these modes that lasts at most `longest`. `None` as for [`Self::new`], and if
    /// not even one symbol fits.
    pub fn longest(format: MuFormat, modes: &[Mode], longest: Span) -> Option<Self> {
        let empty = Self::empty(format, modes)?;
        let symbols = longest.0.checked_sub(empty.preamble.0)? / empty.symbol_ns;
        (symbols > 0).then(|| empty.with_symbols(modes, symbols))
    }

    /// The HE TB PPDU that a trigger frame with this L_LENGTH asks for. `None` as for [`Self::longest`].
    pub fn of_length(modes: &[Mode], l_length: u32) -> Option<Self> {
        let units = (u64::from(l_length) + 5).div_ceil(3);
        Self::longest(MuFormat::Tb, modes, Span(20_000 + 4_000 * units))
    }

    /// The PPDU without symbols.
    fn empty(format: MuFormat, modes: &[Mode]) -> Option<Self> {
        let (width, symbol_ns) = common(modes)?;
        let fields = match format {
            MuFormat::Mu => {
                let lowest = modes.iter().filter_map(|mode| mode.mcs_index()).min()?;
                36_000 + 4_000 * sig_b_symbols(width, modes.len(), lowest)
            }
            MuFormat::Tb if modes.first()?.guard() == Some(GuardInterval::Ns800) => return None,
            MuFormat::Tb => 40_000,
        };
        let preamble = Span(fields + training_ns(modes));
        Some(Self { format, preamble, symbols: 0, symbol_ns, room: false })
    }

    fn with_symbols(self, modes: &[Mode], symbols: u64) -> Self {
        let room = modes.iter().any(|mode| ldpc::needs_more(*mode, symbols));
        Self { symbols, room, ..self }
    }

    /// Its format.
    pub const fn format(&self) -> MuFormat {
        self.format
    }

    /// Duration to the first data symbol.
    pub const fn preamble(&self) -> Span {
        self.preamble
    }

    /// Number of data symbols.
    pub const fn symbols(&self) -> u64 {
        self.symbols
    }

    /// Duration, without signal extension.
    pub const fn duration(&self) -> Span {
        Span(self.preamble.0 + self.symbols * self.symbol_ns)
    }

    /// Maximum PSDU of a user with this mode in bytes, padding included. If all users stay within it, the PPDU does not
    /// become longer.
    pub fn bytes(&self, mode: Mode) -> u32 {
        let bits = ldpc::capacity(mode, self.symbols, self.room);
        u32::narrow(bits.saturating_sub(SERVICE) / 8)
    }

    /// Of an HE TB PPDU, the value of L_LENGTH in its L-SIG field and of UL Length in the trigger frame.
    pub fn l_length(&self) -> u32 {
        let units = self.duration().0.saturating_sub(20_000).div_ceil(4_000);
        u32::narrow((3 * units).saturating_sub(5))
    }
}

#[cfg(test)]
mod tests;
