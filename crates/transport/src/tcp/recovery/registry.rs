//! The loss recovery in force, as one of those listed in [`recoveries!`](crate::tcp::recoveries).

use airtcp_units::Nanos;

use super::discipline::{
    Duplicate, End, LossRecovery, Next, Phase, Room, Signs, Start, Verdict, View,
};
use super::rack::Rack;
use crate::tcp::config::{Recovery, TcpConfig};
use crate::tcp::recoveries::recoveries;

macro_rules! discipline {
    ($(#[doc = $doc:literal] $name:literal $kind:ident(sack: $sack:literal) from $source:literal;)+) => {
        /// Any listed recovery, or RACK, which replaces `sack`.
        #[derive(Debug, Clone)]
        pub(crate) enum Discipline {
            $(#[doc = $doc] $kind(super::$kind),)+
            /// Losses detected by time.
            Rack(Rack),
        }

        impl Discipline {
            fn of(configured: Recovery) -> Self {
                match configured { $(Recovery::$kind => Self::$kind(super::$kind::default()),)+ }
            }
        }

        airtcp_probe::dispatch! { Discipline: $($kind)+ Rack }
    };
}

recoveries!(discipline);

impl Discipline {
    /// The recovery of a connection; `sack` if the peer permits SACK. Without SACK, recoveries that
    /// use it become NewReno.
    pub(crate) fn new(config: &TcpConfig, sack: bool) -> Self {
        match config.recovery {
            Recovery::Sack if sack && config.rack => Self::Rack(Rack::default()),
            selective if selective.is_selective() && !sack => Self::of(Recovery::NewReno),
            other => Self::of(other),
        }
    }

    /// RACK, if it is in force.
    #[inline]
    pub(crate) const fn rack(&mut self) -> Option<&mut Rack> {
        if let Self::Rack(rack) = self { Some(rack) } else { None }
    }

    /// Whether the next segment is a tail loss probe.
    #[inline]
    pub(crate) const fn is_probe_due(&self) -> bool {
        if let Self::Rack(rack) = self { rack.tlp.is_due() } else { false }
    }
}

impl LossRecovery for Discipline {
    #[inline]
    fn is_selective(&self) -> bool {
        each!(self, d => d.is_selective())
    }
    #[inline]
    fn trusts_pipe(&self) -> bool {
        each!(self, d => d.trusts_pipe())
    }
    #[inline]
    fn reads_sacks(&self) -> bool {
        each!(self, d => d.reads_sacks())
    }
    fn judging_threshold(&self, config: &TcpConfig) -> u32 {
        each!(self, d => d.judging_threshold(config))
    }
    #[inline]
    fn counts_pipe(&self, phase: Phase, config: &TcpConfig) -> bool {
        each!(self, d => d.counts_pipe(phase, config))
    }
    #[inline]
    fn adds_limited_transmit(&self, phase: Phase) -> bool {
        each!(self, d => d.adds_limited_transmit(phase))
    }
    fn allows_prr(&self) -> bool {
        each!(self, d => d.allows_prr())
    }
    #[inline]
    fn keeps_timing(&self, phase: Phase) -> bool {
        each!(self, d => d.keeps_timing(phase))
    }
    #[inline]
    fn is_duplicate(&self, bare: bool, new_sack: bool, new: bool) -> bool {
        each!(self, d => d.is_duplicate(bare, new_sack, new))
    }
    #[inline]
    fn restarts_timer(&self, view: &View<'_>) -> bool {
        each!(self, d => d.restarts_timer(view))
    }
    #[inline]
    fn on_any_ack(&mut self) {
        each!(self, d => d.on_any_ack());
    }
    #[inline]
    fn follows_open_acks(&self) -> bool {
        each!(self, d => d.follows_open_acks())
    }
    fn rests(&self) -> bool {
        each!(self, d => d.rests())
    }
    #[inline]
    fn on_new(&mut self, view: &View<'_>, acked: u64) -> Verdict {
        each!(self, d => d.on_new(view, acked))
    }
    fn on_duplicate(&mut self, view: &View<'_>, signs: Signs) -> Duplicate {
        each!(self, d => d.on_duplicate(view, signs))
    }
    fn begin(&mut self, view: &View<'_>, before: u64) -> Start {
        each!(self, d => d.begin(view, before))
    }
    fn on_episode(&mut self, now: Nanos) {
        each!(self, d => d.on_episode(now));
    }
    fn on_loss_reported(&mut self, now: Nanos) {
        each!(self, d => d.on_loss_reported(now));
    }
    fn on_timeout(&mut self) -> bool {
        each!(self, d => d.on_timeout())
    }
    fn end(&mut self, phase: Phase) -> End {
        each!(self, d => d.end(phase))
    }
    #[inline]
    fn is_full(&self, view: &View<'_>, room: &Room) -> bool {
        each!(self, d => d.is_full(view, room))
    }
    #[inline]
    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        each!(self, d => d.next(view, room))
    }
    #[inline]
    fn on_sent(&mut self, view: &View<'_>, next: Next) {
        each!(self, d => d.on_sent(view, next));
    }
}
