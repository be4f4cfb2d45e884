//! What a sender waits for between two segments, and for how long.
//!
//! A sender sends until it must wait, and then says what it waits for. Sending takes no time, so the
//! times of all states add up to the time of the sender, to the nanosecond. Linux keeps three of these
//! states (`tcp_chrono`: busy, limited by the receive window, limited by the send buffer). Nanoseconds.

use crate::{Nanos, Span};

/// What a sender waits for.
///
/// A state names what holds back the next segment, which is not always what limits the transfer: the
/// window of a flow over a full link and that of a flow over a lossy link are both below the window
/// before the last loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    /// The answer to its opening.
    Handshake,
    /// More data from the application; with Nagle's algorithm, also the ACK before a small segment.
    Application,
    /// Room in the send buffer: everything in it has been sent, and the application has more.
    SendBuffer,
    /// Room in the receiver's window.
    ReceiveWindow,
    /// The departure time of the next segment at the pacing rate.
    Pacing,
    /// A window that has not reached a limit: slow start, and a window above that before the last
    /// reduction.
    WindowGrowth,
    /// A window below that before the last reduction, which a loss caused.
    WindowAfterLoss,
    /// The same after a congestion mark.
    WindowAfterMark,
    /// A window that a model of the path, or a configured maximum, bounds.
    WindowModel,
    /// The repair of losses.
    Recovery,
    /// The retransmission timer, and then the first ACK after it.
    Timeout,
    /// Room in the queue of the device of its own host (TCP small queues).
    DeviceQueue,
}

impl Wait {
    /// Every state, in the order of the enum.
    pub const ALL: [Self; 12] = [
        Self::Handshake,
        Self::Application,
        Self::SendBuffer,
        Self::ReceiveWindow,
        Self::Pacing,
        Self::WindowGrowth,
        Self::WindowAfterLoss,
        Self::WindowAfterMark,
        Self::WindowModel,
        Self::Recovery,
        Self::Timeout,
        Self::DeviceQueue,
    ];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::Application => "application",
            Self::SendBuffer => "send_buffer",
            Self::ReceiveWindow => "receive_window",
            Self::Pacing => "pacing",
            Self::WindowGrowth => "window_growth",
            Self::WindowAfterLoss => "window_after_loss",
            Self::WindowAfterMark => "window_after_mark",
            Self::WindowModel => "window_model",
            Self::Recovery => "recovery",
            Self::Timeout => "timeout",
            Self::DeviceQueue => "device_queue",
        }
    }

    /// Name of the state in the analysis of a packet capture (`limited_by`), which has fewer. `None` for
    /// states that a capture does not show: the handshake is before the measured time, and a full send
    /// buffer, as a full device, looks like a small window.
    pub const fn capture_name(self) -> Option<&'static str> {
        match self {
            Self::Handshake | Self::SendBuffer | Self::DeviceQueue => None,
            Self::Application => Some("application"),
            Self::ReceiveWindow => Some("receive_window"),
            Self::Pacing => Some("pacing"),
            Self::WindowGrowth => Some("slow_start"),
            Self::WindowAfterLoss | Self::WindowAfterMark | Self::WindowModel => {
                Some("congestion_window")
            }
            Self::Recovery | Self::Timeout => Some("recovery"),
        }
    }
}

/// The clock of a sender's waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waits {
    /// When the present state began.
    since: Nanos,
    /// `None` before the sender opens and after it has finished.
    why: Option<Wait>,
    /// Time in each state until `since`.
    spent: Spent,
}

impl Waits {
    /// From `now` on the sender waits for `why`. A time before the last change counts as that of the
    /// last change.
    #[inline]
    pub const fn set(&mut self, now: Nanos, why: Wait) {
        match self.why {
            Some(present) if present as u8 == why as u8 => {}
            _ => self.change(now, Some(why)),
        }
    }

    /// From `now` on the sender is not open.
    #[inline]
    pub const fn close(&mut self, now: Nanos) {
        if self.why.is_some() {
            self.change(now, None);
        }
    }

    const fn change(&mut self, now: Nanos, why: Option<Wait>) {
        self.spent.add(self.why, now.since(self.since));
        if now.0 > self.since.0 {
            self.since = now;
        }
        self.why = why;
    }

    /// Counts the open wait until `now` under the present state. A state that is dated back later begins
    /// at `now` at the earliest, so that differences between two instants are exact.
    pub const fn settle(&mut self, now: Nanos) {
        self.change(now, self.why);
    }

    /// The present state; `None` if the sender is not open.
    pub const fn why(&self) -> Option<Wait> {
        self.why
    }

    /// Time in each state until `now`.
    pub const fn until(&self, now: Nanos) -> Spent {
        let mut spent = self.spent;
        spent.add(self.why, now.since(self.since));
        spent
    }
}

/// Time in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    waiting: [u64; Wait::ALL.len()],
    /// Time in which the sender was not open.
    closed: u64,
}

impl Spent {
    const fn add(&mut self, why: Option<Wait>, span: Span) {
        let time = match why {
            Some(why) => &mut self.waiting[why as usize],
            None => &mut self.closed,
        };
        *time = time.saturating_add(span.0);
    }

    /// Time in a state.
    pub const fn of(&self, why: Wait) -> Span {
        Span(self.waiting[why as usize])
    }

    /// Time in which the sender was open.
    pub fn open(&self) -> Span {
        Span(self.waiting.iter().sum())
    }

    /// Time in which the sender was not open.
    pub const fn closed(&self) -> Span {
        Span(self.closed)
    }

    /// Share of the time in which the sender was open; `None` if it was not.
    pub fn share(&self, why: Wait) -> Option<f64> {
        let open = self.open();
        (open > Span::ZERO).then(|| self.of(why).0 as f64 / open.0 as f64)
    }

    /// The state with the longest time, the first of equal ones; `None` if the sender was not open.
    pub fn longest(&self) -> Option<Wait> {
        let longer = |a: Wait, b: Wait| if self.of(b) > self.of(a) { b } else { a };
        let longest = Wait::ALL.into_iter().reduce(longer)?;
        (self.of(longest) > Span::ZERO).then_some(longest)
    }

    /// The times since `before`, taken from the same clock.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = Self { closed: self.closed.saturating_sub(before.closed), ..*self };
        for (now, then) in since.waiting.iter_mut().zip(before.waiting) {
            *now = now.saturating_sub(then);
        }
        since
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn at(ms: u64) -> Nanos {
        Nanos::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn the_time_of_a_state_ends_with_the_next_state() {
        let mut waits = Waits::default();
        waits.set(at(10), Wait::Handshake);
        waits.set(at(30), Wait::Application);
        // The same state again changes nothing.
        waits.set(at(35), Wait::Application);
        waits.set(at(60), Wait::Handshake);
        let spent = waits.until(at(61));
        assert_eq!(spent.closed(), Span::from_millis(10));
        assert_eq!(spent.of(Wait::Handshake), Span::from_millis(21));
        assert_eq!(spent.of(Wait::Application), Span::from_millis(30));
        assert_eq!(spent.open(), Span::from_millis(51));
        assert_eq!(spent.longest(), Some(Wait::Application));
        assert_eq!(spent.share(Wait::Application), Some(30.0 / 51.0));
        waits.close(at(70));
        assert_eq!((waits.why(), waits.until(at(99)).closed()), (None, Span::from_millis(39)));
    }

    #[test]
    fn a_sender_that_never_opened_has_no_shares() {
        let spent = Waits::default().until(at(5));
        assert_eq!((spent.open(), spent.closed()), (Span::ZERO, Span::from_millis(5)));
        assert_eq!((spent.share(Wait::Pacing), spent.longest()), (None, None));
    }

    /// A timer that expires at 100 ms shows that the wait since 40 ms was one for the timer. Only the part
    /// after a measurement began counts in it, also if the first state returns.
    #[test]
    fn an_open_wait_can_be_divided() {
        for (begun, growth_ms, timeout_ms) in [(20, 20 + 50, 110), (50, 50, 100)] {
            let mut waits = Waits::default();
            waits.set(at(0), Wait::WindowGrowth);
            waits.settle(at(begun));
            let before = waits.until(at(begun));
            waits.set(at(40), Wait::Timeout);
            waits.set(at(150), Wait::WindowGrowth);
            let measured = waits.until(at(200)).since(&before);
            assert_eq!(measured.of(Wait::WindowGrowth), Span::from_millis(growth_ms));
            assert_eq!(measured.of(Wait::Timeout), Span::from_millis(timeout_ms));
        }
    }

    #[test]
    fn names_are_those_of_the_enum() {
        for (i, wait) in Wait::ALL.into_iter().enumerate() {
            assert_eq!(wait as usize, i);
            let words = format!("{wait:?}").chars().fold(String::new(), |mut name, c| {
                if c.is_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.extend(c.to_lowercase());
                name
            });
            assert_eq!(wait.name(), words);
        }
        let names: BTreeSet<&str> = Wait::ALL.iter().map(|w| w.name()).collect();
        assert_eq!(names.len(), Wait::ALL.len());
    }

    proptest! {
        /// Any states at any times, of which some are dated back, add up to the time.
        #[test]
        fn times_add_up(
            steps in prop::collection::vec((0_u64..1000, 0_u64..300, 0_usize..12), 0..60),
            taken in 0_usize..60,
        ) {
            let (mut waits, mut now) = (Waits::default(), Nanos::ZERO);
            let (mut before, mut begun) = (Spent::default(), Nanos::ZERO);
            for (i, (gap, back, state)) in steps.iter().enumerate() {
                now += Span(*gap);
                match Wait::ALL.get(*state) {
                    Some(Wait::Timeout) => waits.set(now - Span(*back), Wait::Timeout),
                    Some(why) => waits.set(now, *why),
                    None => waits.close(now),
                }
                if i == taken {
                    waits.settle(now);
                    (before, begun) = (waits.until(now), now);
                }
            }
            let all = waits.until(now);
            prop_assert_eq!(all.open() + all.closed(), now.since(Nanos::ZERO));
            let measured = all.since(&before);
            prop_assert_eq!(measured.open() + measured.closed(), now.since(begun));
        }
    }
}
