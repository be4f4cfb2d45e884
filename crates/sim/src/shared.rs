//! Lists of jobs that several processes share.
//!
//! Laws in Python hold the interpreter, so threads do not help them. The processes make the same call with the
//! same arguments and meet the same lists of jobs in the same order. The one that the user called leads: it gives
//! jobs away, does some itself, and at the end of a list sends all results to the others. All processes thus have
//! the same results before the next list, which may depend on them. A process leads or follows as long as a
//! [`Role`] is set on its calling thread; without one, a list runs on threads ([`run_many`]).
//!
//! Results travel as text. A job whose result has none (an error, a recorder) is done by the leader.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::parallel::{Stop, run_many};

/// The others, as the leader sees them. Calls do not wait, but [`wait`](Crew::wait).
pub trait Crew: Sync {
    /// A list begins. These are its jobs that others may do.
    fn begin(&self, jobs: Vec<usize>);

    /// The next job for this process; `None` if no job is left for it now.
    fn take(&self) -> Option<usize>;

    /// Results of the others since the last call, with their jobs; waits a moment for the first. In place of a
    /// result that cannot be sent stands `None`: the job is to be done here.
    fn wait(&self) -> Vec<(usize, Option<String>)>;

    /// Ends the work of the others, for good.
    fn stop(&self);

    /// The list ends with these results.
    fn end(&self, results: Vec<Option<String>>);
}

/// What a follower is asked for next.
#[derive(Debug)]
pub enum Order {
    /// A job of the present list.
    Job(usize),
    /// The list ends with these results.
    End(Vec<Option<String>>),
    /// The leader has ended.
    Stop,
}

/// The leader, as another process sees it.
pub trait Leader {
    /// Waits for the next order.
    fn next(&self) -> Order;

    /// Sends the result of a job; `None` if it has no text.
    fn answer(&self, job: usize, result: Option<String>);
}

/// The part of this process.
#[derive(Clone)]
pub enum Role {
    /// It gives jobs away.
    Leads(Rc<dyn Crew>),
    /// It does jobs of another process.
    Follows(Rc<dyn Leader>),
}

thread_local! {
    static ROLE: RefCell<Option<Role>> = const { RefCell::new(None) };
}

/// The role of a call; the one before comes back when this is dropped.
#[must_use = "the role lasts as long as this"]
pub struct Playing(Option<Role>);

/// Sets the role of the calls on this thread.
pub fn play(role: Option<Role>) -> Playing {
    Playing(ROLE.with_borrow_mut(|now| std::mem::replace(now, role)))
}

impl Drop for Playing {
    fn drop(&mut self) {
        let before = self.0.take();
        ROLE.with_borrow_mut(|now| *now = before);
    }
}

/// How results travel.
#[derive(Debug, Clone, Copy)]
pub struct Packing<W, U> {
    /// A result as text; `None` if it has none.
    pub pack: W,
    /// The result of a text.
    pub unpack: U,
}

/// As [`run_many`], with the jobs shared among the processes of a [`Role`]. `here` are the jobs that only the
/// leader can do.
pub fn share_many<T: Send>(
    n: usize,
    workers: usize,
    job: impl Fn(usize, &Stop) -> Option<T> + Sync,
    here: impl Fn(usize) -> bool,
    packing: &Packing<impl Fn(&T) -> Option<String> + Sync, impl Fn(&str) -> Option<T>>,
    report: impl FnMut(usize) -> bool,
) -> Vec<Option<T>> {
    match ROLE.with_borrow(Clone::clone) {
        None => run_many(n, workers, job, report),
        Some(Role::Follows(leader)) => follow(n, &*leader, job, packing),
        Some(Role::Leads(crew)) => lead(n, &*crew, job, here, packing, report),
    }
}

/// Does jobs of a list for the leader.
fn follow<T>(
    n: usize,
    leader: &dyn Leader,
    job: impl Fn(usize, &Stop) -> Option<T>,
    packing: &Packing<impl Fn(&T) -> Option<String>, impl Fn(&str) -> Option<T>>,
) -> Vec<Option<T>> {
    let stop = Stop::new();
    loop {
        match leader.next() {
            Order::Job(i) if i < n => {
                let done = job(i, &stop);
                leader.answer(i, done.as_ref().and_then(&packing.pack));
                if stop.is_set() {
                    // An error: the caller takes it from the result.
                    let mut all: Vec<Option<T>> = (0..n).map(|_| None).collect();
                    all[i] = done;
                    return all;
                }
            }
            Order::End(texts) if texts.len() == n => {
                let one = |text: Option<String>| text.as_deref().and_then(&packing.unpack);
                return texts.into_iter().map(one).collect();
            }
            _ => return (0..n).map(|_| None).collect(),
        }
    }
}

/// What this process has done of a list: its result, and the result as text.
type Own<T> = Vec<(usize, Option<T>, Option<String>)>;

/// The results of a list that the leader has.
struct Found<T> {
    results: Vec<Option<T>>,
    texts: Vec<Option<String>>,
    done: Vec<bool>,
}

impl<T> Found<T> {
    fn new(n: usize) -> Self {
        Self { results: (0..n).map(|_| None).collect(), texts: vec![None; n], done: vec![false; n] }
    }

    fn count(&self) -> usize {
        self.done.iter().filter(|done| **done).count()
    }

    fn set(&mut self, i: usize, result: Option<T>, text: Option<String>) {
        if !std::mem::replace(&mut self.done[i], true) {
            (self.results[i], self.texts[i]) = (result, text);
        }
    }
}

/// What the leader does itself, on a thread of its own.
struct Bench<T> {
    /// Jobs that only this process does.
    kept: Mutex<Vec<usize>>,
    own: Mutex<Own<T>>,
    /// No job will come any more.
    ended: AtomicBool,
    stop: Stop,
}

impl<T> Bench<T> {
    fn keep(&self, job: usize) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(job);
    }

    fn next(&self, crew: &dyn Crew) -> Option<usize> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.or_else(|| crew.take())
    }

    /// Does jobs until none will come.
    fn work(
        &self,
        crew: &dyn Crew,
        job: &impl Fn(usize, &Stop) -> Option<T>,
        pack: &impl Fn(&T) -> Option<String>,
    ) {
        while !self.stop.is_set() && !self.ended.load(Ordering::Acquire) {
            let Some(i) = self.next(crew) else {
                std::thread::sleep(IDLE);
                continue;
            };
            let found = job(i, &self.stop);
            let text = found.as_ref().and_then(pack);
            self.own.lock().unwrap_or_else(PoisonError::into_inner).push((i, found, text));
        }
    }

    fn taken(&self) -> Own<T> {
        std::mem::take(&mut *self.own.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Time between two looks for a job.
const IDLE: Duration = Duration::from_millis(10);

/// Gives jobs of a list away, and does some here.
fn lead<T: Send>(
    n: usize,
    crew: &dyn Crew,
    job: impl Fn(usize, &Stop) -> Option<T> + Sync,
    here: impl Fn(usize) -> bool,
    packing: &Packing<impl Fn(&T) -> Option<String> + Sync, impl Fn(&str) -> Option<T>>,
    mut report: impl FnMut(usize) -> bool,
) -> Vec<Option<T>> {
    let mut found = Found::new(n);
    let bench = Bench {
        kept: Mutex::new((0..n).rev().filter(|i| here(*i)).collect()),
        own: Mutex::new(Vec::new()),
        ended: AtomicBool::new(false),
        stop: Stop::new(),
    };
    if n > 0 && !report(0) {
        crew.stop();
        return found.results;
    }
    crew.begin((0..n).filter(|i| !here(*i)).collect());
    let pack = &packing.pack;
    std::thread::scope(|scope| {
        scope.spawn(|| bench.work(crew, &job, pack));
        while found.count() < n && !bench.stop.is_set() {
            for (i, text) in crew.wait() {
                match text.as_deref().and_then(&packing.unpack) {
                    Some(result) => found.set(i, Some(result), text),
                    None => bench.keep(i),
                }
            }
            for (i, result, text) in bench.taken() {
                found.set(i, result, text);
            }
            if !report(found.count()) {
                bench.stop.set();
            }
        }
        bench.ended.store(true, Ordering::Release);
        if bench.stop.is_set() {
            crew.stop();
        }
    });
    for (i, result, text) in bench.taken() {
        found.set(i, result, text);
    }
    if !bench.stop.is_set() {
        crew.end(found.texts);
    }
    found.results
}

#[cfg(test)]
mod tests;
