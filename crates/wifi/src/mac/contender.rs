//! Back-off of one access category, computed lazily: its cost grows with frames and not with slots.
//!
//! ```text
//! first slot = max(idle since + IFS, NAV + IFS, end of the last exchange)
//! access     = first slot + slots left * slot
//! ```
//! `IFS` is DIFS or AIFS, or EIFS after a frame that could not be decoded. No event occurs while slots
//! pass. When the medium becomes busy, the slots that have passed are subtracted. Source: IEEE
//! 802.11-2012 clauses 9.3.4 (DCF) and 9.19.2 (EDCA).

use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Span};

use super::config::{AfterTimeout, Backoff, ImmediateAccess, MacConfig};
use super::{AccessParams, Mpdu, Rules, View};

/// A running back-off, as it would be if it stopped now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Countdown {
    pub(crate) category: u8,
    /// Start of the first slot that counts.
    pub(crate) from: Nanos,
    /// Now, or the end of its last slot.
    pub(crate) until: Nanos,
    /// Slots left at its start.
    pub(crate) slots: u32,
    /// Slots left now.
    pub(crate) left: u32,
    /// True if its last slot has ended.
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
    /// Limit of a transmission opportunity; zero for one frame exchange.
    pub(crate) txop: Span,
    /// Maximum age of a packet when an attempt begins.
    pub(crate) lifetime: Option<Span>,
    /// Whether a frame that comes to an empty queue may go without back-off.
    immediate_access: ImmediateAccess,
    pub(crate) cw: u32,
    /// Slots left when the medium last became idle.
    slots: u32,
    /// True if the back-off after the last frame has ended.
    over: bool,
    /// True if the frame found an idle medium and needs no back-off.
    immediate: bool,
    /// Arrival of the frame, which cannot be sent earlier.
    arrived: Nanos,
    /// Time of the last draw; no earlier slot counts.
    drawn: Nanos,
    /// True if the category contends without a frame at its head: its frames follow from the access itself
    /// (multi-user operation).
    wants: bool,
    /// End of the time in which the category does not contend (MU EDCA without AIFSN).
    barred: Nanos,
}

impl Contender {
    pub(crate) const fn new(ifs: Span, params: &AccessParams) -> Self {
        let AccessParams { cw_min, cw_max, txop, lifetime, .. } = *params;
        Self {
            mpdu: None,
            ifs,
            cw_min,
            cw_max,
            txop,
            lifetime,
            immediate_access: ImmediateAccess::Strict,
            cw: cw_min,
            slots: 0,
            over: true,
            immediate: false,
            arrived: Nanos::ZERO,
            drawn: Nanos::ZERO,
            wants: false,
            barred: Nanos::ZERO,
        }
    }

    pub(crate) const fn with_immediate_access(self, immediate_access: ImmediateAccess) -> Self {
        Self { immediate_access, ..self }
    }

    /// Start of the first slot that counts.
    #[inline]
    fn first_slot(&self, view: &View, mac: &MacConfig) -> Nanos {
        let again = if mac.after_timeout == AfterTimeout::IfsAgain { self.ifs } else { Span::ZERO };
        let reserved = view.nav + self.ifs;
        let failed = if view.gave_up == Nanos::ZERO { Nanos::ZERO } else { view.gave_up + again };
        let first = view.idle_from + (self.ifs + view.eifs);
        let first = first.max(reserved).max(failed).max(self.drawn);
        if self.barred == Nanos::ZERO { first } else { first.max(self.barred + self.ifs) }
    }

    /// Time at which it may transmit if the medium stays idle; never without a frame or on a busy
    /// medium.
    #[inline]
    pub(crate) fn access(&self, view: &View, rules: &Rules) -> Nanos {
        if self.mpdu.is_none() && !self.wants || view.idle_from == Nanos::NEVER {
            return Nanos::NEVER;
        }
        let back_off = Span(rules.timing.slot.0 * u64::from(self.slots));
        (self.first_slot(view, &rules.mac) + back_off).max(self.arrived)
    }

    /// Slots passed from the start of the `first` one until `now`, at most those left.
    #[inline]
    fn passed(&self, now: Nanos, first: Nanos, rules: &Rules) -> u32 {
        if now < first {
            return 0;
        }
        let whole = now.since(first).0 / rules.timing.slot.0;
        let passed = whole + u64::from(rules.counts_at_start());
        u32::narrow(passed.min(u64::from(self.slots)))
    }

    /// Freezes the back-off, because the medium becomes busy.
    #[inline]
    pub(crate) fn freeze(&mut self, now: Nanos, view: &View, rules: &Rules, random: &mut Stream) {
        // After its end no slots are left; only an immediate access may still draw.
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

    /// True if the state of the back-off at `idle_from`, the start of an idle period, is its number of
    /// slots: nothing else decides when the frame may be sent.
    #[inline]
    pub(crate) fn is_slots_only(&self, idle_from: Nanos) -> bool {
        !self.immediate && self.drawn <= idle_from && !(self.over && self.mpdu.is_some())
    }

    /// Slots left at the start of an idle period, if a frame waits for them.
    #[inline]
    pub(crate) fn slots_of_frame(&self) -> Option<u32> {
        self.mpdu.as_ref().map(|_| self.slots)
    }

    /// Subtracts the slots that have `passed` in idle periods, as [`Self::freeze`] at the end of each.
    /// `counted` of these periods lasted until the first slot.
    #[inline]
    pub(crate) fn pass(&mut self, passed: u64, counted: u64, rules: &Rules) {
        if self.over || counted == 0 {
            return;
        }
        let slots = u64::from(self.slots);
        // A slot that counts when it starts has not ended when the medium becomes busy.
        let ended = passed - u64::from(rules.counts_at_start());
        self.over = ended >= slots;
        self.slots = if self.over { 0 } else { u32::narrow(slots - passed.min(slots)) };
    }

    /// The running back-off, if any.
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

    /// Puts a frame at the empty head.
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
        if !self.wants {
            self.begin(now, answer_due, view, rules, random);
        }
    }

    /// Contends with or without a frame at the head.
    pub(crate) fn want(
        &mut self,
        now: Nanos,
        answer_due: bool,
        view: &View,
        rules: &Rules,
        random: &mut Stream,
    ) {
        if !std::mem::replace(&mut self.wants, true) && self.mpdu.is_none() {
            self.begin(now, answer_due, view, rules, random);
        }
    }

    /// Contends only with a frame at the head.
    pub(crate) const fn want_no_more(&mut self) {
        self.wants = false;
    }

    /// Does not contend until a time.
    pub(crate) const fn bar(&mut self, until: Nanos) {
        self.barred = until;
    }

    /// Begins to contend for a frame that has come to an empty category.
    #[inline]
    fn begin(
        &mut self,
        now: Nanos,
        answer_due: bool,
        view: &View,
        rules: &Rules,
        random: &mut Stream,
    ) {
        self.arrived = now;
        if !self.is_over(now, view, rules) {
            return;
        }
        self.slots = 0;
        let idle = view.is_idle(now);
        let at_once = match self.immediate_access {
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

    /// True if all slots of the back-off after the last frame have passed.
    #[inline]
    fn is_over(&self, now: Nanos, view: &View, rules: &Rules) -> bool {
        if self.over || view.idle_from == Nanos::NEVER {
            return self.over;
        }
        let first = self.first_slot(view, &rules.mac);
        now >= first + Span(rules.timing.slot.0 * u64::from(self.slots))
    }

    /// Draws a new back-off; no slot before `now` counts.
    #[inline]
    pub(crate) fn draw(&mut self, now: Nanos, random: &mut Stream) {
        self.drawn = now;
        self.over = false;
        self.slots = u32::narrow(random.below(u64::from(self.cw) + 1));
        self.immediate = false;
    }

    /// Makes the back-off just drawn longer.
    pub(crate) const fn add_slots(&mut self, slots: u32) {
        self.slots = self.slots.saturating_add(slots);
    }

    /// Clears the back-off when the category gains access.
    #[inline]
    pub(crate) const fn clear_backoff(&mut self) {
        self.slots = 0;
        self.immediate = false;
        self.arrived = Nanos::ZERO;
    }

    /// Doubles the contention window after a failed attempt.
    pub(crate) fn double_window(&mut self, mac: &MacConfig) {
        if mac.backoff == Backoff::Standard {
            self.cw = (2 * self.cw + 1).min(self.cw_max);
        }
    }

    /// Resets the contention window after success or the retry limit.
    #[inline]
    pub(crate) const fn reset_window(&mut self) {
        self.cw = self.cw_min;
    }

    #[cfg(test)]
    pub(crate) const fn slots(&self) -> u32 {
        self.slots
    }
}
