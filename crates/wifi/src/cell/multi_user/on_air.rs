//! The HE MU PPDUs on the air, with the events at each of their stations.

use airtcp_units::Span;

use crate::cell::fate::Fate;
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
#[derive(Debug)]
struct MuPpdu {
    from: NodeId,
    users: Vec<UserFate>,
}

/// The HE MU PPDUs on the air.
#[derive(Debug, Default)]
pub(in crate::cell) struct MuPpdus {
    ppdus: Vec<MuPpdu>,
}

impl MuPpdus {
    /// An access point starts a PPDU for these stations.
    pub(in crate::cell) fn start(&mut self, from: NodeId, users: impl Iterator<Item = NodeId>) {
        let fate = |user: NodeId| UserFate { station: user.0, ..UserFate::default() };
        self.ppdus.push(MuPpdu { from, users: users.map(fate).collect() });
    }

    /// True without a PPDU.
    #[inline]
    pub(in crate::cell) const fn is_empty(&self) -> bool {
        self.ppdus.is_empty()
    }

    /// The stations of the PPDU of an access point.
    pub(in crate::cell) fn users(&self, from: NodeId) -> impl Iterator<Item = &UserFate> {
        self.ppdus.iter().filter(move |ppdu| ppdu.from == from).flat_map(|ppdu| &ppdu.users)
    }

    /// The stations of the PPDU of an access point, to record what happens to them.
    fn users_mut(&mut self, from: NodeId) -> impl Iterator<Item = &mut UserFate> {
        let ppdus = self.ppdus.iter_mut().filter(move |ppdu| ppdu.from == from);
        ppdus.flat_map(|ppdu| &mut ppdu.users)
    }

    /// The stations of the PPDU of an access point, each with an equal part of a time on the air.
    #[inline]
    pub(in crate::cell) fn parts(
        &self,
        from: NodeId,
        time: Span,
    ) -> impl Iterator<Item = (u32, Span)> {
        self.ppdus.iter().filter(move |ppdu| ppdu.from == from).flat_map(move |ppdu| {
            let part = Span(time.0 / (ppdu.users.len() as u64).max(1));
            ppdu.users.iter().map(move |user| (user.station, part))
        })
    }

    /// A frame of `sender` overlaps the PPDU of an access point; `arriving` gives the power of the frame at a
    /// station.
    pub(in crate::cell) fn overlap(
        &mut self,
        from: NodeId,
        sender: NodeId,
        class: Class,
        arriving: impl Fn(NodeId) -> Option<f64>,
    ) {
        for user in self.users_mut(from) {
            if let Some(power) = arriving(NodeId(user.station)) {
                user.fate.overlap(power, class);
            }
            user.fate.receiver_sent |= sender.0 == user.station;
        }
    }

    /// A station transmits while a PPDU for it may be on the air.
    pub(in crate::cell) fn mark_user_sends(&mut self, sender: NodeId) {
        for user in self.ppdus.iter_mut().flat_map(|ppdu| &mut ppdu.users) {
            user.fate.receiver_sent |= user.station == sender.0;
        }
    }

    /// A station switches from its part of the PPDU of an access point to a stronger frame of a class.
    pub(in crate::cell) fn capture(&mut self, from: NodeId, station: usize, class: Class) {
        for user in self.users_mut(from).filter(|user| user.station as usize == station) {
            user.fate.captured = Some(class);
        }
    }

    /// A station has decoded these MPDUs of its part of the PPDU of an access point. An interferer may have disturbed
    /// the others.
    pub(in crate::cell) fn judge(
        &mut self,
        from: NodeId,
        station: usize,
        decoded: Vec<bool>,
        interferer: Option<f64>,
    ) {
        if let Some(user) = self.users_mut(from).find(|user| user.station as usize == station) {
            user.fate.interferer = interferer;
            user.outcomes = decoded;
        }
    }

    /// Ends the PPDU of an access point. Returns what became of its parts.
    pub(in crate::cell) fn end(&mut self, from: NodeId) -> Option<Vec<UserFate>> {
        let place = self.ppdus.iter().position(|ppdu| ppdu.from == from)?;
        Some(self.ppdus.swap_remove(place).users)
    }
}
