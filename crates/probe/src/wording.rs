//! Rewords messages of the deserializer for users, who do not know Rust's types.

use crate::nearest;

/// Replaces the name of a type by what it accepts, as in "expected a whole number from 0 to 4294967295,
/// not -1". Other messages stay as they are.
pub fn reworded(message: &str) -> String {
    plain(message).unwrap_or_else(|| message.to_owned()).replace('`', "\"")
}

/// Like [`reworded`], with the nearest of the accepted names for an unknown one.
pub fn explained(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    unknown_name(message, &quoted).unwrap_or_else(|| reworded(message))
}

/// The message for an unknown key or value; `quoted` has its name, and then those that are accepted.
pub fn unknown_name(message: &str, quoted: &[&str]) -> Option<String> {
    let what = if message.starts_with("unknown field") {
        "key"
    } else if message.starts_with("unknown variant") {
        "value"
    } else {
        return None;
    };
    let (found, accepted) = quoted.split_first()?;
    if accepted.is_empty() {
        return Some(format!("unknown {what} \"{found}\": there is none here"));
    }
    let hint = nearest(found, accepted.iter().copied());
    let hint = hint.map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default();
    Some(format!("unknown {what} \"{found}\"{hint} (accepted: {})", accepted.join(", ")))
}

/// Maximum digits of a number in a message: any whole number that a key accepts has fewer.
const MAX_DIGITS: usize = 20;

/// Writes numbers of more than 20 digits as `1e308`. Quoted text, which is a name or input, stays.
pub fn short_numbers(message: String) -> String {
    if !message.split(|c: char| !c.is_ascii_digit()).any(is_long) {
        return message;
    }
    let last = message.matches('"').count();
    let parts = message.split('"').enumerate();
    // Quoted text is between an odd quotation mark and the next; text after an unpaired one is not quoted.
    let quoted = |i: usize| i % 2 == 1 && i < last;
    let parts = parts.map(|(i, part)| if quoted(i) { part.to_owned() } else { shortened(part) });
    parts.collect::<Vec<_>>().join("\"")
}

fn is_long(text: &str) -> bool {
    text.len() > MAX_DIGITS
}

fn shortened(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
        // A full stop is not part of the number.
        let number_text = number[..end].trim_end_matches('.');
        out.push_str(before);
        let written = match number_text.parse::<f64>() {
            Ok(value) if number_text.split('.').any(is_long) => format!("{value:e}"),
            _ => number_text.to_owned(),
        };
        out.push_str(&written);
        rest = &number[number_text.len()..];
    }
    out + rest
}

fn plain(message: &str) -> Option<String> {
    if let Some(key) = message.strip_prefix("missing field ") {
        return Some(format!("the key {key} is missing"));
    }
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let key = rest.split('`').nth(1).unwrap_or_default();
        // Keys of limits were called `most_...` and `least_...` before.
        let max = key.strip_prefix("most_").map(|rest| format!("max_{rest}"));
        let min = key.strip_prefix("least_").map(|rest| format!("min_{rest}"));
        let now = max.or(min);
        let now = now.filter(|now| rest.contains(&format!("`{now}`")));
        return Some(match now {
            Some(now) => format!("the key `{key}` is called `{now}` now"),
            None => format!("unknown key {rest}"),
        });
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return Some(format!("unknown value {rest}"));
    }
    if let Some(key) = message.strip_prefix("duplicate field ") {
        return Some(format!("the key {key} is given twice"));
    }
    if message.starts_with("data did not match any variant") {
        return Some("has none of the accepted forms".to_owned());
    }
    // The limits of a type help only if the number exceeds them: the key may accept less.
    let (rest, limits) = match message.strip_prefix("invalid type: ") {
        Some(rest) => (rest, false),
        None => match message.strip_prefix("invalid value: ") {
            Some(rest) => (rest, true),
            None => (message.strip_prefix("invalid length ")?, false),
        },
    };
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found.split_once(' ') {
        Some(("integer" | "boolean" | "string" | "character", value)) => value.trim_matches('`'),
        _ => match found.strip_prefix("floating point ") {
            Some(value) => value.trim_matches('`'),
            None => match found {
                "map" => "a table",
                "sequence" => "a list",
                "null" | "unit value" => "nothing",
                other => other,
            },
        },
    };
    // A whole number beyond all integer types arrives as a float.
    let beyond =
        found.parse().is_ok_and(|number: f64| number.abs() >= TWO_TO_63 && number.fract() == 0.0);
    // A list of the wrong length.
    for of in ["a tuple of size ", "an array of length "] {
        if let Some(length) = expected.strip_prefix(of) {
            return Some(format!("expected a list of {length} values, not of {found}"));
        }
    }
    Some(format!("expected {}, not {found}", kind(expected, limits || beyond)?))
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Words for a type.
fn kind(name: &str, limits: bool) -> Option<String> {
    let whole = |low: &dyn std::fmt::Display, high: &dyn std::fmt::Display| {
        Some(if limits {
            format!("a whole number from {low} to {high}")
        } else {
            "a whole number".to_owned()
        })
    };
    match name {
        "u8" => whole(&u8::MIN, &u8::MAX),
        "u16" => whole(&u16::MIN, &u16::MAX),
        "u32" => whole(&u32::MIN, &u32::MAX),
        "u64" | "usize" => whole(&u64::MIN, &u64::MAX),
        "i8" => whole(&i8::MIN, &i8::MAX),
        "i16" => whole(&i16::MIN, &i16::MAX),
        "i32" => whole(&i32::MIN, &i32::MAX),
        "i64" | "isize" => whole(&i64::MIN, &i64::MAX),
        "f32" | "f64" => Some("a number".to_owned()),
        "a boolean" => Some("true or false".to_owned()),
        "a string" | "str" | "borrowed string" => Some("text in quotes".to_owned()),
        "a sequence" => Some("a list".to_owned()),
        "a map" => Some("a table".to_owned()),
        // What serde says of an enum in a table with a tag.
        "string or map" => Some("a name".to_owned()),
        _ if name.starts_with("internally tagged enum ") => {
            Some("a table such as { model = \"...\" } or { kind = \"...\" }".to_owned())
        }
        _ if name.starts_with("struct ") => Some("a table".to_owned()),
        _ if name.starts_with("enum ") || name.starts_with("variant ") => Some("a name".to_owned()),
        // A key's own reader describes itself in words.
        _ => Some(name.to_owned()),
    }
}

/// The message without the numbers that the standard library adds to errors of the system.
///
/// ```
/// let message = "a.toml: No such file or directory (os error 2)";
/// assert_eq!(airtcp_probe::unnumbered(message), "a.toml: No such file or directory");
/// ```
pub fn unnumbered(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        said.push_str(rest.strip_prefix(')').unwrap_or(rest));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_reworded() {
        for (message, said) in [
            (
                "invalid value: integer `-1`, expected u32",
                "expected a whole number from 0 to 4294967295, not -1",
            ),
            ("invalid type: string \"nan\", expected f64", "expected a number, not \"nan\""),
            ("invalid type: floating point `1.5`, expected u8", "expected a whole number, not 1.5"),
            ("invalid type: null, expected a boolean", "expected true or false, not nothing"),
            (
                "invalid type: string \"a, expected b\", expected i8",
                "expected a whole number, not \"a, expected b\"",
            ),
            ("missing field `control`", "the key \"control\" is missing"),
            ("duplicate field `a`", "the key \"a\" is given twice"),
            ("invalid type: integer `3`, expected a sequence", "expected a list, not 3"),
            (
                "invalid type: floating point `1.8446744073709552e19`, expected u64",
                "expected a whole number from 0 to 18446744073709551615, not 1.8446744073709552e19",
            ),
            (
                "invalid type: integer `1`, expected a duration such as \"10 ms\"",
                "expected a duration such as \"10 ms\", not 1",
            ),
            ("unknown field `x`, expected `y`", "unknown key \"x\", expected \"y\""),
            (
                "unknown field `most_symbols`, expected one of `queue`, `max_symbols`",
                "the key \"most_symbols\" is called \"max_symbols\" now",
            ),
            (
                "unknown field `least_samples`, expected one of `alpha`, `min_samples`",
                "the key \"least_samples\" is called \"min_samples\" now",
            ),
        ] {
            assert_eq!(reworded(message), said);
        }
    }

    #[test]
    fn numbers_of_many_digits_are_short_and_names_stay() {
        let long = "9".repeat(40);
        let of = |message: &str| short_numbers(message.replace('#', &long));
        assert_eq!(of("# is out of range"), "1e40 is out of range");
        assert_eq!(of("rate: #.5, not 3."), "rate: 1e40, not 3.");
        // Quoted text is a name, a path or input.
        for quoted in ["unknown node \"sta#\" (accepted: ap)", "\"#\" is no unit, nor \"#\""] {
            assert_eq!(of(quoted), quoted.replace('#', &long));
        }
        assert_eq!(of("\"#\" is not #"), format!("\"{long}\" is not 1e40"));
        // An open quotation mark quotes nothing.
        assert_eq!(of("5\" or #"), "5\" or 1e40");
    }

    #[test]
    fn other_messages_stay() {
        for message in ["3 is out of range", "the chain is given by g and b"] {
            assert_eq!(reworded(message), message);
        }
    }

    /// Messages contain no words of the deserializer and no names of types.
    #[test]
    fn messages_have_no_words_of_the_implementation() {
        for message in [
            "invalid type: floating point `0.1`, expected internally tagged enum LossConfig",
            "invalid type: sequence, expected struct TcpConfig",
            "invalid type: map, expected u64",
            "invalid length 3, expected a sequence",
            "data did not match any variant of untagged enum Written",
            "missing field `from`",
        ] {
            let said = reworded(message);
            for word in ["enum", "struct", "variant", "field", "u64", "Config", "`", "map"] {
                assert!(!said.contains(word), "{said}");
            }
        }
    }
}
