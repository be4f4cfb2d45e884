//! The registered rate controls: one line each.

use airtcp_probe::{ConfigError, Entry};
use airtcp_units::Nanos;

use super::{Attempt, Build, Control, Outcome, RateControl};
use crate::mac::NodeId;
use crate::phy::Mode;

/// From one line per control: the enum, its configuration, the list and the samples that the
/// conformance suite runs.
macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $variant:ident($control:ty, $config:ty) from $source:literal;)+) => {
        /// Any registered rate control.
        #[derive(Debug)]
        pub enum Rate {
            $(#[doc = $doc] $variant($control),)+
            /// A control from outside this crate.
            Dyn(Box<dyn DynRateControl>),
        }

        airtcp_probe::choices! {
            /// The table `rate_control` of a cell; `control` chooses the control.
            pub enum RateConfig of "rate-control", tag "control" as control;
            $(#[doc = $doc] $name $variant($config) from $source;)+
        }

        impl RateConfig {
            /// What the conformance suite runs.
            #[cfg(test)]
            pub(crate) fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$control as Control>::samples().into_iter().map(Self::$variant));)+
                all
            }
        }

        impl Rate {
            pub(crate) fn build(config: &RateConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
                match config {
                    $(RateConfig::$variant(c) => <$control as Control>::build(c, build).map(Self::$variant),)+
                }
            }
        }

        registry! { @dispatch $($variant)+ Dyn }
    };
    (@dispatch $($variant:ident)+) => {
        impl RateControl for Rate {
            fn on_packet(&mut self, first: &Attempt) {
                match self { $(Self::$variant(c) => c.on_packet(first),)+ }
            }
            #[inline]
            fn pick(&self, attempt: &Attempt) -> Mode {
                match self { $(Self::$variant(c) => c.pick(attempt),)+ }
            }
            fn on_result(&mut self, outcome: &Outcome) {
                match self { $(Self::$variant(c) => c.on_result(outcome),)+ }
            }
            #[inline]
            fn on_rx(&mut self, now: Nanos, from: NodeId, snr: f64) {
                match self { $(Self::$variant(c) => c.on_rx(now, from, snr),)+ }
            }
            fn grant(&self, sinr: f64, bytes: u32) -> Option<Mode> {
                match self { $(Self::$variant(c) => c.grant(sinr, bytes),)+ }
            }
            fn on_grant(&mut self, to: NodeId, mode: Mode) {
                match self { $(Self::$variant(c) => c.on_grant(to, mode),)+ }
            }
            fn burst(&self, mode: Mode) -> u32 {
                match self { $(Self::$variant(c) => c.burst(mode),)+ }
            }
            fn burst_reserves(&self) -> bool {
                match self { $(Self::$variant(c) => c.burst_reserves(),)+ }
            }
            fn rts_mode(&self) -> Option<Mode> {
                match self { $(Self::$variant(c) => c.rts_mode(),)+ }
            }
        }
    };
}

registry! {
    /// One rate for every attempt
    "fixed" Fixed(super::Fixed, super::FixedConfig) from "own";
    /// Down after successive failures, up after successive successes
    "s0" S0(super::S0, super::S0Config) from "S0";
    /// As s0, with a timer in packets, and back at once if the first frame after a rise fails
    "arf" Arf(super::Arf, super::ArfConfig) from "Kamerman and Monteban 1997; ns-3 ArfWifiManager";
    /// As arf, and after each rise that failed twice as many successes are asked for
    "aarf" Aarf(super::Aarf, super::AarfConfig) from "Lacage, Manshaei and Turletti 2004; ns-3 AarfWifiManager";
    /// Once a period by the share of failed attempts, with a retry chain and an adaptive threshold
    "amrr" Amrr(super::Amrr, super::AmrrConfig) from "Lacage, Manshaei and Turletti 2004; ns-3 AmrrWifiManager";
    /// Once a period by retries, up after ten good periods
    "onoe" Onoe(super::Onoe, super::OnoeConfig) from "MadWifi; ns-3 OnoeWifiManager";
    /// The rate with the most throughput in measured success, with look-arounds
    "minstrel" Minstrel(super::Minstrel, super::MinstrelConfig) from "Smithies 2005; Linux mac80211; ns-3 MinstrelWifiManager";
    /// The fastest rate that comes through at the last SNR heard from the other end
    "ideal" Ideal(super::Ideal, super::IdealConfig) from "ns-3 IdealWifiManager";
    /// The rates of a packet's attempts, one after the other
    "chain" Chain(super::Chain, super::ChainConfig) from "MadWifi multi-rate retry; S2 section II";
    /// The receiver chooses by the SINR of the RTS and says so in the CTS; with bursts it is OAR
    "rbar" Rbar(super::Rbar, super::RbarConfig) from "Holland, Vaidya and Bahl 2001; Sadeghi et al. 2002";
}

/// A rate control that fits in a box. Implemented for every [`RateControl`]; nobody writes it.
pub trait DynRateControl: RateControl + std::fmt::Debug + Send {}
impl<C: RateControl + std::fmt::Debug + Send> DynRateControl for C {}

impl Default for RateConfig {
    /// One rate.
    fn default() -> Self {
        Self::Fixed(super::FixedConfig {})
    }
}

impl Rate {
    /// A rate control written outside this crate.
    pub fn custom(control: impl RateControl + std::fmt::Debug + Send + 'static) -> Self {
        Self::Dyn(Box::new(control))
    }
}

/// The registered rate controls, for listing.
pub const fn registry() -> &'static [Entry] {
    ENTRIES
}
