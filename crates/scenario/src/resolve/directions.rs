//! Fills in the defaults of a link's directions. Those of the reverse direction come from the forward one.

use airtcp_link::LinkConfig;
use airtcp_units::Probability;

use crate::Direction;

impl Direction {
    /// Configuration of the link, without its queue.
    pub fn link_config(&self) -> LinkConfig {
        LinkConfig {
            rate: self.rate.clone(),
            slot: self.slot,
            delay: self.delay.clone().unwrap_or_default(),
            mtu: self.mtu,
            policer: self.policer,
            loss: self.loss.clone().unwrap_or_default(),
            loss_unit: self.loss_unit.unwrap_or_default(),
            jitter: self.jitter.clone(),
            reordering: self.reordering.clone(),
            duplication: self.duplication.unwrap_or(Probability::ZERO),
            protocol: self.protocol.clone().unwrap_or_default(),
        }
    }

    /// Fills in the defaults of a forward direction.
    pub(super) fn completed(&self) -> Self {
        Self {
            delay: Some(self.delay.clone().unwrap_or_default()),
            queue: Some(self.queue.clone().unwrap_or_default()),
            loss: Some(self.loss.clone().unwrap_or_default()),
            ..self.clone()
        }
    }

    /// Fills in a reverse direction from its forward one.
    pub(super) fn completed_from(&self, forward: &Self) -> Self {
        let own_pace = self.rate.is_some() || self.slot.is_some();
        Self {
            rate: if own_pace { self.rate.clone() } else { forward.rate.clone() },
            slot: if own_pace { self.slot } else { forward.slot },
            delay: self.delay.clone().or_else(|| forward.delay.clone()),
            queue: self.queue.clone().or_else(|| forward.queue.clone()),
            sender_device: self.sender_device.or(forward.sender_device),
            mtu: self.mtu.or(forward.mtu),
            policer: self.policer,
            loss: Some(self.loss.clone().unwrap_or_default()),
            loss_unit: self.loss_unit,
            reordering: self.reordering.clone(),
            duplication: self.duplication,
            jitter: self.jitter.clone(),
            protocol: self.protocol.clone().or_else(|| forward.protocol.clone()),
        }
    }
}
