//! Ends the process if a function of a law does not return.
//!
//! Nothing else ends a function in machine code: its thread waits for no one, and what it holds cannot be taken from
//! it. A thread of its own looks at the calls that run. It needs no interpreter, which such a call may hold.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use airtcp_units::Nanos;

use crate::abi::LAW_FUNCTIONS;

/// Time between two looks. Looks are counted instead of time, which also passes while the process is stopped.
const LOOK: Duration = Duration::from_millis(100);
/// Looks after Ctrl-C in which a call may return.
const GRACE: u32 = 10;

/// Why the process has to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// A call has not returned in time: which one, and how to allow more.
    Late(String),
    /// Ctrl-C came, and a call does not return.
    Stopped,
}

/// A function of a law, in the order of [`LAW_FUNCTIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Start,
    Avoid,
    Reduced,
    OnAck,
    OnCongestion,
    OnLost,
    OnSent,
    OnIdle,
    OnSpurious,
}

impl Function {
    pub(crate) const fn name(self) -> &'static str {
        LAW_FUNCTIONS[self as usize]
    }
}

/// The present call of one law.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Place of the function in [`LAW_FUNCTIONS`], from 1; 0 between calls.
    function: AtomicU8,
    now: AtomicU64,
    acks: AtomicU64,
    /// Name of the law, and the file of its library.
    name: String,
    file: String,
    flow: Option<String>,
}

/// A call: function, time, ACKs.
type Call = (u8, u64, u64);

impl Calls {
    pub(crate) fn new(name: &str, file: &str, flow: Option<String>) -> Self {
        Self { name: name.to_owned(), file: file.to_owned(), flow, ..Self::default() }
    }

    #[inline]
    pub(crate) fn begin(&self, function: Function, now: Nanos, acks: u64) {
        self.now.store(now.0, Ordering::Relaxed);
        self.acks.store(acks, Ordering::Relaxed);
        self.function.store(function as u8 + 1, Ordering::Release);
    }

    #[inline]
    pub(crate) fn end(&self) {
        self.function.store(0, Ordering::Relaxed);
    }

    /// The call that runs.
    fn present(&self) -> Option<Call> {
        let function = self.function.load(Ordering::Acquire);
        let call = (function, self.now.load(Ordering::Relaxed), self.acks.load(Ordering::Relaxed));
        (function > 0).then_some(call)
    }

    /// A call in words.
    pub(crate) fn place(&self, of: Function, at_s: f64, acks: u64) -> String {
        self.place_of(of.name(), at_s, acks)
    }

    fn place_of(&self, of: &str, at_s: f64, acks: u64) -> String {
        let flow = self.flow.as_ref().map_or_else(String::new, |flow| format!(", flow {flow}"));
        format!("{}.{of} at {at_s:.3} s{flow}, ACK {acks}", self.name)
    }

    fn said(&self, (function, now, acks): Call, limit: Duration) -> String {
        let of = LAW_FUNCTIONS[usize::from(function) - 1];
        let place = self.place_of(of, Nanos(now).as_secs_f64(), acks);
        let file = if self.file.is_empty() { String::new() } else { format!(" ({})", self.file) };
        let limit = limit.as_secs_f64();
        format!("{place}: it has not returned for {limit} s; --law-timeout allows more{file}")
    }
}

/// Watches the laws of a call.
pub struct Watch {
    limit: Duration,
    stopping: fn() -> bool,
    end: fn(&End),
    laws: Mutex<Vec<Weak<Calls>>>,
    begun: AtomicBool,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl Watch {
    /// Calls `end`, which ends the process, for a call that lasts longer than `limit`, or a second longer than
    /// `stopping` is true. Its thread ends when the watch is dropped.
    pub fn new(limit: Duration, stopping: fn() -> bool, end: fn(&End)) -> Arc<Self> {
        let (laws, begun) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { limit, stopping, end, laws, begun })
    }

    /// Watches a law as long as it lives.
    pub(crate) fn add(self: &Arc<Self>, calls: &Arc<Calls>) {
        self.laws.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(calls));
        if !self.begun.swap(true, Ordering::Relaxed) {
            let watch = Arc::downgrade(self);
            let look = std::thread::Builder::new().name("laws".to_owned());
            // Without a thread the laws run as before, and are not watched.
            drop(look.spawn(move || look_on(&watch)));
        }
    }

    /// Looks once. `seen` has each call that ran at the last look, and how many looks it was there.
    fn look(&self, seen: &mut Vec<(usize, Call, u32)>) -> Option<End> {
        let laws: Vec<Arc<Calls>> = {
            let mut laws = self.laws.lock().unwrap_or_else(PoisonError::into_inner);
            laws.retain(|law| law.strong_count() > 0);
            laws.iter().filter_map(Weak::upgrade).collect()
        };
        let mut now = Vec::new();
        for law in &laws {
            let Some(call) = law.present() else { continue };
            let law_at = Arc::as_ptr(law).addr();
            let before = seen.iter().find(|(at, last, _)| *at == law_at && *last == call);
            let looks = before.map_or(0, |(_, _, looks)| looks + 1);
            if LOOK * looks >= self.limit {
                return Some(End::Late(law.said(call, self.limit)));
            }
            if looks >= GRACE && (self.stopping)() {
                return Some(End::Stopped);
            }
            now.push((law_at, call, looks));
        }
        *seen = now;
        None
    }
}

fn look_on(watch: &Weak<Watch>) {
    let mut seen = Vec::new();
    loop {
        std::thread::sleep(LOOK);
        let Some(watch) = watch.upgrade() else { return };
        if let Some(end) = watch.look(&mut seen) {
            (watch.end)(&end);
        }
    }
}

/// Ends this process at once, with a stuck call in it.
#[cfg(unix)]
#[allow(unsafe_code, reason = "no safe function leaves out the handlers of the process's end")]
pub fn end_process(status: i32) -> ! {
    // SAFETY: it does nothing but end the process. Handlers of its end could wait for the stuck call.
    unsafe { libc::_exit(status) }
}

/// Ends this process at once.
#[cfg(not(unix))]
pub fn end_process(status: i32) -> ! {
    std::process::exit(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(limit: u64, stopping: fn() -> bool) -> (Arc<Watch>, Arc<Calls>) {
        let watch = Watch::new(LOOK * u32::try_from(limit).unwrap(), stopping, |_| ());
        let calls = Arc::new(Calls::new("Mine", "mine.so", Some("bulk".to_owned())));
        watch.laws.lock().unwrap().push(Arc::downgrade(&calls));
        (watch, calls)
    }

    fn looks(watch: &Watch, calls: &Calls, number: usize, go_on: bool) -> Option<End> {
        let mut seen = Vec::new();
        (0..number).find_map(|i| {
            if go_on {
                calls.end();
                calls.begin(Function::Avoid, Nanos(i as u64), i as u64);
            }
            watch.look(&mut seen)
        })
    }

    #[test]
    fn a_call_that_does_not_return_is_named() {
        let (watch, calls) = watch(20, || false);
        calls.begin(Function::Avoid, Nanos(1_234_000_000), 7);
        assert_eq!(looks(&watch, &calls, 20, false), None);
        let said = "Mine.avoid at 1.234 s, flow bulk, ACK 7: it has not returned for 2 s; --law-timeout allows more \
                    (mine.so)";
        assert_eq!(looks(&watch, &calls, 21, false), Some(End::Late(said.to_owned())));
        assert_eq!(looks(&watch, &calls, 100, true), None);
        calls.end();
        assert_eq!(looks(&watch, &calls, 100, false), None);
    }

    #[test]
    fn a_stop_ends_a_call_that_does_not_return() {
        let (watch, calls) = watch(1000, || true);
        calls.begin(Function::Reduced, Nanos(1), 1);
        assert_eq!(looks(&watch, &calls, 10, false), None);
        assert_eq!(looks(&watch, &calls, 11, false), Some(End::Stopped));
        assert_eq!(looks(&watch, &calls, 100, true), None);
    }

    #[test]
    fn functions_have_the_names_of_the_table() {
        assert_eq!((Function::Start.name(), Function::OnSpurious.name()), ("start", "on_spurious"));
        assert_eq!(Function::OnAck.name(), "on_ack");
    }

    #[test]
    fn a_law_that_is_gone_is_forgotten() {
        let (watch, calls) = watch(1, || true);
        calls.begin(Function::Reduced, Nanos(1), 1);
        drop(calls);
        assert_eq!(watch.look(&mut Vec::new()), None);
        assert!(watch.laws.lock().unwrap().is_empty());
    }
}
