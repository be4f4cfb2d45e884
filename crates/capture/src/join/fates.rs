//! What became of the packets on the air.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::matching::{Air, Matching};
use crate::air::log::{LinkLog, PacketFate};

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The receiver of the link has it.
    Delivered,
    /// The transmitter gave it up after its last attempt.
    LostOnLink,
    /// The capture does not tell.
    Undecided,
}

/// The fates of the packets on the air.
pub(super) struct Fates {
    of: Vec<Fate>,
}

impl Fates {
    /// From the air, and from the captures of receivers, which tell for certain.
    pub(super) fn new(air: &Air<'_>, logs: &[LinkLog], hosts: &[Matching]) -> Self {
        let above: Vec<u16> = logs.iter().map(|log| log.log.given_up_above()).collect();
        let mut arrived: BTreeSet<u64> = BTreeSet::new();
        let mut judged: BTreeSet<u64> = BTreeSet::new();
        for host in hosts {
            judged.extend(host.is_sent.iter().filter(|(_, sent)| !**sent).map(|(pair, _)| *pair));
            for (carried, number) in air.carried.iter().zip(&host.host_of) {
                if number.is_some() && host.is_sent.get(&carried.identity.pair) == Some(&false) {
                    arrived.insert(carried.identity.key);
                }
            }
        }
        let fate = |carried: &super::matching::Carried<'_>| {
            let identity = carried.identity;
            let has_arrived = arrived.contains(&identity.key);
            match carried.packet.fate {
                PacketFate::Delivered => Fate::Delivered,
                _ if has_arrived => Fate::Delivered,
                PacketFate::Undecided => Fate::Undecided,
                PacketFate::Refused => Fate::LostOnLink,
                PacketFate::Unanswered if judged.contains(&identity.pair) => Fate::LostOnLink,
                PacketFate::Unanswered if carried.packet.attempts > above[carried.link] => {
                    Fate::LostOnLink
                }
                PacketFate::Unanswered => Fate::Delivered,
            }
        };
        Self { of: air.carried.iter().map(fate).collect() }
    }

    /// The fate of a packet of the air.
    pub(super) fn of(&self, number: usize) -> Fate {
        self.of[number]
    }
}
