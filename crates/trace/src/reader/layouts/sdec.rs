//! Original files of CRAWDAD rutgers/noise: the frames that one ORBIT node received from another.
//!
//! `dbm<noise>/Results_node<tx>_.../sdec<rx>`, each line a sequence number and an RSSI. The run has
//! the numbers 0 to 299; a missing number was lost. An RSSI from 128 up is an invalid reading and
//! counts as lost (the published files hold 252 to 255, negative numbers in a byte; valid ones end
//! at 40), numbers from 300 up are strays and are ignored. Both rules together give exactly the
//! table derived from these files. An empty file is a link that delivered nothing.

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::notes::counted;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "rutgers-sdec";
pub(super) const DESCRIPTION: &str = "original files sdec<node> of CRAWDAD rutgers/noise, mostly in a .tar.xz: sequence \
     number and RSSI of each frame heard; 300 frames sent, RSSI from 128 up is an error, numbers from 300 up are strays";

/// Frames each node sent.
const SENT: usize = 300;
/// Lowest RSSI of an invalid reading.
const INVALID_RSSI: u64 = 128;

/// Detects by name, since a file may be empty; the lines of a non-empty file must fit, too.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let named = head.name.strip_prefix("sdec").is_some_and(|node| {
        !node.is_empty() && node.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    });
    named && head.content().all(|(_, line)| record(line).is_some())
}

fn record(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let pair = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    words.next().is_none().then_some(pair)
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let mut link = link(&input, TAG, None, Outcomes::new());
    link.outcomes.push_run(false, SENT);
    input.budget.packets(input.path, SENT as u64)?;
    input.budget.link(input.path)?;
    let part = |prefix: &str| {
        input.path.iter().filter_map(|p| p.to_str()).rev().find_map(|p| p.strip_prefix(prefix))
    };
    let tx = part("Results_node").map(|p| p.split('_').next().unwrap_or(p).to_owned());
    let labels = [("rx", part("sdec").map(str::to_owned)), ("tx", tx)];
    link.labels.extend(labels.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?))));
    if let Some(noise) = part("dbm").filter(|n| n.parse::<i32>().is_ok()) {
        link.labels.insert("noise_dbm".to_owned(), noise.to_owned());
    }
    if let (Some(tx), Some(rx)) = (link.labels.get("tx"), link.labels.get("rx")) {
        link.name = format!("{tx}>{rx}");
        if let Some(noise) = link.labels.get("noise_dbm") {
            link.name = format!("{}@{noise}dBm", link.name);
        }
    }
    let (mut invalid, mut strays, mut duplicates) = (0u64, 0u64, 0u64);
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let Some((number, rssi)) = record(line) else {
            let found = excerpt(line);
            return Err(lines.malformed(found, "a sequence number and an RSSI"));
        };
        match usize::try_from(number) {
            Ok(at) if at < SENT && rssi >= INVALID_RSSI => invalid += 1,
            Ok(at) if at < SENT => {
                duplicates += u64::from(link.outcomes.get(at) == Some(true));
                link.outcomes.set(at, true);
            }
            _ => strays += 1,
        }
    }
    for (count, frames, what) in [
        (invalid, ("frame", "frames"), "with an invalid RSSI (128 or more) counted as lost"),
        (strays, ("frame", "frames"), "with a number from 300 up ignored"),
        (duplicates, ("duplicate", "duplicates"), "ignored"),
    ] {
        if count > 0 {
            link.notes.push(format!("{} {what}", counted(count, frames)));
        }
    }
    Ok(vec![link])
}
