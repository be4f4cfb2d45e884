//! Runs independent jobs on all cores, with progress reports and a stop flag.
//!
//! Results come back in the order of the jobs, whatever the number of workers and the order of completion.
//! The calling thread only waits and reports, so that a foreign runtime (Python) can show progress and
//! handle Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Stop flag, checked between pieces of work.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// A flag that is not set.
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Requests every job to stop at its next check.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if the work should stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Number of cores that this process may use.
pub fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Maximum number of threads: each has its own stack, and more threads than cores do not help.
const MAX_WORKERS: usize = 512;

/// Runs jobs `0..n` on `workers` threads, at most [`MAX_WORKERS`], or on as many as the system allows.
/// `job` returns `None` if it stopped early. The calling thread calls `report` with the number of finished
/// jobs: before the first job, after each, and at least every 100 ms. If `report` returns false the work
/// stops: after the first call no job starts, after a later call few start. Results of finished jobs are
/// kept.
pub fn run_many<T: Send>(
    n: usize,
    workers: usize,
    job: impl Fn(usize, &Stop) -> Option<T> + Sync,
    mut report: impl FnMut(usize) -> bool,
) -> Vec<Option<T>> {
    let stop = Stop::new();
    let next = AtomicUsize::new(0);
    let mut results: Vec<Option<T>> = (0..n).map(|_| None).collect();
    if !report(0) {
        return results;
    }
    // The channel blocks workers far ahead of the reports, so that a stop request takes effect in time.
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..workers.clamp(1, n.clamp(1, MAX_WORKERS)) {
            let sender = sender.clone();
            let (job, stop, next) = (&job, &stop, &next);
            let work = move || {
                while !stop.is_set() {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= n || sender.send((i, job(i, stop))).is_err() {
                        break;
                    }
                }
            };
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
            started += 1;
        }
        drop(sender);
        let mut done = 0;
        if started == 0 {
            // If no thread can start, the calling thread runs the jobs and reports in between.
            for (i, result) in results.iter_mut().enumerate() {
                *result = job(i, &stop);
                done += usize::from(result.is_some());
                if !report(done) {
                    stop.set();
                    break;
                }
            }
            return;
        }
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((i, result)) => {
                    done += usize::from(result.is_some());
                    results[i] = result;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if !report(done) {
                stop.set();
            }
        }
    });
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_depend_on_workers() {
        let square = |i: usize, _: &Stop| Some(i * i);
        let one = run_many(100, 1, square, |_| true);
        let four = run_many(100, 4, square, |_| true);
        assert_eq!(one, four);
        assert_eq!(one[9], Some(81));
    }

    #[test]
    fn stopping_keeps_what_is_finished() {
        let results = run_many(
            1000,
            2,
            |i, stop| {
                std::thread::sleep(Duration::from_micros(200));
                (!stop.is_set()).then_some(i)
            },
            |done| done < 10,
        );
        let finished = results.iter().flatten().count();
        assert!((10..1000).contains(&finished), "{finished}");
    }

    #[test]
    fn a_stop_request_takes_effect_in_time() {
        assert_eq!(run_many(10, 1, |i, _| Some(i), |_| false), [None; 10]);
        let results = run_many(100, 2, |i, _| Some(i), |done| done < 10);
        // Each of two workers has a running job and a finished one that waits; one more is in the channel.
        let finished = results.iter().flatten().count();
        assert!((10..=15).contains(&finished), "{finished}");
    }

    #[test]
    fn too_many_workers_are_capped() {
        let twice = |i: usize, _: &Stop| Some(2 * i);
        let results = run_many(3000, 100_000, twice, |_| true);
        assert_eq!(results, (0..3000).map(|i| Some(2 * i)).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_to_do() {
        assert!(run_many(0, 4, |i, _| Some(i), |_| true).is_empty());
    }
}
