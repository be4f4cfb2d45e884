//! End of a frame exchange: success, another attempt with a larger window, or the retry limit.
//!
//! Source: IEEE 802.11-2012 clauses 9.3.3 (back-off), 9.3.4.4 (retries), 9.19.2.4 (transmission
//! opportunities).

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Completion, Due, Exchange, Finished};
use super::{Kind, LinkRed, Mpdu, Rules, Station};
use crate::node::NodeId;
use crate::rate::{Attempt, Ending, Outcome};

impl Station {
    /// Handles a successful exchange.
    pub(super) fn succeed(&mut self, now: Nanos, rules: &Rules) {
        self.complete(now, true, rules);
    }

    /// Ends the exchange of a frame that is not sent again: after a success, or RIFS after a frame
    /// without MAC ACK. The station then does not know whether it succeeded, and goes on as if it had.
    pub(super) fn complete(&mut self, now: Nanos, success: bool, rules: &Rules) {
        let category = self.active;
        let contender = &mut self.contenders[category];
        contender.reset_window();
        if let Some(hooks) = &mut self.hooks {
            hooks.zoom(category, contender);
            hooks.before_draw(category, contender);
        }
        if self.continue_with_next_fragment(now, rules) {
            return;
        }
        let pause = self.pacing_slots(category, rules);
        let is_over = self.originator.is_some() && self.acknowledge(now, rules);
        let contender = &mut self.contenders[category];
        if let Some(mpdu) = contender.mpdu.take_if(|_| !is_over) {
            if mpdu.class.is_management() {
                self.management.on_end(&mpdu, true);
            } else {
                let arrived = success || mpdu.packet.is_none();
                let completion =
                    if arrived { Completion::Acknowledged } else { Completion::GivenUp };
                self.finish(category, mpdu, completion);
                let outcome = outcome(now, category, &mpdu, Ending::Acknowledged, false);
                if success && mpdu.to != NodeId::BROADCAST {
                    self.rates.heard_from(mpdu.to);
                    self.tell_rate(&outcome);
                }
            }
        }
        if now < self.txop_end || self.burst.1 > 0 {
            self.exchange = Exchange::Sending;
            let space = if success { rules.timing.sifs } else { Span::ZERO };
            self.due = Some((now + space, Due::NextInTxop));
            return;
        }
        self.contenders[category].draw(now, &mut self.random);
        self.contenders[category].add_slots(pause);
        self.exchange = Exchange::None;
        self.next_management(now, rules);
    }

    /// Slots that pacing adds to the back-off after the packet at the head of a category: the time of its
    /// exchange.
    fn pacing_slots(&self, category: usize, rules: &Rules) -> u32 {
        let Some(hooks) = &self.hooks else { return 0 };
        match self.contenders[category].mpdu {
            Some(mpdu)
                if hooks.link_red.as_ref().is_some_and(LinkRed::paces)
                    && !mpdu.class.is_management() =>
            {
                u32::narrow(
                    self.exchange_time(&mpdu.alone(), rules).0.div_ceil(rules.timing.slot.0),
                )
            }
            _ => 0,
        }
    }

    /// Handles a missing or wrong answer.
    pub(super) fn fail(&mut self, now: Nanos, rules: &Rules) {
        let after_rts =
            matches!(self.exchange, Exchange::Awaiting { answer: Kind::Ack | Kind::BlockAck, .. });
        self.view.gave_up = now;
        self.view.idle_from = self.view.silent_from;
        if self.fail_multi_user(now, rules) {
            return;
        }
        let reservation = self.reverse_unanswered();
        self.exchange = Exchange::None;
        if reservation {
            return;
        }
        self.burst.1 = 0;
        if self.originator.is_some() && self.lose(now, self.active, after_rts, true, rules) {
            return;
        }
        let tried = self.contenders[self.active].mpdu;
        self.count_failure(now, self.active, after_rts, rules);
        if let Some(mpdu) = tried.filter(|mpdu| !mpdu.class.is_management()) {
            let ending = if after_rts { Ending::NoAck } else { Ending::NoCts };
            let given_up = self.contenders[self.active].mpdu.is_none();
            if given_up && !after_rts {
                self.rates.rts_failed(mpdu.to);
            }
            self.tell_rate(&outcome(now, self.active, &mpdu, ending, given_up));
        }
    }

    /// Counts a failed attempt of a category's frame: doubles the window, or drops the frame at the
    /// retry limit.
    pub(super) fn count_failure(
        &mut self,
        now: Nanos,
        category: usize,
        data_sent: bool,
        rules: &Rules,
    ) {
        if self.originator.is_some() && self.lose(now, category, data_sent, false, rules) {
            return;
        }
        let Some(mut mpdu) = self.contenders[category].mpdu.take() else {
            // Without a head, the category contends for a multi-user exchange.
            if self.multi_user.is_access_point() {
                self.back_off_after_failure(now, category, false, rules);
            }
            return;
        };
        let long = data_sent && rules.wants_rts(mpdu.alone().bytes);
        let given_up = self.fails_for_good(&mut mpdu, long, rules);
        if !given_up {
            self.contenders[category].mpdu = Some(mpdu);
        } else if mpdu.class.is_management() {
            self.management.on_end(&mpdu, false);
        } else {
            self.finish(category, mpdu, Completion::GivenUp);
        }
        self.back_off_after_failure(now, category, given_up, rules);
        self.next_management(now, rules);
    }

    /// Counts a failed attempt of an MPDU. True at its retry limit; `long` counts towards that of frames after
    /// RTS.
    pub(super) fn fails_for_good(&self, mpdu: &mut Mpdu, long: bool, rules: &Rules) -> bool {
        if long {
            mpdu.long_failures += 1;
            return mpdu.long_failures >= rules.mac.attempts_long;
        }
        mpdu.short_failures += 1;
        let own = self.hooks.as_ref().and_then(|hooks| hooks.seams.attempts);
        mpdu.short_failures >= own.unwrap_or_else(|| rules.attempts(mpdu.class))
    }

    /// Doubles the window after a failure, or resets it at the retry limit, and draws the back-off.
    pub(super) fn back_off_after_failure(
        &mut self,
        now: Nanos,
        category: usize,
        exhausted: bool,
        rules: &Rules,
    ) {
        let contender = &mut self.contenders[category];
        let restored = self.hooks.as_mut().is_some_and(|hooks| {
            hooks.before_draw(category, contender);
            hooks.unzoom(category, contender)
        });
        if exhausted {
            contender.reset_window();
        } else if !restored {
            contender.double_window(&rules.mac);
        }
        contender.draw(now, &mut self.random);
    }

    pub(super) fn finish(&mut self, category: usize, mpdu: Mpdu, completion: Completion) {
        if mpdu.riders > 0 {
            self.finish_riders(category, &mpdu, completion);
        }
        self.news.finish(Finished { mpdu, category: u8::narrow(category), completion });
    }
}

/// The next attempt of a frame, for rate control.
pub(super) const fn attempt(now: Nanos, category: u8, mpdu: &Mpdu) -> Attempt {
    Attempt { now, to: mpdu.to, category, bytes: mpdu.bytes, number: mpdu.transmissions }
}

/// Outcome of an attempt that has just ended.
pub(super) fn outcome(
    now: Nanos,
    category: usize,
    mpdu: &Mpdu,
    ending: Ending,
    given_up: bool,
) -> Outcome {
    let mut attempt = attempt(now, u8::narrow(category), mpdu);
    if ending != Ending::NoCts {
        attempt.number = attempt.number.saturating_sub(1);
    }
    Outcome::of_frame(attempt, mpdu.mode, ending, given_up)
}
