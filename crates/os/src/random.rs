//! Random numbers for secrets.

use crate::error::{Error, Result};

/// Bytes that nobody can guess, from the kernel's generator.
///
/// # Errors
/// If the kernel has none.
pub fn secret<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(Error::system("asking for random bytes", e)),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_differ() {
        let (one, other) = (secret::<32>().unwrap(), secret::<32>().unwrap());
        assert_ne!(one, other);
        assert_ne!(one[16..], [0; 16]);
    }
}
