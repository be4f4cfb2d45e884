//! A station: its access categories, how it sees the medium, and when it acts.
//!
//! The cell tells it what its radio hears; it tells the cell which frame to send. What frames
//! follow one another is in `sending.rs`. Source: IEEE 802.11-2012 clauses 9.3.2 (procedures),
//! 9.3.4 (DCF access), 9.19.2 (EDCA).

use std::collections::BTreeSet;

use airtcp_packet::PacketId;
use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Span};

use super::association::{Association, Waiting};
use super::exchange::{Due, Exchange, Finished};
use super::{Beacons, Class, Contender, Countdown, Frame, Mpdu, NodeId, Part, Rules, View};
use crate::phy::Mode;
use crate::rate::{Attempt, Rate, RateControl};

/// A reception that begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Receiving {
    /// When the frame began, and ends.
    pub(crate) since: Nanos,
    pub(crate) ends: Nanos,
    /// Its rate.
    pub(crate) mode: Mode,
}

/// How well a frame was heard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    /// Its power, as a multiple of the noise.
    pub(crate) snr: f64,
    /// Its power, as a multiple of the noise and of what else was on the air when it ended.
    pub(crate) sinr: f64,
}

/// What a station waits for, as an observer sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    /// Whether slots may pass: it neither hears nor sends anything, nor waits for an answer.
    pub(crate) idle: bool,
    pub(crate) nav: Nanos,
    /// By category, the back-off that is counting down.
    pub(crate) countdowns: [Option<Countdown>; CATEGORIES],
}

/// One station.
#[derive(Debug)]
pub(crate) struct Station {
    pub(super) id: NodeId,
    pub(super) contenders: Vec<Contender>,
    pub(super) view: View,
    pub(super) exchange: Exchange,
    /// The category whose exchange it is.
    pub(super) active: usize,
    /// Where its transmission opportunity ends.
    pub(super) txop_end: Nanos,
    pub(super) due: Option<(Nanos, Due)>,
    /// Whose frame has set the NAV.
    pub(super) nav_by: NodeId,
    /// When a NAV set by an RTS is to be forgotten unless a frame has begun by then.
    pub(super) nav_reset: Nanos,
    /// Since when the radio hears nothing; never while it hears something or sends.
    pub(super) silent_from: Nanos,
    pub(super) next_sequence: u16,
    /// By sender and category (management last), 16 times the last sequence number, the fragment's
    /// number and 1; 0 for none.
    pub(super) seen: Vec<u32>,
    pub(super) random: Stream,
    /// Chooses the rate of its data frames.
    pub(super) rate: Rate,
    /// The slowest mode that this may fall to.
    pub(super) slowest: Option<Mode>,
    /// Stations that left every RTS of a packet unanswered, and have acknowledged nothing since.
    pub(super) unanswered: BTreeSet<NodeId>,
    /// Data frames that may still follow without an RTS of their own, and for whom.
    pub(super) burst: (NodeId, u32),
    pub(super) finished: Vec<Finished>,
    /// It has a back-off for management frames, after its categories.
    pub(super) manages: bool,
    /// An access point's beacons.
    pub(super) beacons: Option<Beacons>,
    /// Its part in association, where there is such a thing.
    pub(super) association: Option<Association>,
    pub(super) joined: bool,
    pub(super) waiting: Waiting,
}

/// Most access categories a station has.
pub(crate) const CATEGORIES: usize = 4;
/// Sequences of frames that a station keeps apart: of the categories, and of management frames.
pub(super) const SEQUENCES: usize = CATEGORIES + 1;

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
            nav_by: NodeId::BROADCAST,
            nav_reset: Nanos::NEVER,
            silent_from: Nanos::ZERO,
            next_sequence: 0,
            seen: vec![0; stations * SEQUENCES],
            random,
            rate,
            slowest,
            unanswered: BTreeSet::new(),
            burst: (NodeId::BROADCAST, 0),
            finished: Vec::new(),
            manages: false,
            beacons: None,
            association: None,
            joined: false,
            waiting: Waiting::new(),
        }
    }

    /// A station that sends management frames, with the back-off that they have.
    pub(crate) fn manage(
        &mut self,
        beacons: Option<Beacons>,
        association: Option<Association>,
        contender: Contender,
    ) {
        self.manages = true;
        self.beacons = beacons;
        self.association = association;
        self.contenders.push(contender);
    }

    /// Whether a category can take its next packet.
    pub(crate) fn is_ready(&self, category: usize) -> bool {
        self.contenders[category].mpdu.is_none() && self.may_send()
    }

    /// The frame at the head of a category.
    pub(crate) fn head(&mut self, category: usize) -> Option<&mut Mpdu> {
        self.contenders[category].mpdu.as_mut()
    }

    /// Packets it holds at the heads of its categories.
    pub(crate) fn holds(&self) -> u64 {
        let holds = |c: &&Contender| c.mpdu.is_some_and(|m| m.packet.is_some());
        self.contenders.iter().filter(holds).count() as u64
    }

    /// What it waits for.
    pub(crate) fn wait(&self, now: Nanos, rules: &Rules) -> Wait {
        let view = &self.view;
        let countdown = |i: usize| {
            let down = self.contenders.get(i)?.countdown(now, view, rules)?;
            Some(Countdown { category: u8::narrow(i), ..down })
        };
        Wait {
            idle: view.idle_from != Nanos::NEVER,
            nav: view.nav,
            countdowns: std::array::from_fn(countdown),
        }
    }

    /// Whether an exchange has left something to take.
    pub(crate) const fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Takes what a finished exchange leaves, oldest last.
    pub(crate) fn take_finished(&mut self) -> Option<Finished> {
        self.finished.pop()
    }

    /// A packet comes to the head of its category, which was empty; its data frame has `bytes`, and
    /// no attempt begins after it `expires`.
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
        rules: &Rules,
    ) {
        let sequence = self.next_sequence;
        self.next_sequence = (sequence + 1) % 4096;
        let part = Part::first(bytes, rules, to);
        let first =
            Attempt { now, to, category: u8::narrow(category), bytes: part.bytes(), number: 0 };
        if to != NodeId::BROADCAST {
            self.rate.on_packet(&first);
        }
        let mode = self.rate.pick(&first);
        let mpdu = Mpdu {
            packet: Some(packet),
            expires,
            ..Mpdu::new(now, to, class, part, sequence, mode)
        };
        self.put(now, category, mpdu, rules);
    }

    /// A frame comes to the head of a category, which was empty.
    pub(super) fn put(&mut self, now: Nanos, category: usize, mpdu: Mpdu, rules: &Rules) {
        let mut view = self.view;
        if self.exchange != Exchange::None {
            // The station itself holds the medium, though its radio may be silent.
            view.idle_from = Nanos::NEVER;
        }
        let answer_due = self.due.is_some();
        let contender = &mut self.contenders[category];
        contender.offer(now, mpdu, answer_due, &view, rules, &mut self.random);
    }

    /// The radio begins to hear something, or to send.
    pub(crate) fn on_busy(&mut self, now: Nanos, rules: &Rules) {
        self.silent_from = Nanos::NEVER;
        if self.view.idle_from == Nanos::NEVER {
            return;
        }
        for contender in &mut self.contenders {
            contender.freeze(now, &self.view, rules, &mut self.random);
        }
        self.view.idle_from = Nanos::NEVER;
    }

    /// The radio hears nothing any more.
    pub(crate) const fn on_idle(&mut self, now: Nanos) {
        self.silent_from = now;
        // While it waits for an answer the station holds the medium: no slot of its passes.
        if !matches!(self.exchange, Exchange::Awaiting { .. }) {
            self.view.idle_from = now;
        }
    }

    /// The radio begins to receive a frame: a reservation by RTS is being used, or a timeout is
    /// put off to the frame's end.
    pub(crate) fn on_rx_start(&mut self, now: Nanos, frame: &Receiving, rules: &Rules) {
        self.nav_reset = Nanos::NEVER;
        if let Exchange::Awaiting { until, heard, .. } = &mut self.exchange
            && *heard > now
        {
            let in_time = rules.timing.is_noticed(frame.since, frame.mode, *until);
            *heard = if in_time && frame.ends > *until { *until } else { Nanos::NEVER };
        }
    }

    /// When it next wants to act.
    pub(crate) fn next_timer(&self, rules: &Rules) -> Nanos {
        let mut next = self.due.map_or(Nanos::NEVER, |(at, _)| at).min(self.nav_reset);
        if self.manages {
            next = next.min(self.beacons.map_or(Nanos::NEVER, |b| b.next)).min(self.stage_end());
        }
        match self.exchange {
            Exchange::None if self.due.is_none() && self.view.idle_from != Nanos::NEVER => {
                for contender in &self.contenders[self.silenced()..] {
                    next = next.min(contender.access(&self.view, rules));
                }
            }
            Exchange::Awaiting { until, heard: Nanos::NEVER, .. } => next = next.min(until),
            _ => {}
        }
        next
    }

    /// Its time has come: the frame to send, if any.
    pub(crate) fn on_timer(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.manages {
            self.announce_due(now, rules);
            self.stage_over(now);
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
        if self.nav_reset <= now {
            self.nav_reset = Nanos::NEVER;
            self.view.nav = now;
        }
        if self.exchange == Exchange::None && self.due.is_none() {
            return self.contend(now, rules);
        }
        None
    }

    /// The categories whose back-off is over contend inside the station; the highest wins, the
    /// others do as after a collision (clause 9.19.2.3).
    fn contend(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        if self.expire_ready(now, rules) {
            // What comes to the head now contends at this same instant.
            return None;
        }
        let ready = |c: &Contender| c.access(&self.view, rules) <= now;
        let winner = self.contenders.iter().rposition(ready)?;
        let first = self.silenced();
        if winner < first {
            return None;
        }
        let lost: [bool; CATEGORIES] =
            std::array::from_fn(|i| (first..winner).contains(&i) && ready(&self.contenders[i]));
        self.on_busy(now, rules);
        self.view.eifs = Span::ZERO;
        for (category, lost) in lost.into_iter().enumerate() {
            if lost {
                self.contenders[category].taken();
                if self.is_management(winner) {
                    self.contenders[category].draw(now, &mut self.random);
                } else {
                    self.count_failure(now, category, false, rules);
                }
            }
        }
        self.active = winner;
        let contender = &mut self.contenders[winner];
        contender.taken();
        self.txop_end = now + contender.txop;
        self.exchange = Exchange::Sending;
        self.begin(now, rules)
    }

    /// How many of its back-offs lead to nothing: those of data while it is not associated.
    pub(super) fn silenced(&self) -> usize {
        if self.may_send() { 0 } else { self.contenders.len() - 1 }
    }

    /// Slots left in a category's back-off.
    #[cfg(test)]
    pub(crate) fn slots(&self, category: usize) -> u32 {
        self.contenders[category].slots()
    }
}
