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

    /// As [`run`](Self::run); processes may share the jobs.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn share<T: Send + Packed, E: Send>(
        self,
        workers: Option<u32>,
        job: impl Fn(Job<'_, V>, &Stop) -> Result<Option<T>, E> + Sync,
        mut report: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Results<V, T>>, E> {
        let order = Order::of(self.subjects);
        let finished = AtomicUsize::new(0);
        let work = |i: usize, stop: &Stop| order.work(i, stop, &finished, &job);
        let packing = Packing { pack: pack::<T, E>, unpack: unpack::<T, E> };
        let n = order.batches.len();
        let found = share_many(
            n,
            threads(workers),
            work,
            |_| false,
            &packing,
            |done| {
                // Jobs of other processes count by their number alone.
                let here = finished.load(Ordering::Relaxed);
                report(here.max(order.total * done / n.max(1)), order.total)
            },
        );
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

    /// Does the jobs of a batch, and adds their cost to `finished`; `None` if each was stopped.
    fn work<T, E>(
        &self,
        batch: usize,
        stop: &Stop,
        finished: &AtomicUsize,
        job: &impl Fn(Job<'_, V>, &Stop) -> Result<Option<T>, E>,
    ) -> Option<Batch<T, E>> {
        let one = |(number, (variant, replication)): (u32, (u32, u32))| {
            if stop.is_set() {
                return None;
            }
            let subject = &self.subjects[number as usize];
            let (variant, _) = &subject.variants[variant as usize];
            let found = job(Job { subject: number as usize, variant, replication }, stop);
            match &found {
                Ok(Some(_)) => drop(finished.fetch_add(subject.cost, Ordering::Relaxed)),
                Ok(None) => {}
                Err(_) => stop.set(),
            }
            found.transpose()
        };
        let batch: Batch<T, E> =
            self.jobs[self.batches[batch].clone()].iter().map(|job| one(*job)).collect();
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
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Two subjects, the second with variants of two and of three replications.
    fn jobs() -> Jobs<char> {
        let mut jobs = Jobs::new();
        jobs.add(vec![('a', 1)], 10, 1);
        jobs.add(vec![('b', 2), ('c', 3)], 1, 1);
        jobs
    }

    impl Packed for String {
        fn pack(&self) -> Option<String> {
            Some(self.clone())
        }

        fn unpack(text: &str) -> Option<Self> {
            Some(text.to_owned())
        }
    }

    fn name(job: &Job<'_, char>) -> String {
        format!("{}{}{}", job.subject, job.variant, job.replication)
    }

    #[test]
    fn results_are_found_by_subject_variant_and_replication() {
        assert_eq!(jobs().len(), 6);
        for workers in [1, 2, 7] {
            let mut last = (0, 0);
            let job = |job: Job<'_, char>, _: &Stop| Ok::<_, Infallible>(Some(name(&job)));
            let report = |done, total| {
                last = (done, total);
                true
            };
            let Ok(found) = jobs().run(Some(workers), job, report);
            let found: Vec<_> = found.into_iter().map(Results::complete).collect();
            let of = |v: char, names: &[&str]| (v, names.iter().map(|n| (*n).to_owned()).collect());
            assert_eq!(found[0], (vec![of('a', &["0a0"])], true));
            let second = vec![of('b', &["1b0", "1b1"]), of('c', &["1c0", "1c1", "1c2"])];
            assert_eq!(found[1], (second, true));
            assert_eq!(last, (15, 15));
        }
    }

    #[test]
    fn batches_change_no_result() {
        for (workers, batch) in [(1, 2), (2, 2), (2, 3), (3, 100), (1, 0)] {
            let mut jobs = Jobs::new();
            jobs.add(vec![('a', 2), ('b', 3)], 1, batch);
            jobs.add(vec![('c', 1)], 1, batch);
            let job = |job: Job<'_, char>, _: &Stop| Ok::<_, Infallible>(Some(name(&job)));
            let Ok(found) = jobs.run(Some(workers), job, |_, _| true);
            let all: Vec<_> =
                found.into_iter().flat_map(|r| r.complete().0).flat_map(|(_, f)| f).collect();
            assert_eq!(all, ["0a0", "0a1", "0b0", "0b1", "0b2", "1c0"], "{workers} {batch}");
        }
    }

    #[test]
    fn a_batch_stops_at_the_job_that_was_stopped() {
        let mut jobs = Jobs::new();
        jobs.add(vec![('a', 4)], 1, 4);
        jobs.add(vec![('b', 4)], 1, 4);
        let job = |job: Job<'_, char>, stop: &Stop| {
            if job.replication == 2 {
                stop.set();
                return Ok::<_, Infallible>(None);
            }
            Ok(Some(name(&job)))
        };
        let Ok(found) = jobs.run(Some(1), job, |_, _| true);
        let found: Vec<_> = found.into_iter().map(Results::complete).collect();
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(found[0], (vec![('a', names(&["0a0", "0a1"]))], false));
        assert_eq!(found[1], (vec![('b', names(&[]))], false));
    }

    #[test]
    fn what_is_stopped_has_the_replications_that_all_variants_finished() {
        let job = |job: Job<'_, char>, stop: &Stop| {
            // The fifth job, the second replication of `c`, is the first that does not end.
            if name(&job) == "1c1" {
                stop.set();
                return Ok::<_, Infallible>(None);
            }
            Ok(Some(name(&job)))
        };
        let Ok(found) = jobs().run(Some(1), job, |_, _| true);
        let mut found = found.into_iter().map(Results::complete);
        assert!(found.next().unwrap().1);
        let first = |v: char| (v, vec![format!("1{v}0")]);
        assert_eq!(found.next().unwrap(), (vec![first('b'), first('c')], false));
    }

    #[test]
    fn what_is_stopped_is_not_counted() {
        let job = |job: Job<'_, char>, stop: &Stop| {
            if name(&job) == "1c1" {
                stop.set();
                return Ok::<_, Infallible>(None);
            }
            Ok(Some(name(&job)))
        };
        let mut last = 0;
        let report = |done, _| {
            last = done;
            true
        };
        let Ok(_) = jobs().share(Some(1), job, report);
        // The cost of the first subject, and one replication of both variants and the next of `b`.
        assert_eq!(last, 13);
    }

    #[test]
    fn an_error_stops_the_others_and_is_given() {
        let job = |job: Job<'_, char>, _: &Stop| match name(&job) {
            name if name == "1b1" => Err(name),
            name => Ok(Some(name)),
        };
        assert_eq!(jobs().run(Some(1), job, |_, _| true).unwrap_err(), "1b1");
    }
}
