//! Selects the links whose interval between packets is a possible slot.

use airtcp_trace::LinkTrace;
use airtcp_units::Span;

use crate::base::budget::LONGEST;
use crate::base::error::StudyError;
use crate::document::Skipped;
use crate::document::study_options::{LONGEST_SLOT, MIN_SLOT};

/// The links that a study can use. Files whose interval cannot be a slot are added to `skipped`.
/// `slot` replaces the intervals of the files; `interval` is the option that replaced them when
/// reading.
///
/// # Errors
/// If no link is left, or if `interval` itself cannot be a slot.
pub fn with_slots(
    links: Vec<LinkTrace>,
    skipped: &mut Vec<Skipped>,
    slot: Option<Span>,
    interval: Option<Span>,
) -> Result<Vec<LinkTrace>, StudyError> {
    if slot.is_some() {
        return Ok(links);
    }
    if let Some(given) = interval.filter(|given| !possible(*given)) {
        return Err(StudyError::Range {
            option: "interval",
            found: given.to_string(),
            accepted: "1 us to 1 h, as it is a slot here",
        });
    }
    let (before, mut first) = (links.len(), None);
    let mut kept = Vec::with_capacity(before);
    for link in links {
        match why(&link) {
            None => kept.push(link),
            Some(reason) => {
                let path = link.source.path.display().to_string();
                first.get_or_insert_with(|| format!("{path}: {reason}"));
                // Names a file of many links once for each reason.
                let found = Skipped { path, reason };
                if !skipped.contains(&found) {
                    skipped.push(found);
                }
            }
        }
    }
    match first {
        Some(reason) if kept.is_empty() && before > 0 => Err(StudyError::Interval(reason)),
        _ => Ok(kept),
    }
}

fn possible(slot: Span) -> bool {
    (MIN_SLOT..=LONGEST_SLOT).contains(&slot)
}

/// Why a link's interval cannot be a slot.
fn why(link: &LinkTrace) -> Option<String> {
    let interval = link.interval.filter(|_| link.capacity.is_none())?;
    let place = if link.source.layout == "bits" {
        "interval= in the comment at its top"
    } else {
        "the time between its packets"
    };
    if !possible(interval) {
        return Some(format!(
            "{place} is {interval}, and a slot lasts 1 us to 1 h: correct it, or give --slot"
        ));
    }
    (link.outcomes.len() as u64 > LONGEST.0 / interval.0).then(|| {
        format!(
            "{place} is {interval}, so that its {} packets last longer than 100 years: correct it, \
             or give --slot",
            link.outcomes.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use airtcp_trace::reader::{ReadOptions, read_links_from};

    use super::*;

    fn file(name: &str, interval: &str) -> LinkTrace {
        let text = format!("# airtcp: interval={interval}\n{}\n", "1101".repeat(50));
        let read = read_links_from(Path::new(name), text.as_bytes(), &ReadOptions::default());
        read.unwrap().remove(0)
    }

    #[test]
    fn a_file_that_cannot_be_studied_is_named_and_the_others_go_on() {
        let links =
            || vec![file("slow.txt", "2h"), file("ok.txt", "10ms"), file("fast.txt", "500ns")];
        let mut skipped = Vec::new();
        let kept = with_slots(links(), &mut skipped, None, None).unwrap();
        assert_eq!(kept.iter().map(|link| link.name.as_str()).collect::<Vec<_>>(), ["ok"]);
        assert_eq!(
            skipped.iter().map(|s| s.path.as_str()).collect::<Vec<_>>(),
            ["slow.txt", "fast.txt"]
        );
        for part in ["interval= in the comment at its top is 7200 s", "1 us to 1 h", "--slot"] {
            assert!(skipped[0].reason.contains(part), "{skipped:?}");
        }
        // A slot that is given stands in its place.
        let all = with_slots(links(), &mut Vec::new(), Some(Span::from_millis(10)), None).unwrap();
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn alone_it_is_an_error_that_names_the_file() {
        let refused = with_slots(vec![file("slow.txt", "2h")], &mut Vec::new(), None, None);
        assert!(refused.unwrap_err().to_string().starts_with("slow.txt: interval= in the comment"));
        let two_hours = Some(Span::from_secs(7200));
        let refused = with_slots(vec![file("a.txt", "1s")], &mut Vec::new(), None, two_hours);
        assert!(refused.unwrap_err().to_string().starts_with("interval is 7200 s: accepted is"));
    }
}
