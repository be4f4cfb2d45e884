//! Plays a script: runs the connection in virtual time and fires its timers when they are due.
//!
//! Time is in nanoseconds from the start of the script. At one instant, inputs come before timers.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Flags, Segment, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_transport::tcp::Connection;
use airtcp_units::{LowBits, Nanos, Span};

use super::document::{Action, Script, ScriptError, Step, When};
use super::origin::Seconds;
use super::pattern::{Defaults, Pattern};
use super::{expect, notation};

/// Number of dialogue lines in an error.
const SHOWN: usize = 11;

/// Maximum number of timers fired and segments sent in one script; beyond it the script never ends.
const MAX_EVENTS: u32 = 1_000_000;

/// Plays a script against a new connection.
///
/// # Errors
/// The first line from which the connection differs: the expected and the found value, and the last lines
/// of the dialogue.
pub fn run(script: &Script) -> Result<(), ScriptError> {
    let mut run = Run::new(script);
    for step in &script.steps {
        run.play(step).map_err(|message| run.error(step.line, &message))?;
    }
    let last = script.steps.last().map_or(1, |s| s.line);
    run.nothing_pending().map_err(|message| run.error(last, &message))
}

struct Run<'a> {
    script: &'a Script,
    connection: Connection,
    now: Nanos,
    /// Segments sent but not yet matched by a line.
    sent: VecDeque<(Nanos, Segment)>,
    dialogue: VecDeque<String>,
    peer: Defaults,
    events: u32,
}

impl<'a> Run<'a> {
    fn new(script: &'a Script) -> Self {
        let origins = &script.origins;
        let peer = Defaults {
            seq: origins.peer.script,
            ack: origins.ours.script,
            window: 65_535,
            clock: 0,
            echo: 0,
        };
        Self {
            script,
            connection: Connection::new(&script.config, script.role, origins.ours.wire),
            now: Nanos::ZERO,
            sent: VecDeque::new(),
            dialogue: VecDeque::new(),
            peer,
            events: 0,
        }
    }

    fn error(&self, line: usize, message: &str) -> ScriptError {
        let mut message = message.to_owned();
        if !self.dialogue.is_empty() {
            message += "\n  the dialogue before:";
            for entry in &self.dialogue {
                message += "\n    ";
                message += entry;
            }
        }
        ScriptError { file: self.script.file.clone(), line, message }
    }

    fn note(&mut self, at: Nanos, text: &str) {
        if self.dialogue.len() == SHOWN {
            self.dialogue.pop_front();
        }
        self.dialogue.push_back(format!("{} {text}", Seconds(at)));
    }

    fn play(&mut self, step: &Step) -> Result<(), String> {
        let target = match step.at {
            When::Same => self.now,
            When::At(at) => at,
            When::After(span) => self.now + span,
        };
        if target < self.now {
            return Err(format!("the dialogue is already at {} s", Seconds(self.now)));
        }
        if let Action::Sends(pattern) = &step.action {
            let tolerance = step.tolerance.unwrap_or(self.script.tolerance);
            return self.expect_segment(pattern, target, tolerance);
        }
        // An action at the target precedes the timers due there; an expectation follows them.
        let looks = matches!(step.action, Action::Skip | Action::Expect(_));
        if matches!(step.action, Action::Skip) {
            self.skip(target)?;
        }
        self.nothing_pending()?;
        self.advance(target, looks)?;
        self.nothing_pending()?;
        self.now = target;
        self.act(&step.action)
    }

    fn act(&mut self, action: &Action) -> Result<(), String> {
        let now = self.now;
        match action {
            Action::Open => {
                self.note(now, "open");
                self.connection.open(now);
            }
            Action::Write(bytes, accepts) => {
                self.note(now, &format!("write {bytes}"));
                let accepted = self.connection.write(now, *bytes);
                if accepts.is_some_and(|n| n != accepted) {
                    return Err(format!("write {bytes} accepts {accepted}"));
                }
            }
            Action::Read(most, gives) => {
                self.note(now, &format!("read {most}"));
                let given = self.connection.read(now, *most);
                if gives.is_some_and(|n| n != given) {
                    return Err(format!("read {most} gives {given}"));
                }
            }
            Action::Close => {
                self.note(now, "close");
                self.connection.close(now);
            }
            Action::Abort => {
                self.note(now, "abort");
                self.connection.abort(now);
            }
            Action::AutoRead(on) => self.connection.set_auto_read(*on),
            Action::Receives(pattern) => self.receive(pattern),
            Action::Sends(_) | Action::Skip => {}
            Action::Silence(span) => {
                let end = now + *span;
                self.advance(end, false)?;
                self.nothing_pending()?;
                self.note(end, "(silence until here)");
                self.now = end;
            }
            Action::Expect(list) => {
                if let Some((want, found)) = expect::mismatch(&self.connection, list) {
                    return Err(format!(
                        "at {} s\n  expected {want}\n  found    {found}",
                        Seconds(now)
                    ));
                }
            }
        }
        self.drain()
    }

    fn receive(&mut self, pattern: &Pattern) {
        let origins = &self.script.origins;
        self.peer.clock = u32::low_bits(self.now.0 / 1_000_000);
        let segment = pattern.fill(&self.peer, origins);
        let end = origins.peer.to_script(segment.seq) + i64::from(segment.sequence_len());
        self.peer.seq = self.peer.seq.max(end);
        self.peer.window = segment.window;
        if segment.flags.has(Flags::ACK) {
            self.peer.ack = self.peer.ack.max(origins.ours.to_script(segment.ack));
        }
        let text = notation::write(&segment, &origins.peer, &origins.ours);
        self.note(self.now, &format!("< {text}"));
        let now = self.now;
        self.with(|connection, cx| connection.handle(now, segment, cx));
    }

    /// Matches a line with `>`.
    fn expect_segment(
        &mut self,
        pattern: &Pattern,
        target: Nanos,
        tolerance: Span,
    ) -> Result<(), String> {
        self.advance(target + tolerance, true)?;
        let (low, high) = (target - tolerance, target + tolerance);
        let when = |t| format!("{} s", Seconds(t));
        let Some((at, segment)) = self.sent.pop_front() else {
            let next = match self.connection.next_timer() {
                Nanos::NEVER => "no timer runs".to_owned(),
                at => format!("the next timer is due at {}", when(at)),
            };
            return Err(format!(
                "nothing is sent\n  expected at {} > {}\n  but {next}",
                when(target),
                notation::write_pattern(pattern)
            ));
        };
        let got = notation::write_sent(&segment, &self.script.origins);
        let fault = if at < low || at > high {
            Some("the time differs")
        } else {
            pattern.mismatch(&segment, &self.script.origins)
        };
        if let Some(fault) = fault {
            return Err(format!(
                "{fault}\n  expected at {} > {}\n  got      at {} > {got}",
                when(target),
                notation::write_pattern(pattern),
                when(at)
            ));
        }
        self.note_sent(at, &segment);
        self.now = self.now.max(at);
        Ok(())
    }

    /// Ignores segments sent up to `target`.
    fn skip(&mut self, target: Nanos) -> Result<(), String> {
        loop {
            while let Some((at, segment)) = self.sent.pop_front() {
                self.note_sent(at, &segment);
            }
            self.advance(target, true)?;
            if self.sent.is_empty() {
                return Ok(());
            }
        }
    }

    fn note_sent(&mut self, at: Nanos, segment: &Segment) {
        let text = notation::write_sent(segment, &self.script.origins);
        self.note(at, &format!("> {text}"));
    }

    /// Fails if a sent segment was not matched by a line.
    fn nothing_pending(&self) -> Result<(), String> {
        match self.sent.front() {
            None => Ok(()),
            Some((at, segment)) => Err(format!(
                "no line expects\n  got      at {} s > {}",
                Seconds(*at),
                notation::write_sent(segment, &self.script.origins)
            )),
        }
    }

    /// Fires the timers due before `limit`, with `inclusive` also those due at `limit`, until a segment is sent.
    fn advance(&mut self, limit: Nanos, inclusive: bool) -> Result<(), String> {
        while self.sent.is_empty() {
            let due = self.connection.next_timer();
            if due == Nanos::NEVER || due > limit || (due == limit && !inclusive) {
                break;
            }
            self.now = self.now.max(due);
            let now = self.now;
            self.with(|connection, cx| connection.on_timer(now, cx));
            self.drain()?;
            self.count()?;
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<(), String> {
        let now = self.now;
        while let Some(segment) = self.with(|connection, cx| connection.poll(now, cx)) {
            if segment.has_timestamps() {
                self.peer.echo = segment.timestamps.0;
            }
            if segment.flags.has(Flags::SYN) {
                // A normal peer acknowledges the SYN.
                self.peer.ack = self.peer.ack.max(self.script.origins.ours.script + 1);
            }
            self.sent.push_back((now, segment));
            self.count()?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), String> {
        self.events += 1;
        if self.events > MAX_EVENTS {
            return Err(format!(
                "more than {MAX_EVENTS} timers and segments: the script does not end"
            ));
        }
        Ok(())
    }

    fn with<T>(&mut self, f: impl FnOnce(&mut Connection, &mut Cx<'_, NoProbe>) -> T) -> T {
        let source = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        f(&mut self.connection, &mut Cx::new(&mut NoProbe, source))
    }
}
