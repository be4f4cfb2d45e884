//! Text files that look like traces and are not, told by name so that the user need not guess.

use super::super::head::Head;
use crate::error::TraceError;

/// What a kind of file is, how it is known, and what to do instead.
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
        what: "an iperf log",
        hint: "It counts datagrams per run without their order.",
        detect: |head| {
            head.content().take(3).any(|(_, line)| line.starts_with("Server listening on"))
        },
    },
    Refusal {
        what: "an index of files, not the files",
        hint: "Give the files it names, or their folder.",
        detect: |head| head.first().starts_with("file\trows\tduration_s"),
    },
    Refusal {
        what: "JSON",
        hint: "Export the outcomes as text of 0 and 1 or as CSV (a K7 file has a CSV header in its \
               second line).",
        detect: |head| {
            let first = head.first();
            let json = first.starts_with('{') || first.starts_with("[{") || first == "[";
            json && !super::k7::detect(head)
        },
    },
    Refusal {
        what: "a web page or XML",
        hint: "Give the data file itself.",
        detect: |head| head.first().starts_with('<'),
    },
];

/// Rows of growing length: 1, then 1 and 2, ... coefficients of autoregressive models.
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

/// The error for a file known to be something else.
pub(super) fn refusal(head: &Head<'_>) -> Option<TraceError> {
    let found = REFUSALS.iter().find(|r| (r.detect)(head))?;
    Some(TraceError::NotATrace {
        path: head.path.display().to_string(),
        what: found.what.to_owned(),
        hint: found.hint.to_owned(),
    })
}
