//! A law of a shared library as a sender drives it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_congestion::external::{
    Failure, KeyValue, Keys, LawMaker, present_flow, present_replication,
};
use airtcp_congestion::{
    AckSample, Base, Congestion, CongestionControl, CongestionKind, LawParams, LawRules, LawState,
    Needs, Promises,
};
use airtcp_units::{BitRate, Nanos};

use crate::abi::{self, Episode, Idle, Lost, Sent, State};
use crate::host::FUNCTIONS;
use crate::inner::{Inner, seconds, written};
use crate::library::Library;
use crate::watch::{Calls, Function, Watch};

/// The first error of the laws of a call.
#[derive(Debug, Default)]
pub struct Faults {
    any: AtomicBool,
    first: Mutex<Option<Failure>>,
}

impl Faults {
    fn add(&self, failure: Failure) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.any.store(true, Ordering::Release);
    }

    /// True after an error.
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The first error.
    pub fn first(&self) -> Option<Failure> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes laws of a library.
#[derive(Debug)]
pub struct Maker {
    library: Arc<Library>,
    faults: Arc<Faults>,
    watch: Option<Arc<Watch>>,
    file: String,
}

impl Maker {
    /// Laws of this library, whose first error is kept.
    pub const fn new(library: Arc<Library>, faults: Arc<Faults>) -> Self {
        Self { library, faults, watch: None, file: String::new() }
    }

    /// The same, with calls that are watched; `file` is named in messages.
    #[must_use]
    pub fn watched(self, watch: Option<Arc<Watch>>, file: &str) -> Self {
        Self { watch, file: file.to_owned(), ..self }
    }
}

impl LawMaker for Maker {
    fn make(&self, keys: &Keys) -> Box<dyn CongestionControl> {
        let mut values = [0.0; abi::KEYS];
        for (value, (key, default)) in values.iter_mut().zip(&self.library.keys) {
            *value = match keys.get(key) {
                Some(KeyValue::Real(value)) => *value,
                _ => *default,
            };
        }
        let calls = Arc::new(Calls::new(&self.library.name, &self.file, present_flow()));
        if let Some(watch) = &self.watch {
            watch.add(&calls);
        }
        Box::new(Native::new(self.library.clone(), self.faults.clone(), calls, values))
    }

    fn needs(&self) -> Needs {
        if has(self.library.table.flags, abi::NEEDS_ECN) { Needs::EcnMarks } else { Needs::Nothing }
    }

    fn has_failed(&self) -> bool {
        self.faults.any()
    }

    fn failure(&self) -> Option<Failure> {
        self.faults.first()
    }
}

fn has(bits: u64, bit: u32) -> bool {
    bits & u64::from(bit) != 0
}

/// A law of a library.
#[derive(Debug)]
struct Native {
    library: Arc<Library>,
    faults: Arc<Faults>,
    keys: [f64; abi::KEYS],
    inner: Box<Inner>,
    state: Box<State>,
    acks: u64,
    /// Its present call, for what watches.
    calls: Arc<Calls>,
    /// Its replication, for messages.
    replication: Option<u32>,
}

#[allow(unsafe_code, reason = "the state has pointers")]
// SAFETY: the pointers of the state are set anew before each call, to `FUNCTIONS` and to `inner`, which
// this law owns and moves with it.
unsafe impl Send for Native {}

impl Native {
    fn new(
        library: Arc<Library>,
        faults: Arc<Faults>,
        calls: Arc<Calls>,
        keys: [f64; abi::KEYS],
    ) -> Self {
        let inner = Inner { base: Base::default(), error: None, given: [0.0; 5], random: 0 };
        let state = Box::new(State {
            abi: abi::ABI,
            size: State::SIZE,
            now: 0.0,
            cwnd: 0.0,
            ssthresh: f64::INFINITY,
            pacing_rate: f64::NAN,
            bandwidth: f64::NAN,
            send_quantum: f64::NAN,
            mss: 1.0,
            max_cwnd: f64::INFINITY,
            initial_window: 1.0,
            srtt: f64::NAN,
            seed: 0,
            options: 0,
            key: keys,
            user: [0.0; abi::USER],
            host: &raw const FUNCTIONS,
            base: std::ptr::null_mut(),
        });
        let replication = present_replication();
        Self { library, faults, keys, inner: Box::new(inner), state, acks: 0, calls, replication }
    }

    /// Calls a function of the law with its state, and takes over what it has set.
    #[inline]
    fn call<T>(&mut self, of: Function, now: Nanos, function: impl FnOnce(*mut State) -> T) -> T {
        self.state.now = now.as_secs_f64();
        self.inner.give(&mut self.state);
        self.state.host = &raw const FUNCTIONS;
        self.state.base = (&raw mut *self.inner).cast::<c_void>();
        self.calls.begin(of, now, self.acks);
        let done = function(&raw mut *self.state);
        self.calls.end();
        self.state.base = std::ptr::null_mut();
        self.inner.take(&self.state);
        if self.inner.error.is_some() {
            self.fail(of);
        }
        done
    }

    /// Keeps an error of the law, after which it is not called any more.
    fn fail(&mut self, of: Function) {
        if let Some(why) = self.inner.error.take() {
            let reason = format!("{}: {why}", self.calls.place(of, self.state.now, self.acks));
            self.faults.add(Failure { replication: self.replication, reason });
        }
    }

    fn failed(&self) -> bool {
        self.faults.any()
    }
}

#[allow(unsafe_code, reason = "calls functions of a library")]
impl CongestionControl for Native {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.inner.base.start(params);
        (self.inner.random, self.acks) = (params.seed, 0);
        let bound = |bytes: u64| if bytes == u64::MAX { f64::INFINITY } else { bytes as f64 };
        let bit = |set: bool, bit: u32| if set { u64::from(bit) } else { 0 };
        let state = &mut *self.state;
        state.mss = f64::from(params.mss.max(1));
        state.max_cwnd = bound(params.max_cwnd);
        state.initial_window = params.initial_window as f64;
        state.srtt = seconds(params.srtt);
        state.seed = params.seed;
        state.options = bit(params.rules == LawRules::Linux, abi::LINUX_RULES)
            | bit(params.half_of_cwnd, abi::HALF_OF_CWND)
            | bit(params.paced, abi::PACED);
        state.key = self.keys;
        state.user = [0.0; abi::USER];
        if let Some(start) = self.library.table.start.filter(|_| !self.failed()) {
            // SAFETY: the header gives the function this type; the state is valid during the call.
            self.call(Function::Start, now, |state| unsafe { start(state) });
        }
    }

    fn on_sent(&mut self, now: Nanos, sent: &airtcp_congestion::Sent) {
        let Some(on_sent) = self.library.table.on_sent.filter(|_| !self.failed()) else { return };
        let sent = Sent {
            size: Sent::SIZE,
            retransmission: u32::from(sent.retransmission),
            bytes: sent.bytes as f64,
            pipe: sent.pipe as f64,
        };
        // SAFETY: as in `start`.
        self.call(Function::OnSent, now, |state| unsafe { on_sent(state, &raw const sent) });
    }

    fn on_lost(&mut self, now: Nanos, lost: &airtcp_congestion::Lost) {
        let Some(on_lost) = self.library.table.on_lost.filter(|_| !self.failed()) else { return };
        let lost = Lost {
            size: Lost::SIZE,
            app_limited: u32::from(lost.app_limited),
            start: lost.start as f64,
            bytes: lost.bytes as f64,
            tx_in_flight: lost.tx_in_flight as f64,
            lost: lost.lost as f64,
            total_delivered: lost.total_delivered as f64,
        };
        // SAFETY: as in `start`.
        self.call(Function::OnLost, now, |state| unsafe { on_lost(state, &raw const lost) });
    }

    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.acks += 1;
        if self.failed() {
            return;
        }
        if let Some(on_ack) = self.library.table.on_ack {
            let ack = written(ack);
            // SAFETY: as in `start`.
            self.call(Function::OnAck, now, |state| unsafe { on_ack(state, &raw const ack) });
            return;
        }
        if !self.inner.base.takes_growth(ack) {
            return;
        }
        let Some(avoid) = self.library.table.avoid else {
            self.inner.base.additive(ack);
            return;
        };
        let ack = written(ack);
        // SAFETY: as in `start`.
        self.call(Function::Avoid, now, |state| unsafe { avoid(state, &raw const ack) });
    }

    fn on_congestion(&mut self, now: Nanos, c: &Congestion) {
        if self.failed() {
            return;
        }
        let episode = Episode {
            size: Episode::SIZE,
            kind: match c.kind {
                CongestionKind::FastRetransmit => 0,
                CongestionKind::Rto => 1,
                CongestionKind::EcnCe => 2,
                CongestionKind::Persistent => 3,
            },
            flight: c.flight as f64,
            restart: u64::from(c.restart),
        };
        if let Some(on_congestion) = self.library.table.on_congestion {
            // SAFETY: as in `start`.
            self.call(Function::OnCongestion, now, |state| unsafe {
                on_congestion(state, &raw const episode);
            });
            return;
        }
        let bytes = match self.library.table.reduced {
            // SAFETY: as in `start`.
            Some(reduced) => self.call(Function::Reduced, now, |state| unsafe {
                reduced(state, &raw const episode)
            }),
            None => self.inner.base.half(c),
        };
        let reduced = self.inner.base.on_congestion(c, bytes);
        self.inner.check(reduced);
        self.fail(Function::Reduced);
    }

    fn on_spurious(&mut self, now: Nanos) {
        if self.failed() {
            return;
        }
        match self.library.table.on_spurious {
            // SAFETY: as in `start`.
            Some(own) => self.call(Function::OnSpurious, now, |state| unsafe { own(state) }),
            None => drop(self.inner.base.on_spurious()),
        }
    }

    fn raise_ssthresh(&mut self, bytes: u64) {
        self.inner.base.window_mut().raise_ssthresh(bytes);
    }

    fn on_idle(&mut self, now: Nanos, idle: &airtcp_congestion::Idle) {
        let Some(on_idle) = self.library.table.on_idle.filter(|_| !self.failed()) else {
            self.inner.base.on_idle(idle);
            return;
        };
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        let idle = Idle {
            size: Idle::SIZE,
            flags: bit(idle.restart, abi::RESTART) | bit(idle.app_limited, abi::IDLE_APP_LIMITED),
            idle: idle.idle.as_secs_f64(),
            rto: idle.rto.as_secs_f64(),
        };
        // SAFETY: as in `start`.
        self.call(Function::OnIdle, now, |state| unsafe { on_idle(state, &raw const idle) });
    }

    fn limit_cwnd(&mut self, bytes: u64) {
        self.inner.base.window_mut().limit(bytes);
    }

    fn cwnd(&self) -> u64 {
        self.inner.base.window().cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.inner.base.window().ssthresh()
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        self.inner.base.pacing_rate()
    }

    fn bandwidth(&self) -> Option<BitRate> {
        self.inner.base.bandwidth()
    }

    fn governs_recovery(&self) -> bool {
        has(self.library.table.flags, abi::GOVERNS_RECOVERY)
    }

    fn follows_model(&self) -> bool {
        has(self.library.table.flags, abi::FOLLOWS_MODEL)
    }

    fn send_quantum(&self) -> Option<u64> {
        self.inner.base.send_quantum()
    }

    fn state(&self) -> LawState {
        self.inner.base.state()
    }

    fn promises(&self) -> Promises {
        let bounded_by_window = !has(self.library.table.flags, abi::UNBOUNDED);
        Promises { bounded_by_window, ..Promises::default() }
    }
}
