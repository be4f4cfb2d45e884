//! Text files that look like traces but are not: the error names their kind.

use super::super::head::Head;
use crate::error::TraceError;

/// A kind of file, how to detect it, and what to do.
struct Refusal {
    what: &'static str,
    hint: &'static str,
    detect: fn(&Head<'_>) -> bool,
}

const NO_PACKETS: &str = "It holds no outcomes of packets, so nothing can be said about losses.";

const REFUSALS: &[Refusal] = &[
    Refusal {
        what: "a summary of ping runs (loss in percent per position)",
        hint: NO_PACKETS,
        detect: |head| head.first().contains("ping_loss"),
    },
    Refusal {
        what: "a log of signal levels",
        hint: NO_PACKETS,
        detect: |head| head.first().contains("rssi") && head.first().contains("link_quality"),
    },
    Refusal {
        what: "the parameters of a hidden Markov model",
        hint: "They describe a link's losses but are no record of them; traces can be drawn from \
               such a model with 'airtcp trace synth'.",
        detect: |head| head.first().starts_with("Caso ") || coefficients(head),
    },
    Refusal {
        what: "the statistics of a queue (tc -s qdisc)",
        hint: "It has totals only. Log single packets, with ping -D -O or iperf3 -u for instance.",
        detect: |head| head.first().starts_with("qdisc "),
    },
    Refusal {
        what: "what mahimahi logged (mm-link --uplink-log, --downlink-log)",
        hint: "It holds when packets came, left or were dropped at the emulated queue, not which the link lost; \
               the trace that was given to mm-link is read (milliseconds, one delivery opportunity a line).",
        detect: |head| {
            let begins = |line: &str| line.starts_with("# mahimahi mm-");
            head.lines().next().is_some_and(begins) || mahimahi_log(head)
        },
    },
    Refusal {
        what: "a netem distribution of delays",
        hint: "It describes delays, not losses.",
        detect: |head| {
            head.lines()
                .next()
                .is_some_and(|line| line.starts_with("# This is the distribution table"))
        },
    },
    Refusal {
        what: "the text output of irtt",
        hint: "Without the packets that were lost at its end; let irtt write JSON (irtt client -o FILE).",
        detect: |head| head.first().starts_with("[Connecting] connecting to"),
    },
    Refusal {
        what: "the summary of owping or twping",
        hint: "It has totals only; owping -R prints every packet.",
        detect: |head| {
            head.content()
                .take(10)
                .any(|(_, line)| line.starts_with("--- ") && line.contains("wping statistics from"))
        },
    },
    Refusal {
        what: "the summary of fping -q",
        hint: "It has totals only; give the output of fping -D -l, or of -C.",
        detect: |head| {
            let mut lines = head.content().peekable();
            lines.peek().is_some() && lines.all(|(_, line)| line.contains(" : xmt/rcv/%"))
        },
    },
    Refusal {
        what: "the JSON of fping",
        hint: "Give its text: the output of fping -D -l, or of -C.",
        detect: |head| {
            let first = head.first();
            ["{\"resp\":", "{\"timeout\":", "{\"vSum\":", "{\"summary\":"]
                .iter()
                .any(|k| first.starts_with(k))
        },
    },
    Refusal {
        what: "the output of Windows' ping",
        hint: "Its requests have no numbers. Make a table with one row a request and a column \"received\" \
               of 1 (a reply) and 0 (timed out), or use ping -D -O of Linux.",
        detect: windows_ping,
    },
    Refusal {
        what: "an index of files, not the files",
        hint: "Give the files it names, or their folder.",
        detect: |head| head.first().starts_with("file\trows\tduration_s"),
    },
    Refusal {
        what: "JSON",
        hint: "Of JSON, the results of iperf3 -u -J and of irtt are read. Export other outcomes as \
               text of 0 and 1 or as CSV (a K7 file has a CSV header in its second line).",
        detect: |head| {
            let first = head.first();
            let json = first.starts_with('{') || first.starts_with("[{") || first == "[";
            let read = [super::k7::detect, super::irtt::detect, super::iperf::detect];
            json && !read.iter().any(|detect| detect(head))
        },
    },
    Refusal {
        what: "a web page or XML",
        hint: "Give the data file itself.",
        detect: |head| head.first().starts_with('<'),
    },
];

/// True for Windows' ping in any language: an address and `TTL=` at the end (not the `ttl=` of other
/// systems, which number their requests), for IPv6 an address and a time; or the line before them: an
/// address, the size, and a colon at the end.
fn windows_ping(head: &Head<'_>) -> bool {
    let is_address = |word: &&str| {
        let word = word.trim_matches(['[', ']', '(', ')', ',', '.']).trim_end_matches(':');
        let v6 = |text: &str| text.parse::<std::net::Ipv6Addr>().is_ok();
        word.parse::<std::net::Ipv4Addr>().is_ok() || v6(word) || v6(&format!("{word}:"))
    };
    let number = |text: &str| text.parse::<u32>().is_ok();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(is_address) else { return false };
        let after = &words[at + 1..];
        let last = after.last().copied().unwrap_or_default();
        let time = last.strip_suffix("ms").and_then(|time| time.rsplit(['=', '<']).next());
        last.strip_prefix("TTL=").is_some_and(number)
            || (after.len() == 1 && time.is_some_and(number))
            || (after.len() < 8 && last.ends_with(':') && after.iter().any(|word| number(word)))
    };
    head.content().take(10).any(|(_, text)| line(text))
}

/// True for rows of a time, an event (arrival, departure, drop, opportunity), and bytes.
fn mahimahi_log(head: &Head<'_>) -> bool {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words.as_slice(), [_, "+" | "-" | "#" | "d", _, ..])
            && [words[0], words[2]].iter().all(|word| word.parse::<u64>().is_ok())
    };
    // Not `content()`, because a "#" inside a line begins no comment here.
    let mut rows = head.lines().filter(|line| !line.starts_with('#')).take(10).peekable();
    rows.peek().is_some() && rows.all(row)
}

/// True for rows of growing length: coefficients of autoregressive models.
fn coefficients(head: &Head<'_>) -> bool {
    let lines: Vec<_> = head.content().take(4).map(|(_, line)| line).collect();
    lines.len() > 2
        && (1..).zip(&lines).all(|(order, line)| {
            let mut words = line.split_whitespace();
            words.next() == Some(order.to_string().as_str())
                && words.next() == Some("1.000000")
                && words.count() == order
        })
}

/// The error for a file of a known other kind.
pub(super) fn refusal(head: &Head<'_>) -> Option<TraceError> {
    let found = REFUSALS.iter().find(|r| (r.detect)(head))?;
    Some(TraceError::NotATrace {
        path: head.path.display().to_string(),
        what: found.what.to_owned(),
        hint: found.hint.to_owned(),
    })
}
