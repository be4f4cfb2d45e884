//! Refuses texts that would take a TOML parser too long.
//!
//! Parsers take quadratic time and memory for keys of many parts and for many table headers.

use crate::ScenarioError;

/// Longest scenario text accepted, in bytes.
const MAX_TEXT: usize = 4 << 20;
/// Maximum number of parts of a key.
const MAX_PARTS: usize = 100;
/// Maximum number of table headers.
const MAX_HEADERS: usize = 20_000;

/// Refuses a text beyond the limits. Errors name the file as `name`.
///
/// # Errors
/// The limit that the text exceeds.
pub fn parsable(text: &str, name: &str) -> Result<(), ScenarioError> {
    check(text).map_err(|e| ScenarioError { file: name.to_owned(), ..e })
}

/// Refuses a path of too many parts.
pub(crate) fn check_parts(parts: usize) -> Result<(), ScenarioError> {
    if parts > MAX_PARTS {
        let message = format!(
            "a key of more than {MAX_PARTS} parts; expected keys such as tcp.congestion.law"
        );
        return Err(ScenarioError::at("", message));
    }
    Ok(())
}

pub(crate) fn check(text: &str) -> Result<(), ScenarioError> {
    if text.len() > MAX_TEXT {
        let message = format!("longer than {MAX_TEXT} bytes; expected a scenario file (TOML)");
        return Err(ScenarioError::at("", message));
    }
    let bytes = text.as_bytes();
    let (mut at, mut line, mut is_line_start) = (0, 1, true);
    // Dots in the current key, and open lists and headers.
    let (mut dots, mut depth, mut headers) = (0, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\n' => {
                (line, dots, is_line_start) = (line + 1, 0, true);
                continue;
            }
            b' ' | b'\t' | b'\r' => continue,
            b'#' => at += bytes[at..].iter().take_while(|b| **b != b'\n').count(),
            b'"' | b'\'' => {
                let end = string_end(bytes, at - 1);
                line += bytes[at..end].iter().filter(|b| **b == b'\n').count();
                at = end;
            }
            b'[' => {
                headers += usize::from(is_line_start && depth == 0);
                if headers > MAX_HEADERS {
                    let message = format!(
                        "more than {MAX_HEADERS} headers; expected a scenario file (TOML): links \
                         and flows that are alike take a count or a topology"
                    );
                    let error = ScenarioError::at("", message);
                    return Err(ScenarioError { line: Some(line), ..error });
                }
                (depth, dots) = (depth + 1, 0);
            }
            b']' => (depth, dots) = (depth.saturating_sub(1), 0),
            b'=' | b'{' | b'}' | b',' => dots = 0,
            b'.' => {
                dots += 1;
                check_parts(dots).map_err(|e| ScenarioError { line: Some(line), ..e })?;
            }
            _ => {}
        }
        is_line_start = false;
    }
    Ok(())
}

/// End of the string that begins at `start`: after its closing quotes, or without them before the end of
/// the line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\n' if !is_long => return at,
            // An escaped quote does not close a string. The end of a line closes a one-line string, escaped or not.
            b'\\' if quote == b'"' && (is_long || bytes.get(at + 1) != Some(&b'\n')) => at += 2,
            b if b == quote && !is_long => return at + 1,
            b if b == quote && bytes[at..].starts_with(&[quote; 3]) => {
                // Up to two quotes may precede the three closing ones.
                let more = bytes[at + 3..].iter().take(2).take_while(|b| **b == quote).count();
                return at + 3 + more;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_beyond_the_limits_are_refused() {
        let parts = vec!["a"; 50_000].join(".");
        let tables = "[k]\n".repeat(30_000);
        for (text, line, says) in [
            (format!("{parts} = 1"), Some(1), "a key of more than 100 parts"),
            (format!("\n[{parts}]\n"), Some(2), "a key of more than 100 parts"),
            (format!("x = {{ {parts} = 1 }}"), Some(1), "a key of more than 100 parts"),
            (format!("x = 1\n{}b = 1", "\"a\".".repeat(50_000)), Some(2), "a key of more"),
            (format!("x = '''\n\n'''\n{parts} = 1"), Some(4), "a key of more than 100 parts"),
            (format!("# \"\"\"\n{tables}# \"\"\"\n"), Some(20_002), "more than 20000 headers"),
            (format!("x = \"\\\n{tables}\""), Some(20_002), "more than 20000 headers"),
            (tables, Some(20_001), "more than 20000 headers"),
            ("k = 1\n".repeat(1_000_000), None, "longer than 4194304 bytes"),
        ] {
            let error = check(&text).unwrap_err();
            assert!(error.line == line && error.message.contains(says), "{error}");
            // The check stops at the limit.
            assert_eq!(crate::read(&text, "", &[]).unwrap_err().message, error.message);
        }
        let path = format!("{parts}.x");
        let error = crate::read("", "t", &[(path, "1".to_owned())]).unwrap_err().to_string();
        assert!(error.contains("a key of more than 100 parts"), "{error:.200}");
        let value = format!("{{ {parts} = 1 }}");
        let error = crate::read("", "t", &[("seed".to_owned(), value)]).unwrap_err().to_string();
        assert!(error.contains("a key of more than 100 parts"), "{error:.200}");
    }

    #[test]
    fn dots_outside_keys_do_not_count() {
        let dots = ".".repeat(300);
        for text in [
            format!("x = [{}]", "1.5, ".repeat(300)),
            format!("x = \"{dots}\\\"{dots}\""),
            format!("x = \"\"\"\n{dots}\"\n\"\"\"\"\ny = '{dots}'"),
            format!("x = '''\n{dots}\n'''"),
            format!("# {dots}"),
            format!("x = [\n{}]", "[1.5, 2.5],\n".repeat(30_000)),
            format!("x = [\n{}]", "[1.5],\n".repeat(30_000)),
        ] {
            assert_eq!(check(&text), Ok(()), "{text:.60}");
        }
    }
}
