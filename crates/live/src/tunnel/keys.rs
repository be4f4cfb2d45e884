//! Files of private keys.

use std::path::Path;

use airtcp_tunnel::PrivateKey;

use crate::private;

/// More than a key takes in its file.
const MOST: u64 = 200;

/// Makes a key, and writes it to a new file that only its owner can read.
///
/// # Errors
/// If the file exists, or if it cannot be written.
pub(super) fn make(path: &Path) -> Result<PrivateKey, String> {
    let seed = airtcp_os::random::secret().map_err(|e| e.to_string())?;
    let key = PrivateKey::from_seed(seed);
    private::write(path, key.to_text().as_bytes(), "private key")?;
    Ok(key)
}

/// Reads a key.
///
/// # Errors
/// If the file is none, or if others may read it.
pub(super) fn read(path: &Path) -> Result<PrivateKey, String> {
    let hint = "`airtcp tunnel keygen --out FILE` makes a key";
    let bytes = private::read(path, MOST, "private key", hint)?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    text.parse().map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_once_and_read_again() {
        let path = std::env::temp_dir().join(format!("airtcp-key-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let made = make(&path).unwrap();
        assert_eq!(read(&path).unwrap().public(), made.public());
        assert!(make(&path).unwrap_err().contains("exists"));
        std::fs::write(&path, made.public().to_string()).unwrap();
        assert!(read(&path).unwrap_err().contains("no private key"));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path).unwrap_err().contains("keygen"));
    }
}
