//! The loop: frames from the ring into the file, counts each second, until the time is over or a signal comes.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use airtcp_os::error::Error;
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::{clock, privilege, wait};
use clap::Args;

use super::link::{is_monitor, link_type};
use super::recording::Recording;
use crate::exit::ended;

/// Bytes of a frame that hold all headers, without and with a header of a radio.
const SNAP: u32 = 160;
const SNAP_OF_RADIO: u32 = 320;
/// Frames that are read before the clock and the signals are looked at.
const BATCH: usize = 1_024;
/// Time between two counts, ns.
const COUNT_NS: i64 = 1_000_000_000;
/// Bytes that are held back at most.
const HELD: usize = 1 << 16;

/// Writes the packets of an interface as pcapng to standard output, with what the kernel dropped.
#[derive(Debug, Args)]
pub struct Record {
    /// The interface.
    #[arg(value_name = "INTERFACE")]
    device: String,
    /// Seconds after which it ends; default: at Ctrl-C.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,
    /// Bytes kept of a packet, 64 to 65535. Default: 160, or 320 of a radio in monitor mode, which hold all headers.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(64..=65_535))]
    snap: Option<u32>,
    /// Memory for packets that wait to be read, in MiB, 1 to 1024.
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1_024))]
    ring: u32,
    /// Writes the packets to this file, too.
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim_end_matches('s').trim().parse().unwrap_or(f64::NAN);
    let fits = (0.001..=1e9).contains(&value);
    if fits { Ok(value) } else { Err("expected seconds, 0.001 to 10^9".to_owned()) }
}

fn nanoseconds(seconds: f64) -> i64 {
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// Standard output, and a file that gets the same.
struct Both {
    output: io::Stdout,
    file: Option<(PathBuf, File)>,
}

impl Write for Both {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write_all(bytes)?;
        if let Some((path, file)) = &mut self.file {
            file.write_all(bytes).map_err(|e| named(path, &e))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// An error of a file, with its name.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Why it ends early.
enum End {
    /// An error, in one line.
    Failed(String),
    /// The reader of standard output has closed it.
    Unheard,
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unheard,
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl Record {
    /// Runs it. Exit: 0, also when the reader closes the output; 2 for an error, which is said in one line.
    pub fn run(self) -> ExitCode {
        ended(match self.record() {
            Ok(()) | Err(End::Unheard) => Ok(ExitCode::SUCCESS),
            Err(End::Failed(error)) => Err(error),
        })
    }

    fn record(self) -> Result<(), End> {
        if io::stdout().is_terminal() {
            let what = "the packets go to standard output: redirect it to a file or a pipe";
            return Err(End::Failed(what.to_owned()));
        }
        let signals = Signals::open()?;
        let (mut ring, link_type, snap) = self.open()?;
        let file = match &self.pcap {
            Some(path) => Some((path.clone(), File::create(path).map_err(|e| named(path, &e))?)),
            None => None,
        };
        privilege::give_up(&[])?;
        let out = BufWriter::with_capacity(HELD, Both { output: io::stdout(), file });
        let mut recording = Recording::new(out, &self.device, link_type, snap)?;
        let begin = clock::now();
        let limit = self.time.map(|seconds| begin.saturating_add(nanoseconds(seconds)));
        let mut count_at = begin + COUNT_NS;
        loop {
            let (mut failed, mut last) = (None, begin);
            let read = ring.drain(BATCH, |frame| {
                last = frame.stamp;
                // Of the frames that waited longer, those after the end are left out.
                if limit.is_none_or(|limit| frame.stamp <= limit) && failed.is_none() {
                    failed = recording.frame(&frame).err();
                }
            });
            if let Some(error) = failed {
                return Err(error.into());
            }
            let now = clock::now();
            if now >= count_at {
                recording.counted(ring.seen()?, clock::wall())?;
                ring.refresh();
                count_at = now + COUNT_NS;
            }
            let is_over =
                limit.is_some_and(|limit| now >= limit && (last >= limit || read < BATCH));
            let asked = matches!(signals.read()?, Some(Signal::Interrupt | Signal::Terminate));
            if is_over || asked {
                break;
            }
            if read < BATCH {
                let until = limit.map_or(count_at, |limit| limit.min(count_at));
                let ready = wait::until(&[ring.as_fd(), signals.as_fd()], Some(until))?;
                if ready.first() == Some(&true)
                    && ring.peek().is_none()
                    && let Err(gone) = ring.check()
                {
                    let _ = writeln!(io::stderr(), "{gone}: the capture ends here");
                    break;
                }
            }
        }
        rest(&mut ring, &mut recording, limit)
    }

    /// Opens the ring; it begins to fill here. Returns the link type and the bytes kept of a frame, too.
    fn open(&self) -> Result<(Ring, u16, u32), End> {
        // The kind of the device decides how much of a frame is needed.
        let kind = airtcp_os::device::kind(&self.device).map_err(|e| self.refused(e))?;
        let Some(link_type) = link_type(kind) else {
            return Err(End::Failed(format!(
                "interface '{}' has a link layer of the kind {kind}, which is not read; try: tcpdump -i {} -w - \
                 | airtcp capture -",
                self.device, self.device
            )));
        };
        let snap = self.snap.unwrap_or(if is_monitor(kind) { SNAP_OF_RADIO } else { SNAP });
        let frames = (u64::from(self.ring) << 20) / u64::from(Ring::place_of(snap));
        let frames = u32::try_from(frames).unwrap_or(u32::MAX);
        let shape = Shape { frames, mtu: snap, promiscuous: true };
        let ring = Ring::tap(&self.device, shape).map_err(|e| self.refused(e))?;
        ring.check()?;
        Ok((ring, link_type, snap))
    }

    /// An error of opening, with what to do.
    fn refused(&self, error: Error) -> End {
        match error {
            Error::NoDevice(name) if name == "any" => End::Failed(
                "give one interface; all at once: tcpdump -i any -w - | airtcp capture -"
                    .to_owned(),
            ),
            Error::NoDevice(name) => {
                let there = airtcp_os::device::names().join(", ");
                End::Failed(format!("interface '{name}' does not exist; there are {there}"))
            }
            Error::Forbidden { .. } => End::Failed(format!(
                "capturing on '{}' is not permitted: run as root, or allow it once with: sudo setcap cap_net_raw+ep \
                 {}",
                self.device,
                std::env::current_exe()
                    .map_or("airtcp-live".into(), |path| path.display().to_string())
            )),
            other => other.into(),
        }
    }
}

/// Writes the frames that wait when it ends, and the last counts.
fn rest<W: Write>(
    ring: &mut Ring,
    recording: &mut Recording<W>,
    limit: Option<i64>,
) -> Result<(), End> {
    let end = limit.map_or(clock::now(), |limit| limit.min(clock::now()));
    while let Some(frame) = ring.peek() {
        if frame.stamp > end {
            break;
        }
        recording.frame(&frame)?;
        ring.release();
    }
    Ok(recording.counted(ring.seen()?, clock::wall())?)
}
