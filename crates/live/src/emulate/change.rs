//! Changes of the scenario while it runs, as lines.
//!
//! ```text
//! set links[0].rate=5 Mb/s        the key and the value of --set
//! ```

use std::fmt;

/// Longest line.
pub const LONGEST_LINE: usize = 4_096;

/// A key of the scenario and its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Such as `links[0].rate`.
    pub key: String,
    /// Such as `5 Mb/s`.
    pub value: String,
}

impl Set {
    /// Reads a line; `None` for an empty one and for a comment, which begins with `#`.
    ///
    /// # Errors
    /// What the line is, and what is expected.
    pub fn read(line: &str) -> Result<Option<Self>, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let expected = || {
            let shown: String = line.chars().take(60).filter(|c| !c.is_control()).collect();
            format!("\"{shown}\" is no change: expected such as set links[0].rate=5 Mb/s")
        };
        let pair = line.strip_prefix("set").filter(|rest| rest.starts_with(char::is_whitespace));
        let (key, value) = pair.and_then(|pair| pair.split_once('=')).ok_or_else(expected)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() || line.contains(char::is_control) {
            return Err(expected());
        }
        Ok(Some(Self { key: key.to_owned(), value: value.to_owned() }))
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "set {}={}", self.key, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let read = |line: &str| Set::read(line).map(|set| set.map(|set| set.to_string()));
        assert_eq!(
            read("  set  links[0].rate = 5 Mb/s \r"),
            Ok(Some("set links[0].rate=5 Mb/s".into()))
        );
        let table = "set links[0].loss={ model = \"bernoulli\", probability = 0.1 }";
        assert_eq!(read(table), Ok(Some(table.into())));
        assert_eq!((read(""), read(" # wait")), (Ok(None), Ok(None)));
        for bad in [
            "links[0].rate=5 Mb/s",
            "set",
            "setlinks=3",
            "set =3",
            "set a=",
            "set a b",
            "set a=\u{7}",
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("expected such as set links[0].rate=5 Mb/s"), "{error}");
        }
    }
}
