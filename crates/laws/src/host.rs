//! The functions that a law may call.
//!
//! Each first takes over what the law has set so far, then does its part on the base, and writes the
//! window back for the law to read.

use std::ffi::c_int;

use airtcp_units::detmath;

use crate::abi::{Ack, Episode, Host, Idle, State};
use crate::inner::{Inner, ack_of, episode_of, idle_of};

/// The functions, for every law.
pub(crate) static FUNCTIONS: Host = Host {
    size: {
        let size = size_of::<Host>();
        assert!(size < 1 << 16);
        #[allow(clippy::cast_possible_truncation, reason = "checked above")]
        {
            size as u32
        }
    },
    reserved: 0,
    slow_start,
    may_grow,
    recovering,
    grow,
    additive,
    reduce,
    spurious,
    idle,
    random,
    cbrt,
    exp,
    log,
    pow,
};

/// Name and address of each function, for a compiler in this process.
pub fn addresses() -> [(&'static str, usize); 13] {
    let f = &FUNCTIONS;
    [
        ("slow_start", f.slow_start as usize),
        ("may_grow", f.may_grow as usize),
        ("recovering", f.recovering as usize),
        ("grow", f.grow as usize),
        ("additive", f.additive as usize),
        ("reduce", f.reduce as usize),
        ("spurious", f.spurious as usize),
        ("idle", f.idle as usize),
        ("random", f.random as usize),
        ("cbrt", f.cbrt as usize),
        ("exp", f.exp as usize),
        ("log", f.log as usize),
        ("pow", f.pow as usize),
    ]
}

/// Does something with the base behind a state, which is up to date before and after it.
#[allow(unsafe_code, reason = "a law in C passes pointers")]
fn with<T: Default>(state: *mut State, work: impl FnOnce(&mut Inner) -> T) -> T {
    // SAFETY: the header asks for the pointer that the law was called with. It points to the state of
    // `Native`, which makes no other reference to it during the call, and null is checked.
    let Some(state) = (unsafe { state.as_mut() }) else { return T::default() };
    // SAFETY: `Native` sets `base` to its `Inner` before each call, and does not use it meanwhile.
    // A law that overwrites `base` breaks the process, as the header says of every wild pointer.
    let Some(inner) = (unsafe { state.base.cast::<Inner>().as_mut() }) else { return T::default() };
    inner.take(state);
    let done = work(inner);
    inner.give(state);
    done
}

/// What a pointer of a law points to.
#[allow(unsafe_code, reason = "a law in C passes pointers")]
fn of<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: the header asks for a valid structure; null is checked. The reference is not kept.
    unsafe { pointer.as_ref() }
}

extern "C" fn slow_start(state: *mut State, ack: *const Ack) -> c_int {
    let Some(ack) = of(ack).map(ack_of) else { return 0 };
    with(state, |inner| c_int::from(inner.base.window_mut().on_slow_start_ack(&ack)))
}

extern "C" fn may_grow(state: *mut State, ack: *const Ack) -> c_int {
    let Some(ack) = of(ack).map(ack_of) else { return 0 };
    with(state, |inner| c_int::from(inner.base.may_grow(&ack)))
}

extern "C" fn recovering(state: *mut State, ack: *const Ack) -> c_int {
    let Some(ack) = of(ack).map(ack_of) else { return 0 };
    with(state, |inner| c_int::from(ack.is_recovering(inner.base.window().params().rules)))
}

extern "C" fn grow(state: *mut State, bytes: f64) {
    with(state, |inner| {
        if bytes.is_finite() && bytes >= 0.0 {
            inner.base.window_mut().grow(bytes);
        } else {
            inner.refuse(&format!(
                "the window was to grow by {bytes} bytes; set cwnd to make it smaller"
            ));
        }
    });
}

extern "C" fn additive(state: *mut State, ack: *const Ack) {
    let Some(ack) = of(ack).map(ack_of) else { return };
    with(state, |inner| inner.base.additive(&ack));
}

extern "C" fn reduce(state: *mut State, episode: *const Episode, bytes: f64) {
    let Some(episode) = of(episode).and_then(episode_of) else { return };
    with(state, |inner| {
        let reduced = inner.base.on_congestion(&episode, bytes);
        inner.check(reduced);
    });
}

extern "C" fn spurious(state: *mut State) -> c_int {
    with(state, |inner| c_int::from(inner.base.on_spurious()))
}

extern "C" fn idle(state: *mut State, idle: *const Idle) -> c_int {
    let Some(idle) = of(idle).map(idle_of) else { return 0 };
    with(state, |inner| c_int::from(inner.base.on_idle(&idle)))
}

extern "C" fn random(state: *mut State) -> f64 {
    with(state, Inner::random)
}

extern "C" fn cbrt(x: f64) -> f64 {
    detmath::cbrt(x)
}

extern "C" fn exp(x: f64) -> f64 {
    detmath::exp(x)
}

extern "C" fn log(x: f64) -> f64 {
    detmath::ln(x)
}

extern "C" fn pow(x: f64, y: f64) -> f64 {
    detmath::pow(x, y)
}
