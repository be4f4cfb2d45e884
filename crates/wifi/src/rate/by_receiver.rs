//! One mode for each receiver: the fixed rate of an access point towards its stations.

use std::collections::BTreeMap;

use super::{Attempt, RateControl};
use crate::node::NodeId;
use crate::phy::Mode;

/// A fixed mode, and receivers with another one.
#[derive(Debug, Clone)]
pub(crate) struct ByReceiver {
    usual: Mode,
    modes: BTreeMap<NodeId, Mode>,
}

impl ByReceiver {
    /// `usual` towards all but those in `modes`.
    pub(crate) const fn new(usual: Mode, modes: BTreeMap<NodeId, Mode>) -> Self {
        Self { usual, modes }
    }
}

impl RateControl for ByReceiver {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.modes.get(&attempt.to).copied().unwrap_or(self.usual)
    }
}
