//! Bandwidth series: a table of times and of the rate of a link from each time on.
//!
//! The header (`rate_mbps`, `bandwidth (MB/s)`) or the caller must give the unit of rates, because
//! similar files hold megabits or bytes per second. A rate lasts until the next row's time; the
//! last rate lasts as long as the one before it. The first row is the start.

mod series;
mod steps;
mod when;

use std::path::Path;
use std::sync::Arc;

use airtcp_units::Outcomes;

use super::super::head::{Head, without_comment};
use super::super::input::Input;
use super::super::lines::Lines;
use super::delimiter::Delimiter;
use super::link::link;
use super::names::{has, parted};
use super::stamps::Stamp;
use crate::error::{TraceError, excerpt};
use crate::reader::{LinkTrace, ReadOptions};
pub(super) use series::Series;
use steps::Steps;

pub(super) const TAG: &str = "rates";
pub(super) const DESCRIPTION: &str = "bandwidth series: a table of times (s) and rates, with the rate's unit in \
     the header (such as rate_mbps) or given (--rate-unit); the capacity of a link over time";

/// Units by the names in options.
const UNITS: [(&str, f64); 7] = [
    ("b/s", 1.0),
    ("kb/s", 1e3),
    ("Mb/s", 1e6),
    ("Gb/s", 1e9),
    ("B/s", 8.0),
    ("kB/s", 8e3),
    ("MB/s", 8e6),
];

/// Words of rates that may not be the capacity of a link but that of the modulation, of a sender, or a
/// mean since the start. Tables with such a name are asked about. `link_rate_mbps` is the link's.
const OTHERS: &str = "phy mcs speed bitrate offered cumulative codec total target requested";

/// Packets of the reader's limit that a row takes, because two numbers and a sum are kept.
pub(super) const WORTH: u64 = 32;

/// The content of a row.
const EXPECTED: &str =
    "a time and a rate, two numbers (in a table of more columns, --rate-column names the rate)";

/// Bits per second of a rate of 1, by the name of its column: a prefix (`k`, `Ki`, `M`, ...), bits
/// or bytes, and `ps` or `/s`. A capital `B` means bytes; in `MBPS` it may mean either.
pub(super) fn unit_of(name: &str) -> Option<f64> {
    let end = name.trim_end_matches([')', ']']);
    let unit = end.strip_suffix("/s").or_else(|| end.strip_suffix("ps"));
    let (unit, capitals) = match unit {
        Some(unit) => (unit, false),
        None => (end.strip_suffix("PS").or_else(|| end.strip_suffix("/S"))?, true),
    };
    let lower = unit.to_ascii_lowercase();
    let words = [("bytes", 8.0), ("byte", 8.0), ("bits", 1.0), ("bit", 1.0)];
    let (length, scale) = match words.iter().find(|(word, _)| lower.ends_with(word)) {
        Some((word, scale)) => (word.len(), *scale),
        None if unit.ends_with('b') => (1, 1.0),
        None if unit.ends_with('B') && !capitals => (1, 8.0),
        None => return None,
    };
    let before = &unit[..unit.len() - length];
    let (before, thousand) =
        before.strip_suffix('i').map_or((before, 1e3), |before| (before, 1024.0));
    let prefix = match before.chars().next_back() {
        Some('k' | 'K') => thousand,
        Some('m' | 'M') => thousand * thousand,
        Some('g' | 'G') => thousand * thousand * thousand,
        Some(other) if other.is_alphanumeric() => return None,
        _ if thousand > 1e3 => return None,
        _ => 1.0,
    };
    Some(scale * prefix)
}

/// True for a name of rates that may not be the link's.
pub(super) fn may_be_another(name: &str) -> bool {
    has(&parted(name), OTHERS)
}

/// True for two columns under a header that names a time and a rate of the link with its unit.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let header = Delimiter::cells(head.first());
    let [time, rate] = header.as_slice() else { return false };
    let time = time.to_lowercase();
    let time = ["time", "second", "t_s", "t"].iter().any(|name| time.starts_with(name));
    time && rate.parse::<f64>().is_err() && unit_of(rate).is_some() && !may_be_another(rate)
}

pub(super) fn read(head: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let mut link = link(&input, TAG, None, Outcomes::new());
    let header = Delimiter::cells(head.first());
    let named = header.iter().any(|cell| cell.parse::<f64>().is_err());
    let last = header.last().map(String::as_str).filter(|_| named);
    let scale = scale(last, options, path)?;
    let (unit, times) = when::unit(head, options, &header, named)?;
    let mut lines = Lines::new(input);
    let mut steps = Steps::new(unit);
    let mut skip = named;
    while let Some(line) = lines.next()? {
        let line = without_comment(line);
        if line.is_empty() || std::mem::take(&mut skip) {
            continue;
        }
        if let Err(expected) = row(line, scale, &mut steps) {
            let found = excerpt(line);
            return Err(lines.malformed(found, expected));
        }
        budget.packets(path, WORTH)?;
    }
    budget.link(path)?;
    link.capacity = Some(Arc::new(steps.capacity(path)?));
    let rates = format!(
        "a rate of 1 in this file is taken for {scale} b/s{}, each rate as holding until the next row",
        if options.rate_unit.is_some() { ", as was said" } else { ", by its column's name" }
    );
    link.notes = vec![rates, times];
    Ok(vec![link])
}

/// Bits per second of a rate of 1, from the options or the name of the rates' column.
pub(super) fn scale(
    name: Option<&str>,
    options: &ReadOptions,
    path: &Path,
) -> Result<f64, TraceError> {
    match &options.rate_unit {
        Some(unit) => {
            let known = UNITS.iter().find(|(name, _)| name == unit);
            known.map(|(_, scale)| *scale).ok_or_else(|| TraceError::Option {
                option: "rate_unit",
                found: unit.clone(),
                expected: format!("one of {}", UNITS.map(|(name, _)| name).join(", ")),
            })
        }
        None => name.and_then(unit_of).ok_or_else(|| TraceError::NotATrace {
            path: path.display().to_string(),
            what: "a table of rates whose unit is not known".to_owned(),
            hint: "Say it (--rate-unit \"Mb/s\", or unit = \"Mb/s\" in a scenario), or name the column \
                   after it (rate_mbps)."
                .to_owned(),
        }),
    }
}

/// Takes the time and the rate of a row; or says what is accepted.
fn row(line: &str, scale: f64, steps: &mut Steps) -> Result<(), &'static str> {
    let row = Delimiter::cells(line);
    let [time, rate] = row.as_slice() else { return Err(EXPECTED) };
    let (Some(time), Ok(rate)) = (Stamp::of(time), rate.parse::<f64>()) else {
        return Err(EXPECTED);
    };
    let at = steps.at(time)?;
    steps.push(at, rate * scale)
}

#[cfg(test)]
mod tests {
    use super::unit_of;

    #[test]
    fn units_of_column_names() {
        let known = [
            ("rate_mbps", 1e6),
            ("throughputMbps", 1e6),
            ("bandwidth (Mb/s)", 1e6),
            ("rate [mbit/s]", 1e6),
            ("rate_kbits/s", 1e3),
            ("rate_bps", 1.0),
            ("rate_MBps", 8e6),
            ("throughput_KBps", 8e3),
            ("rate_kBps", 8e3),
            ("rate_Bps", 8.0),
            ("speed (MB/s)", 8e6),
            ("rate_MiBps", 8.0 * 1024.0 * 1024.0),
            ("rate_Mibps", 1024.0 * 1024.0),
            ("rate_kbytes/s", 8e3),
            ("Gbit/s", 1e9),
        ];
        for (name, scale) in known {
            assert_eq!(unit_of(name), Some(scale), "{name}");
        }
        for name in ["rate_MBPS", "packets/s", "steps", "thumbs", "rate", "rate_ibps", "xbps", ""] {
            assert_eq!(unit_of(name), None, "{name}");
        }
    }
}
