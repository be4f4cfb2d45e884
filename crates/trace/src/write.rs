//! Writing traces: text of 0 and 1, CSV, received sequence numbers.
//!
//! A file is written beside its final place and then renamed, so that an interrupted run leaves no
//! partial trace that looks whole; devices and pipes are written in place. A written file reads
//! back to the same outcomes and interval. A name that ends in `.gz` is compressed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use airtcp_units::{Outcomes, Span};
use serde::{Deserialize, Serialize};

use crate::error::TraceError;
use crate::reader::LinkTrace;

/// How to write a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceFormat {
    /// Text of 0 and 1, 80 per line.
    Bits,
    /// CSV: `seq,outcome` and, with an interval, `time_s`.
    Csv,
    /// CSV of the received packets only: `seq` and, with an interval, `time_s`. A comment keeps the
    /// number of packets sent, which the received packets do not show.
    Sequence,
}

/// Outcomes per line in [`TraceFormat::Bits`].
const PER_LINE: usize = 80;

/// Writes a trace to `path`, all of it or nothing.
pub fn write_file(
    path: &Path,
    outcomes: &Outcomes,
    interval: Option<Span>,
    format: TraceFormat,
) -> Result<(), TraceError> {
    write_marked(path, outcomes, interval, format, "")
}

/// Writes the trace of a link, as [`write_file`]. A comment records a drawn order.
pub fn write_link(path: &Path, link: &LinkTrace, format: TraceFormat) -> Result<(), TraceError> {
    let mark = if link.order_known { "" } else { "# airtcp: order=drawn\n" };
    write_marked(path, &link.outcomes, link.interval, format, mark)
}

fn write_marked(
    path: &Path,
    outcomes: &Outcomes,
    interval: Option<Span>,
    format: TraceFormat,
    mark: &str,
) -> Result<(), TraceError> {
    // A device or a pipe is written in place.
    let in_place = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let partial = if in_place { path.to_owned() } else { partial_name(path) };
    let result = fill(&partial, path, |out| {
        out.write_all(mark.as_bytes())?;
        write(out, outcomes, interval, format)
    });
    let result = match result {
        Ok(()) if !in_place => fs::rename(&partial, path),
        // Only files can be synchronised to a disk.
        Err(error) if in_place && error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    };
    result.map_err(|source| {
        if !in_place {
            // Best effort: the first error matters.
            let _ = fs::remove_file(&partial);
        }
        TraceError::Io { path: path.display().to_string(), source }
    })
}

/// A name beside `path` that no other process uses.
fn partial_name(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}

fn fill(
    partial: &Path,
    path: &Path,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::create(partial)?;
    if path.extension().is_some_and(|e| e == "gz") {
        let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        text(&mut out)?;
        out.finish()?.sync_all()
    } else {
        let mut out = BufWriter::new(file);
        text(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// Writes a trace to a stream.
pub fn write(
    out: &mut (impl Write + ?Sized),
    outcomes: &Outcomes,
    interval: Option<Span>,
    format: TraceFormat,
) -> io::Result<()> {
    // Whole lines are collected first, because small writes to a gzip stream are slow.
    let mut text = String::new();
    match format {
        TraceFormat::Bits => bits(out, &mut text, outcomes, interval)?,
        TraceFormat::Csv => {
            let header = if interval.is_some() { "seq,outcome,time_s\n" } else { "seq,outcome\n" };
            out.write_all(header.as_bytes())?;
            for (i, received) in outcomes.iter().enumerate() {
                text = format!("{i},{}", u8::from(received));
                end_row(&mut text, i, interval);
                out.write_all(text.as_bytes())?;
            }
        }
        TraceFormat::Sequence => {
            let lead = outcomes.iter().position(|received| received).unwrap_or(0);
            writeln!(out, "# airtcp: packets={} lead={lead}", outcomes.len())?;
            out.write_all(if interval.is_some() { b"seq,time_s\n" } else { b"seq\n" })?;
            for (i, _) in outcomes.iter().enumerate().filter(|(_, received)| *received) {
                text = i.to_string();
                end_row(&mut text, i, interval);
                out.write_all(text.as_bytes())?;
            }
        }
    }
    out.flush()
}

fn bits(
    out: &mut (impl Write + ?Sized),
    text: &mut String,
    outcomes: &Outcomes,
    interval: Option<Span>,
) -> io::Result<()> {
    if let Some(interval) = interval {
        // The interval without its blank is one word of the comment.
        writeln!(out, "# airtcp: interval={}", interval.to_string().replace(' ', ""))?;
    }
    for (i, received) in outcomes.iter().enumerate() {
        text.push(if received { '1' } else { '0' });
        if (i + 1) % PER_LINE == 0 || i + 1 == outcomes.len() {
            text.push('\n');
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    Ok(())
}

/// Adds the time of packet `i` in seconds, exact to the nanosecond, and ends the line.
fn end_row(text: &mut String, i: usize, interval: Option<Span>) {
    if let Some(interval) = interval {
        let ns = u128::from(interval.0) * i as u128;
        let time = format!(",{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
        text.push_str(&time);
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{ReadOptions, read_links, read_links_from};
    use proptest::prelude::*;

    fn round_trip(outcomes: &Outcomes, interval: Option<Span>, format: TraceFormat) {
        let mut text = Vec::new();
        write(&mut text, outcomes, interval, format).unwrap();
        let shown = String::from_utf8_lossy(&text).into_owned();
        let links =
            read_links_from(Path::new("t.csv"), text.as_slice(), &ReadOptions::default()).unwrap();
        assert_eq!(links.len(), 1, "{shown}");
        assert_eq!(&links[0].outcomes, outcomes, "{shown}");
        // At least two received packets are needed to show an interval.
        let shows = match format {
            TraceFormat::Bits => true,
            TraceFormat::Csv => outcomes.len() > 1,
            TraceFormat::Sequence => outcomes.received() > 1,
        };
        if shows {
            assert_eq!(links[0].interval, interval, "{shown}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            bits in proptest::collection::vec(any::<bool>(), 1..300),
            ms in proptest::option::of(1u64..100_000),
            format in prop_oneof![Just(TraceFormat::Bits), Just(TraceFormat::Csv), Just(TraceFormat::Sequence)],
        ) {
            let outcomes: Outcomes = bits.into_iter().collect();
            round_trip(&outcomes, ms.map(Span::from_millis), format);
        }
    }

    #[test]
    fn uniform_traces_round_trip() {
        for format in [TraceFormat::Bits, TraceFormat::Csv, TraceFormat::Sequence] {
            for bits in [vec![false; 100], vec![true; 100], vec![true], vec![false]] {
                round_trip(&bits.iter().copied().collect(), Some(Span::from_millis(2)), format);
            }
        }
    }

    #[test]
    fn files_appear_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("airtcp-write-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let outcomes: Outcomes = (0..1000).map(|i| i % 3 != 0).collect();
        for name in ["a.txt", "b.txt.gz"] {
            let path = folder.join(name);
            write_file(&path, &outcomes, None, TraceFormat::Bits).unwrap();
            let links = read_links(&path, &ReadOptions::default()).unwrap();
            assert_eq!(links[0].outcomes, outcomes);
        }
        // The target is a folder: the rename fails, and nothing is left beside it.
        fs::create_dir_all(folder.join("taken/inside")).unwrap();
        let taken = folder.join("taken");
        assert!(write_file(&taken, &outcomes, None, TraceFormat::Csv).is_err());
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.txt", "b.txt.gz", "taken"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_stays_a_pipe() {
        use std::os::unix::fs::FileTypeExt;

        let folder = std::env::temp_dir().join(format!("airtcp-pipe-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let outcomes: Outcomes = std::iter::repeat_n(true, 5).collect();
        // A pipe opened for reading and writing does not wait.
        let mut reader = File::options().read(true).write(true).open(&pipe).unwrap();
        write_file(&pipe, &outcomes, None, TraceFormat::Bits).unwrap();
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        let mut read = [0; 6];
        io::Read::read_exact(&mut reader, &mut read).unwrap();
        assert_eq!(&read, b"11111\n");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_drawn_order_stays_one() {
        let folder = std::env::temp_dir().join(format!("airtcp-drawn-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = b"received\n1\n0\n1\n1\n".as_slice();
        let mut link =
            read_links_from(Path::new("t.csv"), text, &ReadOptions::default()).unwrap().remove(0);
        for known in [true, false] {
            link.order_known = known;
            for format in [TraceFormat::Bits, TraceFormat::Csv, TraceFormat::Sequence] {
                let path = folder.join("t.txt");
                write_link(&path, &link, format).unwrap();
                let again = read_links(&path, &ReadOptions::default()).unwrap().remove(0);
                assert_eq!((again.order_known, again.outcomes), (known, link.outcomes.clone()));
                let said = again.notes.iter().any(|note| note.contains("drawn at random"));
                assert_eq!(said, !known, "{:?}", again.notes);
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
