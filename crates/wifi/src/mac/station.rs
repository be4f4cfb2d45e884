//! A station: its access categories, its state of the medium, and its timers.
//!
//! The medium notifies the station of what its radio receives. The station returns the frames to
//! transmit. The sequence of frames is in `sending.rs`. Source: IEEE 802.11-2012 clauses 9.3.2
//! (procedures), 9.3.4 (DCF access), 9.19.2 (EDCA).

use airtcp_packet::PacketId;
use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Span};

use super::association::Association;
use super::exchange::{Due, Exchange, Finished};
use super::management::Management;
use super::news::News;
use super::numbers::Numbers;
use super::rates::Rates;
use super::{
    Beacons, CATEGORIES, Category, Class, Contender, Countdown, Frame, Hooks, Mpdu, MultiUser,
    Originator, Part, PowerLimit, Rules, View, Widths,
};
use crate::node::NodeId;
use crate::phy::Mode;
use crate::rate::{Attempt, Rate, RateControl};

/// A frame that the radio begins to receive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameStart {
    /// Start of the frame.
    pub(crate) since: Nanos,
    /// End of the frame.
    pub(crate) ends: Nanos,
    /// Its rate.
    pub(crate) mode: Mode,
}

/// Power of a received frame, as a ratio.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalQuality {
    /// Power over noise.
    pub(crate) snr: f64,
    /// Power over noise and interference, at the end of the frame.
    pub(crate) sinr: f64,
}

/// Medium access state of a station, for probes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessState {
    /// True if slots may pass: the medium is idle, and the station waits for no answer.
    pub(crate) idle: bool,
    pub(crate) nav: Nanos,
    /// By category, the running back-off.
    pub(crate) countdowns: [Option<Countdown>; CATEGORIES],
}

/// One station.
#[derive(Debug)]
pub(crate) struct Station {
    pub(super) id: NodeId,
    pub(super) contenders: Vec<Contender>,
    pub(super) view: View,
    pub(super) exchange: Exchange,
    /// The category of the current or last exchange.
    pub(super) active: usize,
    pub(super) txop_end: Nanos,
    pub(super) due: Option<(Nanos, Due)>,
    pub(super) numbers: Numbers,
    pub(super) random: Stream,
    pub(super) rates: Rates,
    /// Receiver of the current burst, and the frames left in it (OAR).
    pub(super) burst: (NodeId, u32),
    pub(super) news: News,
    /// True if a category for management frames follows the access categories.
    pub(super) has_management: bool,
    pub(super) management: Management,
    /// Changes of its exchanges by schemes; `None` without any.
    pub(crate) hooks: Option<Box<Hooks>>,
    /// The sending side of its BlockAck sessions; `None` without aggregation.
    pub(crate) originator: Option<Box<Originator>>,
    /// Its part in multi-user exchanges.
    pub(crate) multi_user: MultiUser,
    /// Widths of its transmissions, if other cells share the medium and the cell is wider than 20 MHz.
    pub(crate) widths: Option<Widths>,
    pub(super) power_limit: PowerLimit,
}

impl Station {
    pub(crate) fn new(
        id: NodeId,
        stations: usize,
        contenders: Vec<Contender>,
        rate: Rate,
        slowest: Option<Mode>,
        random: Stream,
    ) -> Self {
        Self {
            id,
            contenders,
            view: View::new(),
            exchange: Exchange::None,
            active: 0,
            txop_end: Nanos::ZERO,
            due: None,
            numbers: Numbers::new(stations),
            random,
            rates: Rates::new(rate, slowest),
            burst: (NodeId::BROADCAST, 0),
            news: News::default(),
            has_management: false,
            management: Management::default(),
            hooks: None,
            originator: None,
            multi_user: MultiUser::default(),
            widths: None,
            power_limit: PowerLimit::None,
        }
    }

    /// Adds management frames with their back-off.
    pub(crate) fn add_management(
        &mut self,
        beacons: Option<Beacons>,
        association: Option<Association>,
        contender: Contender,
    ) {
        self.has_management = true;
        self.management = Management::new(beacons, association);
        self.contenders.push(contender);
    }

    /// True if a category can take its next packet.
    #[inline]
    pub(crate) fn is_ready(&self, category: usize) -> bool {
        self.contenders[category].mpdu.is_none()
            && self.may_send()
            && (category != self.active || !self.is_in_multi_user())
    }

    /// The category of the current or last exchange.
    pub(crate) const fn active_category(&self) -> usize {
        self.active
    }

    /// The frame at the head of a category.
    #[inline]
    pub(crate) fn head(&mut self, category: usize) -> Option<&mut Mpdu> {
        self.contenders[category].mpdu.as_mut()
    }

    /// The packet at the head of a category, until its receiver has it.
    #[inline]
    pub(crate) fn head_packet(&self, category: usize) -> Option<PacketId> {
        self.contenders.get(category)?.mpdu?.packet
    }

    /// True if the receiver has the packet at the head of a category.
    pub(crate) fn is_head_received(&self, category: usize) -> bool {
        let head = self.contenders.get(category).and_then(|contender| contender.mpdu);
        head.is_some_and(|mpdu| mpdu.packet.is_none())
    }

    /// Number of packets at the heads of its categories.
    pub(crate) fn packets_held(&self) -> u64 {
        let holds_packet = |c: &&Contender| c.mpdu.is_some_and(|m| m.packet.is_some());
        self.contenders.iter().filter(holds_packet).count() as u64 + self.packets_behind()
    }

    /// Its medium access state.
    pub(crate) fn access_state(&self, now: Nanos, rules: &Rules) -> AccessState {
        let view = &self.view;
        // Management frames have a back-off of their own above the four categories.
        let last = self.contenders.len() - usize::from(self.has_management);
        let countdown = |i: usize| {
            if i >= last.max(Category::ALL.len()) {
                return None;
            }
            let down = self.contenders.get(i)?.countdown(now, view, rules)?;
            Some(Countdown { category: u8::narrow(i), ..down })
        };
        AccessState {
            idle: view.idle_from != Nanos::NEVER,
            nav: view.nav,
            countdowns: std::array::from_fn(countdown),
        }
    }

    /// True if finished packets wait to be taken, or a category may have become ready without one.
    #[inline]
    pub(crate) const fn has_news(&self) -> bool {
        self.news.is_any()
    }

    /// True, once, if a category may have become ready without a finished packet.
    #[inline]
    pub(crate) const fn take_vacated(&mut self) -> bool {
        self.news.take_vacated()
    }

    /// Takes the latest category and receiver whose MPDUs wait for another turn.
    #[inline]
    pub(crate) fn take_parked(&mut self) -> Option<(usize, NodeId)> {
        self.news.take_parked()
    }

    /// Takes the latest finished packet.
    #[inline]
    pub(crate) fn take_finished(&mut self) -> Option<Finished> {
        self.news.take_finished()
    }

    /// Puts a packet at the empty head of its category. Its data frame has `bytes`; no attempt
    /// begins after `expires`.
    #[expect(clippy::too_many_arguments, reason = "a packet, where it goes, what it is")]
    pub(crate) fn offer(
        &mut self,
        now: Nanos,
        category: usize,
        packet: PacketId,
        to: NodeId,
        class: Class,
        bytes: u32,
        expires: Nanos,
        flow: u32,
        rules: &Rules,
    ) {
        let sequence = self.next_number(to, category);
        let part = Part::first(bytes, rules, to);
        let mut first =
            Attempt { now, to, category: u8::narrow(category), bytes: part.bytes(), number: 0 };
        if let Some(next) = self.join_series(now, category, to) {
            first.number = next.number;
        } else if to != NodeId::BROADCAST {
            self.rates.control.on_packet(&first);
            self.begin_series(category);
        }
        let mode = self.rates.control.pick(&first);
        let mpdu = Mpdu {
            packet: Some(packet),
            expires,
            flow,
            ..Mpdu::new(now, to, class, part, sequence, mode)
        };
        self.put_at_head(now, category, mpdu, rules);
    }

    /// Takes the next sequence number: that of the session, or the station's.
    fn next_number(&mut self, to: NodeId, category: usize) -> u16 {
        if let Some(originator) = &mut self.originator
            && to != NodeId::BROADCAST
        {
            return originator.number(to, category);
        }
        self.numbers.take()
    }

    /// Puts a frame at the empty head of a category.
    pub(super) fn put_at_head(&mut self, now: Nanos, category: usize, mpdu: Mpdu, rules: &Rules) {
        let mut view = self.view;
        if self.exchange != Exchange::None {
            // The station is in an exchange, even if its radio is silent.
            view.idle_from = Nanos::NEVER;
        }
        let answer_due = self.due.is_some();
        let contender = &mut self.contenders[category];
        contender.offer(now, mpdu, answer_due, &view, rules, &mut self.random);
    }

    /// Handles a medium that becomes busy, also by the station's own transmission.
    #[inline]
    pub(crate) fn on_busy(&mut self, now: Nanos, rules: &Rules) {
        self.view.silent_from = Nanos::NEVER;
        if self.view.idle_from == Nanos::NEVER {
            return;
        }
        for contender in &mut self.contenders {
            contender.freeze(now, &self.view, rules, &mut self.random);
        }
        self.view.idle_from = Nanos::NEVER;
    }

    /// Handles a medium that becomes idle.
    #[inline]
    pub(crate) fn on_idle(&mut self, now: Nanos) {
        self.view.silent_from = now;
        if self.multi_user.is_triggered() {
            self.end_mu_edca(now);
        }
        // While the station waits for an answer, no back-off slot passes.
        if !matches!(self.exchange, Exchange::Awaiting { .. }) {
            self.view.idle_from = now;
        }
    }

    /// Handles the start of a reception: keeps a NAV set by an RTS, and postpones the timeout of an
    /// answer to the end of the frame.
    #[inline]
    pub(crate) fn on_rx_start(&mut self, now: Nanos, frame: &FrameStart, rules: &Rules) {
        self.view.nav_reset = Nanos::NEVER;
        if let Exchange::Awaiting { until, heard, .. } = &mut self.exchange
            && *heard > now
        {
            let in_time = rules.timing.is_noticed(frame.since, frame.mode, *until);
            *heard = if in_time && frame.ends > *until { *until } else { Nanos::NEVER };
        }
    }

    /// Time of its next timer.
    #[inline]
    pub(crate) fn next_timer(&self, rules: &Rules) -> Nanos {
        let mut next = self.due.map_or(Nanos::NEVER, |(at, _)| at).min(self.view.nav_reset);
        if self.has_management {
            next = next.min(self.management.next());
        }
        match self.exchange {
            Exchange::None if self.due.is_none() && self.view.idle_from != Nanos::NEVER => {
                for contender in &self.contenders[self.first_active()..] {
                    next = next.min(contender.access(&self.view, rules));
                }
            }
            Exchange::Awaiting { until, heard: Nanos::NEVER, .. } => next = next.min(until),
            _ => {}
        }
        next
    }

    /// Handles its timer. Returns the frame to transmit, if any.
    pub(crate) fn on_timer(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mut frame = self.next_frame(now, rules)?;
        self.set_width(&mut frame);
        Some(frame)
    }

    fn next_frame(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.has_management {
            self.queue_due_beacon(now, rules);
            self.expire_stage(now);
        }
        if let Some((_, due)) = self.due.take_if(|(at, _)| *at <= now) {
            let frame = self.send_due(now, due, rules);
            if frame.is_some() {
                self.on_busy(now, rules);
            }
            return frame;
        }
        if let Exchange::Awaiting { until, heard: Nanos::NEVER, .. } = self.exchange
            && until <= now
        {
            self.fail(now, rules);
        }
        if self.view.nav_reset <= now {
            self.view.nav_reset = Nanos::NEVER;
            self.view.nav = now;
            self.reset_nav_of_others(now);
        }
        if self.exchange == Exchange::None && self.due.is_none() {
            return self.contend(now, rules);
        }
        None
    }

    /// Internal contention among the categories whose back-off has ended: the highest transmits, and
    /// the others behave as after a collision (clause 9.19.2.3).
    fn contend(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.expire_due(now, rules) {
            // The next packets may come to the head and contend at the same instant.
            return None;
        }
        let ready = |c: &Contender| c.access(&self.view, rules) <= now;
        let winner = self.contenders.iter().rposition(ready)?;
        let first = self.first_active();
        if winner < first {
            return None;
        }
        // One bit for each category that is ready and does not win.
        let lost = (first..winner).filter(|i| ready(&self.contenders[*i]));
        let lost = lost.fold(0_u32, |bits, i| bits | 1 << i);
        if !self.takes_width(now, rules) {
            return None;
        }
        self.on_busy(now, rules);
        self.view.eifs = Span::ZERO;
        for category in first..winner {
            if lost & 1 << category != 0 {
                self.contenders[category].clear_backoff();
                if self.is_management(winner) {
                    self.contenders[category].draw(now, &mut self.random);
                } else {
                    self.count_failure(now, category, false, rules);
                }
            }
        }
        self.power_limit.on_access();
        self.active = winner;
        let contender = &mut self.contenders[winner];
        contender.clear_backoff();
        self.txop_end = now + contender.txop;
        if let Some(hooks) = &mut self.hooks {
            hooks.on_access();
        }
        self.exchange = Exchange::Sending;
        self.begin_access(now, rules)
    }

    /// The first category that may transmit. A station that is not associated sends no data.
    #[inline]
    pub(super) fn first_active(&self) -> usize {
        if self.may_send() { 0 } else { self.contenders.len() - 1 }
    }

    /// True if it waits EIFS.
    #[cfg(test)]
    pub(crate) fn waits_eifs(&self) -> bool {
        self.view.eifs > Span::ZERO
    }

    /// Replaces its rate control.
    #[cfg(test)]
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rates.control = rate;
    }

    /// By category, the least contention window.
    #[cfg(test)]
    pub(crate) fn least_windows(&self) -> Vec<u32> {
        self.contenders.iter().map(|c| c.cw_min).collect()
    }

    /// Slots left in a category's back-off.
    #[cfg(test)]
    pub(crate) fn slots(&self, category: usize) -> u32 {
        self.contenders[category].slots()
    }
}
