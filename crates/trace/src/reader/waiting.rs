//! Named pipes: opening waits for a writer, and reading for data. The caller can end the wait.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

/// Interval between two checks of a pipe.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Tells whether to go on waiting.
static GO_ON: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the function that tells, during a wait for a pipe, whether to go on; the first call counts.
pub fn set_go_on(go_on: fn() -> bool) {
    let _ = GO_ON.set(go_on);
}

/// A named pipe that is read without blocking.
#[derive(Debug)]
pub struct InterruptiblePipe {
    pipe: File,
    /// True once a writer was there; before, the end of the pipe means that no writer has come yet.
    begun: bool,
}

impl InterruptiblePipe {
    /// The pipe at `path`; `None` if that is no named pipe.
    ///
    /// # Errors
    /// Those of the operating system.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    pub fn of(path: &Path) -> io::Result<Option<Self>> {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        #[cfg(all(target_os = "linux", not(any(target_arch = "mips", target_arch = "sparc"))))]
        const NONBLOCK: i32 = 0o4000;
        #[cfg(target_os = "macos")]
        const NONBLOCK: i32 = 4;
        if !std::fs::metadata(path)?.file_type().is_fifo() {
            return Ok(None);
        }
        let pipe = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
        // `<(command)` and standard input already have their writer, which may have written
        // nothing.
        let begun = is_open_already(path);
        Ok(Some(Self { pipe, begun }))
    }

    /// Other systems read pipes as files.
    ///
    /// # Errors
    /// None.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub fn of(_: &Path) -> io::Result<Option<Self>> {
        Ok(None)
    }
}

/// True if a path names an open file of a process, such as `/dev/fd/63`, whose writer is there
/// already. A named pipe elsewhere, as below `/dev/shm`, may still get its writer.
fn is_open_already(path: &Path) -> bool {
    let of_a_process = ["/dev/fd", "/dev/stdin", "/proc"].iter().any(|p| path.starts_with(p));
    of_a_process || std::fs::canonicalize(path).is_err()
}

impl Read for InterruptiblePipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.pipe.read(buffer) {
                Ok(0) if !self.begun && !buffer.is_empty() => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.begun = true,
                Ok(n) => {
                    self.begun = true;
                    return Ok(n);
                }
                Err(e) => return Err(e),
            }
            if !GO_ON.get().is_none_or(|go_on| go_on()) {
                return Err(io::Error::other("waiting for the pipe was interrupted"));
            }
            sleep(POLL_INTERVAL);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_command_that_writes_nothing_is_an_empty_file() {
        let (reader, writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        drop(writer);
        let (done, seen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut pipe = InterruptiblePipe::of(Path::new(&path)).unwrap().unwrap();
            done.send(pipe.read_to_end(&mut Vec::new()).unwrap())
        });
        assert_eq!(seen.recv_timeout(Duration::from_secs(20)), Ok(0));
    }
}
