//! The registered rate controls: one line each.

use airtcp_probe::ConfigError;
use airtcp_units::Nanos;

use super::{Attempt, Control, ControlInputs, Outcome, RateControl};
use crate::node::NodeId;
use crate::phy::{Mode, Standard};

airtcp_probe::family! {
    /// Any registered rate control.
    #[derive(Debug)]
    pub enum Rate or Dyn(Box<dyn DynRateControl>);
    /// The table `rate_control` of a cell; `control` chooses the control.
    pub enum RateConfig of "rate-control", tag "control" as control, samples of Control;

    /// One rate for every attempt
    "fixed" Fixed(super::Fixed, super::FixedConfig) from "own";
    /// Down after consecutive failures, up after consecutive successes
    "s0" S0(super::S0, super::S0Config) from "S0";
    /// As s0, with a timer in attempts, and a step back if the first attempt after a step up fails
    "arf" Arf(super::Arf, super::ArfConfig) from "Kamerman and Monteban 1997; ns-3 ArfWifiManager";
    /// As arf, with a threshold of successes that doubles after each failed step up
    "aarf" Aarf(super::Aarf, super::AarfConfig) from "Lacage, Manshaei and Turletti 2004; ns-3 AarfWifiManager";
    /// Decides once per period by the share of failed attempts, with a retry chain and an adaptive threshold
    "amrr" Amrr(super::Amrr, super::AmrrConfig) from "Lacage, Manshaei and Turletti 2004; ns-3 AmrrWifiManager";
    /// Decides once per period by the number of retries, and steps up after ten good periods
    "onoe" Onoe(super::Onoe, super::OnoeConfig) from "MadWifi; ns-3 OnoeWifiManager";
    /// The rate with the highest throughput by measured success, with probes of other rates
    "minstrel" Minstrel(super::Minstrel, super::MinstrelConfig) from "Smithies 2005; Linux mac80211; ns-3 MinstrelWifiManager";
    /// In 802.11n, ac and ax: the scheme with the highest expected throughput by measured success, with samples of others
    "minstrel-ht" MinstrelHt(super::MinstrelHt, super::MinstrelHtConfig) from "Linux mac80211 rc80211_minstrel_ht";
    /// The fastest rate that the peer can decode at the last measured SNR
    "ideal" Ideal(super::Ideal, super::IdealConfig) from "ns-3 IdealWifiManager";
    /// A fixed retry chain: the rates of a packet's attempts, one after the other
    "chain" Chain(super::Chain, super::ChainConfig) from "MadWifi multi-rate retry; S2 section II";
    /// The receiver chooses the rate by the SINR of the RTS and returns it in the CTS; with bursts, OAR
    "rbar" Rbar(super::Rbar, super::RbarConfig) from "Holland, Vaidya and Bahl 2001; Sadeghi et al. 2002";
}

/// True if the rate control named `control` can choose among the rates of `standard`.
pub fn is_for(control: &str, standard: Standard) -> bool {
    match control {
        "chain" | "rbar" => !standard.has_mcs(),
        "minstrel-ht" => standard.has_mcs(),
        _ => true,
    }
}

/// Names of the rate controls that can choose among the rates of `standard`.
pub fn controls_of(standard: Standard) -> impl Iterator<Item = &'static str> {
    registry().iter().map(|entry| entry.name).filter(move |name| is_for(name, standard))
}

/// A rate control as a trait object, implemented for every [`RateControl`].
pub trait DynRateControl: RateControl + std::fmt::Debug + Send {}
impl<C: RateControl + std::fmt::Debug + Send> DynRateControl for C {}

impl Default for RateConfig {
    /// One rate.
    fn default() -> Self {
        Self::Fixed(super::FixedConfig {})
    }
}

impl Rate {
    pub(crate) fn build(
        config: &RateConfig,
        inputs: &ControlInputs<'_>,
    ) -> Result<Self, ConfigError> {
        build!(config, c => Control::build(c, inputs))
    }

    /// A rate control written outside this crate.
    pub fn custom(control: impl RateControl + std::fmt::Debug + Send + 'static) -> Self {
        Self::Dyn(Box::new(control))
    }
}

impl RateControl for Rate {
    fn on_packet(&mut self, first: &Attempt) {
        each!(self, c => c.on_packet(first));
    }
    #[inline]
    fn pick(&self, attempt: &Attempt) -> Mode {
        each!(self, c => c.pick(attempt))
    }
    #[inline]
    fn is_single(&self, attempt: &Attempt) -> bool {
        each!(self, c => c.is_single(attempt))
    }
    fn on_result(&mut self, outcome: &Outcome) {
        each!(self, c => c.on_result(outcome));
    }
    #[inline]
    fn on_rx(&mut self, now: Nanos, from: NodeId, hz: Option<f64>, snr: f64) {
        each!(self, c => c.on_rx(now, from, hz, snr));
    }
    fn learns_from_receptions(&self) -> bool {
        each!(self, c => c.learns_from_receptions())
    }
    fn grant(&self, from: NodeId, sinr: f64, bytes: u32) -> Option<Mode> {
        each!(self, c => c.grant(from, sinr, bytes))
    }
    fn on_grant(&mut self, to: NodeId, mode: Mode) {
        each!(self, c => c.on_grant(to, mode));
    }
    fn burst(&self, mode: Mode) -> u32 {
        each!(self, c => c.burst(mode))
    }
    fn burst_reserves(&self) -> bool {
        each!(self, c => c.burst_reserves())
    }
    fn rts_mode(&self) -> Option<Mode> {
        each!(self, c => c.rts_mode())
    }
}
