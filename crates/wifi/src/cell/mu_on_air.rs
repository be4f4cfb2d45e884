//! An HE MU PPDU on the air, with the events at each of its stations.

use airtcp_units::Span;

use super::fate::Fate;
use super::transmission::Transmission;
use crate::mac::Class;
use crate::node::NodeId;

/// What became of the part of an HE MU PPDU for one station.
#[derive(Debug, Clone, Default)]
pub(super) struct UserFate {
    pub(super) station: u32,
    pub(super) fate: Fate,
    /// By MPDU, whether the station decoded it.
    pub(super) outcomes: Vec<bool>,
}

/// The HE MU PPDU of an access point on the air.
#[derive(Debug, Clone)]
pub(super) struct MuOnAir {
    pub(super) from: NodeId,
    pub(super) users: Vec<UserFate>,
}

impl MuOnAir {
    /// Its stations, each with an equal part of a time on the air.
    pub(super) fn parts(&self, time: Span) -> impl Iterator<Item = (u32, Span)> {
        let part = Span(time.0 / (self.users.len() as u64).max(1));
        self.users.iter().map(move |user| (user.station, part))
    }
}

/// Records that a station switched from a frame for it, or its part of an HE MU PPDU, to a stronger frame.
pub(super) fn capture(
    old: Option<&mut Transmission>,
    on_air: &mut [MuOnAir],
    station: usize,
    class: Option<Class>,
) {
    let Some(old) = old else { return };
    if old.frame.to.index() == station {
        old.fate.captured = class;
    }
    let from = old.frame.from;
    let users = on_air.iter_mut().filter(|mu| mu.from == from).flat_map(|mu| &mut mu.users);
    for user in users.filter(|user| user.station as usize == station) {
        user.fate.captured = class;
    }
}
