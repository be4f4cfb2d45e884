//! Rows of a table that name modes: `rate` for a rate of 802.11a, b or g, `mcs` for the schemes of HT, VHT and HE.
//!
//! A row with `mcs` is for all schemes of that index, or only for those with `streams` and `width`. Of several rows for
//! a scheme, the one with more of these keys applies; of two with one of them, the one with `streams`.

use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Narrow};

use crate::phy::mcs::SCHEMES;
use crate::phy::{MAX_STREAMS, Mode, Standard, Width};

/// The keys of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowKeys {
    pub(super) rate: Option<BitRate>,
    pub(super) mcs: Option<u8>,
    pub(super) streams: Option<u8>,
    pub(super) width: Option<Width>,
}

/// The modes of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Row {
    /// One rate of 802.11a, b or g.
    Rate(Mode),
    /// Schemes of HT, VHT and HE.
    Schemes(Schemes),
}

/// Schemes of HT, VHT and HE, in any format and with any guard interval and code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Schemes {
    mcs: u8,
    streams: Option<u8>,
    width: Option<Width>,
}

fn refuse<T>(key: &'static str, text: impl Into<String>) -> Result<T, ConfigError> {
    Err(ConfigError::new(key, text))
}

impl RowKeys {
    /// The modes of the row.
    ///
    /// # Errors
    /// If the row names no modes, or those of both kinds, or modes that do not exist.
    pub(super) fn row(self) -> Result<Row, ConfigError> {
        let most = u8::narrow(SCHEMES.len() - 1);
        let Self { rate, mcs, streams, width } = self;
        let (rate, mcs) = match (rate, mcs) {
            (Some(_), Some(_)) => {
                return refuse("mcs", "and `rate` both name the modes of a row: leave out one");
            }
            (None, None) => {
                let text = format!(
                    "is missing: a row has `rate` (802.11a, b and g) or `mcs` (802.11n, ac and ax; expected 0 to \
                     {most})"
                );
                return refuse("mcs", text);
            }
            (rate, mcs) => (rate, mcs.unwrap_or_default()),
        };
        if let Some(rate) = rate {
            for (key, given) in [("streams", streams.is_some()), ("width", width.is_some())] {
                if given {
                    return refuse(key, "belongs to `mcs`, and the row has `rate`: leave it out");
                }
            }
            let more = "; rows for 802.11n, ac and ax have `mcs` in place of `rate`";
            let named = Standard::G.mode(rate);
            return named.map(Row::Rate).map_err(|e| ConfigError::new(e.key, e.message + more));
        }
        if mcs > most {
            let text = format!(
                "is {mcs}: expected 0 to {most} for each number of streams; MCS 8 to 31 of 802.11n are 0 to 7 with \
                 `streams`"
            );
            return refuse("mcs", text);
        }
        if let Some(streams) = streams.filter(|n| !(1..=MAX_STREAMS).contains(n)) {
            return refuse("streams", format!("is {streams}: expected 1 to {MAX_STREAMS}"));
        }
        Ok(Row::Schemes(Schemes { mcs, streams, width }))
    }
}

impl Schemes {
    fn covers(self, mode: Mode) -> bool {
        mode.mcs_index() == Some(self.mcs)
            && self.streams.is_none_or(|streams| streams == mode.streams())
            && self.width.is_none_or(|width| width == mode.width())
    }

    /// The more it says, the earlier it applies.
    const fn rank(self) -> u8 {
        match (self.streams.is_some(), self.width.is_some()) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(mode) => write!(f, "{mode}"),
            Self::Schemes(Schemes { mcs, streams, width }) => {
                write!(f, "MCS {mcs}")?;
                if let Some(streams) = streams {
                    write!(f, " with {streams} stream{}", if *streams > 1 { "s" } else { "" })?;
                }
                width.map_or(Ok(()), |width| write!(f, " over {width}"))
            }
        }
    }
}

/// Values of schemes of HT, VHT and HE, in the order in which they apply.
#[derive(Debug, Clone)]
pub(super) struct BySchemes<T>(Vec<(Schemes, T)>);

impl<T> BySchemes<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds the value of a row. False if there is one of the same modes.
    pub(super) fn add(&mut self, schemes: Schemes, value: T) -> bool {
        if self.0.iter().any(|(other, _)| *other == schemes) {
            return false;
        }
        let at = self.0.partition_point(|(other, _)| other.rank() <= schemes.rank());
        self.0.insert(at, (schemes, value));
        true
    }

    /// The value of a mode.
    pub(super) fn get(&self, mode: Mode) -> Option<&T> {
        self.row(mode).map(|(_, value)| value)
    }

    /// True if the row of a mode names the number of streams.
    pub(super) fn names_streams(&self, mode: Mode) -> bool {
        self.row(mode).is_some_and(|(schemes, _)| schemes.streams.is_some())
    }

    fn row(&self, mode: Mode) -> Option<&(Schemes, T)> {
        self.0.iter().find(|(schemes, _)| schemes.covers(mode))
    }
}
