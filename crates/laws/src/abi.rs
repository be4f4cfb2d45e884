//! The C interface: its types, each with the text that declares it in the header.
//!
//! Sizes are in bytes, times in seconds, rates in bits per second, all as doubles, which hold whole
//! bytes up to 2^53 and nanoseconds of days exactly. NaN stands for none. Every structure begins with
//! its size, and new fields come only at the end.

use std::ffi::{c_char, c_int, c_void};

/// Version of the interface.
pub(crate) const ABI: u32 = 1;
/// Numbers in `key`.
pub(crate) const KEYS: usize = 16;
/// Numbers in `user`.
pub(crate) const USER: usize = 64;

/// How a type is declared in C.
pub(crate) trait Declared {
    fn declared(name: &str) -> String;
}

impl Declared for f64 {
    fn declared(name: &str) -> String {
        format!("double {name}")
    }
}
impl Declared for u32 {
    fn declared(name: &str) -> String {
        format!("uint32_t {name}")
    }
}
impl Declared for u64 {
    fn declared(name: &str) -> String {
        format!("uint64_t {name}")
    }
}
impl<const N: usize> Declared for [f64; N] {
    fn declared(name: &str) -> String {
        format!("double {name}[{N}]")
    }
}
impl Declared for *const Host {
    fn declared(name: &str) -> String {
        format!("const airtcp_host *{name}")
    }
}
impl Declared for *mut c_void {
    fn declared(name: &str) -> String {
        format!("void *{name}")
    }
}

/// Defines a structure and the text of its fields in C.
macro_rules! structure {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $field:ident: $kind:ty,)+ }) => {
        $(#[doc = $about])+
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        #[allow(clippy::struct_field_names, reason = "the names of `airtcp_congestion`")]
        pub(crate) struct $name { $($(#[doc = $doc])+ pub(crate) $field: $kind,)+ }

        impl $name {
            /// The structure's comment in the header.
            pub(crate) fn about() -> String {
                [$($about),+].map(str::trim).join(" ")
            }
            /// Declaration and comment of each field.
            pub(crate) fn fields() -> Vec<(String, String)> {
                vec![$((<$kind as Declared>::declared(stringify!($field)), [$($doc),+].map(str::trim).join(" ")),)+]
            }
            /// Name and offset of each field.
            #[cfg(test)]
            pub(crate) fn offsets() -> Vec<(&'static str, usize)> {
                vec![$((stringify!($field), std::mem::offset_of!($name, $field)),)+]
            }
            pub(crate) const SIZE: u32 = {
                let size = std::mem::size_of::<Self>();
                assert!(size < 1 << 16);
                #[allow(clippy::cast_possible_truncation, reason = "checked above")]
                { size as u32 }
            };
        }
    };
}

structure! {
    /// What a law reads and writes, and its memory. The values up to `send_quantum` are read after each call.
    State {
        /// Version of the interface.
        abi: u32,
        /// Size of this structure.
        size: u32,
        /// Time since the start of the run.
        now: f64,
        /// Congestion window. Written by the law: positive and finite, rounded down to bytes.
        cwnd: f64,
        /// Slow-start threshold; INFINITY for none. Written by the law.
        ssthresh: f64,
        /// Rate at which segments should leave; NAN if the window alone governs sending. Written by the law.
        pacing_rate: f64,
        /// The law's estimate of the rate of the path; NAN for none. Written by the law.
        bandwidth: f64,
        /// Bytes that leave in one burst under pacing; NAN for none. Written by the law.
        send_quantum: f64,
        /// Largest payload of a segment.
        mss: f64,
        /// Upper bound of the window; INFINITY for none.
        max_cwnd: f64,
        /// Initial window.
        initial_window: f64,
        /// Smoothed round-trip time of the handshake; NAN for none.
        srtt: f64,
        /// Seed of the law's random numbers.
        seed: u64,
        /// Bits: AIRTCP_LINUX_RULES, AIRTCP_HALF_OF_CWND, AIRTCP_PACED.
        options: u64,
        /// Values of the keys, in the order of `keys`.
        key: [f64; KEYS],
        /// The law's own memory; zero at the start.
        user: [f64; USER],
        /// Functions that the law may call.
        host: *const Host,
        /// For these functions.
        base: *mut c_void,
    }
}

structure! {
    /// An acknowledgement, and the state of the sender after it.
    Ack {
        /// Size of this structure.
        size: u32,
        /// Bits: AIRTCP_LIMITED and following.
        flags: u32,
        /// Bytes newly acknowledged cumulatively; 0 for a duplicate.
        acked: f64,
        /// Bytes that the ACK is the first to acknowledge or SACK.
        delivered: f64,
        /// Bytes newly judged lost.
        lost: f64,
        /// Data in the network after this ACK.
        pipe: f64,
        /// Data in the network before this ACK.
        prior_pipe: f64,
        /// Bytes that the connection has delivered in total.
        total_delivered: f64,
        /// Bytes that the connection has judged lost in total.
        total_lost: f64,
        /// Stream offset up to which everything is acknowledged.
        acked_up_to: f64,
        /// Stream offset up to which data was sent.
        sent_up_to: f64,
        /// Round-trip time of the ACK, or NAN.
        rtt: f64,
        /// Smoothed round-trip time, or NAN.
        srtt: f64,
        /// Smallest round-trip time of the connection, or NAN.
        min_rtt: f64,
        /// Delivery rate, or NAN.
        rate_bps: f64,
        /// Bytes delivered in the interval of the rate, or NAN.
        rate_delivered: f64,
        /// Length of that interval, or NAN.
        rate_interval: f64,
        /// Bytes that the connection had delivered when it began, or NAN.
        rate_prior_delivered: f64,
        /// Data in the network just after the acknowledged segment left, or NAN.
        rate_tx_in_flight: f64,
        /// Bytes judged lost in the interval, or NAN.
        rate_lost: f64,
    }
}

structure! {
    /// A congestion episode.
    Episode {
        /// Size of this structure.
        size: u32,
        /// AIRTCP_FAST_RETRANSMIT, AIRTCP_RTO, AIRTCP_ECN or AIRTCP_PERSISTENT.
        kind: u32,
        /// Outstanding data (FlightSize).
        flight: f64,
        /// 1 if the window restarts at one segment (Tahoe).
        restart: u64,
    }
}

structure! {
    /// A data segment that left.
    Sent {
        /// Size of this structure.
        size: u32,
        /// 1 if it was sent before.
        retransmission: u32,
        /// Payload.
        bytes: f64,
        /// Data in the network including the segment.
        pipe: f64,
    }
}

structure! {
    /// A segment that was judged lost.
    Lost {
        /// Size of this structure.
        size: u32,
        /// 1 if it left after the sender had run out of data.
        app_limited: u32,
        /// Stream offset of its first byte.
        start: f64,
        /// Its sequence space.
        bytes: f64,
        /// Data in the network just after it left.
        tx_in_flight: f64,
        /// Bytes judged lost since it left, itself included.
        lost: f64,
        /// Bytes that the connection has delivered in total.
        total_delivered: f64,
    }
}

structure! {
    /// The end of a pause.
    Idle {
        /// Size of this structure.
        size: u32,
        /// Bits: AIRTCP_RESTART, AIRTCP_IDLE_APP_LIMITED.
        flags: u32,
        /// Time since the last data segment left.
        idle: f64,
        /// Present retransmission timeout.
        rto: f64,
    }
}

/// Names of numbers in the header, with their values and meanings.
pub(crate) const NAMES: [(&str, u32, &str); 19] = [
    ("AIRTCP_LIMITED", LIMITED, "the window limited sending; if not, it must not grow"),
    ("AIRTCP_FAST_RECOVERY", FAST_RECOVERY, "the recovery sets the window"),
    ("AIRTCP_ENDS_RECOVERY", ENDS_RECOVERY, "the ACK ends a fast recovery"),
    ("AIRTCP_RECOVERY", RECOVERY, "the sender is still repairing losses"),
    ("AIRTCP_ECE", ECE, "the ACK echoes a congestion mark; the window must not grow"),
    ("AIRTCP_APP_LIMITED", APP_LIMITED, "the sender ran out of data in the interval of the rate"),
    ("AIRTCP_FAST_RETRANSMIT", 0, "loss found by duplicate or selective ACKs"),
    ("AIRTCP_RTO", 1, "the retransmission timer expired"),
    ("AIRTCP_ECN", 2, "the receiver echoed a congestion mark"),
    ("AIRTCP_PERSISTENT", 3, "the timer expired again for the same data"),
    ("AIRTCP_RESTART", RESTART, "restart from the initial window if the pause is longer than rto"),
    ("AIRTCP_IDLE_APP_LIMITED", IDLE_APP_LIMITED, "the application had nothing to send"),
    ("AIRTCP_LINUX_RULES", LINUX_RULES, "rules of Linux where they differ from the documents"),
    (
        "AIRTCP_HALF_OF_CWND",
        HALF_OF_CWND,
        "half of the window, not of FlightSize, is the threshold",
    ),
    ("AIRTCP_PACED", PACED, "segments are paced without the law's asking"),
    ("AIRTCP_GOVERNS_RECOVERY", GOVERNS_RECOVERY, "the law sets the window in recovery itself"),
    ("AIRTCP_FOLLOWS_MODEL", FOLLOWS_MODEL, "a model of the path bounds the window"),
    ("AIRTCP_NEEDS_ECN", NEEDS_ECN, "the law works only on a path that marks with ECN"),
    (
        "AIRTCP_UNBOUNDED",
        UNBOUNDED,
        "promise: a reaction may raise the window, as RFC 5681 read literally",
    ),
];
pub(crate) const LIMITED: u32 = 1;
pub(crate) const FAST_RECOVERY: u32 = 2;
pub(crate) const ENDS_RECOVERY: u32 = 4;
pub(crate) const RECOVERY: u32 = 8;
pub(crate) const ECE: u32 = 16;
pub(crate) const APP_LIMITED: u32 = 32;
pub(crate) const RESTART: u32 = 1;
pub(crate) const IDLE_APP_LIMITED: u32 = 2;
pub(crate) const LINUX_RULES: u32 = 1;
pub(crate) const HALF_OF_CWND: u32 = 2;
pub(crate) const PACED: u32 = 4;
pub(crate) const GOVERNS_RECOVERY: u32 = 1;
pub(crate) const FOLLOWS_MODEL: u32 = 2;
pub(crate) const NEEDS_ECN: u32 = 4;
pub(crate) const UNBOUNDED: u32 = 8;

/// Functions that a law may call: parts of the base, and mathematics with the same result everywhere.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) size: u32,
    pub(crate) reserved: u32,
    pub(crate) slow_start: extern "C" fn(*mut State, *const Ack) -> c_int,
    pub(crate) may_grow: extern "C" fn(*mut State, *const Ack) -> c_int,
    pub(crate) recovering: extern "C" fn(*mut State, *const Ack) -> c_int,
    pub(crate) grow: extern "C" fn(*mut State, f64),
    pub(crate) additive: extern "C" fn(*mut State, *const Ack),
    pub(crate) reduce: extern "C" fn(*mut State, *const Episode, f64),
    pub(crate) spurious: extern "C" fn(*mut State) -> c_int,
    pub(crate) idle: extern "C" fn(*mut State, *const Idle) -> c_int,
    pub(crate) random: extern "C" fn(*mut State) -> f64,
    pub(crate) cbrt: extern "C" fn(f64) -> f64,
    pub(crate) exp: extern "C" fn(f64) -> f64,
    pub(crate) log: extern "C" fn(f64) -> f64,
    pub(crate) pow: extern "C" fn(f64, f64) -> f64,
}

/// The same in C, field by field.
pub(crate) const HOST: [(&str, &str); 15] = [
    ("uint32_t size", "Size of this structure."),
    ("uint32_t reserved", "Zero."),
    (
        "int (*slow_start)(airtcp_state *, const airtcp_ack *)",
        "Takes an ACK in slow start; 1 if the window is below the threshold.",
    ),
    ("int (*may_grow)(airtcp_state *, const airtcp_ack *)", "1 if the window may grow on an ACK."),
    (
        "int (*recovering)(airtcp_state *, const airtcp_ack *)",
        "1 if the recovery sets the window on an ACK.",
    ),
    ("void (*grow)(airtcp_state *, double)", "Raises the window, and carries fractions of a byte."),
    (
        "void (*additive)(airtcp_state *, const airtcp_ack *)",
        "Grows by a segment per round trip, as Reno.",
    ),
    (
        "void (*reduce)(airtcp_state *, const airtcp_congestion *, double)",
        "Reacts to an episode that leaves this window.",
    ),
    ("int (*spurious)(airtcp_state *)", "Reverts the last reaction; 1 if there was one."),
    (
        "int (*idle)(airtcp_state *, const airtcp_idle *)",
        "Restarts after a pause; 1 if it was long.",
    ),
    (
        "double (*random)(airtcp_state *)",
        "Uniform from 0 to below 1: the only random numbers that a law may use.",
    ),
    ("double (*cbrt)(double)", "Cube root, with the same result on every machine."),
    ("double (*exp)(double)", "Exponential."),
    ("double (*log)(double)", "Natural logarithm."),
    ("double (*pow)(double, double)", "Power."),
];

/// The table that a library fills. A function that is null is the base's.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawLaw {
    pub(crate) abi: u32,
    pub(crate) size: u32,
    pub(crate) name: *const c_char,
    pub(crate) about: *const c_char,
    pub(crate) keys: *const c_char,
    pub(crate) flags: u64,
    pub(crate) start: Option<unsafe extern "C" fn(*mut State)>,
    pub(crate) avoid: Option<unsafe extern "C" fn(*mut State, *const Ack)>,
    pub(crate) reduced: Option<unsafe extern "C" fn(*mut State, *const Episode) -> f64>,
    pub(crate) on_ack: Option<unsafe extern "C" fn(*mut State, *const Ack)>,
    pub(crate) on_congestion: Option<unsafe extern "C" fn(*mut State, *const Episode)>,
    pub(crate) on_lost: Option<unsafe extern "C" fn(*mut State, *const Lost)>,
    pub(crate) on_sent: Option<unsafe extern "C" fn(*mut State, *const Sent)>,
    pub(crate) on_idle: Option<unsafe extern "C" fn(*mut State, *const Idle)>,
    pub(crate) on_spurious: Option<unsafe extern "C" fn(*mut State)>,
}

/// The same in C, field by field.
pub(crate) const LAW: [(&str, &str); 15] = [
    ("uint32_t abi", "Version of the interface: AIRTCP_ABI."),
    ("uint32_t size", "Size of this structure."),
    ("const char *name", "Name of the law: letters, digits, - and _."),
    ("const char *about", "What it does, in a line; or null."),
    ("const char *keys", "Keys with their defaults, such as \"a=1 b=0.5\", at most 16; or null."),
    ("uint64_t flags", "Bits: AIRTCP_GOVERNS_RECOVERY and following."),
    ("void (*start)(airtcp_state *)", "A connection begins; may be called again."),
    (
        "void (*avoid)(airtcp_state *, const airtcp_ack *)",
        "Grows the window above the threshold; called only when it may grow.",
    ),
    (
        "double (*reduced)(airtcp_state *, const airtcp_congestion *)",
        "The window after an episode.",
    ),
    ("void (*on_ack)(airtcp_state *, const airtcp_ack *)", "Replaces slow start and avoid."),
    ("void (*on_congestion)(airtcp_state *, const airtcp_congestion *)", "Replaces reduced."),
    ("void (*on_lost)(airtcp_state *, const airtcp_lost *)", "A segment was judged lost."),
    ("void (*on_sent)(airtcp_state *, const airtcp_sent *)", "A data segment left."),
    ("void (*on_idle)(airtcp_state *, const airtcp_idle *)", "Replaces the restart after a pause."),
    ("void (*on_spurious)(airtcp_state *)", "Replaces the undo of an unnecessary reaction."),
];

/// Names of the functions in [`LAW`], in its order.
pub const LAW_FUNCTIONS: [&str; 9] = [
    "start",
    "avoid",
    "reduced",
    "on_ack",
    "on_congestion",
    "on_lost",
    "on_sent",
    "on_idle",
    "on_spurious",
];
