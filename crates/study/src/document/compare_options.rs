//! The options of a comparison, with their defaults and checks.

use airtcp_queueing::QueueConfig;
use airtcp_transport::tcp::Variant;
use airtcp_units::{BitRate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::error::CompareError;
use crate::variant::tcp::VariantSpec;

/// The default variants: the classic loss recoveries, then the laws that matter for wireless links,
/// as far as they are registered.
const USUAL: [&str; 8] =
    ["newreno", "sack", "cubic", "westwood+", "veno", "vegas", "jersey", "bbr"];

/// Replications if neither the options nor the scenario give a number.
pub(crate) const REPLICATIONS: u32 = 10;

/// Stretches of a trace if the options give no number: few and long, so that they depend little on
/// one another. With twice as many, the intervals were too short more often.
pub(crate) const STRETCHES: u32 = 10;

/// Synthetic links of each kind if the options give no number: as many as in a study.
pub(crate) const SYNTHETIC_LINKS: u32 = 20;

/// Most variants in one comparison.
const MAX_VARIANTS: usize = 100;

/// How TCPs are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompareOptions {
    /// The TCP variants: names with keys, such as `newreno` or `cubic:recovery=newreno`. A link
    /// protocol or a queue discipline follows an `@`, as in `sack@ll-harq`.
    pub tcp: Vec<String>,
    /// Remedies against losses, compared with `sack` in a separate list: names as in `tcp`,
    /// `lt-tcp`, `sliding`, or a link protocol by itself. `usual` stands for the usual remedies.
    pub remedies: Vec<String>,
    /// Remedies are tried if there are at most this many scenarios and traces.
    pub remedies_up_to: u32,
    /// The variant that the others are compared with; the first if absent.
    pub reference: Option<String>,
    /// Compare only this flow of a scenario; all TCP flows if absent.
    pub flow: Option<String>,
    /// Let each variant share the path of one flow with a flow of this variant.
    pub share: Option<String>,
    /// Parameter set that the variants change. If absent: in a scenario each flow's own; over a
    /// trace `s1` (timers in proportion to the slot); over a trace as a link `linux`.
    pub profile: Option<String>,
    /// Replications, synthetic links of each kind, or stretches of a trace. If absent: the
    /// scenario's if it has several, else 10; 20 synthetic links; 10 stretches.
    pub replications: Option<u32>,
    /// Root seed; if absent the scenario's, or 1.
    pub seed: Option<u64>,
    /// Duration of a slot of a trace; if absent its own interval, or 10 ms.
    pub slot: Option<Span>,
    /// Put traces behind a link with these properties instead of one packet a slot.
    pub as_link: Option<AsLink>,
    /// Compare over synthetic links that look like a trace, too.
    pub synthetic: bool,
    /// Threads; all cores if absent. The result does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            tcp: usual(),
            remedies: Vec::new(),
            remedies_up_to: u32::MAX,
            reference: None,
            flow: None,
            share: None,
            profile: None,
            replications: None,
            seed: None,
            slot: None,
            as_link: None,
            synthetic: true,
            workers: None,
        }
    }
}

/// The usual variants that are registered.
pub(crate) fn usual() -> Vec<String> {
    let known = USUAL.iter().filter_map(|name| Variant::parse(name).ok());
    known.map(|variant| variant.label().to_owned()).collect()
}

/// A link around a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AsLink {
    /// Rate of the link.
    pub rate: BitRate,
    /// One-way delay.
    pub delay: Span,
    /// The queue in front of it.
    pub queue: QueueConfig,
}

impl Default for AsLink {
    /// 10 Mb/s, 20 ms each way, drop-tail with 100 packets.
    fn default() -> Self {
        Self {
            rate: BitRate::from_mbps(10),
            delay: Span::from_millis(20),
            queue: QueueConfig::default(),
        }
    }
}

impl CompareOptions {
    /// Reads the variants, and which of them is the reference.
    pub(crate) fn variants(&self) -> Result<(Vec<VariantSpec>, usize), CompareError> {
        if self.tcp.is_empty() || self.tcp.len() > MAX_VARIANTS {
            return Err(CompareError::other(format!(
                "tcp: {} variants; expected 1 to {MAX_VARIANTS}",
                self.tcp.len()
            )));
        }
        let variants: Vec<VariantSpec> =
            self.tcp.iter().map(|text| VariantSpec::parse(text)).collect::<Result<_, _>>()?;
        for (i, variant) in variants.iter().enumerate() {
            if variants[..i].iter().any(|v| v.label() == variant.label()) {
                return Err(CompareError::other(format!(
                    "tcp: \"{}\" stands twice: name each variant once",
                    variant.label()
                )));
            }
        }
        let reference = match &self.reference {
            None => 0,
            Some(name) => {
                let wanted = VariantSpec::parse(name)?;
                let found = variants.iter().position(|v| v.label() == wanted.label());
                found.ok_or_else(|| {
                    let labels: Vec<&str> = variants.iter().map(VariantSpec::label).collect();
                    CompareError::other(format!(
                        "reference: \"{name}\" is not among the variants ({})",
                        labels.join(", ")
                    ))
                })?
            }
        };
        Ok((variants, reference))
    }
}

/// Checks the numbers of replications and of workers.
pub(crate) fn check_counts(
    replications: Option<u32>,
    workers: Option<u32>,
) -> Result<(), CompareError> {
    if let Some(n) = replications
        && !(1..=10_000).contains(&n)
    {
        return Err(CompareError::other(format!("replications is {n}: accepted is 1 to 10000")));
    }
    if workers == Some(0) {
        return Err(CompareError::other(
            "workers is 0: accepted is 1 or more; leave it out for all cores",
        ));
    }
    Ok(())
}
