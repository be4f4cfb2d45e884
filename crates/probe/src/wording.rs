//! Messages of the deserializer in words of the user, who knows no types of this language.

/// Says what is expected in place of the name of a type, as in "expected a whole number from 0 to
/// 4294967295, not -1". Other messages stay as they are.
pub fn reworded(message: &str) -> String {
    plain(message).unwrap_or_else(|| message.to_owned())
}

fn plain(message: &str) -> Option<String> {
    // The limits of a type are worth a word only to a number beyond them: the key may accept less.
    let (rest, limits) = match message.strip_prefix("invalid type: ") {
        Some(rest) => (rest, false),
        None => (message.strip_prefix("invalid value: ")?, true),
    };
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found.split_once(' ') {
        Some(("integer" | "boolean" | "string" | "character", value)) => value.trim_matches('`'),
        _ => match found.strip_prefix("floating point ") {
            Some(value) => value.trim_matches('`'),
            None => found,
        },
    };
    Some(format!("expected {}, not {found}", kind(expected, limits)?))
}

/// What a type takes.
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_said_in_words() {
        for (message, said) in [
            (
                "invalid value: integer `-1`, expected u32",
                "expected a whole number from 0 to 4294967295, not -1",
            ),
            ("invalid type: string \"nan\", expected f64", "expected a number, not \"nan\""),
            ("invalid type: floating point `1.5`, expected u8", "expected a whole number, not 1.5"),
            ("invalid type: null, expected a boolean", "expected true or false, not null"),
            (
                "invalid type: string \"a, expected b\", expected i8",
                "expected a whole number, not \"a, expected b\"",
            ),
        ] {
            assert_eq!(reworded(message), said);
        }
    }

    #[test]
    fn what_is_in_words_stays() {
        for message in [
            "invalid type: integer `1`, expected a duration such as \"10 ms\"",
            "unknown field `x`, expected `y`",
            "3 is out of range",
        ] {
            assert_eq!(reworded(message), message);
        }
    }
}
