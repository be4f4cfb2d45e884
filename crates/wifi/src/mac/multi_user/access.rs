//! Multi-user accesses of an access point: whom the access that it has just gained serves.
//!
//! ```text
//! access -> plan -> trigger                       reports of stations, alternately with data
//!                -> HE MU PPDU                    data for stations of 802.11ax
//!                -> single-user exchange          data for others, or for one station
//! ```
//! A category contends as long as it has a packet at its head, parked MPDUs, or reports of stations. The head comes
//! from the queue in its order. If its receiver has 802.11ax, the access serves the stations that `mu_schedule` puts
//! first, among those with parked MPDUs or packets in the queue. If not, the access is for the head, except that
//! parked MPDUs go first after such an access. An access carries one multi-user exchange.

use airtcp_units::Nanos;

use super::schedule::Candidate;
use super::state::{Composed, Stage};
use crate::mac::aggregation::{BLOCK_ACK_REQ_BYTES, bitmap_bytes};
use crate::mac::exchange::Exchange;
use crate::mac::{Class, Frame, Kind, Mpdu, Part, Rules, Station};
use crate::node::NodeId;
use crate::phy::Mode;
use crate::rate::RateControl;

impl Station {
    /// The first frame of an access. In its place a frame that [`Self::compose`] replaces.
    pub(in crate::mac) fn begin_access(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let active = self.active;
        if let Some(mu) = self.multi_user.access_point_mut()
            && active < mu.was_down.len()
            && !(self.has_management && active + 1 == self.contenders.len())
        {
            mu.stage = Stage::Planning;
            let mode = rules.timing.lowest();
            let span = airtcp_units::Span::ZERO;
            return Some(Frame::control(Kind::Rts, self.id, NodeId::BROADCAST, mode, span, 0));
        }
        self.begin_exchange(now, rules)
    }

    /// True during a multi-user exchange of the access point.
    pub(in crate::mac) fn is_in_multi_user(&self) -> bool {
        self.multi_user.access_point().is_some_and(|mu| mu.stage != Stage::None)
    }

    /// The category of the access that [`Self::plan`] is to plan.
    pub(crate) fn planning(&self) -> Option<usize> {
        let planning = self.multi_user.access_point().is_some_and(|mu| mu.stage == Stage::Planning);
        planning.then_some(self.active)
    }

    /// Stations whose reports ask for a trigger frame in a category.
    pub(crate) fn reporting(&self, category: usize) -> Vec<NodeId> {
        self.multi_user.access_point().map_or_else(Vec::new, |mu| mu.reporting(category).collect())
    }

    /// Takes the bytes that a station has reported for a category.
    pub(crate) fn on_report(
        &mut self,
        now: Nanos,
        station: NodeId,
        (category, bytes): (usize, u64),
        rules: &Rules,
    ) {
        if let Some(mu) = self.multi_user.access_point_mut().filter(|mu| mu.is_capable(station)) {
            mu.reports.set(station, category, bytes);
            self.refresh_wants(now, rules);
        }
    }

    /// Lets the categories contend that have parked MPDUs or reports.
    pub(in crate::mac) fn refresh_wants(&mut self, now: Nanos, rules: &Rules) {
        let Some(mu) = self.multi_user.access_point() else { return };
        let mut view = self.view;
        if self.exchange != Exchange::None {
            view.idle_from = Nanos::NEVER;
        }
        let answer_due = self.due.is_some();
        let last = self.contenders.len() - usize::from(self.has_management);
        for (category, contender) in self.contenders.iter_mut().take(last).enumerate() {
            if mu.lanes.has(category) || mu.reporting(category).next().is_some() {
                contender.want(now, answer_due, &view, rules, &mut self.random);
            } else {
                contender.want_no_more();
            }
        }
    }

    /// Plans the access of this instant. `queued` names the receivers with packets in the queue, and `uplink` the
    /// stations whose reports ask for a trigger frame, with the modes of their data.
    pub(crate) fn plan(
        &mut self,
        now: Nanos,
        queued: &[NodeId],
        uplink: &[(NodeId, Mode)],
        rules: &Rules,
    ) {
        let category = self.active;
        self.park(now, category);
        let receivers = self.receivers(now, category, queued);
        let head = self.contenders[category].mpdu.is_some();
        let down = head || !receivers.is_empty();
        let turn = !uplink.is_empty() && (!down || self.was_down(category));
        if turn && self.plan_uplink(now, uplink, rules) {
            return;
        }
        if turn {
            self.forget_reports(category, uplink);
        }
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        mu.was_down[category] = true;
        if !down {
            mu.stage = Stage::Cancelled;
            return;
        }
        let parked = mu.lanes.has(category);
        let single = head && (receivers.is_empty() || !(parked && mu.was_single[category]));
        mu.was_single[category] = single;
        if single {
            self.begin_single(now, rules);
        } else if let ([only], false) = (receivers.as_slice(), head) {
            self.unpark(category, *only);
            self.begin_single(now, rules);
        } else if !self.plan_downlink(now, &receivers, rules) {
            // One that has only packets in the queue would leave nothing to send.
            if let Some(first) =
                receivers.iter().find(|to| !head && self.has_parked(category, **to))
            {
                self.unpark(category, *first);
            }
            self.begin_single(now, rules);
        }
    }

    /// Forgets the reports of stations that no trigger frame can serve.
    fn forget_reports(&mut self, category: usize, uplink: &[(NodeId, Mode)]) {
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        for (station, _) in uplink {
            mu.reports.set(*station, category, 0);
        }
    }

    /// Begins a single-user exchange of the head.
    fn begin_single(&mut self, now: Nanos, rules: &Rules) {
        let frame = self.begin_exchange(now, rules);
        let preparing = self.originator.as_ref().is_some_and(|o| o.room.is_some());
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        mu.stage = if frame.is_some() { Stage::None } else { Stage::Cancelled };
        mu.plain = frame.filter(|_| !preparing);
    }

    /// Parks the MPDUs of a category whose receiver has 802.11ax, and drops parked ones that are too old.
    fn park(&mut self, now: Nanos, category: usize) {
        let Some((mu, originator)) =
            self.multi_user.access_point_mut().zip(self.originator.as_mut())
        else {
            return;
        };
        if !mu.rules.downlink {
            return;
        }
        let contender = &mut self.contenders[category];
        let parks = |mpdu: &mut Mpdu| mpdu.to != NodeId::BROADCAST && mu.is_capable(mpdu.to);
        if let Some(head) = contender.mpdu.take_if(parks) {
            let lane = &mut originator.lanes[category];
            lane.on_air = 0;
            let waiting = std::mem::take(&mut lane.waiting);
            *mu.lanes.series_mut(category, head.to) = std::mem::take(&mut lane.series);
            mu.lanes.of(category, head.to).extend(std::iter::once(head).chain(waiting));
        }
        if contender.lifetime.is_some() {
            for mpdu in mu.lanes.take_expired(category, |mpdu| mpdu.expires < now) {
                self.push_expired(category, mpdu);
            }
        }
    }

    fn has_parked(&self, category: usize, to: NodeId) -> bool {
        self.multi_user
            .access_point()
            .is_some_and(|mu| mu.lanes.receivers(category).any(|own| own == to))
    }

    /// Moves the parked MPDUs of a receiver to the empty head of a category.
    fn unpark(&mut self, category: usize, to: NodeId) {
        let Some((mu, originator)) =
            self.multi_user.access_point_mut().zip(self.originator.as_mut())
        else {
            return;
        };
        let mut mpdus = mu.lanes.take(category, to);
        self.contenders[category].mpdu = mpdus.pop_front();
        let lane = &mut originator.lanes[category];
        lane.on_air = 0;
        lane.waiting = mpdus;
        lane.series = std::mem::take(mu.lanes.series_mut(category, to));
    }

    /// The receivers of an HE MU PPDU of a category, in the order of service: those with 802.11ax that have parked
    /// MPDUs or packets in the queue.
    fn receivers(&self, now: Nanos, category: usize, queued: &[NodeId]) -> Vec<NodeId> {
        let Some(mu) = self.multi_user.access_point().filter(|mu| mu.rules.downlink) else {
            return Vec::new();
        };
        let mut all: Vec<NodeId> = mu.lanes.receivers(category).collect();
        all.extend(queued.iter().filter(|to| mu.is_capable(**to) && self.serves(**to)));
        all.sort_unstable();
        all.dedup();
        let candidate = |station: &NodeId| {
            let mode = self.rates.control.pick(&self.attempt_towards(now, category, *station));
            Candidate { station: *station, kbps: mode.kbps() }
        };
        let mut candidates: Vec<Candidate> = all.iter().map(candidate).collect();
        mu.down.sort(&mut candidates);
        candidates.iter().map(|candidate| candidate.station).collect()
    }

    /// A mode in the width of the access.
    pub(in crate::mac) fn within_access(&self, mode: Mode) -> Mode {
        self.widths.map_or(mode, |widths| widths.within(mode))
    }

    /// True if the last exchange of a category carried data of the access point.
    fn was_down(&self, category: usize) -> bool {
        self.multi_user.access_point().is_some_and(|mu| mu.was_down[category])
    }

    /// The next exchange of a category carries data of the access point, if there is any.
    pub(in crate::mac) fn end_uplink_turn(&mut self, category: usize) {
        if let Some(mu) = self.multi_user.access_point_mut() {
            mu.was_down[category] = false;
        }
    }

    /// The frame of a multi-user access or of a triggered transmission.
    pub(in crate::mac) fn compose_multi_user(&mut self, now: Nanos, rules: &Rules) -> Composed {
        let or_nothing = |frame: Option<Frame>| frame.map_or(Composed::Nothing, Composed::Frame);
        if self.is_triggered() {
            let frame = self.compose_triggered(rules);
            if frame.is_none() {
                self.cancel_triggered();
            }
            return or_nothing(frame);
        }
        let Some(mu) = self.multi_user.access_point_mut() else { return Composed::Other };
        let plain = mu.plain.take();
        let frame = match mu.stage {
            Stage::None => return plain.map_or(Composed::Other, Composed::Frame),
            Stage::Downlink | Stage::Uplink => return Composed::Other,
            Stage::Triggering => {
                mu.stage = Stage::Uplink;
                return or_nothing(plain);
            }
            Stage::Filling => self.compose_downlink(now, rules),
            Stage::Planning | Stage::Cancelled => None,
        };
        if frame.is_none() {
            self.cancel_access(now, rules);
        }
        or_nothing(frame)
    }

    /// Ends an access that has nothing to send.
    fn cancel_access(&mut self, now: Nanos, rules: &Rules) {
        if let Some(mu) = self.multi_user.access_point_mut() {
            mu.stage = Stage::None;
            mu.users.clear();
        }
        self.news.vacate();
        self.exchange = Exchange::None;
        self.contenders[self.active].draw(now, &mut self.random);
        self.refresh_wants(now, rules);
    }

    /// Ends a multi-user exchange without any answer. False if the exchange is another one.
    pub(in crate::mac) fn fail_multi_user(&mut self, now: Nanos, rules: &Rules) -> bool {
        let Exchange::Awaiting { answer, .. } = self.exchange else { return false };
        match answer {
            Kind::MultiUser => self.finish_downlink(now, rules),
            Kind::Trigger => self.finish_uplink(now, rules),
            Kind::MultiBlockAck => self.lose_triggered(now, rules),
            _ => return false,
        }
        true
    }

    /// Puts a BlockAckReq before the parked MPDUs of a receiver, unless one is there.
    pub(in crate::mac) fn ask_parked(
        &mut self,
        now: Nanos,
        category: usize,
        to: NodeId,
        rules: &Rules,
    ) {
        let Some((mu, originator)) =
            self.multi_user.access_point_mut().zip(self.originator.as_mut())
        else {
            return;
        };
        let window = originator.agreement(to, category).window;
        let lane = mu.lanes.of(category, to);
        if window < 2 || lane.front().is_some_and(Mpdu::is_bar) {
            return;
        }
        let bytes = BLOCK_ACK_REQ_BYTES;
        let mode = rules.timing.answer_mode(lane.front().map_or(rules.timing.lowest(), |m| m.mode));
        let bar = Mpdu::new(now, to, Class::BlockAckReq, Part::whole(bytes, rules), 0, mode);
        lane.push_front(Mpdu { bytes, block_ack: bitmap_bytes(window), ..bar });
    }
}
