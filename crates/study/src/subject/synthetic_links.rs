//! Synthetic links with the packet reception ratio of a trace, or with its `mu` as well.

use airtcp_trace::metrics::Pairs;
use airtcp_trace::{GeParams, LinkTrace, SynthModel};
use airtcp_units::Outcomes;

use crate::base::draws::Draws;

/// What a synthetic link has in common with its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The packet reception ratio; losses are independent.
    Independent,
    /// The packet reception ratio and `mu`; losses are those of a Gilbert-Elliott chain.
    GilbertElliott,
}

/// Synthetic links of one kind, of the length of the trace.
#[derive(Debug, Clone)]
pub(crate) struct SyntheticLinks {
    pub(crate) kind: Kind,
    /// True if no chain has this PRR and `mu`, and the nearest chain is used.
    pub(crate) moved: bool,
    model: SynthModel,
    packets: usize,
}

impl SyntheticLinks {
    /// The synthetic links of `link`; `None` if this kind is not possible. A chain needs `mu`, and
    /// `mu` needs a measured order of packets, unless `drawn_order` accepts a drawn one.
    pub(crate) fn of(link: &LinkTrace, kind: Kind, drawn_order: bool) -> Option<Self> {
        let outcomes = &link.outcomes;
        let prr = outcomes.received() as f64 / outcomes.len().max(1) as f64;
        let (model, moved) = match kind {
            Kind::Independent => (SynthModel::Independent { prr }, false),
            Kind::GilbertElliott if !link.order_known && !drawn_order => return None,
            Kind::GilbertElliott => {
                let (params, moved) = GeParams::nearest(prr, Pairs::of(outcomes).mu()?)?;
                (SynthModel::GilbertElliott(params), moved)
            }
        };
        Some(Self { kind, moved, model, packets: outcomes.len() })
    }

    /// The synthetic link of a replica; `None` if the model cannot be drawn from.
    pub(crate) fn draw(&self, draws: &Draws, replica: u32) -> Option<Outcomes> {
        let purpose = match self.kind {
            Kind::Independent => "study/independent",
            Kind::GilbertElliott => "study/gilbert-elliott",
        };
        let mut stream = draws.stream(purpose, replica);
        self.model.generate(self.packets, &mut stream).ok()
    }
}
