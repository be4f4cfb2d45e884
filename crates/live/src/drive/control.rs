//! Lines that change the scenario while it runs.
//!
//! A line takes effect at the model's time when it is read, at most 1 ms after it came on a process that is not late. What cannot
//! be changed is answered with the reason, and the run goes on.

use std::os::fd::BorrowedFd;
use std::path::Path;

use airtcp_os::fifo::Fifo;
use airtcp_scenario::ScenarioError;
use serde::Serialize;

use super::failure::{Failure, said, say};
use super::given::Subject;
use super::keeper::Keeper;
use crate::emulate::{Emulation, LONGEST_LINE, Set};

/// Time between two looks, ns.
const EVERY: i64 = 1_000_000;

/// Lines, and the scenario that they change.
pub(super) struct Control {
    fifo: Fifo,
    subject: Subject,
    /// The start of a line.
    line: Vec<u8>,
    next: i64,
    /// The changes that were made, the first [`KEPT`] of them.
    made: Vec<Made>,
    /// Removes the pipe that was made.
    _pipe: Option<Keeper>,
}

/// A change that was made.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Made {
    /// When, seconds after the start.
    t_s: f64,
    key: String,
    value: String,
}

/// Changes that a document lists.
const KEPT: usize = 1_000;

impl Control {
    /// Lines from a named pipe, which is made if there is none, or from standard input (`-`).
    pub(super) fn open(path: &Path, subject: Subject) -> Result<Self, Failure> {
        let fifo = if path == Path::new("-") { Fifo::standard_input() } else { Fifo::open(path) };
        let mut fifo = fifo.map_err(said)?;
        let pipe = fifo.keep_made().map(|path| Keeper::of_pipe(&path)).transpose()?;
        let (line, made) = (Vec::new(), Vec::new());
        Ok(Self { fifo, subject, line, next: 0, made, _pipe: pipe })
    }

    /// The changes that were made.
    pub(super) fn made(&self) -> &[Made] {
        &self.made
    }

    /// What to wait for.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.fifo.source()
    }

    /// Makes the changes that have come.
    pub(super) fn turn(&mut self, now: i64, emulation: &mut Emulation) -> Result<(), Failure> {
        if now < self.next {
            return Ok(());
        }
        self.next = now + EVERY;
        let mut bytes = [0; LONGEST_LINE];
        let count = self.fifo.read(&mut bytes).map_err(said)?;
        for byte in &bytes[..count] {
            if *byte != b'\n' {
                // A longer line keeps one byte too many, by which it is told.
                if self.line.len() <= LONGEST_LINE {
                    self.line.push(*byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let answer = self.change(&line, emulation);
            let seconds = emulation.now().0 as f64 * 1e-9;
            match answer {
                Ok(None) => {}
                Ok(Some(set)) => {
                    say(&format!("airtcp emulate, {seconds:.3} s: {set}"));
                    if self.made.len() < KEPT {
                        self.made.push(Made { t_s: seconds, key: set.key, value: set.value });
                    }
                }
                Err(problem) => {
                    say(&format!("airtcp emulate, {seconds:.3} s: nothing changed: {problem}"));
                }
            }
        }
        Ok(())
    }

    fn change(&mut self, line: &[u8], emulation: &mut Emulation) -> Result<Option<Set>, String> {
        if line.len() > LONGEST_LINE {
            return Err(format!("a line has more than {LONGEST_LINE} bytes"));
        }
        let Some(set) = Set::read(&String::from_utf8_lossy(line))? else { return Ok(None) };
        let refused = |e: ScenarioError| {
            // The place in the file is that of another value.
            let ScenarioError { path, message, .. } = e.located("", "");
            let path = if path.is_empty() { set.key.clone() } else { path };
            format!("{path}: {message}")
        };
        let changed = self.subject.changed(&set).map_err(refused)?;
        let traces = self.subject.traces.clone();
        let load = |name: &str| traces.load(name);
        emulation.change(&set, &changed.plan, &load).map_err(refused)?;
        self.subject.keep(changed);
        Ok(Some(set))
    }
}
