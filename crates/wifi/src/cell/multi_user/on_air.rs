//! An HE MU PPDU on the air, with the events at each of its stations.

use airtcp_units::Span;

use crate::cell::fate::Fate;
use crate::cell::transmission::Transmission;
use crate::mac::Class;
use crate::node::NodeId;

/// What became of the part of an HE MU PPDU for one station.
#[derive(Debug, Clone, Default)]
pub(in crate::cell) struct UserFate {
    pub(in crate::cell) station: u32,
    pub(in crate::cell) fate: Fate,
    /// By MPDU, whether the station decoded it.
    pub(in crate::cell) outcomes: Vec<bool>,
}

/// The HE MU PPDU of an access point on the air.
#[derive(Debug, Clone)]
pub(in crate::cell) struct MuOnAir {
    pub(in crate::cell) from: NodeId,
    pub(in crate::cell) users: Vec<UserFate>,
}

impl MuOnAir {
    /// Its stations, each with an equal part of a time on the air.
    pub(in crate::cell) fn parts(&self, time: Span) -> impl Iterator<Item = (u32, Span)> {
        let part = Span(time.0 / (self.users.len() as u64).max(1));
        self.users.iter().map(move |user| (user.station, part))
    }
}

/// Records that a station switched from a frame for it, or its part of an HE MU PPDU, to a stronger frame.
pub(in crate::cell) fn capture(
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
