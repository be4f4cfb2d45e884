//! The physical layer of a cell or a station: standard, band, width, streams and guard interval.
//!
//! Defaults (choices): 802.11n, ac and ax at 5 GHz; 20 MHz wide at 2.4 GHz, 40 MHz in 802.11n and 80 MHz in
//! 802.11ac and ax at 5 and 6 GHz; one stream; a guard interval of 400 ns in 802.11n and ac, of 800 ns in
//! 802.11ax; BCC in 802.11n and ac.

use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::BitRate;

use super::{Band, Coding, GuardInterval, MAX_STREAMS, Mode, Standard, Width};

/// What a scenario gives; missing values have defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetupKeys {
    /// Band.
    pub band: Option<Band>,
    /// Width of the channel.
    pub width: Option<Width>,
    /// Number of spatial streams.
    pub streams: Option<u8>,
    /// Guard interval.
    pub guard: Option<GuardInterval>,
    /// Code of HT and VHT frames.
    pub coding: Option<Coding>,
}

/// The physical layer of a cell or a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhySetup {
    /// Version of 802.11.
    pub standard: Standard,
    /// Band.
    pub band: Band,
    /// Width of the channel.
    pub width: Width,
    /// Maximum number of spatial streams.
    pub streams: u8,
    /// Guard interval of HT, VHT and HE symbols.
    pub guard: GuardInterval,
    /// Code of HT, VHT and HE frames; BCC for other standards.
    pub coding: Coding,
}

fn refuse<T>(key: &'static str, message: String) -> Result<T, ConfigError> {
    Err(ConfigError::new(key, message))
}

/// Names in a list: "20 MHz, 40 MHz".
fn list<T: ToString>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The nearest of some values, by a number.
fn nearest<T: Copy>(all: &[T], value: u32, number: impl Fn(T) -> u32) -> Option<T> {
    all.iter().copied().min_by_key(|other| number(*other).abs_diff(value))
}

impl PhySetup {
    /// The setup of a standard with the keys of a scenario.
    ///
    /// # Errors
    /// If the standard does not have the band, width, number of streams or guard interval; the message
    /// names the nearest that it has.
    pub fn new(standard: Standard, keys: &SetupKeys) -> Result<Self, ConfigError> {
        let band = keys.band.unwrap_or(standard.band());
        if !standard.bands().contains(&band) {
            let has = list(standard.bands());
            return refuse("band", format!("is {band}: {standard} exists at {has}"));
        }
        let (default, widths) = (usual_width(standard, band), widths(standard, band));
        let width = keys.width.unwrap_or(default);
        if !widths.contains(&width) {
            let near = nearest(widths, width.mhz().into(), |w| w.mhz().into()).unwrap_or(default);
            let has = list(widths);
            let message =
                format!("is {width}: {standard} at {band} has {has}; the nearest is {near}");
            return refuse("width", message);
        }
        let most = if standard.has_mcs() { MAX_STREAMS } else { 1 };
        let streams = keys.streams.unwrap_or(1);
        if !(1..=most).contains(&streams) {
            let accepted = if most > 1 { format!("1 to {most}") } else { "1".to_owned() };
            let message = format!("is {streams}: expected {accepted} with {standard}");
            return refuse("streams", message);
        }
        let guards = standard.format().generation().guards;
        let default = guards.first().copied().unwrap_or(GuardInterval::Ns800);
        let guard = keys.guard.unwrap_or(default);
        if !guards.contains(&guard) && keys.guard.is_some() {
            let near = nearest(guards, guard.ns(), GuardInterval::ns).unwrap_or(default);
            let has = if guards.is_empty() { "none".to_owned() } else { list(guards) };
            let message = format!("is {guard}: {standard} has {has}; the nearest is {near}");
            return refuse("guard_interval", message);
        }
        let coding = coding(standard, keys.coding)?;
        Ok(Self { standard, band, width, streams, guard, coding })
    }

    /// The setup of a standard with its defaults.
    pub fn usual(standard: Standard) -> Self {
        let width = usual_width(standard, standard.band());
        let guard =
            standard.format().generation().guards.first().copied().unwrap_or(GuardInterval::Ns800);
        let coding = usual_coding(standard);
        Self { standard, band: standard.band(), width, streams: 1, guard, coding }
    }

    /// The setup of a station of the cell with its own standard and keys. What it does not give is that of the
    /// cell, as far as its standard has it.
    ///
    /// # Errors
    /// As [`Self::new`], and if the station is wider or has more streams than the cell.
    pub fn station(&self, standard: Standard, keys: &SetupKeys) -> Result<Self, ConfigError> {
        if let Some(width) = keys.width.filter(|width| *width > self.width) {
            return refuse(
                "width",
                format!(
                    "is {width} in a cell of {}: a station is at most as wide as its cell",
                    self.width
                ),
            );
        }
        if let Some(streams) = keys.streams.filter(|streams| *streams > self.streams) {
            let message = format!(
                "is {streams} in a cell with {}: a station has at most the streams of its cell",
                self.streams
            );
            return refuse("streams", message);
        }
        let widest = widths(standard, self.band).iter().rfind(|width| **width <= self.width);
        let streams = if standard.has_mcs() { self.streams } else { 1 };
        let both_choose = standard.chooses_code() && self.standard.chooses_code();
        let has_guard = standard.format().generation().guards.contains(&self.guard);
        let keys = SetupKeys {
            band: Some(self.band),
            width: keys.width.or(widest.copied()),
            streams: keys.streams.or(Some(streams)),
            guard: keys.guard.or(Some(self.guard).filter(|_| has_guard)),
            coding: keys.coding.or(Some(self.coding).filter(|_| both_choose)),
        };
        Self::new(standard, &keys)
    }

    /// The mode of a station in place of `mode` of its cell: the same index, or the highest below that exists,
    /// with all streams of the station. `None` if either has no index.
    pub fn like(&self, mode: Mode) -> Option<Mode> {
        let index = mode.mcs_index()?;
        (0..=index).rev().find_map(|mcs| self.scheme(mcs, self.streams))
    }

    /// The modes of data frames: those of the standard's own format, or of 802.11a, b and g. With `full`
    /// only those with all streams.
    pub fn modes(&self, full: bool) -> Vec<Mode> {
        if !self.standard.has_mcs() {
            return self.standard.modes().collect();
        }
        let fewest = if full { self.streams } else { 1 };
        (fewest..=self.streams)
            .flat_map(|streams| (0..12).filter_map(move |mcs| self.scheme(mcs, streams)))
            .collect()
    }

    /// The modes of data frames of all widths up to this one and all numbers of streams.
    pub fn modes_of_all_widths(&self) -> Vec<Mode> {
        if !self.standard.has_mcs() {
            return self.modes(false);
        }
        let widths = widths(self.standard, self.band).iter().filter(|width| **width <= self.width);
        widths.flat_map(|width| Self { width: *width, ..*self }.modes(false)).collect()
    }

    fn scheme(self, mcs: u8, streams: u8) -> Option<Mode> {
        let mode = Mode::mcs(self.standard.format(), mcs, streams, self.width, self.guard)?;
        mode.with_coding(self.coding)
    }

    /// The mode of an index of a modulation and coding scheme, with all streams.
    ///
    /// # Errors
    /// If there is none; the message names the nearest.
    pub fn mode_of_mcs(&self, mcs: u8) -> Result<Mode, ConfigError> {
        let Self { standard, width, streams, .. } = *self;
        if !standard.has_mcs() {
            let message =
                format!("is {mcs}, and {standard} has no such index: give `rate` instead");
            return refuse("mcs", message);
        }
        if let Some(mode) = self.scheme(mcs, streams) {
            return Ok(mode);
        }
        // HT numbers the schemes of more streams on.
        let ht = (standard == Standard::N && (8..=31).contains(&mcs)).then(|| {
            format!("; MCS {mcs} of 802.11n is mcs = {} with streams = {}", mcs % 8, mcs / 8 + 1)
        });
        let all: Vec<u8> = self.modes(true).into_iter().filter_map(Mode::mcs_index).collect();
        let near = nearest(&all, mcs.into(), u32::from).unwrap_or_default();
        let plural = if streams > 1 { "s" } else { "" };
        let has = list(&all);
        refuse(
            "mcs",
            format!(
                "is {mcs}: {standard} with {streams} stream{plural} over {width} has {has}; the nearest \
                 is {near}{}",
                ht.unwrap_or_default()
            ),
        )
    }

    /// The mode of data frames with a rate: for HT, VHT and HE one with all streams, whose rate in Mb/s is
    /// that of `rate` to 0.1 Mb/s.
    ///
    /// # Errors
    /// If there is none; the message names the nearest.
    pub fn mode_of_rate(&self, rate: BitRate) -> Result<Mode, ConfigError> {
        if !self.standard.has_mcs() {
            return self.standard.mode(rate);
        }
        let modes = self.modes(true);
        let apart = |mode: &Mode| (u64::from(mode.kbps()) * 1_000).abs_diff(rate.bps());
        let near = modes.into_iter().min_by_key(apart);
        match near {
            // Published rates are rounded to 0.1 Mb/s, some of HE before the bits of a symbol are rounded down.
            Some(mode) if apart(&mode) <= 100_000 => Ok(mode),
            _ => {
                let near = near.map_or_else(String::new, |mode| format!("; the nearest is {mode}"));
                let Self { standard, streams, width, guard, .. } = *self;
                let plural = if streams > 1 { "s" } else { "" };
                let message = format!(
                    "is {rate}, which {standard} with {streams} stream{plural} over {width} and a guard \
                     interval of {guard} does not have{near}; `mcs` gives the index of the scheme"
                );
                refuse("rate", message)
            }
        }
    }

    /// Noise bandwidth in Hz.
    pub fn bandwidth_hz(&self) -> f64 {
        match self.standard {
            Standard::B => 22e6,
            _ => f64::from(self.width.mhz()) * 1e6,
        }
    }
}

impl fmt::Display for PhySetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { standard, band, width, streams, guard, coding } = *self;
        let plural = if streams > 1 { "s" } else { "" };
        write!(
            f,
            "{standard} at {band}, {width}, {streams} spatial stream{plural}, guard interval {guard}"
        )?;
        if coding != usual_coding(standard) {
            f.write_str(", LDPC")?;
        }
        Ok(())
    }
}

/// The default code of a standard's frames.
fn usual_coding(standard: Standard) -> Coding {
    standard.format().generation().codings.first().copied().unwrap_or(Coding::Bcc)
}

/// The code of a standard's frames.
fn coding(standard: Standard, key: Option<Coding>) -> Result<Coding, ConfigError> {
    let Some(coding) = key else { return Ok(usual_coding(standard)) };
    let refused = match standard.format().generation().codings {
        [] => format!("{standard} has one code"),
        has if has.contains(&coding) => return Ok(coding),
        has => format!("frames of {standard} are coded with {} here", list(has).to_uppercase()),
    };
    refuse("coding", format!("is {coding}: {refused}; leave out the key"))
}

/// The default width of a standard in a band.
fn usual_width(standard: Standard, band: Band) -> Width {
    let channels = standard.format().generation().in_band(band);
    channels.map_or(Width::Mhz20, |channels| channels.usual)
}

/// Widths of a standard in a band.
fn widths(standard: Standard, band: Band) -> &'static [Width] {
    let own = standard.format().generation();
    own.in_band(band).map_or(own.widths, |channels| channels.widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults() {
        for standard in
            [Standard::A, Standard::B, Standard::G, Standard::N, Standard::Ac, Standard::Ax]
        {
            let keys = SetupKeys::default();
            assert_eq!(PhySetup::new(standard, &keys).unwrap(), PhySetup::usual(standard));
        }
        let band = SetupKeys { band: Some(Band::Ghz2), ..SetupKeys::default() };
        assert_eq!(PhySetup::new(Standard::Ax, &band).unwrap().width, Width::Mhz20);
        let refused = PhySetup::new(Standard::Ac, &band).unwrap_err().to_string();
        assert_eq!(refused, "band: is 2.4 GHz: 802.11ac exists at 5 GHz");
    }

    #[test]
    fn what_does_not_exist_is_refused_with_the_nearest() {
        let ac = |keys: SetupKeys| PhySetup::new(Standard::Ac, &keys);
        let twenty = SetupKeys { width: Some(Width::Mhz20), ..SetupKeys::default() };
        let narrow = ac(twenty).unwrap();
        let message = narrow.mode_of_mcs(9).unwrap_err().to_string();
        assert!(message.ends_with("0, 1, 2, 3, 4, 5, 6, 7, 8; the nearest is 8"), "{message}");
        let three = ac(SetupKeys { streams: Some(3), ..twenty }).unwrap();
        assert_eq!(three.mode_of_mcs(9).unwrap().kbps(), 288_888);
        let n = |keys: SetupKeys| PhySetup::new(Standard::N, &keys).unwrap_err().to_string();
        let wide = n(SetupKeys { width: Some(Width::Mhz160), ..SetupKeys::default() });
        assert!(wide.ends_with("the nearest is 40 MHz"), "{wide}");
        let guard = n(SetupKeys { guard: Some(GuardInterval::Ns3200), ..SetupKeys::default() });
        assert!(guard.ends_with("400 ns, 800 ns; the nearest is 800 ns"), "{guard}");
        assert!(n(SetupKeys { streams: Some(5), ..SetupKeys::default() }).contains("1 to 4"));
        let bcc = SetupKeys { coding: Some(Coding::Bcc), ..SetupKeys::default() };
        let refused = PhySetup::new(Standard::Ax, &bcc).unwrap_err().to_string();
        let expected =
            "coding: is bcc: frames of 802.11ax are coded with LDPC here; leave out the key";
        assert_eq!(refused, expected);
        assert_eq!(PhySetup::new(Standard::G, &bcc).unwrap_err().key, "coding");
    }

    #[test]
    fn rates_are_those_published() {
        let ac = PhySetup::usual(Standard::Ac);
        let of = |text: &str| ac.mode_of_rate(text.parse().unwrap());
        assert_eq!(of("433.3 Mb/s").unwrap().mcs_index(), Some(9));
        let ax = PhySetup::usual(Standard::Ax);
        assert_eq!(ax.mode_of_rate("600.5 Mb/s".parse().unwrap()).unwrap().mcs_index(), Some(11));
        assert_eq!(of("32.5 Mb/s").unwrap().mcs_index(), Some(0));
        let message = of("54 Mb/s").unwrap_err().to_string();
        assert!(
            message.contains("the nearest is 65 Mb/s (VHT MCS 1, 1 stream, 80 MHz)"),
            "{message}"
        );
    }

    /// Stations of 802.11n in a cell of 802.11ac have its code, and in a cell of 802.11ax BCC unless they are given one.
    #[test]
    fn codes_of_stations() {
        let keys = SetupKeys { coding: Some(Coding::Ldpc), ..SetupKeys::default() };
        let station = |cell: Standard| {
            let cell = PhySetup::new(cell, &keys).unwrap();
            cell.station(Standard::N, &SetupKeys::default()).unwrap()
        };
        assert_eq!(station(Standard::Ac).coding, Coding::Ldpc);
        assert_eq!(station(Standard::Ac).mode_of_mcs(3).unwrap().coding(), Some(Coding::Ldpc));
        assert_eq!(station(Standard::Ax).coding, Coding::Bcc);
        // A code of its own.
        let cell = PhySetup::new(Standard::Ax, &keys).unwrap();
        assert_eq!(cell.station(Standard::N, &keys).unwrap().coding, Coding::Ldpc);
        let old = PhySetup::new(Standard::Ac, &keys).unwrap();
        assert!(old.station(Standard::A, &SetupKeys::default()).is_ok());
    }
}
