//! The file of a secret: 32 random bytes that only its owner can read.

use std::path::Path;

use super::auth::{Key, SECRET};
use crate::private;

/// Writes a new secret.
///
/// # Errors
/// If the file exists, or if it cannot be written.
pub(super) fn write(path: &Path) -> Result<(), String> {
    let bytes = airtcp_os::random::secret::<SECRET>().map_err(|e| e.to_string())?;
    private::write(path, &bytes, "secret")
}

/// Reads a secret.
///
/// # Errors
/// If the file is none, or if others may read it.
pub(super) fn read(path: &Path) -> Result<Key, String> {
    let hint = "make one with `airtcp measure --new-secret FILE`, and copy it to the other end";
    let limit = u64::try_from(SECRET + 1).unwrap_or_default();
    let bytes = private::read(path, limit, "secret", hint)?;
    let length = bytes.len();
    let whole: [u8; SECRET] = bytes.try_into().map_err(|_| {
        let found = if length > SECRET { "more".to_owned() } else { length.to_string() };
        format!("{}: a secret has {SECRET} bytes, found {found}; {hint}", path.display())
    })?;
    Ok(Key::new(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_secret_is_written_once_and_read_by_its_owner() {
        let folder = std::env::temp_dir().join(format!("airtcp-secret-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("secret");
        write(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let (one, two) = (read(&path).unwrap(), read(&path).unwrap());
        assert_eq!(one.tag(&[b"x"]), two.tag(&[b"x"]));
        assert!(write(&path).unwrap_err().contains("exists"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert!(read(&path).unwrap_err().contains("chmod 600"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        std::fs::write(&path, [0; 31]).unwrap();
        assert!(read(&path).unwrap_err().contains("found 31"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(read(&path).unwrap_err().contains("--new-secret"));
    }
}
