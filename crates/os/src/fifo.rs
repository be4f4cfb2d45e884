//! Lines that other programs send: a named pipe, or standard input.

use crate::clock;
use crate::error::{Error, Result};
use crate::wait;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// A named pipe, or standard input, that is read without waiting.
#[derive(Debug)]
pub struct Fifo {
    file: File,
    /// The pipe that was made here, which goes with it.
    made: Option<PathBuf>,
    ended: bool,
}

impl Fifo {
    /// Opens a named pipe for reading. One that does not exist is made, for its owner only, and removed at the end. It has no end:
    /// writers come and go.
    ///
    /// # Errors
    /// If there is something else at this place, or if the system refuses.
    pub fn open(path: &Path) -> Result<Self> {
        let made = match rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        {
            Ok(()) => Some(path.to_owned()),
            Err(rustix::io::Errno::EXIST) => None,
            Err(e) => {
                return Err(Error::system(
                    format!("making the named pipe '{}'", path.display()),
                    e,
                ));
            }
        };
        let opened = Self::opened(path);
        if opened.is_err() && made.is_some() {
            let _ = fs::remove_file(path);
        }
        opened.map(|file| Self { file, made, ended: false })
    }

    /// Opens it for writing as well: without a writer, every wait would end at once.
    fn opened(path: &Path) -> Result<File> {
        let shown = path.display();
        let failed = |e: io::Error| Error::system(format!("opening the named pipe '{shown}'"), e);
        let is_pipe = |mode| FileType::from_raw_mode(mode) == FileType::Fifo;
        let other = || {
            Error::Input(format!(
                "'{shown}' is no named pipe: make one with mkfifo, or give a name that is free"
            ))
        };
        if !is_pipe(rustix::fs::stat(path).map_err(|e| failed(e.into()))?.st_mode) {
            return Err(other());
        }
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?;
        if !is_pipe(rustix::fs::fstat(&fd).map_err(|e| failed(e.into()))?.st_mode) {
            return Err(other());
        }
        Ok(fd.into())
    }

    /// The pipe that was made here, which stays from now on.
    pub fn keep_made(&mut self) -> Option<PathBuf> {
        self.made.take()
    }

    /// Standard input, to its end.
    ///
    /// # Errors
    /// If it is closed.
    pub fn standard_input() -> Result<Self> {
        let fd = io::stdin().as_fd().try_clone_to_owned();
        let fd = fd.map_err(|e| Error::system("reading standard input", e))?;
        Ok(Self { file: fd.into(), made: None, ended: false })
    }

    /// Reads what has come, up to the length of `bytes`, and returns how much that is. It waits for nothing.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        // Standard input is shared with others, so it keeps its mode, in which reading waits.
        if self.ended || wait::until(&[self.file.as_fd()], Some(clock::now()))? != [true] {
            return Ok(0);
        }
        match self.file.read(bytes) {
            Ok(0) => {
                self.ended = true;
                Ok(0)
            }
            Ok(count) => Ok(count),
            Err(e)
                if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
            {
                Ok(0)
            }
            Err(e) => Err(Error::system("reading commands", e)),
        }
    }

    /// What to wait for; nothing after the end of standard input.
    pub fn source(&self) -> Option<BorrowedFd<'_>> {
        (!self.ended).then(|| self.file.as_fd())
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        if let Some(path) = &self.made {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("airtcp-fifo-{name}-{}", std::process::id()))
    }

    #[test]
    fn made_read_and_removed() {
        let path = place("made");
        let mut fifo = Fifo::open(&path).unwrap();
        let about = fs::metadata(&path).unwrap();
        assert!(about.file_type().is_fifo());
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
        let mut bytes = [0; 16];
        assert_eq!(fifo.read(&mut bytes).unwrap(), 0);
        for text in ["one\n", "two\n"] {
            File::options().write(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
            assert_eq!(fifo.read(&mut bytes).unwrap(), 4);
            assert_eq!(&bytes[..4], text.as_bytes());
            assert_eq!(fifo.read(&mut bytes).unwrap(), 0, "writers come and go");
        }
        assert!(fifo.source().is_some());
        // A second reader uses it, and leaves it.
        drop(Fifo::open(&path).unwrap());
        assert!(path.exists());
        drop(fifo);
        assert!(!path.exists());
    }

    #[test]
    fn other_files_are_refused_and_stay() {
        let path = place("file");
        fs::write(&path, "mine").unwrap();
        let said = Fifo::open(&path).unwrap_err().to_string();
        assert!(said.contains("is no named pipe: make one with mkfifo"), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        fs::remove_file(&path).unwrap();
        let said = Fifo::open(Path::new("/nosuch/folder/x")).unwrap_err().to_string();
        assert!(said.contains("'/nosuch/folder/x'"), "{said}");
        assert!(Fifo::open(Path::new("/dev/null")).is_err());
    }
}
