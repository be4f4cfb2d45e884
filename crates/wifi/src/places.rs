//! Places of stations from a file: a line each, `name,x_m,y_m` or `x_m,y_m`, in metres.
//!
//! Empty lines and those that begin with `#` are passed over, and a first line without a number in its last
//! place is a heading. All lines have the same number of fields. Left out: quoted names.

use crate::phy::propagation::Position;

/// Most stations in a cell.
pub const MAX_STATIONS: usize = 500;
/// Most bytes of a file that are looked at: more than names and places of all stations take.
pub const MAX_FILE: u64 = 1 << 20;

/// Names, if the file gives any, and places, in the file's order.
pub type Places = (Vec<String>, Vec<Position>);

/// Reads the text of a file.
///
/// # Errors
/// The number of the first line that is no place, what was found and what is accepted.
pub fn read(text: &str) -> Result<Places, String> {
    let mut names: Vec<String> = Vec::new();
    let mut places: Vec<Position> = Vec::new();
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
                _ => return wrong(format!("\"{text}\" is no length")),
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
        places.push(metres.into());
        if !(names.is_empty() || names.len() == places.len()) || name.is_none() != names.is_empty()
        {
            return wrong("a line with a name beside lines without".into());
        }
        if places.len() > MAX_STATIONS + 1 {
            return Err(format!(
                "line {number}: more than {MAX_STATIONS} stations and their access point"
            ));
        }
    }
    if places.is_empty() {
        return Err("has no line with a place: expected name,x_m,y_m or x_m,y_m, in metres".into());
    }
    Ok((names, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_names() {
        let text = "\u{feff}name, x_m, y_m\r\n# the desk\nap,0,0\n\n desk , 3.5 ,-1e1\r\n";
        let (names, places) = read(text).unwrap();
        assert_eq!(names, ["ap", "desk"]);
        assert_eq!(places, [Position::new(0.0, 0.0), Position::new(3.5, -10.0)]);
        assert_eq!(read("1,2\n3,4").unwrap().1[1], Position::new(3.0, 4.0));
        assert_eq!(read("1,2\n3,4").unwrap().0, Vec::<String>::new());
    }

    #[test]
    fn what_is_no_place_is_named_with_its_line() {
        for (text, expected) in [
            ("", "no line"),
            ("x,y", "no line"),
            ("1,2\nx,4", "line 2: \"x\" is no length"),
            ("1,2\n3", "line 2: 1 fields"),
            ("1,2\n\n1,2,3,4", "line 3: 4 fields"),
            ("1,nan", "line 1: \"nan\" is no length"),
            ("1,2\n1,inf", "line 2: \"inf\""),
            ("a,1,2\n3,4", "line 2: a line with a name beside"),
            ("1,2\na,3,4", "line 2: a line with a name beside"),
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
            if let Ok((names, places)) = read(&text) {
                assert!(names.is_empty() || names.len() == places.len());
                assert!(places.iter().all(|p| p.is_finite()));
            }
        }
    }
}
