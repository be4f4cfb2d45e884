//! Raw records of OWAMP (`owping -R`), as its manual describes them.
//!
//! `SEQNO SENDTIME SSYNC SERR RECVTIME RSYNC RERR TTL`, a line per packet; the times are those of
//! RFC 4656: 64 bits, seconds since 1900 and fractions of 2^-32. A receive time of 0 is a lost
//! packet (RFC 4656, section 4.1.2). A session begins at number 0 with a new send time: one link
//! per session.

use airtcp_units::{Outcomes, Span};

use super::super::clock::Clock;
use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::super::sequence::Recorder;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "owamp";
pub(super) const DESCRIPTION: &str = "raw records of OWAMP (owping -R): sequence number, send time, receive time (0 = lost), one \
     link per session";

/// Rows examined for detection.
const LOOKED_AT: usize = 5;
/// Earliest time of a measurement: 1970.
const MIN_TIME: u64 = 2_208_988_800 << 32;

struct Record {
    number: u64,
    sent: u64,
    received: bool,
    /// True if the packet was received before it was sent.
    is_early: bool,
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    let mut rows = head.content().take(LOOKED_AT).peekable();
    rows.peek().is_some() && rows.all(|(_, line)| record(line).is_some())
}

fn record(line: &str) -> Option<Record> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[number, sent, sent_sync, sent_error, received, received_sync, received_error, ttl] =
        words.as_slice()
    else {
        return None;
    };
    let time = |word: &str| word.parse::<u64>().ok();
    let sent = time(sent).filter(|time| *time >= MIN_TIME)?;
    let received = time(received).filter(|time| *time == 0 || *time >= MIN_TIME)?;
    let flag = |word: &str| matches!(word, "0" | "1");
    let number_of = |word: &str| word.parse::<f64>().is_ok();
    let whole = flag(sent_sync) && flag(received_sync) && ttl.parse::<u8>().is_ok();
    (whole && number_of(sent_error) && number_of(received_error)).then_some(Record {
        number: number.parse().ok()?,
        sent,
        received: received > 0,
        is_early: received > 0 && received < sent,
    })
}

#[derive(Default)]
struct Session {
    first_sent: u64,
    recorder: Recorder,
    /// Send times by number: records come in the order of arrival.
    sent: Vec<(u64, u64)>,
    received: u64,
    early: u64,
}

impl Session {
    /// Makes the link of the session's records.
    fn link(mut self, mut link: LinkTrace) -> LinkTrace {
        let missing = self.recorder.missing();
        let (outcomes, notes) = self.recorder.finish();
        link.outcomes = outcomes;
        link.notes.push("one way: a receive time of 0 is a lost packet".to_owned());
        link.notes.extend(notes.into_iter().skip(1));
        if self.early > 0 {
            let what = "packets arrive before they were sent";
            link.notes.push(format!(
                "{} of {} {what}: the clocks of sender and receiver differ, or these times are wrong; the \
                 packets count as received, and no result uses their delay",
                self.early, self.received
            ));
        }
        if missing > 0 {
            link.notes.push(counted(
                missing,
                (
                    "number has no record and is taken for lost",
                    "numbers have no record and are taken for lost",
                ),
            ));
        }
        self.sent.sort_unstable();
        let mut clock = Clock::default();
        let mut last = None;
        for (number, sent) in self.sent {
            let steps = last.replace(number).map_or(1, |last| number - last);
            // Billionths of a second.
            let time = (u128::from(sent) * 1_000_000_000) >> 32;
            clock.stamp(i128::try_from(time).ok(), steps);
        }
        // Packets are sent at random times (RFC 4656, section 4.1.1): the gaps are exponential, and
        // their mean is the configured interval.
        link.interval = clock.mean(Span::from_secs(1));
        if link.interval.is_some() {
            let note = "packets were sent at random times: the interval is the mean of their gaps";
            link.notes.push(note.to_owned());
        }
        link
    }
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    /// Send times kept to find the interval.
    const KEPT: usize = 1 << 16;
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut sessions: Vec<Session> = Vec::new();
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let shown = excerpt(line);
        let Some(Record { number, sent, received, is_early }) = record(line) else {
            return Err(lines.malformed(shown, "SEQNO SENDTIME SSYNC SERR RECVTIME RSYNC RERR TTL"));
        };
        let begins = sessions.last().is_none_or(|s| number == 0 && s.first_sent != sent);
        if begins {
            budget.link(path)?;
            sessions.push(Session { first_sent: sent, ..Session::default() });
        }
        let Some(session) = sessions.last_mut() else { continue };
        let Ok(steps) = session.recorder.take_outcome(number, received, options.max_gap) else {
            return Err(
                lines.malformed(shown, "a number near the one before, or 0 in a new session")
            );
        };
        budget.packets(path, steps)?;
        session.received += u64::from(received);
        session.early += u64::from(is_early);
        if session.sent.len() < KEPT {
            session.sent.push((number, sent));
        }
    }
    let several = sessions.len() > 1;
    let each = (1..).zip(sessions).map(|(i, session)| {
        let mut link = session.link(template.clone());
        if several {
            link.name = format!("{}:{i}", link.name);
        }
        link
    });
    Ok(each.collect())
}
