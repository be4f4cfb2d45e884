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

use super::airtime::{he_ltf_ns, training_fields};
use super::{GuardInterval, Mode, Width, ldpc};

/// Service bits before the bits of a user.
const SERVICE: u64 = 16;

/// Times of an HE MU PPDU, of an access point for several stations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MuPpdu {
    preamble: Span,
    symbols: u64,
    symbol_ns: u64,
    /// True if bits in the last segment of the last symbol would need an extra symbol.
    room: bool,
}

/// Times of an HE TB PPDU, of a station for the access point that triggered it. All stations that one trigger frame
/// addresses send PPDUs of the same duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TbPpdu {
    preamble: Span,
    symbols: u64,
    symbol_ns: u64,
    /// True if a segment of the last symbol is for additional parity bits.
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
    users.first().map_or(0, |mode| he_ltf_ns(*mode)) * fields.unwrap_or(0)
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
    /// The PPDU with these bytes (the PSDU of each user) in these modes. `None` without users, or if the modes are not
    /// of resource units of one width and guard interval.
    pub fn new(users: &[(Mode, u32)]) -> Option<Self> {
        let modes: Vec<Mode> = users.iter().map(|(mode, _)| *mode).collect();
        let empty = Self::empty(&modes)?;
        let symbols = ldpc::common_symbols(users.iter().map(|(mode, bytes)| (*mode, bits(*bytes))));
        Some(Self { symbols, room: has_room(&modes, symbols), ..empty })
    }

    /// The longest PPDU of users with these modes that lasts at most `longest`. `None` as for [`Self::new`], and if
    /// not even one symbol fits.
    pub fn longest(modes: &[Mode], longest: Span) -> Option<Self> {
        let empty = Self::empty(modes)?;
        let symbols = longest.0.checked_sub(empty.preamble.0)? / empty.symbol_ns;
        let room = has_room(modes, symbols);
        (symbols > 0).then_some(Self { symbols, room, ..empty })
    }

    /// The PPDU without symbols.
    fn empty(modes: &[Mode]) -> Option<Self> {
        let (width, symbol_ns) = common(modes)?;
        let lowest = modes.iter().filter_map(|mode| mode.mcs_index()).min()?;
        let sig_b = 4_000 * sig_b_symbols(width, modes.len(), lowest);
        let preamble = Span(36_000 + sig_b + training_ns(modes));
        Some(Self { preamble, symbols: 0, symbol_ns, room: false })
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

    /// Maximum PSDU of a user with this mode in bytes. If all users stay within it, the PPDU does not become longer.
    pub fn bytes(&self, mode: Mode) -> u32 {
        capacity(mode, self.symbols, self.room)
    }
}

impl TbPpdu {
    /// The shortest PPDU that holds these bytes (the PSDU of each user) in these modes. `None` without users, or if
    /// the modes are not of resource units of one width and guard interval, or if that is 800 ns.
    pub fn new(users: &[(Mode, u32)]) -> Option<Self> {
        let modes: Vec<Mode> = users.iter().map(|(mode, _)| *mode).collect();
        let mut ppdu = Self::empty(&modes)?;
        ppdu.symbols =
            ldpc::common_symbols(users.iter().map(|(mode, bytes)| (*mode, bits(*bytes))));
        ppdu.room = has_room(&modes, ppdu.symbols);
        // Another user's parity bits can take the room of the last bits.
        if users.iter().any(|(mode, bytes)| ppdu.bytes(*mode) < *bytes) {
            ppdu.symbols += 1;
            ppdu.room = has_room(&modes, ppdu.symbols);
        }
        Some(ppdu)
    }

    /// The longest PPDU of users with these modes that lasts at most `longest`. `None` as for [`Self::new`], and if
    /// not even one symbol fits.
    pub fn longest(modes: &[Mode], longest: Span) -> Option<Self> {
        let mut ppdu = Self::empty(modes)?;
        ppdu.symbols = longest.0.checked_sub(ppdu.preamble.0)? / ppdu.symbol_ns;
        ppdu.room = has_room(modes, ppdu.symbols);
        (ppdu.symbols > 0).then_some(ppdu)
    }

    /// The PPDU that a trigger frame with this L_LENGTH asks for. `None` as for [`Self::longest`].
    pub fn of_length(modes: &[Mode], l_length: u32) -> Option<Self> {
        let units = (u64::from(l_length) + 5).div_ceil(3);
        Self::longest(modes, Span(20_000 + 4_000 * units))
    }

    fn empty(modes: &[Mode]) -> Option<Self> {
        let (_, symbol_ns) = common(modes)?;
        if modes.first().and_then(|mode| mode.guard()) == Some(GuardInterval::Ns800) {
            return None;
        }
        let preamble = Span(40_000 + training_ns(modes));
        Some(Self { preamble, symbols: 0, symbol_ns, room: false })
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

    /// Maximum PSDU of a user with this mode in bytes, padding included.
    pub fn bytes(&self, mode: Mode) -> u32 {
        capacity(mode, self.symbols, self.room)
    }

    /// The value of L_LENGTH in its L-SIG field and of UL Length in the trigger frame.
    pub fn l_length(&self) -> u32 {
        let units = self.duration().0.saturating_sub(20_000).div_ceil(4_000);
        u32::narrow((3 * units).saturating_sub(5))
    }
}

/// True if a user whose bits fill `symbols` symbols would need an extra symbol.
fn has_room(modes: &[Mode], symbols: u64) -> bool {
    modes.iter().any(|mode| ldpc::needs_more(*mode, symbols))
}

/// Maximum PSDU in `symbols` symbols, in bytes.
fn capacity(mode: Mode, symbols: u64, room: bool) -> u32 {
    u32::narrow(ldpc::capacity(mode, symbols, room).saturating_sub(SERVICE) / 8)
}

#[cfg(test)]
mod tests;
