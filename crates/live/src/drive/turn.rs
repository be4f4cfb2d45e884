//! The loop: read what has arrived, run the model to the present, write what left it, wait for the next of either.

use std::os::fd::AsFd;
use std::process::Child;

use airtcp_os::signal::Signals;
use airtcp_os::{clock, wait};
use airtcp_units::{Nanos, Span};

use super::control::Control;
use super::ending::{Ending, Step, Why};
use super::failure::{Failure, said};
use super::line::Line;
use super::output::Outputs;
use super::ports::Ports;
use super::series::{Series, Totals};
use super::traffic::Traffic;
use crate::emulate::{Emulation, Lateness, Leaving, as_on_wire};

/// Frames that are written at once. All count as written when the last is: a larger batch makes the first look later than
/// they are, a smaller one costs calls of the system.
const BATCH: usize = 16;
/// How long a node may be busy with earlier frames before the next are given up, and between two tries.
const PATIENCE_NS: i64 = 20_000_000;
const TRY_AGAIN_NS: i64 = 50_000;
/// Frames that are read at once before the model runs, so that a flood does not keep it from running.
const READ: usize = 1_024;
/// A turn that takes longer was stopped, or the machine slept: what happened meanwhile is not the model's.
const STOPPED_NS: i64 = 1_000_000_000;
/// Longest wait, so that a stop is seen.
const LONGEST_WAIT_NS: i64 = 200_000_000;

/// The driver of one run, and what it has seen.
pub(super) struct Loop {
    begin: i64,
    begin_boot: i64,
    limit: Option<i64>,
    ending: Ending,
    /// Lines that change the scenario.
    pub control: Option<Control>,
    /// How late frames are written.
    pub lateness: Lateness,
    /// Frames and bytes written, by port.
    pub written: Vec<(u64, u64)>,
    /// What became of the packets.
    pub traffic: Traffic,
    /// What passed over time.
    pub series: Series,
    /// The line on the terminal.
    pub line: Option<Line>,
    /// Frames longer than the model's packets, or whose checksum is missing, which were not read.
    pub cut: u64,
    /// A frame as it was on the wire, where the kernel has it otherwise.
    scratch: Vec<u8>,
    /// Frames that the system did not take.
    pub refused: u64,
    /// How long it took, ns.
    pub took: i64,
}

impl Loop {
    /// Starts the clock of the model. `base` is the round-trip time of the path; `limit` ends the run, in nanoseconds
    /// after its start.
    pub(super) fn begin(base: Span, limit: Option<i64>) -> Self {
        Self {
            begin: clock::now(),
            begin_boot: clock::boot(),
            limit,
            ending: Ending::default(),
            control: None,
            lateness: Lateness::new(base),
            written: Vec::new(),
            traffic: Traffic::default(),
            series: Series::new(),
            line: None,
            cut: 0,
            scratch: Vec::new(),
            refused: 0,
            took: 0,
        }
    }

    /// Runs until the program ends, the time is over, or a signal comes.
    pub(super) fn run(
        &mut self,
        emulation: &mut Emulation,
        ports: &mut Ports,
        signals: &Signals,
        client: Option<&mut Child>,
        outputs: &mut Outputs,
    ) -> Result<Why, Failure> {
        self.written = vec![(0, 0); ports.all.len()];
        outputs.begin(self.begin);
        let why = self.turns(emulation, ports, signals, client, outputs)?;
        self.count_lost(ports)?;
        Ok(why)
    }

    fn turns(
        &mut self,
        emulation: &mut Emulation,
        ports: &mut Ports,
        signals: &Signals,
        mut client: Option<&mut Child>,
        outputs: &mut Outputs,
    ) -> Result<Why, Failure> {
        // A stop between the start of COMMAND and the first turn counts, too.
        let mut last = self.begin;
        loop {
            let now = clock::now();
            self.took = now - self.begin;
            let slept = (clock::boot() - self.begin_boot) - self.took;
            if now - last > STOPPED_NS || slept > STOPPED_NS {
                return Ok(Why::Stopped);
            }
            last = now;
            ports.spread();
            let more = self.read(emulation, ports, outputs)?;
            emulation.run_until(self.model(now));
            self.write(emulation, ports, outputs)?;
            if let Some(control) = &mut self.control {
                control.turn(now, emulation)?;
            }
            self.show(emulation);
            if let Some(why) = self.ended(signals, client.as_deref_mut())? {
                self.took = clock::now() - self.begin;
                self.series.add(self.took, self.totals(emulation));
                return Ok(why);
            }
            if !more {
                self.wait(emulation, ports, signals)?;
            }
        }
    }

    /// A time of the monotonic clock as one of the model.
    fn model(&self, at: i64) -> Nanos {
        Nanos(u64::try_from(at - self.begin).unwrap_or_default())
    }

    /// Reads what has arrived at all ports, in the order of the stamps. Returns whether more waits.
    fn read(
        &mut self,
        emulation: &mut Emulation,
        ports: &mut Ports,
        outputs: &mut Outputs,
    ) -> Result<bool, Failure> {
        for port in &mut ports.all {
            port.ring.refresh();
        }
        for _ in 0..READ {
            let first = ports.all.iter().enumerate();
            let first = first.filter_map(|(n, port)| Some((port.ring.peek()?.stamp, n))).min();
            let Some((stamp, number)) = first else { return Ok(false) };
            let at = self.model(stamp);
            if let Some(frame) = ports.all[number].ring.peek() {
                let mut whole = frame.bytes.len() == frame.length as usize;
                let mut bytes = frame.bytes;
                if frame.vlan.is_some() || frame.unsummed {
                    let out = &mut self.scratch;
                    whole &= as_on_wire(frame.bytes, frame.vlan, frame.unsummed, out);
                    bytes = out;
                }
                if whole {
                    outputs.frame(number, at.0, bytes)?;
                    emulation.enter(number, bytes, at);
                } else {
                    self.cut += 1;
                }
            }
            ports.all[number].ring.release();
        }
        Ok(true)
    }

    /// Writes what has left the model. What is kept of it comes after the last frame: a file would make the others late.
    fn write(
        &mut self,
        emulation: &mut Emulation,
        ports: &Ports,
        outputs: &mut Outputs,
    ) -> Result<(), Failure> {
        let leaving: Vec<Leaving> = std::iter::from_fn(|| emulation.leave()).collect();
        let mut written = Vec::with_capacity(leaving.len());
        for frames in leaving.chunk_by(|a, b| a.port == b.port) {
            for batch in frames.chunks(BATCH) {
                self.send(batch, ports, &mut written)?;
            }
        }
        for (frame, written) in leaving.into_iter().zip(written) {
            if let Some(at) = written {
                outputs.frame(frame.port, at.0, &frame.bytes)?;
            }
            emulation.recycle(frame.bytes);
        }
        while let Some(fate) = emulation.take_fate() {
            outputs.fate(&fate)?;
            self.traffic.add(fate);
        }
        outputs.arrivals(&emulation.take_arrivals())
    }

    /// Adds to what passed over time, and says it.
    fn show(&mut self, emulation: &Emulation) {
        if self.took >= self.series.next() {
            self.series.add(self.took, self.totals(emulation));
        }
        if let Some(line) = &mut self.line {
            let p99_s = || self.lateness.quantiles()[1].as_secs_f64();
            line.turn(self.took, || self.series.last_second(), p99_s);
        }
    }

    fn totals(&self, emulation: &Emulation) -> Totals {
        Totals {
            bytes: self.written.iter().map(|(_, bytes)| *bytes).collect(),
            dropped: emulation.counts().dropped,
            waiting: emulation.waiting(),
            on_air: emulation.on_air(),
        }
    }

    /// Writes frames for one port, and adds when each was written: `None` if the system did not take it.
    fn send(
        &mut self,
        batch: &[Leaving],
        ports: &Ports,
        times: &mut Vec<Option<Nanos>>,
    ) -> Result<(), Failure> {
        let Some(first) = batch.first() else { return Ok(()) };
        let frames: Vec<&[u8]> = batch.iter().map(|frame| &frame.bytes[..]).collect();
        let begin = clock::now();
        let mut from = 0;
        while from < batch.len() {
            let sent = ports.all[first.port].sender.send(&frames[from..]).map_err(said)?;
            let now = clock::now();
            let written = self.model(now);
            for frame in &batch[from..from + sent] {
                let late = self.lateness.add(frame.at, written, frame.port, frame.bytes.len());
                self.series.late(late);
                let (count, bytes) = &mut self.written[first.port];
                *count += 1;
                *bytes += frame.bytes.len() as u64;
                times.push(Some(written));
            }
            from += sent;
            if from < batch.len() {
                if now - begin > PATIENCE_NS {
                    break;
                }
                wait::until(&[], Some(now + TRY_AGAIN_NS)).map_err(said)?;
            }
        }
        let refused = batch.len() - from;
        times.extend(std::iter::repeat_n(None, refused));
        self.refused += refused as u64;
        Ok(())
    }

    /// Counts the frames that a ring or a device did not take.
    fn count_lost(&mut self, ports: &mut Ports) -> Result<(), Failure> {
        self.lateness.lose(self.refused);
        for port in &mut ports.all {
            self.lateness.lose(port.ring.seen().map_err(said)?.dropped);
        }
        Ok(())
    }

    /// Whether the run is over. A program that runs is asked to end first, while its packets still pass.
    fn ended(
        &mut self,
        signals: &Signals,
        client: Option<&mut Child>,
    ) -> Result<Option<Why>, Failure> {
        let signal = signals.read_with_origin().map_err(said)?;
        let over = self.limit.is_some_and(|limit| self.took >= limit);
        let step = self.ending.step(signal, over, client, clock::now()).map_err(said)?;
        Ok(match step {
            Step::On => None,
            Step::Over(why) => Some(why),
        })
    }

    /// Waits for a frame, a signal, the model's next event or the end.
    fn wait(
        &self,
        emulation: &mut Emulation,
        ports: &Ports,
        signals: &Signals,
    ) -> Result<(), Failure> {
        let mut until = clock::now() + LONGEST_WAIT_NS;
        if let Some(next) = emulation.next_event() {
            until = until.min(self.begin.saturating_add(i64::try_from(next.0).unwrap_or(i64::MAX)));
        }
        let limit = self.limit.map(|limit| self.begin + limit);
        if let Some(end) = self.ending.next().or(limit) {
            until = until.min(end);
        }
        until = until.min(self.begin + self.series.next());
        let mut fds: Vec<_> = ports.all.iter().map(|port| port.ring.as_fd()).collect();
        fds.push(signals.as_fd());
        fds.extend(self.control.as_ref().and_then(Control::source));
        wait::until(&fds, Some(until)).map(|_| ()).map_err(said)
    }
}
