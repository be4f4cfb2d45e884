//! What a run writes while it goes: fates, arrivals, a capture.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use airtcp_os::clock;
use airtcp_units::Nanos;
use airtcp_wire::pcapng::Pcapng;

use super::failure::{Failure, at};
use crate::emulate::{Fate, HEADER, Recorded};

/// Bytes of a frame that a capture keeps.
const SNAP: u32 = 65_535;
const ETHERNET: u16 = 1;
/// Bytes of a capture that are written to its file at once: a few hundred frames.
const BUFFER: usize = 1 << 18;

/// A file that lines are written to.
struct Lines {
    path: PathBuf,
    file: BufWriter<File>,
}

/// A file that is written at the end, in one piece.
pub(super) struct Whole {
    path: PathBuf,
    file: File,
}

impl Whole {
    /// Opens it, while the process still may. What is there stays until it is written.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path);
        Ok(Self { path: path.to_owned(), file: file.map_err(|e| at(path, &e))? })
    }

    pub(super) fn write(mut self, text: &str) -> Result<(), Failure> {
        // A pipe has no length.
        let _ = self.file.set_len(0);
        self.file.write_all(text.as_bytes()).map_err(|e| at(&self.path, &e))
    }
}

/// All files of a run.
pub(super) struct Outputs {
    fates: Option<Lines>,
    arrivals: Option<Lines>,
    capture: Option<Capture>,
}

struct Capture {
    path: PathBuf,
    writer: Pcapng<BufWriter<File>>,
    /// Wall-clock time at the start of the model's clock, ns.
    begin: u64,
}

impl Lines {
    fn open(path: &Path, first: &str) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|e| at(path, &e))?;
        let mut lines = Self { path: path.to_owned(), file: BufWriter::new(file) };
        lines.line(&first)?;
        Ok(lines)
    }

    fn line(&mut self, line: &dyn std::fmt::Display) -> Result<(), Failure> {
        writeln!(self.file, "{line}").map_err(|e| at(&self.path, &e))
    }
}

impl Outputs {
    pub(super) fn open(
        fates: Option<&Path>,
        arrivals: Option<(&Path, &str)>,
        capture: Option<&Path>,
        ports: &[String],
    ) -> Result<Self, Failure> {
        Ok(Self {
            fates: fates.map(|path| Lines::open(path, HEADER)).transpose()?,
            arrivals: arrivals.map(|(path, header)| Lines::open(path, header)).transpose()?,
            capture: capture.map(|path| Capture::open(path, ports)).transpose()?,
        })
    }

    /// The model's clock starts, at a time of the monotonic clock.
    pub(super) fn begin(&mut self, monotonic: i64) {
        if let Some(capture) = &mut self.capture {
            let wall = monotonic.saturating_add(clock::Offset::measure().value);
            capture.begin = u64::try_from(wall).unwrap_or_default();
        }
    }

    pub(super) fn fate(&mut self, fate: &Fate) -> Result<(), Failure> {
        self.fates.as_mut().map_or(Ok(()), |lines| lines.line(fate))
    }

    pub(super) fn arrivals(&mut self, arrivals: &[Recorded]) -> Result<(), Failure> {
        let Some(lines) = &mut self.arrivals else { return Ok(()) };
        arrivals.iter().try_for_each(|arrival| lines.line(arrival))
    }

    /// A frame passed a port, at a time of the model's clock.
    pub(super) fn frame(&mut self, port: usize, at: u64, bytes: &[u8]) -> Result<(), Failure> {
        self.capture.as_mut().map_or(Ok(()), |capture| capture.frame(port, at, bytes))
    }

    pub(super) fn close(&mut self) -> Result<(), Failure> {
        for lines in [&mut self.fates, &mut self.arrivals].into_iter().flatten() {
            lines.file.flush().map_err(|e| at(&lines.path, &e))?;
        }
        if let Some(capture) = self.capture.take() {
            capture.writer.finish().map_err(|e| at(&capture.path, &e))?;
        }
        Ok(())
    }
}

impl Capture {
    fn open(path: &Path, ports: &[String]) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| at(path, &e);
        let file = BufWriter::with_capacity(BUFFER, File::create(path).map_err(failed)?);
        let mut writer = Pcapng::new(file, "airtcp").map_err(failed)?;
        for port in ports {
            writer.interface_with_link_type(ETHERNET, port, SNAP).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), writer, begin: 0 })
    }

    fn frame(&mut self, port: usize, time: u64, bytes: &[u8]) -> Result<(), Failure> {
        let length = u32::try_from(bytes.len()).unwrap_or(SNAP);
        let port = u32::try_from(port).unwrap_or_default();
        self.writer
            .packet(port, Nanos(self.begin.saturating_add(time)), bytes, length)
            .map_err(|e| at(&self.path, &e))
    }
}
