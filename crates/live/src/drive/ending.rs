//! How a run ends: by COMMAND itself, at a time, or at Ctrl-C.
//!
//! | | COMMAND gets | and has |
//! |---|---|---|
//! | Ctrl-C, or the time is over | SIGINT; the terminal's Ctrl-C has reached it already | 3 s for its summary, while packets pass |
//! | SIGTERM to airtcp | SIGTERM | 3 s |
//! | still runs, or a second Ctrl-C or SIGTERM | SIGTERM | 1 s |
//! | still runs, or a third | SIGKILL | |

use std::process::Child;

use airtcp_os::child::ask;
use airtcp_os::signal::Signal;
use airtcp_os::{Error, Result};
use serde::Serialize;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Why {
    /// COMMAND ended.
    CommandEnded,
    /// The time was over.
    TimeOver,
    /// Ctrl-C, or a request to end.
    Interrupted,
    /// The process was stopped or the machine slept for more than a second.
    Stopped,
    /// An error ended it.
    Failed,
}

/// Time that a program has after it was asked to end, and after it was told.
const ASKED_NS: i64 = 3_000_000_000;
const TOLD_NS: i64 = 1_000_000_000;

/// What follows from a signal, the clock and the program's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The run goes on.
    On,
    /// It is over. A program that still runs is killed.
    Over(Why),
}

/// Whether the program was asked to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Runs,
    Asked,
    Told,
}

/// The end of a run, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Ending {
    stage: Stage,
    why: Option<Why>,
    /// When the next step is due.
    due: Option<i64>,
}

impl Ending {
    /// When the clock makes the next step.
    pub(super) const fn next(&self) -> Option<i64> {
        self.due
    }

    /// Takes a signal, with whether the terminal sent it to all, and whether the time is over.
    ///
    /// # Errors
    /// If the program cannot be waited for or asked.
    pub(super) fn step(
        &mut self,
        signal: Option<(Signal, bool)>,
        time_over: bool,
        client: Option<&mut Child>,
        now: i64,
    ) -> Result<Step> {
        let stop = signal.filter(|(signal, _)| *signal != Signal::Child);
        if self.why.is_none() {
            self.why = match (stop, time_over) {
                (Some(_), _) => Some(Why::Interrupted),
                (None, true) => Some(Why::TimeOver),
                _ => None,
            };
        }
        let Some(client) = client else {
            return Ok(self.why.map_or(Step::On, Step::Over));
        };
        if signal.is_some_and(|(signal, _)| signal == Signal::Child) {
            let waited = client.try_wait();
            let ended = waited.map_err(|e| Error::system("waiting for COMMAND", e))?.is_some();
            if ended {
                return Ok(Step::Over(self.why.unwrap_or(Why::CommandEnded)));
            }
        }
        let Some(why) = self.why else { return Ok(Step::On) };
        let due = self.due.is_some_and(|due| now >= due);
        match self.stage {
            Stage::Runs => {
                match stop {
                    // It has reached the program, too.
                    Some((Signal::Interrupt, true)) => {}
                    Some((signal, _)) => ask(client, signal)?,
                    None => ask(client, Signal::Interrupt)?,
                }
                (self.stage, self.due) = (Stage::Asked, Some(now + ASKED_NS));
            }
            Stage::Asked if due || stop.is_some() => {
                ask(client, Signal::Terminate)?;
                (self.stage, self.due) = (Stage::Told, Some(now + TOLD_NS));
            }
            Stage::Told if due || stop.is_some() => return Ok(Step::Over(why)),
            _ => {}
        }
        Ok(Step::On)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    const CTRL_C: Option<(Signal, bool)> = Some((Signal::Interrupt, true));

    /// A program that ends at nothing but SIGKILL, as it would not be asked by a terminal.
    fn program() -> Child {
        Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn without_a_program_it_is_over_at_once() {
        let step = |signal, over| Ending::default().step(signal, over, None, 0).unwrap();
        assert_eq!(step(None, false), Step::On);
        assert_eq!(step(CTRL_C, false), Step::Over(Why::Interrupted));
        assert_eq!(step(None, true), Step::Over(Why::TimeOver));
        assert_eq!(step(Some((Signal::Child, false)), false), Step::On);
    }

    #[test]
    fn a_program_has_time_and_a_second_ctrl_c_shortens_it() {
        let mut child = program();
        let mut ending = Ending::default();
        let mut step =
            |signal, now| (ending.step(signal, false, Some(&mut child), now).unwrap(), ending.due);
        assert_eq!(step(None, 5), (Step::On, None));
        // The program heard the terminal itself: it is not asked again, so it still runs.
        assert_eq!(step(CTRL_C, 10), (Step::On, Some(10 + ASKED_NS)));
        assert_eq!(step(None, 20), (Step::On, Some(10 + ASKED_NS)));
        assert_eq!(step(CTRL_C, 30), (Step::On, Some(30 + TOLD_NS)));
        assert_eq!(step(None, 29 + TOLD_NS).0, Step::On);
        assert_eq!(step(None, 30 + TOLD_NS).0, Step::Over(Why::Interrupted));
        let _ = child.kill();
        child.wait().unwrap();
    }

    #[test]
    fn when_the_time_is_over_it_is_asked() {
        let mut child = program();
        let mut ending = Ending::default();
        assert_eq!(ending.step(None, true, Some(&mut child), 7).unwrap(), Step::On);
        // SIGINT ended it.
        child.wait().unwrap();
        let signal = Some((Signal::Child, false));
        let step = ending.step(signal, true, Some(&mut child), 8).unwrap();
        assert_eq!(step, Step::Over(Why::TimeOver));
    }
}
