//! Text of 0 and 1, with or without separators.

use std::io::Read;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::stream_error::from_io;
use super::link::link;
use crate::error::TraceError;
use crate::reader::{ColumnKind, LinkTrace};

pub(super) const TAG: &str = "bits";
pub(super) const DESCRIPTION: &str = "text of 0 (lost) and 1 (received), with or without spaces, tabs, commas, \
     semicolons or line ends between them; '#' begins a comment";

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | 0x0c)
}

pub(super) fn detect(head: &Head<'_>) -> bool {
    // A line of bits that is unlikely to be a number.
    let mut compact = false;
    let mut any = false;
    for (_, line) in head.content() {
        any = true;
        if !line.bytes().all(|b| is_bit(b) || is_separator(b)) {
            return is_slip(line, compact);
        }
        compact |= line.len() > 1 && line.bytes().all(is_bit);
    }
    any
}

const fn is_bit(byte: u8) -> bool {
    matches!(byte, b'0' | b'1')
}

/// True if a line was meant to be bits, so that the error should name the wrong character: the line
/// is no number, and the lines before or most of its characters are bits.
fn is_slip(line: &str, after_bits: bool) -> bool {
    let number = line.bytes().all(|b| b.is_ascii_digit()) && !line.starts_with('0');
    let bits = line.bytes().filter(|b| is_bit(*b)).count();
    let most = line.len() > 3 && 4 * bits >= 3 * line.len() && !line.bytes().any(is_separator);
    !number && (after_bits || most)
}

/// Reads bytes, not lines, because a line may hold a million outcomes.
pub(super) fn read(head: &Head<'_>, mut input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let mut outcomes = Outcomes::new();
    let mut chunk = vec![0u8; 1 << 16];
    let (mut line, mut offset, mut comment) = (1u64, 0u64, false);
    // Bytes before the line.
    let mut begin = 0;
    let received = if input.options.kind == Some(ColumnKind::Lost) { b'0' } else { b'1' };
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
                    begin = offset + i as u64 + 1;
                    comment = false;
                }
                _ if comment => {}
                b'0' | b'1' => outcomes.push(byte == received),
                b'#' => comment = true,
                _ if is_separator(byte) => {}
                // A byte order mark.
                0xef | 0xbb | 0xbf if offset + (i as u64) < 3 => {}
                _ => {
                    let place = offset + i as u64 - begin + 1;
                    let found = if byte.is_ascii_graphic() {
                        format!("'{}'", char::from(byte))
                    } else {
                        format!("byte 0x{byte:02x}")
                    };
                    let found = format!("{found} among 0s and 1s, at character {place}");
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
