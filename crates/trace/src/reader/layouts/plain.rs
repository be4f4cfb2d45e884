//! Text of 0 and 1, with or without separators.

use std::io::Read;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::open::{Input, from_io};
use super::link;
use crate::error::TraceError;
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "bits";
pub(super) const DESCRIPTION: &str = "text of 0 (lost) and 1 (received), with or without spaces, tabs, commas, \
     semicolons or line ends between them; '#' begins a comment";

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | 0x0c)
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    let mut any = false;
    for (_, line) in head.content() {
        any = true;
        if !line.bytes().all(|b| matches!(b, b'0' | b'1') || is_separator(b)) {
            return false;
        }
    }
    any
}

/// Reads bytes, not lines: a million outcomes may stand in one.
pub(super) fn read(head: &Head<'_>, mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let mut outcomes = Outcomes::new();
    let mut chunk = vec![0u8; 1 << 16];
    let (mut line, mut offset, mut comment) = (1u64, 0u64, false);
    loop {
        let n = match input.reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(from_io(input.path, offset, e)),
        };
        let before = outcomes.len();
        for (i, &byte) in chunk[..n].iter().enumerate() {
            match byte {
                b'\n' => {
                    line += 1;
                    comment = false;
                }
                _ if comment => {}
                b'0' | b'1' => outcomes.push(byte == b'1'),
                b'#' => comment = true,
                _ if is_separator(byte) => {}
                // A byte order mark.
                0xef | 0xbb | 0xbf if offset + (i as u64) < 3 => {}
                _ => {
                    let found = char::from(byte);
                    let found = if byte.is_ascii_graphic() {
                        format!("'{found}' among 0s and 1s")
                    } else {
                        format!("byte 0x{byte:02x} among 0s and 1s")
                    };
                    return Err(TraceError::Malformed {
                        path: input.path.display().to_string(),
                        line,
                        found,
                        expected: "0, 1, a separator or a '#' comment".to_owned(),
                    });
                }
            }
        }
        offset += n as u64;
        input.budget.packets(input.path, (outcomes.len() - before) as u64)?;
    }
    input.budget.link(input.path)?;
    let mut link = link(&input, TAG, None, outcomes);
    link.interval = head.interval();
    Ok(vec![link])
}
