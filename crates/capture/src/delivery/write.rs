//! Writes delivery traces as tables (`docs/reference/trace-formats.md`, layout `table`).

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{DeliveryTrace, Unit};

/// Why traces could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct WriteError {
    /// The file.
    pub path: String,
    /// The cause.
    pub source: io::Error,
}

/// Writes traces: each to a file of its own if `to` is a folder, else all to one table. A name that ends
/// in a separator is that of a folder, which is made if it is missing. Gives the files written. Without `replace`, an existing file is left as it is.
///
/// # Errors
/// If a file cannot be written, or exists and must not be replaced.
pub fn write(
    traces: &[DeliveryTrace],
    to: &Path,
    replace: bool,
) -> Result<Vec<PathBuf>, WriteError> {
    let named = to.as_os_str().as_encoded_bytes().last().copied();
    if named.is_some_and(|last| std::path::is_separator(char::from(last))) {
        let failed = |source| WriteError { path: to.display().to_string(), source };
        fs::create_dir_all(to).map_err(failed)?;
    }
    if !to.is_dir() {
        write_file(to, traces, replace)?;
        return Ok(vec![to.to_owned()]);
    }
    let mut written: Vec<PathBuf> = Vec::new();
    for trace in traces {
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' };
        let stem: String = format!("{}_{}", trace.from, trace.to).chars().map(plain).collect();
        let mut path = to.join(format!("{stem}.csv"));
        let mut number = 1;
        while written.contains(&path) {
            number += 1;
            path = to.join(format!("{stem}_{number}.csv"));
        }
        write_file(&path, std::slice::from_ref(trace), replace)?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a table, all of it or nothing.
fn write_file(path: &Path, traces: &[DeliveryTrace], replace: bool) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.display().to_string(), source };
    // A device or a pipe is written in place.
    let in_place = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if !in_place && !replace && path.exists() {
        let exists = "the file exists; give another place, or --force to replace it";
        return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, exists)));
    }
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let partial = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let target = if in_place { path } else { &partial };
    let fill = || {
        let mut out = BufWriter::new(File::create(target)?);
        table(&mut out, traces)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if in_place { Ok(()) } else { fs::rename(target, path) }
    };
    fill().map_err(|source| {
        if !in_place {
            // Best effort: the first error matters.
            let _ = fs::remove_file(&partial);
        }
        failed(source)
    })
}

/// Writes one table; several traces have a column that names the link.
fn table(out: &mut impl Write, traces: &[DeliveryTrace]) -> io::Result<()> {
    for trace in traces {
        let what = match trace.unit {
            Unit::Attempt => "attempts on the 802.11 link",
            Unit::Segment => "first copies of the TCP segments of",
        };
        writeln!(out, "# {what} {} -> {}, 1 = delivered", trace.from, trace.to)?;
        for note in &trace.notes {
            writeln!(out, "# {note}")?;
        }
    }
    let has_names = traces.len() > 1;
    writeln!(out, "{}seq,outcome,time_s", if has_names { "link," } else { "" })?;
    for trace in traces {
        let begin = trace.outcomes.first().map_or(0, |(ns, _)| *ns);
        let prefix = if has_names { format!("{},", trace.name()) } else { String::new() };
        for (seq, (ns, arrived)) in trace.outcomes.iter().enumerate() {
            let since = ns.saturating_sub(begin);
            let (s, rest) = (since / 1_000_000_000, since % 1_000_000_000);
            writeln!(out, "{prefix}{seq},{},{s}.{rest:09}", u8::from(*arrived))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that ends in a separator is that of a folder, which is made. Without it, it is a file.
    #[test]
    fn a_separator_names_a_folder() {
        let home = std::env::temp_dir().join(format!("airtcp-write-{}", std::process::id()));
        fs::create_dir_all(&home).unwrap();
        let trace = DeliveryTrace {
            from: "a:1".to_owned(),
            to: "b:2".to_owned(),
            unit: Unit::Segment,
            outcomes: vec![(1, true)],
            notes: Vec::new(),
        };
        let traces = std::slice::from_ref(&trace);
        let folder = PathBuf::from(format!("{}/new/links/", home.display()));
        let written = write(traces, &folder, false).unwrap();
        assert_eq!(written, [folder.join("a-1_b-2.csv")]);
        let file = home.join("table");
        assert_eq!(write(traces, &file, false).unwrap(), std::slice::from_ref(&file));
        assert!(file.is_file());
        // A file of this name is no folder.
        let wrong = PathBuf::from(format!("{}/", file.display()));
        assert!(write(traces, &wrong, true).unwrap_err().to_string().contains("table"));
        fs::remove_dir_all(&home).unwrap();
    }
}
