//! One access category's back-off: lazy, so that it costs by the frame and not by the slot.
//!
//! ```text
//! first slot = max(idle since + IFS, NAV + IFS, end of the last exchange)
//! access     = first slot + slots left * slot
//! ```
//! `IFS` is DIFS or AIFS, and EIFS after a frame that could not be decoded. Nothing happens while
//! slots pass; when the medium becomes busy, those that have passed are taken off. Source: IEEE
//! 802.11-2012 clauses 9.3.4 (DCF) and 9.19.2 (EDCA).

use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Span};

use super::config::{AfterTimeout, Backoff, ImmediateAccess, MacConfig};
use super::{Mpdu, Rules};

/// How a station sees the medium; its contenders share it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Since when nothing is heard; never while something is.
    pub(crate) idle_from: Nanos,
    /// Until when others have reserved the medium.
    pub(crate) nav: Nanos,
    /// EIFS - DIFS if the last frame heard could not be decoded.
    pub(crate) eifs: Span,
    /// When the station last gave up waiting for an answer.
    pub(crate) gave_up: Nanos,
}

impl View {
    pub(crate) const fn new() -> Self {
        Self { idle_from: Nanos::ZERO, nav: Nanos::ZERO, eifs: Span::ZERO, gave_up: Nanos::ZERO }
    }

    /// Whether the medium is idle by carrier sense and by NAV.
    pub(crate) fn is_idle(&self, now: Nanos) -> bool {
        self.idle_from != Nanos::NEVER && self.nav <= now
    }
}

/// A back-off that is counting down, as it would be if it stopped now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Countdown {
    pub(crate) category: u8,
    /// Start of the first slot that counts.
    pub(crate) from: Nanos,
    /// Now, or where its last slot ended.
    pub(crate) until: Nanos,
    /// Slots left at its beginning, and now.
    pub(crate) slots: u32,
    pub(crate) left: u32,
    /// Its last slot has ended.
    pub(crate) over: bool,
}

/// Back-off of one access category, and the frame at its head.
#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) mpdu: Option<Mpdu>,
    /// DIFS or AIFS.
    pub(crate) ifs: Span,
    pub(crate) cw_min: u32,
    pub(crate) cw_max: u32,
    /// Longest transmission opportunity; one frame exchange if zero.
    pub(crate) txop: Span,
    /// How old a packet may be when an attempt begins.
    pub(crate) lifetime: Option<Span>,
    pub(crate) cw: u32,
    /// Slots left when the medium last became idle.
    slots: u32,
    /// The back-off after its last frame is over.
    over: bool,
    /// The frame came to an idle medium and may go without back-off.
    immediate: bool,
    /// It does not go before it is there.
    not_before: Nanos,
    /// No slot counts before its back-off was drawn.
    drawn: Nanos,
}

impl Contender {
    pub(crate) fn new(ifs: Span, cw_min: u32, cw_max: u32, txop: Span) -> Self {
        Self {
            mpdu: None,
            ifs,
            cw_min,
            cw_max,
            txop,
            lifetime: None,
            cw: cw_min,
            slots: 0,
            over: true,
            immediate: false,
            not_before: Nanos::ZERO,
            drawn: Nanos::ZERO,
        }
    }

    pub(crate) const fn with_lifetime(self, lifetime: Option<Span>) -> Self {
        Self { lifetime, ..self }
    }

    /// Start of the first slot that counts.
    fn first_slot(&self, view: &View, mac: &MacConfig) -> Nanos {
        let again = if mac.after_timeout == AfterTimeout::IfsAgain { self.ifs } else { Span::ZERO };
        let reserved = view.nav + self.ifs;
        let failed = if view.gave_up == Nanos::ZERO { Nanos::ZERO } else { view.gave_up + again };
        (view.idle_from + (self.ifs + view.eifs)).max(reserved).max(failed).max(self.drawn)
    }

    /// When it may transmit if nothing happens before; never without a frame or on a busy medium.
    pub(crate) fn access(&self, view: &View, rules: &Rules) -> Nanos {
        if self.mpdu.is_none() || view.idle_from == Nanos::NEVER {
            return Nanos::NEVER;
        }
        let back_off = Span(rules.timing.slot.0 * u64::from(self.slots));
        (self.first_slot(view, &rules.mac) + back_off).max(self.not_before)
    }

    /// Slots that have passed by `now` since the `first` began, of those that were left.
    fn passed(&self, now: Nanos, first: Nanos, rules: &Rules) -> u32 {
        if now < first {
            return 0;
        }
        let whole = now.since(first).0 / rules.timing.slot.0;
        let passed = whole + u64::from(rules.counts_at_start());
        u32::narrow(passed.min(u64::from(self.slots)))
    }

    /// The medium becomes busy, or its view is about to change otherwise.
    pub(crate) fn freeze(&mut self, now: Nanos, view: &View, rules: &Rules, random: &mut Stream) {
        // Once it is over no slots are left, and nothing changes but what draws anew.
        if view.idle_from == Nanos::NEVER || self.over && !self.immediate {
            return;
        }
        let first = self.first_slot(view, &rules.mac);
        if !self.over {
            self.over = now >= first + Span(rules.timing.slot.0 * u64::from(self.slots));
        }
        if self.over {
            self.slots = 0;
        } else {
            self.slots -= self.passed(now, first, rules);
        }
        if self.immediate && rules.mac.immediate_access == ImmediateAccess::Strict {
            self.draw(now, random);
        }
    }

    /// The back-off that is counting down, if one is.
    pub(crate) fn countdown(&self, now: Nanos, view: &View, rules: &Rules) -> Option<Countdown> {
        if view.idle_from == Nanos::NEVER || self.slots == 0 {
            return None;
        }
        let from = self.first_slot(view, &rules.mac);
        let end = from + Span(rules.timing.slot.0 * u64::from(self.slots));
        let passed = self.passed(now, from, rules);
        (from < now).then(|| Countdown {
            category: 0,
            from,
            until: end.min(now),
            slots: self.slots,
            left: self.slots - passed,
            over: end <= now,
        })
    }

    /// A frame comes to the head while none was there.
    pub(crate) fn offer(
        &mut self,
        now: Nanos,
        mpdu: Mpdu,
        answer_due: bool,
        view: &View,
        rules: &Rules,
        random: &mut Stream,
    ) {
        self.mpdu = Some(mpdu);
        self.not_before = now;
        if !self.is_over(now, view, rules) {
            return;
        }
        self.slots = 0;
        let idle = view.is_idle(now);
        let at_once = match rules.mac.immediate_access {
            ImmediateAccess::Never => false,
            ImmediateAccess::AtArrival => idle,
            ImmediateAccess::Strict => idle && !answer_due,
        };
        if at_once {
            self.immediate = true;
        } else {
            self.draw(now, random);
        }
    }

    /// Whether the back-off after its last frame is over: all its slots have passed.
    fn is_over(&self, now: Nanos, view: &View, rules: &Rules) -> bool {
        if self.over || view.idle_from == Nanos::NEVER {
            return self.over;
        }
        let first = self.first_slot(view, &rules.mac);
        now >= first + Span(rules.timing.slot.0 * u64::from(self.slots))
    }

    /// A new back-off; no slot before `now` counts.
    pub(crate) fn draw(&mut self, now: Nanos, random: &mut Stream) {
        self.drawn = now;
        self.over = false;
        self.slots = u32::narrow(random.below(u64::from(self.cw) + 1));
        self.immediate = false;
    }

    /// The access was used.
    pub(crate) const fn taken(&mut self) {
        self.slots = 0;
        self.immediate = false;
        self.not_before = Nanos::ZERO;
    }

    /// After an attempt that failed: the window doubles.
    pub(crate) fn widen(&mut self, mac: &MacConfig) {
        if mac.backoff == Backoff::Standard {
            self.cw = (2 * self.cw + 1).min(self.cw_max);
        }
    }

    /// After success, or when a frame is given up: back to the least window.
    pub(crate) const fn narrow(&mut self) {
        self.cw = self.cw_min;
    }

    #[cfg(test)]
    pub(crate) const fn slots(&self) -> u32 {
        self.slots
    }
}
