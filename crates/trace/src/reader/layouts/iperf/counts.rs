//! Datagrams lost and sent in each interval of a test of iperf.

use std::collections::BTreeMap;

use airtcp_units::Narrow;

use super::super::super::notes::counted;

/// Most datagrams that an interval may have.
pub(super) const MOST: u64 = 100_000_000;

/// Counts of one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    /// When it begins, in seconds of the test.
    pub(super) from: f64,
    pub(super) seconds: f64,
    /// Negative if more datagrams arrived late than were lost.
    pub(super) lost: i64,
    pub(super) total: u64,
    /// True if bytes were received.
    pub(super) bytes: bool,
}

/// The accepted counts.
pub(super) const POSSIBLE: &str =
    "at most 100000000 datagrams, at most all of them lost, in up to 1e9 s";

impl Count {
    /// True if a datagram came. An interval of late datagrams alone has a total of 0.
    pub(super) fn any_came(&self) -> bool {
        self.bytes || i64::narrow(self.total) > self.lost
    }

    /// The error of impossible counts.
    pub(super) fn possible(&self) -> Result<(), String> {
        let Self { seconds, lost, total, .. } = *self;
        if total > MOST || lost.unsigned_abs() > MOST {
            return Err(format!("{lost} lost of {total} datagrams"));
        }
        if lost > i64::narrow(total) {
            return Err(format!("{lost} lost of {total} datagrams"));
        }
        if !(0.0..1e9).contains(&seconds) {
            return Err(format!("an interval of {seconds} s"));
        }
        Ok(())
    }
}

/// Counts by test and stream.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) each: BTreeMap<(u32, String), Vec<Count>>,
    /// Totals of tests, which are no intervals.
    pub(super) totals: u32,
    /// Intervals of a sender, which does not count losses.
    pub(super) of_sender: u32,
    /// True if these intervals are of a receiver.
    pub(super) is_receiver: bool,
    /// Intervals that iperf3 was told to leave out.
    pub(super) omitted: u32,
    /// The error that the program reports.
    pub(super) error: Option<String>,
    /// The total of all streams, lost and sent, if the program reports it.
    pub(super) said: Option<(i64, u64)>,
}

impl Counts {
    pub(super) fn add(&mut self, test: u32, stream: &str, count: Count) {
        let stream = stream.chars().take(20).collect();
        self.each.entry((test, stream)).or_default().push(count);
    }

    /// The kind of a file without links, and what to do.
    pub(super) fn none(&self) -> (String, &'static str) {
        if let Some(error) = &self.error {
            return (
                format!("the result of an iperf3 test that failed ({error}) before any interval"),
                "Run the test again.",
            );
        }
        if let (true, 1..) = (self.is_receiver, self.of_sender) {
            let total = self.said.map_or_else(String::new, |(lost, total)| {
                format!(": {lost} of {total} datagrams are lost in total")
            });
            return (
                format!("iperf3 JSON of a receiver, whose intervals have no lost_packets{total}"),
                "The total does not say when datagrams were lost. Use a newer iperf3, which counts them in each \
                 interval.",
            );
        }
        let (what, hint) = match (self.of_sender, self.totals) {
            (1.., _) => (
                "iperf3 JSON of a sender, whose intervals count no losses",
                "Only the receiver sees which interval a datagram was lost in. Use the JSON of the server, or \
                 of a client with -R or --get-server-output, with intervals (-i 0.1).",
            ),
            (0, 1..) => (
                "an iperf log with the total of the test alone",
                "The total does not say when datagrams were lost. Use the log of the server (or of \
                 a client with -R or --get-server-output), with intervals (-i 0.1).",
            ),
            (0, 0) => (
                "an iperf log without lost datagrams",
                "A test of TCP and a UDP sender do not count losses. Use UDP (-u) and the log of \
                 the server, or of a client with -R or --get-server-output.",
            ),
        };
        (what.to_owned(), hint)
    }

    /// Notes for the links.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(error) = &self.error {
            notes.push(format!(
                "iperf3 ended with an error: {error}; the intervals before it are taken"
            ));
        }
        if self.omitted > 0 {
            notes.push(format!(
                "{} left out: iperf3 omitted {} from its results (-O)",
                counted(self.omitted, ("interval", "intervals")),
                if self.omitted == 1 { "it" } else { "them" }
            ));
        }
        let all = || self.each.values().flatten();
        let (lost, total) =
            (all().map(|c| c.lost).sum::<i64>(), all().map(|c| c.total).sum::<u64>());
        if let Some(said) = self.said.filter(|said| *said != (lost, total)) {
            notes.push(format!(
                "the intervals add up to {lost} lost of {total} datagrams, while the total of the test says {} of \
                 {}; the intervals are taken",
                said.0, said.1
            ));
        }
        notes
    }
}

/// Rounds seconds to a thousandth.
pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
