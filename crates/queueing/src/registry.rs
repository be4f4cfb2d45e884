//! The registered disciplines: one line each.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, Entry, Event, PoolCx, Probe, Relay};
use airtcp_random::Seed;
use airtcp_units::Nanos;

use crate::{Backlog, Behind, Discipline, DynQdisc, Qdisc, Stats, Verdict};

/// From one line per discipline: the enum, its configuration, the list and the samples that the
/// conformance suite runs.
macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $variant:ident($model:ty, $config:ty) from $source:literal;)+) => {
        /// A queue of any registered discipline.
        #[derive(Debug)]
        pub enum Queue {
            $(#[doc = $doc] $variant($model),)+
            /// A discipline from outside this crate.
            Dyn(Box<dyn DynQdisc>),
        }

        airtcp_probe::choices! {
            /// The table `queue` of a scenario; `kind` chooses the discipline.
            pub enum QueueConfig of "queue", tag "kind" as kind;
            $(#[doc = $doc] $name $variant($config) from $source;)+
        }

        impl QueueConfig {
            /// What the conformance suite runs.
            #[cfg(test)]
            pub(crate) fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$model as Discipline>::samples().into_iter().map(Self::$variant));)+
                all
            }
        }

        impl Queue {
            /// Builds the queue a scenario describes; its random draws come from `seed` under
            /// `label`, for instance `"link/3/queue"`.
            ///
            /// # Errors
            /// If a value is impossible; the message names the key and what is accepted.
            pub fn new(config: &QueueConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
                match config {
                    $(QueueConfig::$variant(c) => {
                        <$model as Discipline>::build(c, seed, label).map(Self::$variant)
                    })+
                }
            }
        }

        impl Qdisc for Queue {
            #[inline]
            fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
                match self {
                    $(Self::$variant(q) => q.enqueue(now, id, cx),)+
                    Self::Dyn(q) => relay(cx, |cx| q.dyn_enqueue(now, id, cx)),
                }
            }
            #[inline]
            fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
                match self {
                    $(Self::$variant(q) => q.dequeue(now, cx),)+
                    Self::Dyn(q) => relay(cx, |cx| q.dyn_dequeue(now, cx)),
                }
            }
            #[inline]
            fn backlog(&self) -> Backlog {
                match self {
                    $(Self::$variant(q) => q.backlog(),)+
                    Self::Dyn(q) => q.dyn_backlog(),
                }
            }
            #[inline]
            fn next_timer(&self) -> Nanos {
                match self {
                    $(Self::$variant(q) => q.next_timer(),)+
                    Self::Dyn(q) => q.dyn_next_timer(),
                }
            }
            fn stats(&self) -> &Stats {
                match self {
                    $(Self::$variant(q) => q.stats(),)+
                    Self::Dyn(q) => q.dyn_stats(),
                }
            }
            fn on_link(&mut self, link: &Behind<'_>) {
                match self {
                    $(Self::$variant(q) => q.on_link(link),)+
                    Self::Dyn(q) => q.dyn_on_link(link),
                }
            }
        }
    };
}

registry! {
    /// First in, first out, up to a limit in packets or bytes; what comes to a full queue is dropped
    "drop-tail" DropTail(crate::DropTail, crate::DropTailConfig) from "common practice; RFC 7567 section 2";
    /// Random early detection: drops or marks with a probability that grows with the average queue
    "red" Red(crate::Red, crate::RedConfig) from "Floyd and Jacobson 1993; gentle: Floyd 2000; marking: RFC 3168";
    /// Drops or marks at the head while packets have waited too long for a whole interval
    "codel" Codel(crate::Codel, crate::CodelConfig) from "RFC 8289";
    /// Flows take turns, new ones first, and CoDel acts on each
    "fq-codel" FqCodel(crate::FqCodel, crate::FqCodelConfig) from "RFC 8290";
    /// Drops or marks arrivals with a probability that a controller of the queueing delay moves
    "pie" Pie(crate::Pie, crate::PieConfig) from "RFC 8033";
    /// Marks every ECN-capable packet while the average queue is above one threshold
    "jersey" Jersey(crate::Jersey, crate::JerseyConfig) from "Xu, Tian and Ansari 2004";
}

impl Default for QueueConfig {
    /// Drop-tail, 100 packets.
    fn default() -> Self {
        Self::DropTail(crate::DropTailConfig::default())
    }
}

impl Queue {
    /// A queue of a discipline written outside this crate.
    pub fn custom(discipline: impl Qdisc + std::fmt::Debug + Send + 'static) -> Self {
        Self::Dyn(Box::new(discipline))
    }
}

/// Calls `f` with a context that is not generic and passes its events on.
fn relay<P: Probe, R>(
    cx: &mut PoolCx<'_, P>,
    f: impl FnOnce(&mut PoolCx<'_, Relay<'_>>) -> R,
) -> R {
    let probe = &mut *cx.probe;
    let mut pass = |now: Nanos, who, event: &Event| {
        if P::ON {
            probe.record(now, who, event);
        }
    };
    let mut relay = Relay(&mut pass);
    f(&mut PoolCx::new(&mut relay, cx.pool, cx.who))
}

/// The registered disciplines, for listing.
pub const fn registry() -> &'static [Entry] {
    ENTRIES
}
