//! File of arrivals, with one line per message: `time` or `time,bytes`, in ascending order.
//!
//! Times are in seconds, unless the heading has another unit: `time_s`, `time_ms`, `time_us` or `time_ns`. The reader
//! skips empty lines, lines that begin with `#`, and the heading. All lines have the same number of fields.

use airtcp_units::{Bytes, Span};

/// Maximum number of arrivals in a file.
pub const MAX_ARRIVALS: usize = 1_000_000;
/// Maximum length of a file in bytes: 32 for each arrival.
pub(crate) const MAX_BYTES: u64 = 32 * MAX_ARRIVALS as u64;

/// Latest time of an arrival, in seconds (30 years).
const LATEST_S: f64 = 1e9;
/// Maximum size of a message.
const LARGEST: u64 = 1 << 40;
const EXPECTED: &str =
    "expected time or time,bytes, such as 0.25,1200, in ascending order of the times";
/// The accepted headings, in words.
const HEADINGS: &str =
    "time (in seconds), time_s, time_ms, time_us or time_ns, and bytes for the sizes";
const TIMES: [&str; 4] = ["time", "t", "timestamp", "arrival"];
const SIZES: [&str; 4] = ["bytes", "size_bytes", "size", "length"];
const UNITS: [(&str, f64); 4] = [("_s", 1.0), ("_ms", 1e-3), ("_us", 1e-6), ("_ns", 1e-9)];

/// What to do about a file with too many arrivals.
pub(crate) const SHORTER: &str = "cut the file, or use `repeat` for arrivals that recur";

/// A message that an application writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Time since the start of the application.
    pub at: Span,
    /// Size; `None` if the file has no sizes.
    pub size: Option<Bytes>,
}

/// The arrivals of a file: at least one, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    arrivals: Vec<Arrival>,
    largest: Option<Bytes>,
    smallest: Option<Bytes>,
}

impl Schedule {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The first line that is not an arrival; the message says what was found and what is accepted.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut arrivals: Vec<Arrival> = Vec::new();
        let (mut unit, mut fields) = (1.0, None);
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let lines = lines.map(|(i, line)| (i + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        for (count, (number, line)) in lines.enumerate() {
            let wrong = |what: String| format!("line {number}: {what}: {EXPECTED}");
            let found = line.split(',').count();
            if found > 2 || fields.is_some_and(|fields| fields != found) {
                let s = if found == 1 { "" } else { "s" };
                let others = match fields {
                    Some(fields) if found <= 2 => format!(", and {fields} in the lines before"),
                    _ => String::new(),
                };
                return Err(wrong(format!("{found} field{s} in \"{}\"{others}", shown(line))));
            }
            fields = Some(found);
            if count == 0 && is_heading(line) {
                unit = unit_of(line).ok_or_else(|| {
                    let found = shown(line);
                    format!("line {number}: the heading is \"{found}\": expected {HEADINGS}")
                })?;
                continue;
            }
            let arrival = arrival(line, unit).map_err(wrong)?;
            if let Some(last) = arrivals.last().filter(|last| last.at > arrival.at) {
                return Err(wrong(format!(
                    "{} is before {} of the line above",
                    arrival.at, last.at
                )));
            }
            if arrivals.len() == MAX_ARRIVALS {
                return Err(format!("line {number}: more than {MAX_ARRIVALS} arrivals: {SHORTER}"));
            }
            arrivals.push(arrival);
        }
        if arrivals.is_empty() {
            return Err(format!("has no arrival: {EXPECTED}"));
        }
        let sizes = || arrivals.iter().filter_map(|arrival| arrival.size);
        let (largest, smallest) = (sizes().max(), sizes().min());
        Ok(Self { arrivals, largest, smallest })
    }

    /// The arrivals, in ascending order.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// Time of the last arrival.
    pub fn last(&self) -> Span {
        self.arrivals.last().map_or(Span::ZERO, |last| last.at)
    }

    /// Smallest and largest size; `None` if the file has no sizes.
    pub fn sizes(&self) -> Option<[Bytes; 2]> {
        self.smallest.zip(self.largest).map(|(smallest, largest)| [smallest, largest])
    }
}

fn shown(line: &str) -> String {
    line.chars().take(60).collect()
}

/// True for a line without numbers.
fn is_heading(line: &str) -> bool {
    line.split(',').all(|field| field.trim().parse::<f64>().is_err())
}

/// The unit of the times in seconds, from the heading.
fn unit_of(heading: &str) -> Option<f64> {
    let mut names = heading.split(',').map(|name| name.trim().to_ascii_lowercase());
    let time = names.next()?;
    if names.next().is_some_and(|size| !SIZES.contains(&size.as_str())) {
        return None;
    }
    if TIMES.contains(&time.as_str()) {
        return Some(1.0);
    }
    let unit = |(ending, unit): (&str, f64)| {
        time.strip_suffix(ending).filter(|name| TIMES.contains(name)).map(|_| unit)
    };
    UNITS.into_iter().find_map(unit)
}

/// Reads a line; `unit` is the unit of its time in seconds.
fn arrival(line: &str, unit: f64) -> Result<Arrival, String> {
    let (time, size) = line.split_once(',').map_or((line, None), |(time, size)| (time, Some(size)));
    let time = time.trim();
    let seconds = time.parse::<f64>().ok().map(|number| number * unit);
    let Some(seconds) = seconds.filter(|s| (0.0..=LATEST_S).contains(s)) else {
        return Err(format!("\"{}\" is not a time from 0 to {LATEST_S} s", shown(time)));
    };
    let size = size.map(str::trim).map(bytes).transpose()?;
    Ok(Arrival { at: Span::from_secs_f64(seconds), size })
}

/// Reads a size.
fn bytes(text: &str) -> Result<Bytes, String> {
    let size = text.parse::<u64>().ok().filter(|n| (1..=LARGEST).contains(n));
    size.map(Bytes).ok_or_else(|| {
        format!("\"{}\" is not a whole number of bytes from 1 to {LARGEST}", shown(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> Vec<u64> {
        Schedule::read(text).unwrap().arrivals().iter().map(|a| a.at.0).collect()
    }

    #[test]
    fn with_and_without_heading_and_sizes() {
        assert_eq!(
            times("0\n0.25\n# a burst\n\n0.25\n 1e1 \n"),
            [0, 250_000_000, 250_000_000, 10_000_000_000]
        );
        assert_eq!(times("\u{feff}time_ms\r\n0.5\r\n2\r\n"), [500_000, 2_000_000]);
        assert_eq!(times("t_us\n7"), [7_000]);
        assert_eq!(times("Timestamp_ns\n7"), [7]);
        let read = Schedule::read("time_s, bytes\n0, 1200\n0.1,40\n").unwrap();
        assert_eq!(read.arrivals()[1], Arrival { at: Span(100_000_000), size: Some(Bytes(40)) });
        assert_eq!(read.sizes(), Some([Bytes(40), Bytes(1200)]));
        assert_eq!((read.last(), Schedule::read("3").unwrap().sizes()), (Span(100_000_000), None));
    }

    #[test]
    fn the_headings_of_the_message_are_accepted() {
        let words = HEADINGS.split([' ', ',']).filter(|word| word.starts_with("time"));
        let names: Vec<&str> = words.collect();
        assert_eq!(names.len(), 5);
        for name in names {
            assert!(Schedule::read(&format!("{name},bytes\n1,2\n")).is_ok(), "{name}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            ("", "no arrival"),
            ("time_s,bytes", "no arrival"),
            (
                "packet,bytes\n1,2",
                "line 1: the heading is \"packet,bytes\": expected time (in seconds), time_s, time_ms",
            ),
            ("time_min\n1", "line 1: the heading"),
            ("time_s,rate\n1,2", "line 1: the heading"),
            ("1\n2\nx", "line 3: \"x\" is not a time"),
            ("1\n\n-2", "line 3: \"-2\" is not a time from 0"),
            ("inf", "line 1"),
            ("nan\n1", "line 1"),
            ("1e10", "line 1: \"1e10\" is not a time"),
            ("1,0", "line 1: \"0\" is not a whole number of bytes"),
            ("1,", "line 1: \"\" is not a whole number"),
            ("1,2.5", "line 1: \"2.5\" is not"),
            ("1,5\n2", "line 2: 1 field in \"2\", and 2 in the lines before: expected time or"),
            ("1\n2,5", "line 2: 2 fields in \"2,5\", and 1 in the lines before"),
            ("1,2,3", "line 1: 3 fields in \"1,2,3\": expected time or time,bytes"),
            ("2\n1.5", "line 2: 1500 ms is before 2 s"),
        ] {
            let message = Schedule::read(text).unwrap_err();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }

    #[test]
    fn the_number_of_arrivals_is_bounded() {
        let full = "1\n".repeat(MAX_ARRIVALS);
        assert_eq!(Schedule::read(&full).unwrap().arrivals().len(), MAX_ARRIVALS);
        let message = Schedule::read(&(full + "1\n")).unwrap_err();
        assert_eq!(message, format!("line 1000001: more than 1000000 arrivals: {SHORTER}"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(time_s\n|t,size\n)?[0-9a-z,.\n# -]{0,200}") {
            if let Ok(read) = Schedule::read(&text) {
                assert!(read.arrivals().is_sorted_by_key(|a| a.at));
                assert!(!read.arrivals().is_empty());
            }
        }
    }
}
