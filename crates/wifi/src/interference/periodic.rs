//! Interferers that are on periodically.
//!
//! ```text
//! on during [phase + k period, phase + k period + on), k = ..., -1, 0, 1, ...
//! ```
//!
//! An interferer that destroys frames destroys each frame that overlaps an on-interval. The phase
//! is drawn once per run unless configured.
//!
//! - `periodic`, by default S0's abstract capture: 250 ms of every 2 s in which a hidden co-channel cell
//!   captures the base station (S0 section IV-C/D). Only stations in `heard_by` sense it; the others
//!   continue to transmit and back off after failures.
//! - `microwave-oven`: a magnetron with a half-wave rectifier is off for at least half of every mains
//!   cycle (A. Kamerman and N. Erkocevic, *Microwave oven interference on wireless LANs operating in
//!   the 2.4 GHz ISM band*, PIMRC 1997). A choice: exactly half, 60 Hz, constant power while on.
//! - `polling`: S4 saw losses every 2 s at one access point and traced them to its polling. A choice:
//!   every frame on the air during 20 ms is lost, and no station defers.
//!
//! Leaves out: the sweep of a magnetron's frequency, jitter of the period.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reach::{InterferenceContext, Reach, ReachConfig, members};
use super::{Exposure, Interferer, Model};

/// Minimum period; shorter periods act like noise on any frame.
const MIN_PERIOD: Span = Span::from_micros(1);

/// One table per kind, with the same keys and different defaults.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident: $on:expr, of $period:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Time from one on-interval's start to the next.
            pub period: Span,
            /// Duration of each on-interval.
            pub on: Span,
            /// Start of an on-interval relative to the start of the run; the others follow from
            /// `period`. Default: random in each run.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub phase: Option<Span>,
            /// Stations that the interferer reaches, and its power.
            pub reach: ReachConfig,
            /// Nodes at which it makes the medium busy while it is on. Default: the nodes at which
            /// its power is at least `sensing.energy_detect_dbm`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub heard_by: Option<Vec<String>>,
        }

        impl Default for $name {
            fn default() -> Self {
                let reach = ReachConfig::default();
                Self { period: $period, on: $on, phase: None, reach, heard_by: None }
            }
        }

        impl AsTable for $name {
            fn table(&self) -> Table<'_> {
                let Self { period, on, phase, reach, heard_by } = self;
                let heard_by = heard_by.as_deref();
                Table { period: *period, on: *on, phase: *phase, reach, heard_by }
            }
        }
    };
}

table! {
    /// Periodic interferer. The defaults are those of S0's abstract capture.
    PeriodicConfig: Span::from_millis(250), of Span::from_secs(2)
}
table! {
    /// Microwave oven. The default is half of each 60 Hz cycle.
    MicrowaveOvenConfig: Span(8_333_333), of Span(16_666_667)
}
table! {
    /// Polling access point.
    PollingConfig: Span::from_millis(20), of Span::from_secs(2)
}

/// Keys that all tables share.
pub(crate) struct Table<'a> {
    period: Span,
    on: Span,
    phase: Option<Span>,
    reach: &'a ReachConfig,
    heard_by: Option<&'a [String]>,
}

pub(crate) trait AsTable {
    fn table(&self) -> Table<'_>;
}

/// A periodic interferer.
#[derive(Debug, Clone)]
pub struct Periodic {
    period: u64,
    on: u64,
    /// Added to the time so that on-intervals begin at multiples of the period.
    offset: u64,
    reach: Reach,
    heard_by: Vec<u32>,
    /// True without `heard_by`: the power decides which stations sense it.
    by_power: bool,
}

impl Periodic {
    fn new(table: &Table<'_>, context: &InterferenceContext<'_>) -> Result<Self, ConfigError> {
        let Table { period, on, phase, reach, heard_by } = *table;
        if period < MIN_PERIOD || period > Span(u64::MAX / 4) {
            let text = format!("is {period}: expected {MIN_PERIOD} to the length of a run");
            return Err(ConfigError::new("period", text));
        }
        if on > period {
            return Err(ConfigError::new(
                "on",
                format!("is {on}: expected 0 s to the period, {period}"),
            ));
        }
        let phase = match phase {
            Some(phase) => phase.0 % period.0,
            None => context.seed.stream(&format!("{}/phase", context.label)).below(period.0),
        };
        let reach = Reach::build(reach, context)?;
        let by_power = heard_by.is_none();
        let heard_by = if let Some(names) = heard_by {
            members("heard_by", names, context)?
        } else {
            let power = |i: &usize| reach.power_mw(*i);
            let strong = |i: &usize| power(i).is_finite() && power(i) >= context.energy_detect_mw;
            (0..context.stations.len()).filter(strong).map(u32::narrow).collect()
        };
        Ok(Self { period: period.0, on: on.0, offset: period.0 - phase, reach, heard_by, by_power })
    }

    /// Time since the last start of an on-interval.
    fn since(&self, at: Nanos) -> u64 {
        (at.0 % self.period + self.offset) % self.period
    }
}

impl Interferer for Periodic {
    fn reach(&self) -> &Reach {
        &self.reach
    }

    fn hits(&self, frame: &Exposure) -> bool {
        let since = self.since(frame.from);
        self.on > 0 && (since < self.on || frame.to.since(frame.from).0 > self.period - since)
    }

    fn state(&self, at: Nanos) -> (bool, Nanos) {
        if self.on == 0 || self.on == self.period {
            return (self.on > 0, Nanos::NEVER);
        }
        let since = self.since(at);
        let on = since < self.on;
        let end = if on { self.on } else { self.period };
        (on, at + Span(end - since))
    }

    fn heard_by(&self) -> &[u32] {
        &self.heard_by
    }

    fn adds_energy(&self) -> bool {
        self.by_power
    }
}

impl<C: AsTable> Model<C> for Periodic {
    fn build(config: &C, context: &InterferenceContext<'_>) -> Result<Self, ConfigError> {
        Self::new(&config.table(), context)
    }
}
