//! The jobs of a study or a comparison, and their run on all cores.
//!
//! A job is one variant (a TCP, a kind of synthetic link, a synthesiser) on one subject (a link, a
//! scenario) in one replication. Jobs start subject by subject, and within a subject replication by
//! replication, so that a stopped run has whole subjects and whole replications. Results come back
//! by subject, variant and replication. They do not depend on the number of workers as long as each
//! job draws from its own random stream. A worker does short jobs of a subject in batches, because
//! passing on one result takes longer than such a job.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use airtcp_sim::parallel::{Stop, default_workers, run_many};
use airtcp_sim::shared::{Packing, share_many};

use crate::base::kept::{self, Kept};

/// What a job gives, as text for another process, where it is the same.
pub(crate) trait Packed: Sized {
    /// The text; `None` if it has none.
    fn pack(&self) -> Option<String>;

    /// What the text stands for.
    fn unpack(text: &str) -> Option<Self>;
}

/// One job.
#[derive(Debug)]
pub(crate) struct Job<'a, V> {
    /// Number of the subject, in the order of [`Jobs::add`].
    pub(crate) subject: usize,
    pub(crate) variant: &'a V,
    /// Number of the replication, from 0.
    pub(crate) replication: u32,
}

/// The jobs to run.
#[derive(Debug)]
pub(crate) struct Jobs<V> {
    subjects: Vec<Subject<V>>,
}

/// The variants of a subject with the replications of each, the cost of one job, and the number of
/// jobs in a batch.
#[derive(Debug)]
struct Subject<V> {
    variants: Vec<(V, u32)>,
    cost: usize,
    batch: usize,
}

impl<V> Subject<V> {
    fn count(&self) -> usize {
        self.variants.iter().map(|(_, replications)| *replications as usize).sum()
    }

    /// Variant and replication of each job, in the order in which they start.
    fn each(&self) -> impl Iterator<Item = (u32, u32)> {
        let most = self.variants.iter().map(|(_, replications)| *replications).max();
        (0..most.unwrap_or(0)).flat_map(move |replication| {
            let variants = self.variants.iter().zip(0..);
            let has = variants.filter(move |((_, replications), _)| replication < *replications);
            has.map(move |(_, variant)| (variant, replication))
        })
    }
}

/// The results of one subject's jobs by variant and replication; `None` if a job was stopped.
#[derive(Debug)]
pub(crate) struct Results<V, T> {
    variants: Vec<(V, Vec<Option<T>>)>,
}

impl<V, T> Results<V, T> {
    /// By variant, the replications that all variants have finished, and true if all are there.
    pub(crate) fn complete(self) -> (Vec<(V, Vec<T>)>, bool) {
        let most = self.variants.iter().map(|(_, found)| found.len()).max().unwrap_or(0);
        let finished: Vec<bool> = (0..most)
            .map(|i| {
                self.variants.iter().all(|(_, found)| found.get(i).is_none_or(Option::is_some))
            })
            .collect();
        let keep = |found: Vec<Option<T>>| {
            let kept = found.into_iter().zip(&finished).filter(|(_, finished)| **finished);
            kept.filter_map(|(result, _)| result).collect()
        };
        let all = finished.iter().all(|finished| *finished);
        (self.variants.into_iter().map(|(variant, found)| (variant, keep(found))).collect(), all)
    }
}

impl<V: Sync> Jobs<V> {
    pub(crate) const fn new() -> Self {
        Self { subjects: Vec::new() }
    }

    /// Adds a subject: its variants with the replications of each. `cost` is the relative duration
    /// of one of its jobs, for the progress; a worker does `batch` of them at a time.
    pub(crate) fn add(&mut self, variants: Vec<(V, u32)>, cost: usize, batch: usize) {
        self.subjects.push(Subject { variants, cost, batch: batch.max(1) });
    }

    /// Number of jobs.
    pub(crate) fn len(&self) -> usize {
        self.subjects.iter().map(Subject::count).fold(0, usize::saturating_add)
    }

    /// Runs the jobs on `workers` threads, or on all cores, and returns the results of each
    /// subject. `job` returns `None` if it was stopped. `report` is called on the calling thread
    /// with the cost of the finished jobs and of all, and returns false to stop.
    ///
    /// # Errors
    /// That of the first job that failed; it stops the others.
    pub(crate) fn run<T: Send, E: Send>(
        self,
        workers: Option<u32>,
        job: impl Fn(Job<'_, V>, &Stop) -> Result<Option<T>, E> + Sync,
        mut report: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Results<V, T>>, E> {
        let order = Order::of(self.subjects);
        let finished = AtomicUsize::new(0);
        let work = |i: usize, stop: &Stop| order.work(i, stop, &finished, &job);
        let found = run_many(order.batches.len(), threads(workers), work, |_| {
            report(finished.load(Ordering::Relaxed), order.total)
        });
        order.results(found)
    }

    /// As [`run`](Self::run); processes may share the jobs. `key` names what a job gives, if it is to be [kept](Kept)
    /// beyond this call: a job whose result is there does not run.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn share<T: Send + Packed, E: Send>(
        self,
        workers: Option<u32>,
        job: impl Fn(Job<'_, V>, &Stop) -> Result<Option<T>, E> + Sync,
        key: impl Fn(&Job<'_, V>) -> Option<String> + Sync,
        mut report: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Results<V, T>>, E> {
        let order = Order::of(self.subjects);
        let finished = AtomicUsize::new(0);
        let kept = kept::present();
        let known = |one: &Job<'_, V>| T::unpack(&kept.as_ref()?.get(&key(one)?)?);
        let once = |one: Job<'_, V>, stop: &Stop| match known(&one) {
            Some(done) => Ok(Some(done)),
            None => job(one, stop),
        };
        let work = |i: usize, stop: &Stop| order.work(i, stop, &finished, &once);
        let packing = Packing { pack: pack::<T, E>, unpack: unpack::<T, E> };
        let n = order.batches.len();
        let mut found = share_many(
            n,
            threads(workers),
            work,
            |batch| kept.is_some() && order.of_batch(batch).all(|one| known(&one).is_some()),
            &packing,
            |done| {
                // Jobs of other processes count by their number alone.
                let here = finished.load(Ordering::Relaxed);
                report(here.max(order.total * done / n.max(1)), order.total)
            },
        );
        if let Some(kept) = &kept {
            for (i, batch) in found.iter_mut().enumerate() {
                settle(batch, order.of_batch(i), kept, &key);
            }
        }
        order.results(found)
    }
}

fn threads(workers: Option<u32>) -> usize {
    workers.map_or_else(default_workers, |workers| workers as usize)
}

/// What the jobs of a batch gave.
type Batch<T, E> = Vec<Option<Result<T, E>>>;

/// A batch as text, if all of it is there.
#[allow(clippy::ptr_arg, reason = "the type of a result")]
fn pack<T: Packed, E>(batch: &Batch<T, E>) -> Option<String> {
    let one = |job: &Option<Result<T, E>>| job.as_ref()?.as_ref().ok()?.pack();
    serde_json::to_string(&batch.iter().map(one).collect::<Option<Vec<String>>>()?).ok()
}

fn unpack<T: Packed, E>(text: &str) -> Option<Batch<T, E>> {
    let texts: Vec<String> = serde_json::from_str(text).ok()?;
    texts.iter().map(|text| T::unpack(text).map(|done| Some(Ok(done)))).collect()
}

/// Keeps what a batch gave, and takes what it did not give from before.
fn settle<'v, V: 'v, T: Packed, E>(
    batch: &mut Option<Batch<T, E>>,
    jobs: impl Iterator<Item = Job<'v, V>>,
    kept: &Kept,
    key: &impl Fn(&Job<'_, V>) -> Option<String>,
) {
    let mut before = batch.take().unwrap_or_default().into_iter();
    let mut whole: Batch<T, E> = Vec::new();
    for one in jobs {
        let (found, key) = (before.next().flatten(), key(&one));
        whole.push(match (found, key) {
            (Some(Ok(done)), Some(key)) => {
                if let Some(text) = done.pack() {
                    kept.put(key, text);
                }
                Some(Ok(done))
            }
            (None, Some(key)) => kept.get(&key).and_then(|text| T::unpack(&text)).map(Ok),
            (found, _) => found,
        });
    }
    *batch = whole.iter().any(Option::is_some).then_some(whole);
}

/// The jobs in the order in which they start.
struct Order<V> {
    subjects: Vec<Subject<V>>,
    /// Subject, variant and replication of each.
    jobs: Vec<(u32, (u32, u32))>,
    batches: Vec<Range<usize>>,
    /// The cost of all.
    total: usize,
}

impl<V> Order<V> {
    fn of(subjects: Vec<Subject<V>>) -> Self {
        let each = subjects.iter().zip(0..);
        Self {
            jobs: each.flat_map(|(s, i)| s.each().map(move |at| (i, at))).collect(),
            batches: batches(&subjects),
            total: subjects.iter().map(|s| s.count() * s.cost).sum(),
            subjects,
        }
    }

    /// The jobs of a batch.
    fn of_batch(&self, batch: usize) -> impl Iterator<Item = Job<'_, V>> {
        self.jobs[self.batches[batch].clone()].iter().map(|(subject, (variant, replication))| {
            let subject = *subject as usize;
            let (variant, _) = &self.subjects[subject].variants[*variant as usize];
            Job { subject, variant, replication: *replication }
        })
    }

    /// Does the jobs of a batch, and adds their cost to `finished`; `None` if each was stopped.
    fn work<T, E>(
        &self,
        batch: usize,
        stop: &Stop,
        finished: &AtomicUsize,
        job: &impl Fn(Job<'_, V>, &Stop) -> Result<Option<T>, E>,
    ) -> Option<Batch<T, E>> {
        let one = |one: Job<'_, V>| {
            if stop.is_set() {
                return None;
            }
            let cost = self.subjects[one.subject].cost;
            let found = job(one, stop);
            match &found {
                Ok(Some(_)) => drop(finished.fetch_add(cost, Ordering::Relaxed)),
                Ok(None) => {}
                Err(_) => stop.set(),
            }
            found.transpose()
        };
        let batch: Batch<T, E> = self.of_batch(batch).map(one).collect();
        batch.iter().any(Option::is_some).then_some(batch)
    }

    /// The results of each subject.
    fn results<T, E>(self, found: Vec<Option<Batch<T, E>>>) -> Result<Vec<Results<V, T>>, E> {
        let mut results: Vec<Results<V, T>> = self.subjects.into_iter().map(empty).collect();
        for (jobs, found) in self.batches.into_iter().zip(found) {
            let mut found = found.into_iter().flatten();
            for (subject, (variant, _)) in &self.jobs[jobs] {
                let variants = &mut results[*subject as usize].variants;
                variants[*variant as usize].1.push(found.next().flatten().transpose()?);
            }
        }
        Ok(results)
    }
}

fn empty<V, T>(subject: Subject<V>) -> Results<V, T> {
    let variants = subject.variants.into_iter();
    Results { variants: variants.map(|(v, n)| (v, Vec::with_capacity(n as usize))).collect() }
}

/// The jobs of each batch, as a range of the order in which they start.
fn batches<V>(subjects: &[Subject<V>]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut first = 0;
    for subject in subjects {
        let end = first + subject.count();
        while first < end {
            let next = first.saturating_add(subject.batch).min(end);
            batches.push(first..next);
            first = next;
        }
    }
    batches
}

#[cfg(test)]
mod tests;
