//! Frame exchanges: what follows what, one short inter-frame space apart.
//!
//! ```text
//! access -> [RTS -> SIFS -> CTS -> SIFS ->] DATA -> SIFS -> ACK -> back-off
//! ```
//! What goes before the data is in `protection.rs`.
//! Source: IEEE 802.11-2012 clauses 9.3.2.4 (NAV), 9.3.2.6 (CTS), 9.3.2.8 (ACK), 9.3.2.10
//! (duplicates), 9.3.4.4 (retries), 9.19.2.4 (transmission opportunities).

use airtcp_units::{Nanos, Span};

use super::station::Ended;
use super::{Class, Finished, Frame, Grant, Heard, Kind, Mpdu, NodeId, Rules, Station};
use crate::mac::station::CATEGORIES;
use crate::phy::{ACK_BYTES, CTS_BYTES, Mode, RTS_BYTES};
use crate::rate::{Attempt, Ending, Outcome, RateControl};

/// What a station is doing of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// Nothing.
    None,
    /// Its frame, or the space before it, is under way.
    Sending,
    /// An answer has to begin before `until`.
    Awaiting {
        /// CTS or ACK.
        answer: Kind,
        /// End of the timeout.
        until: Nanos,
        /// From here on it is settled that a frame has begun in time, and its end decides; never
        /// as long as none has that lasts beyond the timeout.
        heard: Nanos,
    },
}

/// What is sent SIFS after the frame before it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due {
    /// An ACK or CTS to somebody else's frame.
    Answer(Frame),
    /// The data the CTS has cleared.
    Cleared,
    /// The next fragment of the packet.
    Fragment,
    /// The next data frame of the transmission opportunity, if there is one and it fits.
    Further,
}

impl Station {
    /// The first frame of an exchange: RTS, CTS to itself, or data.
    pub(super) fn begin(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mpdu = self.choose(now)?;
        self.note_begun(now);
        self.opening(&mpdu, rules).or_else(|| self.data(rules))
    }

    /// The attempt that begins is the packet's first unless there was one before.
    fn note_begun(&mut self, now: Nanos) {
        if let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() {
            mpdu.begun = mpdu.begun.min(now);
        }
    }

    /// The frame at the head of the active category, with the rate of its next attempt.
    pub(super) fn choose(&mut self, now: Nanos) -> Option<Mpdu> {
        let category = self.active as u8;
        let mpdu = self.contenders[self.active].mpdu.as_mut()?;
        if !mpdu.class.is_management() {
            mpdu.mode = self.rate.pick(&attempt(now, category, mpdu));
        }
        Some(*mpdu)
    }

    /// What was due is sent now.
    pub(super) fn send_due(&mut self, now: Nanos, due: Due, rules: &Rules) -> Option<Frame> {
        match due {
            Due::Answer(frame) => Some(frame),
            Due::Cleared => self.data(rules),
            Due::Fragment => self.next_fragment(now, rules),
            Due::Further => {
                if self.expire(now, self.active) {
                    self.due = Some((now, Due::Further));
                    return None;
                }
                let next = self.choose(now);
                let (to, left) = self.burst;
                if left > 0 && next.is_some_and(|mpdu| mpdu.to == to) {
                    self.burst.1 -= 1;
                    self.note_begun(now);
                    return self.data(rules);
                }
                self.burst.1 = 0;
                if next.is_some_and(|mpdu| now + self.length(&mpdu, rules) <= self.txop_end) {
                    return self.begin(now, rules);
                }
                self.contenders[self.active].draw(now, &mut self.random);
                self.exchange = Exchange::None;
                None
            }
        }
    }

    /// How long the exchange of a frame takes.
    fn length(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        self.opening_length(mpdu, rules) + Self::data_length(mpdu, rules)
    }

    /// Time of a frame, and of its ACK if it has one.
    pub(super) fn data_length(mpdu: &Mpdu, rules: &Rules) -> Span {
        if mpdu.to == NodeId::BROADCAST {
            return rules.timing.frame(mpdu.mode, mpdu.bytes);
        }
        acknowledged(mpdu.mode, mpdu.bytes, rules)
    }

    /// Mode of a frame's RTS if the rate control has one; else it is that of the answers to the data.
    pub(super) fn own_rts_mode(&self) -> Option<Mode> {
        self.rate.rts_mode()
    }

    pub(super) fn rts(&self, mpdu: &Mpdu, mode: Mode, rules: &Rules) -> Frame {
        let timing = &rules.timing;
        let sifs = timing.sifs;
        let data = acknowledged(mpdu.mode, mpdu.bytes, rules);
        let asks = self.rate.rts_mode().is_some();
        Frame {
            kind: Kind::Rts,
            class: Class::Rts,
            from: self.id,
            to: mpdu.to,
            mode,
            bytes: RTS_BYTES,
            duration: sifs + timing.cts(mode) + sifs + data,
            category: self.active as u8,
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            retry: mpdu.short > 0,
            grant: asks.then_some(Grant { mode: mpdu.mode, bytes: mpdu.bytes }),
        }
    }

    pub(super) fn data(&mut self, rules: &Rules) -> Option<Frame> {
        let timing = &rules.timing;
        let further = self.reserves_further(self.contenders[self.active].mpdu.as_ref()?, rules);
        let mpdu = self.contenders[self.active].mpdu.as_mut()?;
        let retry = mpdu.tries > 0;
        mpdu.tries += 1;
        mpdu.sent += 1;
        let unicast = mpdu.to != NodeId::BROADCAST;
        let duration = timing.sifs + timing.ack(mpdu.mode) + further;
        Some(Frame {
            kind: match mpdu.class {
                Class::Beacon => Kind::Beacon,
                class if class.is_management() => Kind::Management,
                _ => Kind::Data,
            },
            class: mpdu.class,
            from: self.id,
            to: mpdu.to,
            mode: mpdu.mode,
            bytes: mpdu.bytes,
            duration: if unicast { duration } else { Span::ZERO },
            category: self.active as u8,
            sequence: mpdu.sequence,
            fragment: mpdu.part.number,
            more_fragments: mpdu.part.has_next(),
            retry,
            grant: None,
        })
    }

    /// A frame of its own has ended.
    pub(crate) fn on_tx_end(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let answer = match frame.kind {
            Kind::Cts if frame.to == self.id => {
                self.due = Some((now + rules.timing.sifs, Due::Cleared));
                return;
            }
            Kind::Ack | Kind::Cts => return,
            Kind::Rts => Kind::Cts,
            Kind::Data | Kind::Beacon if frame.to == NodeId::BROADCAST => {
                self.succeed(now, rules);
                return;
            }
            Kind::Data | Kind::Beacon | Kind::Management => Kind::Ack,
        };
        let until = now + rules.timing.ack_timeout(frame.mode);
        self.exchange = Exchange::Awaiting { answer, until, heard: Nanos::NEVER };
    }

    /// A frame has been received without error; true if it carries a packet for this station
    /// that it has not had before.
    pub(crate) fn on_rx(&mut self, now: Nanos, frame: &Frame, how: Heard, rules: &Rules) -> bool {
        self.view.eifs = Span::ZERO;
        self.rate.on_rx(now, frame.from, how.snr);
        if frame.kind == Kind::Beacon {
            self.on_beacon(now, frame.from, rules);
        }
        if let Exchange::Awaiting { answer, heard, .. } = self.exchange {
            let answered = frame.to == self.id && frame.kind == answer;
            if answered && answer == Kind::Ack {
                self.succeed(now, rules);
                return false;
            }
            if answered {
                self.exchange = Exchange::Sending;
                self.due = Some((now + rules.timing.sifs, Due::Cleared));
                if let Some(grant) = frame.grant {
                    self.granted(now, frame.from, grant.mode);
                }
                return false;
            }
            // Clause 9.3.2.8: any other frame in its place is a failure, and is then processed.
            if heard <= now || frame.to == self.id {
                self.fail(now, rules);
            }
        }
        if frame.to == self.id {
            return self.on_rx_own(now, frame, how, rules);
        }
        if frame.duration > Span::ZERO {
            self.set_nav(now, frame, rules);
        }
        frame.to == NodeId::BROADCAST && frame.kind == Kind::Data
    }

    /// The receiver has chosen the rate (RBAR), and with it how many frames may follow (OAR).
    fn granted(&mut self, now: Nanos, to: NodeId, mode: Mode) {
        self.rate.on_grant(to, mode);
        if let Some(mpdu) = self.choose(now) {
            self.burst = (to, self.rate.burst(mpdu.mode).saturating_sub(1));
        }
    }

    fn on_rx_own(&mut self, now: Nanos, frame: &Frame, how: Heard, rules: &Rules) -> bool {
        if self.due.is_some() {
            // It is about to send: what came in beside another frame is not answered.
            return false;
        }
        let timing = &rules.timing;
        let (kind, bytes) = match frame.kind {
            Kind::Data | Kind::Management => (Kind::Ack, ACK_BYTES),
            // Clause 9.3.2.6: not while the medium is reserved by others.
            Kind::Rts if self.view.nav <= now && self.exchange == Exchange::None => {
                (Kind::Cts, CTS_BYTES)
            }
            _ => return false,
        };
        let mode = timing.answer_mode(frame.mode);
        let mut duration = frame.duration.saturating_sub(timing.sifs + timing.frame(mode, bytes));
        let grant = frame.grant.and_then(|asked| {
            let mode = self.rate.grant(how.sinr, asked.bytes)?;
            duration = timing.sifs + acknowledged(mode, asked.bytes, rules);
            Some(Grant { mode, ..asked })
        });
        let answer = Frame {
            kind,
            class: if kind == Kind::Ack { Class::Ack } else { Class::Cts },
            from: self.id,
            to: frame.from,
            mode,
            bytes,
            duration,
            category: frame.category,
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            retry: false,
            grant,
        };
        self.due = Some((now + timing.sifs, Due::Answer(answer)));
        let sequences = match frame.kind {
            Kind::Data => usize::from(frame.category),
            Kind::Management => CATEGORIES,
            _ => return false,
        };
        let new = self.completes(frame, sequences);
        if frame.kind == Kind::Management && new {
            self.on_management(now, frame, rules);
        }
        new && frame.kind == Kind::Data
    }

    /// Others have reserved the medium (clause 9.3.2.4).
    fn set_nav(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let until = now + frame.duration;
        if until <= self.view.nav {
            // An RTS reserves for the rate granted last; the data shows what was granted now.
            let corrected = frame.kind == Kind::Data && self.nav_by == frame.from;
            if corrected && self.rate.rts_mode().is_some() {
                self.view.nav = until;
            }
            return;
        }
        self.nav_by = frame.from;
        self.view.nav = until;
        let timing = &rules.timing;
        self.nav_reset = Nanos::NEVER;
        if frame.kind == Kind::Rts {
            let wait = timing.sifs + timing.sifs + timing.cts(frame.mode);
            let wait = wait + timing.rx_start_delay(frame.mode) + timing.slot + timing.slot;
            self.nav_reset = now + wait;
        }
    }

    /// A frame the radio was receiving could not be decoded, or was lost to a stronger one.
    pub(crate) fn on_rx_error(&mut self, now: Nanos, rules: &Rules) {
        self.view.eifs = rules.eifs_extra();
        if let Exchange::Awaiting { heard, .. } = self.exchange
            && heard <= now
        {
            self.fail(now, rules);
        }
    }

    /// The exchange has ended as it should.
    fn succeed(&mut self, now: Nanos, rules: &Rules) {
        let category = self.active;
        let contender = &mut self.contenders[category];
        contender.narrow();
        if self.goes_on(now, rules) {
            return;
        }
        let contender = &mut self.contenders[category];
        if let Some(mpdu) = contender.mpdu.take() {
            if mpdu.class.is_management() {
                self.management_done(&mpdu, true);
            } else {
                let number = category as u8;
                self.finished.push(Finished {
                    mpdu,
                    category: number,
                    ending: Ended::Acknowledged,
                });
                let outcome = outcome(now, category, &mpdu, Ending::Acknowledged, false);
                if mpdu.to != NodeId::BROADCAST {
                    self.rate.on_result(&outcome);
                }
            }
        }
        if now < self.txop_end || self.burst.1 > 0 {
            self.exchange = Exchange::Sending;
            self.due = Some((now + rules.timing.sifs, Due::Further));
            return;
        }
        self.contenders[category].draw(now, &mut self.random);
        self.exchange = Exchange::None;
        self.next_management(now, rules);
    }

    /// No answer, or a wrong one.
    pub(super) fn fail(&mut self, now: Nanos, rules: &Rules) {
        let after_rts = matches!(self.exchange, Exchange::Awaiting { answer: Kind::Ack, .. });
        self.view.gave_up = now;
        self.view.idle_from = self.silent_from;
        self.exchange = Exchange::None;
        self.burst.1 = 0;
        let tried = self.contenders[self.active].mpdu;
        self.count_failure(now, self.active, after_rts, rules);
        if let Some(mpdu) = tried.filter(|mpdu| !mpdu.class.is_management()) {
            let ending = if after_rts { Ending::NoAck } else { Ending::NoCts };
            let given_up = self.contenders[self.active].mpdu.is_none();
            self.rate.on_result(&outcome(now, self.active, &mpdu, ending, given_up));
        }
    }

    /// One more failed attempt of a category's frame: again with a wider window, or no more.
    pub(super) fn count_failure(
        &mut self,
        now: Nanos,
        category: usize,
        data_sent: bool,
        rules: &Rules,
    ) {
        let contender = &mut self.contenders[category];
        let Some(mpdu) = contender.mpdu.as_mut() else { return };
        let long = data_sent && rules.wants_rts(mpdu.bytes);
        let given_up = if long {
            mpdu.long += 1;
            mpdu.long >= rules.mac.attempts_long
        } else {
            mpdu.short += 1;
            mpdu.short >= rules.mac.attempts_of(mpdu.class)
        };
        if given_up {
            contender.narrow();
            if let Some(mpdu) = contender.mpdu.take() {
                if mpdu.class.is_management() {
                    self.management_done(&mpdu, false);
                } else {
                    let category = category as u8;
                    self.finished.push(Finished { mpdu, category, ending: Ended::GivenUp });
                }
            }
        } else {
            contender.widen(&rules.mac);
        }
        self.contenders[category].draw(now, &mut self.random);
        self.next_management(now, rules);
    }
}

/// Time of a data frame and its ACK.
pub(super) fn acknowledged(mode: Mode, bytes: u32, rules: &Rules) -> Span {
    let timing = &rules.timing;
    timing.frame(mode, bytes) + timing.sifs + timing.ack(mode)
}

/// The next attempt of a frame.
pub(super) const fn attempt(now: Nanos, category: u8, mpdu: &Mpdu) -> Attempt {
    Attempt { now, to: mpdu.to, category, bytes: mpdu.bytes, number: mpdu.tries }
}

/// A fragment's attempt that has just been acknowledged.
pub(super) fn acknowledged_attempt(now: Nanos, category: u8, mpdu: &Mpdu) -> Outcome {
    outcome(now, usize::from(category), mpdu, Ending::Acknowledged, false)
}

/// What became of the attempt at a frame that has just ended.
fn outcome(now: Nanos, category: usize, mpdu: &Mpdu, ending: Ending, given_up: bool) -> Outcome {
    let mut attempt = attempt(now, category as u8, mpdu);
    if ending != Ending::NoCts {
        attempt.number = attempt.number.saturating_sub(1);
    }
    Outcome { attempt, mode: mpdu.mode, ending, given_up }
}
