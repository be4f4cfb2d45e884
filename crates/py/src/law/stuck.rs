//! The end of the process if a law in machine code does not return: its message, and its status.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;

use airtcp_laws::{End, end_process};
use pyo3::prelude::*;

/// Status of the program after an error of its input, as in `airtcp.cli.console`.
const BAD_INPUT: i32 = 2;
/// Status of the program after Ctrl-C.
const INTERRUPTED: i32 = 130;
/// Shows the cursor of a terminal, on a line without a progress bar.
const CLEARED: &str = "\r\x1b[K\x1b[?25h";

/// Where a process that works for another says why it ends.
static ANSWERS: Mutex<Option<std::fs::File>> = Mutex::new(None);

/// Lets this process say to the file of a path, as a line of JSON, why a law ended it: it works for another process.
#[pyfunction]
pub(crate) fn last_words_to(path: std::path::PathBuf) -> PyResult<()> {
    let file = std::fs::OpenOptions::new().write(true).open(path)?;
    if let Ok(mut answers) = ANSWERS.lock() {
        *answers = Some(file);
    }
    Ok(())
}

/// Ends the process, and says why.
pub(super) fn end(why: &End) {
    // Nothing more can be done if a message cannot be written.
    match (why, ANSWERS.lock().ok().and_then(|mut answers| answers.take())) {
        (End::Late(said), Some(mut answers)) => {
            let line = serde_json::json!({ "ended": said });
            drop(writeln!(answers, "{line}").and_then(|()| answers.flush()));
        }
        (End::Late(said), None) => {
            let said: String = said.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            say(&format!("error: {said}\n"));
        }
        (End::Stopped, _) => say("interrupted\n"),
    }
    end_process(if *why == End::Stopped { INTERRUPTED } else { BAD_INPUT })
}

fn say(text: &str) {
    let mut stderr = std::io::stderr();
    let cleared = if stderr.is_terminal() { CLEARED } else { "" };
    drop(write!(stderr, "{cleared}{text}").and_then(|()| stderr.flush()));
}
