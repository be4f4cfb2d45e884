//! The connections of a point on several cores.
//!
//! Each connection belongs to one of four shards, by its addresses and ports. A shard has a tracker with
//! a quarter of the memory. The thread that reads the files passes segments on in batches; each other
//! worker follows the connections of some shards. The number of shards does not depend on the number of
//! workers, so neither do the results.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crate::dissect::{Endpoint, Segment};
use crate::tcp::connections::Report;
use crate::tcp::{CopyCounts, Tracker, TrackerLimits};

/// Shards of a point. Series have one memory, so they have one shard.
const SHARDS: usize = 4;
/// Segments that are passed on together.
const BATCH: usize = 256;
/// Batches that may wait for a worker.
const WAITING: usize = 8;

/// The connections of a point.
pub(crate) struct Shards {
    crew: Crew,
    count: usize,
    /// Most connections reported.
    reported: usize,
}

/// Who follows the connections.
enum Crew {
    /// The thread that reads.
    Reader(Vec<Tracker>),
    /// Other threads.
    Workers { workers: Vec<Worker>, batches: Vec<Vec<Segment>>, spare: Receiver<Vec<Segment>> },
}

/// A thread that follows the connections of some shards.
struct Worker {
    to: SyncSender<Message>,
    thread: JoinHandle<Vec<(usize, Tracker)>>,
}

/// What a worker is told.
enum Message {
    /// Segments of a shard.
    Segments(usize, Vec<Segment>),
    /// To answer with the copies so far.
    Copies(Sender<CopyCounts>),
}

impl Shards {
    /// The connections of a point, followed by `limits.workers` threads, that of the caller included.
    pub(crate) fn new(limits: TrackerLimits) -> Self {
        let shards = if limits.series.is_some() || limits.log.is_some() { 1 } else { SHARDS };
        let reported = limits.reported;
        let part = |all: usize| (all / shards).max(1);
        // Shards have about as many connections as one another.
        let kept = if shards == 1 { reported } else { part(reported + reported / 4) };
        let limits = TrackerLimits { open: part(limits.open), reported: kept, ..limits };
        let followers = limits.workers.min(shards + 1).saturating_sub(1);
        let crew = if followers == 0 {
            Crew::Reader((0..shards).map(|_| Tracker::new(limits)).collect())
        } else {
            let (back, spare) = channel();
            let own = |first: usize| {
                let shards = (first..shards).step_by(followers);
                shards.map(|shard| (shard, Tracker::new(limits))).collect()
            };
            let workers =
                (0..followers).map(|first| Worker::start(own(first), back.clone())).collect();
            Crew::Workers { workers, batches: vec![Vec::new(); shards], spare }
        };
        Self { crew, count: shards, reported }
    }

    /// Takes a segment.
    #[inline]
    pub(crate) fn on_segment(&mut self, segment: &Segment) {
        let shard = shard(segment) % self.count;
        match &mut self.crew {
            Crew::Reader(trackers) => trackers[shard].on_segment(segment),
            Crew::Workers { workers, batches, spare } => {
                let batch = &mut batches[shard];
                batch.push(segment.clone());
                if batch.len() >= BATCH {
                    let next = spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
                    let full = std::mem::replace(batch, next);
                    workers[shard % workers.len()].tell(Message::Segments(shard, full));
                }
            }
        }
    }

    /// Copies so far.
    pub(crate) fn copies(&mut self) -> CopyCounts {
        match &mut self.crew {
            Crew::Reader(trackers) => {
                trackers.iter().map(Tracker::copies).fold(CopyCounts::default(), CopyCounts::and)
            }
            Crew::Workers { workers, batches, .. } => {
                flush(workers, batches);
                let (to, answers) = channel();
                for worker in &*workers {
                    worker.tell(Message::Copies(to.clone()));
                }
                drop(to);
                answers.iter().fold(CopyCounts::default(), CopyCounts::and)
            }
        }
    }

    /// Ends all connections, and reports them.
    pub(crate) fn finish(self) -> Report {
        let trackers = match self.crew {
            Crew::Reader(trackers) => trackers,
            Crew::Workers { workers, mut batches, .. } => {
                flush(&workers, &mut batches);
                let mut own: Vec<(usize, Tracker)> =
                    workers.into_iter().flat_map(Worker::finish).collect();
                own.sort_by_key(|(shard, _)| *shard);
                own.into_iter().map(|(_, tracker)| tracker).collect()
            }
        };
        let mut report = Report::default();
        for tracker in trackers {
            report.add(tracker.finish());
        }
        report.bound(self.reported);
        report.sort();
        report
    }
}

/// Passes on what waits.
fn flush(workers: &[Worker], batches: &mut [Vec<Segment>]) {
    for (shard, batch) in batches.iter_mut().enumerate() {
        let message = Message::Segments(shard, std::mem::take(batch));
        workers[shard % workers.len()].tell(message);
    }
}

/// The number that decides the shard of a connection, the same in both directions.
#[inline]
fn shard(segment: &Segment) -> usize {
    let end = |end: Endpoint| u64::from(end.port) ^ end.address.low();
    let mixed = (end(segment.from) ^ end(segment.to)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::from((mixed >> 56).to_le_bytes()[0])
}

impl Worker {
    fn start(mut own: Vec<(usize, Tracker)>, back: Sender<Vec<Segment>>) -> Self {
        let (to, messages) = sync_channel(WAITING);
        let thread = std::thread::spawn(move || {
            for message in messages {
                match message {
                    Message::Segments(shard, mut segments) => {
                        if let Some((_, tracker)) = own.iter_mut().find(|(n, _)| *n == shard) {
                            for segment in &segments {
                                tracker.on_segment(segment);
                            }
                        }
                        segments.clear();
                        // Without a reader, nothing more is needed.
                        let _ = back.send(segments);
                    }
                    Message::Copies(answer) => {
                        let all = own.iter().map(|(_, tracker)| tracker.copies());
                        let _ = answer.send(all.fold(CopyCounts::default(), CopyCounts::and));
                    }
                }
            }
            own
        });
        Self { to, thread }
    }

    /// Tells the worker something. A worker that panicked is found at the end.
    fn tell(&self, message: Message) {
        let _ = self.to.send(message);
    }

    fn finish(self) -> Vec<(usize, Tracker)> {
        drop(self.to);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
