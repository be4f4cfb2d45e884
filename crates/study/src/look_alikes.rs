//! Synthetic links that look like a trace: by its packet reception ratio, or by its `mu` as well.

use airtcp_random::Seed;
use airtcp_trace::metrics::Pairs;
use airtcp_trace::{GeParams, LinkTrace, SynthModel};
use airtcp_units::Outcomes;

/// What a synthetic link has in common with the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The packet reception ratio; losses are independent.
    Independent,
    /// The packet reception ratio and `mu`; losses are those of a Gilbert-Elliott chain.
    GilbertElliott,
}

/// Synthetic links of one kind, of the length of the trace.
#[derive(Debug, Clone)]
pub(crate) struct LookAlikes {
    pub(crate) kind: Kind,
    /// True if no chain has this PRR and `mu`, and the nearest stands for it.
    pub(crate) moved: bool,
    model: SynthModel,
    packets: usize,
    label: String,
}

impl LookAlikes {
    /// Those of `link`; `None` if there are none of this kind. A chain needs `mu`, and `mu` a trace
    /// whose order was measured, unless `drawn_order` says that a drawn one will do.
    pub(crate) fn of(link: &LinkTrace, kind: Kind, drawn_order: bool) -> Option<Self> {
        let outcomes = &link.outcomes;
        let prr = outcomes.received() as f64 / outcomes.len().max(1) as f64;
        let (model, moved, name) = match kind {
            Kind::Independent => (SynthModel::Independent { prr }, false, "independent"),
            Kind::GilbertElliott if !link.order_known && !drawn_order => return None,
            Kind::GilbertElliott => {
                let (params, moved) = GeParams::nearest(prr, Pairs::of(outcomes).mu()?)?;
                (SynthModel::GilbertElliott(params), moved, "gilbert-elliott")
            }
        };
        let label = format!("study/{}/{name}", link.name);
        Some(Self { kind, moved, model, packets: outcomes.len(), label })
    }

    /// The synthetic link of a replica; `None` if the model cannot be drawn from.
    pub(crate) fn draw(&self, seed: u64, replica: u32) -> Option<Outcomes> {
        let mut stream = Seed::new(seed).replicate(replica).stream(&self.label);
        self.model.generate(self.packets, &mut stream).ok()
    }
}
