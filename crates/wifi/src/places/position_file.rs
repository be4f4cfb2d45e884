//! File of station positions, with one line per station: `name,x_m,y_m` or `x_m,y_m`, in metres.
//!
//! The reader skips empty lines, lines that begin with `#`, and a first line without numbers (a
//! heading). All lines have the same number of fields. Names cannot be quoted.

use crate::phy::propagation::Position;

/// Maximum number of stations in a cell.
pub const MAX_STATIONS: usize = 500;
/// Maximum length of a file in bytes, more than the names and positions of all stations need.
pub const MAX_BYTES: u64 = 1 << 20;

/// Names (empty if the file has none) and positions, in the order of the file.
pub type NamedPositions = (Vec<String>, Vec<Position>);

/// Reads the text of a file.
///
/// # Errors
/// The first line that is not a position; the message says what was found and what is accepted.
pub fn read(text: &str) -> Result<NamedPositions, String> {
    let mut names: Vec<String> = Vec::new();
    let mut positions: Vec<Position> = Vec::new();
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let lines = lines.map(|(i, line)| (i + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    for (count, (number, line)) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let wrong = |what: String| {
            let shown: String = line.chars().take(60).collect();
            Err(format!(
                "line {number}: {what} in \"{shown}\": expected name,x_m,y_m or x_m,y_m, in metres"
            ))
        };
        let (name, coordinates) = match *fields.as_slice() {
            [x, y] => (None, [x, y]),
            [name, x, y] => (Some(name), [x, y]),
            _ => return wrong(format!("{} fields", fields.len())),
        };
        if count == 0 && coordinates.iter().all(|c| c.parse::<f64>().is_err()) {
            continue;
        }
        let mut metres = [0.0; 2];
        for (metre, text) in metres.iter_mut().zip(coordinates) {
            match text.parse::<f64>() {
                Ok(number) if number.is_finite() => *metre = number,
                _ => return wrong(format!("\"{text}\" is not a length")),
            }
        }
        if let Some(name) = name {
            if name.is_empty() {
                return wrong("no name".into());
            }
            if names.iter().any(|other| other == name) {
                return wrong(format!("a second \"{name}\""));
            }
            names.push(name.into());
        }
        positions.push(metres.into());
        if !(names.is_empty() || names.len() == positions.len()) {
            return wrong("some lines have a name and others have none".into());
        }
        if positions.len() > MAX_STATIONS + 1 {
            return Err(format!(
                "line {number}: more than {MAX_STATIONS} stations and their access point"
            ));
        }
    }
    if positions.is_empty() {
        return Err("has no position: expected name,x_m,y_m or x_m,y_m, in metres".into());
    }
    Ok((names, positions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_names() {
        let text = "\u{feff}name, x_m, y_m\r\n# the desk\nap,0,0\n\n desk , 3.5 ,-1e1\r\n";
        let (names, positions) = read(text).unwrap();
        assert_eq!(names, ["ap", "desk"]);
        assert_eq!(positions, [Position::new(0.0, 0.0), Position::new(3.5, -10.0)]);
        assert_eq!(read("1,2\n3,4").unwrap().1[1], Position::new(3.0, 4.0));
        assert_eq!(read("1,2\n3,4").unwrap().0, Vec::<String>::new());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            ("", "no position"),
            ("x,y", "no position"),
            ("1,2\nx,4", "line 2: \"x\" is not a length"),
            ("1,2\n3", "line 2: 1 fields"),
            ("1,2\n\n1,2,3,4", "line 3: 4 fields"),
            ("1,nan", "line 1: \"nan\" is not a length"),
            ("1,2\n1,inf", "line 2: \"inf\""),
            ("a,1,2\n3,4", "line 2: some lines have a name"),
            ("1,2\na,3,4", "line 2: some lines have a name"),
            ("a,1,2\na,3,4", "line 2: a second \"a\""),
            (",1,2", "line 1: no name"),
            (&"1,2\n".repeat(502), "line 502: more than 500"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9a-z,.\n# -]{0,200}") {
            if let Ok((names, positions)) = read(&text) {
                assert!(names.is_empty() || names.len() == positions.len());
                assert!(positions.iter().all(|p| p.is_finite()));
            }
        }
    }
}
