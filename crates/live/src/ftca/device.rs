//! Names of network devices, and the names of tables that follow from them.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use thiserror::Error;

/// The longest name in bytes: `IFNAMSIZ` of Linux without the terminating zero.
pub const LONGEST: usize = 15;
/// The table of a device begins with this.
pub const TABLE_PREFIX: &str = "airtcp_ftca_";
/// Characters that Linux refuses in a name, or that nft, a unit of systemd or a shell would read as syntax.
const REFUSED: &[char] = &['/', ':', '"', '\'', '`', '\\', '*', '$', '%', ';', '{', '}', '#'];

/// The name of a network device, which is safe in a ruleset, a unit of systemd and a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device(String);

/// Why a name is not that of a device.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DeviceError {
    /// The name has no characters.
    #[error("a device needs a name, such as wlan0")]
    Empty,
    /// Linux has no such long names.
    #[error("{0} bytes; names of devices have at most {LONGEST}")]
    Long(usize),
    /// Linux refuses these two, which are names of folders.
    #[error("not a name of a device")]
    Folder,
    /// A character that a name cannot have here.
    #[error("the character {0:?} cannot be in the name of a device; `ip link` lists the names")]
    Character(char),
}

impl FromStr for Device {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self, DeviceError> {
        if name.is_empty() {
            return Err(DeviceError::Empty);
        }
        if name.len() > LONGEST {
            return Err(DeviceError::Long(name.len()));
        }
        if name == "." || name == ".." {
            return Err(DeviceError::Folder);
        }
        let bad = |c: &char| c.is_whitespace() || c.is_control() || REFUSED.contains(c);
        match name.chars().find(bad) {
            Some(character) => Err(DeviceError::Character(character)),
            None if name.starts_with('-') => Err(DeviceError::Character('-')),
            None => Ok(Self(name.to_owned())),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Device {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the table with its rules: every device has one of its own.
    ///
    /// Letters, digits, `-` and `.` of ASCII stay. Any other byte is `_` and two hexadecimal digits, so that no two
    /// devices have one table.
    pub fn table(&self) -> String {
        let mut table = TABLE_PREFIX.to_owned();
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' {
                table.push(char::from(byte));
            } else {
                let _ = write!(table, "_{byte:02x}");
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_taken() {
        for name in ["wlan0", "phy0-ap0", "wlp3s0", "br_lan", "wlan0.10", "exactly-fifteen", "é0"]
        {
            assert_eq!(name.parse::<Device>().map(|d| d.0).as_deref(), Ok(name));
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        for name in [
            "",
            ".",
            "..",
            "a b",
            "a\tb",
            "a\nb",
            "a/b",
            "a:b",
            "a\"b",
            "a'b",
            "a\\b",
            "a`b",
            "$(id)",
            "wlan*",
            "-f",
            "a\0b",
            "a;b",
            "sixteen-byteslng",
            "a\u{2003}b",
            "%i",
        ] {
            assert!(name.parse::<Device>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn tables_of_different_devices_differ() {
        let table = |name: &str| name.parse::<Device>().unwrap().table();
        assert_eq!(table("phy0-ap0"), "airtcp_ftca_phy0-ap0");
        assert_eq!(table("a_b"), "airtcp_ftca_a_5fb");
        assert_ne!(table("a_5fb"), table("a_b"));
        assert_ne!(table("é"), table("e"));
    }
}
