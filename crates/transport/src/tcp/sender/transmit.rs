//! The next segment: retransmissions, new data, probes.
//!
//! RFC 5681 section 3 (windows), RFC 6675 section 5 step C, RFC 9293 section 3.8.6.1 (probes).

use airtcp_units::{Nanos, Narrow};

use super::new_data::NewData;
use super::{Env, Sender, view};
use crate::tcp::config::{Pacing, RttSampling, TcpConfig};
use crate::tcp::rate::Snapshot;
use crate::tcp::recovery::{Gate, LossRecovery, Next, Room};
use crate::tcp::scoreboard::SentSegment;
use crate::tcp::timers::Timer;
use airtcp_congestion::{CongestionControl, Sent};

/// A segment to send, without its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outgoing {
    /// Offset of the first byte.
    pub(crate) start: u64,
    /// Payload.
    pub(crate) len: u32,
    pub(crate) fin: bool,
    /// The segment carries the last byte written.
    pub(crate) push: bool,
    /// Part of the segment was sent before.
    pub(crate) retransmission: bool,
    /// The segment is ECN-capable.
    pub(crate) ect: bool,
    pub(crate) cwr: bool,
}

impl Sender {
    /// The next segment with data or FIN that may leave at `now`. SACK blocks take `options` bytes
    /// of a new segment.
    pub(crate) fn next_data(
        &mut self,
        now: Nanos,
        options: u32,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        if self.probe_due {
            return self.probe(now, env);
        }
        if now < self.pacer.next && self.is_paced(env.config) && !self.completes_quantum(now) {
            env.timers.set(Timer::Send, self.pacer.next);
            self.note_pacing(env.config);
            return self.wait(now, self.paced_state(env.config));
        }
        if self.discipline.is_probe_due() {
            return self.send_loss_probe(now, options, env);
        }
        if self.recovery.take_head() {
            let first = if self.is_rack() { self.board.next_due() } else { Some(0) };
            if let Some(at) = first {
                return self.send_again(now, at, self.discipline.is_selective(), env);
            }
        }
        if !self.notices.is_empty()
            && let Some(out) = self.next_notified(now, env)
        {
            return Some(out);
        }
        let window = self.send_window(env.config);
        let outstanding = self.outstanding(env.config);
        if !self.recovery.is_open() {
            let room = Room { window, outstanding, new_data: false };
            return self.next_in_recovery(now, options, room, env);
        }
        let new = self.new_data(now, options, env.config);
        self.send_new_in_window(now, new, (window, outstanding), env)
    }

    /// The next segment in a recovery: the discipline's choice, as far as F-RTO permits it.
    fn next_in_recovery(
        &mut self,
        now: Nanos,
        options: u32,
        mut room: Room,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        let gate = if self.recovery.is_timeout() {
            self.spurious.gate(self.recovery.is_timed_out())
        } else {
            Gate::Open
        };
        let full =
            self.recovery.is_fast() && self.discipline.is_full(&view!(self, env.config), &room);
        if gate == Gate::Closed || full {
            return self.hold_for_window(now, room.window);
        }
        let new = self.new_data(now, options, env.config);
        if gate == Gate::New {
            return self.frto_new(now, new, &room, env);
        }
        room.new_data = matches!(new, NewData::Ready(..));
        let next = self.discipline.next(&view!(self, env.config), &room);
        let out = match next {
            Next::Again { at, repair } => {
                if !self.device_admits_again(now, env.config) {
                    return self.wait_for_device(now);
                }
                self.send_again(now, at, repair, env)
            }
            Next::New => self.send_new_or_note(now, new, (true, 0), env),
            Next::Limited => self.hold_for_window(now, room.window),
            Next::NewInWindow => {
                return self.send_new_in_window(now, new, (room.window, room.outstanding), env);
            }
        };
        if out.is_some() {
            self.discipline.on_sent(&view!(self, env.config), next);
        }
        out
    }

    /// Sends new data if there is any and the window has room for it.
    #[inline]
    fn send_new_in_window(
        &mut self,
        now: Nanos,
        new: NewData,
        (window, outstanding): (u64, u64),
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        // A FIN is no data and need not wait for the window.
        if let NewData::Ready(len, _) = new
            && outstanding + u64::from(len) > window
            && outstanding > 0
            && len > 0
        {
            return self.hold_for_window(now, window);
        }
        let room = window.saturating_sub(outstanding);
        self.send_new_or_note(now, new, (outstanding < window, room), env)
    }

    /// Sends new data if there is any and the device takes it, otherwise notes the reason; `room` if the window has room,
    /// and how much.
    #[inline]
    fn send_new_or_note(
        &mut self,
        now: Nanos,
        new: NewData,
        (has_room, room): (bool, u64),
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        match new {
            NewData::Ready(len, fin) => {
                if !self.device_admits(now, room, env.config) {
                    return self.wait_for_device(now);
                }
                Some(self.send_new(now, len, fin, env))
            }
            blocked => {
                self.note_blocked(now, blocked, has_room, env);
                self.wait(now, self.blocked_by(blocked, env.config))
            }
        }
    }

    /// Only the window delays the next segment.
    #[inline]
    pub(super) fn hold_for_window(&mut self, now: Nanos, window: u64) -> Option<Outgoing> {
        self.window_limited_to = self.nxt;
        self.wait(now, self.window_state(window))
    }

    /// New data for a probe: as much of a segment as the peer's window permits.
    pub(super) fn send_unsent(
        &mut self,
        now: Nanos,
        options: u32,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        let usable = self.edge.saturating_sub(self.nxt);
        let remaining = self.stream_end().saturating_sub(self.nxt);
        let full = u64::from(self.mss - options.min(self.mss / 2));
        let len = remaining.min(full).min(usable);
        let fin = self.fin && self.nxt <= self.stream_end() && len == remaining && usable > len;
        (len > 0 || fin).then(|| self.send_new(now, u32::narrow(len), fin, env))
    }

    /// RFC 5682 step 2b: new data instead of retransmissions, at least two segments.
    fn frto_new(
        &mut self,
        now: Nanos,
        new: NewData,
        room: &Room,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        let window = room.window.max(2 * u64::from(self.mss));
        match new {
            NewData::Ready(len, fin) if room.outstanding + u64::from(len) <= window => {
                if !self.device_admits(now, window - room.outstanding, env.config) {
                    return self.wait_for_device(now);
                }
                self.spurious.on_new();
                Some(self.send_new(now, len, fin, env))
            }
            _ => self.hold_for_window(now, window),
        }
    }

    #[inline]
    fn send_new(&mut self, now: Nanos, len: u32, fin: bool, env: &mut Env<'_>) -> Outgoing {
        if self.in_flight() == 0 {
            self.after_pause(now, env.config);
        }
        let start = self.nxt;
        let space = len + u32::from(fin);
        let snapshot = self.snapshot(now, space);
        let mut segment = SentSegment::new(start, space, fin, now, snapshot);
        // A byte sent in an earlier probe is sent again: Karn's rule applies to it.
        let retransmission = start < self.probed;
        segment.retransmitted = retransmission;
        self.board.push(segment);
        self.nxt += u64::from(space);
        if self.timed.is_none()
            && !retransmission
            && env.config.rtt_sampling == RttSampling::OnePerRoundTrip
        {
            self.timed = Some((self.nxt, now));
        }
        self.recovery.on_new_sent(u64::from(space));
        self.override_sws = false;
        if env.timers.is_running(Timer::Persist) {
            env.timers.stop(Timer::Persist);
            self.persist_backoff = 0;
        }
        // RFC 6298 5.1.
        if !env.timers.is_running(Timer::Retransmit) {
            self.arm(now, env.timers);
        }
        self.after_sending(now, len, retransmission, env.config);
        self.schedule_probe(now, env);
        Outgoing {
            start,
            len,
            fin,
            push: len > 0 && start + u64::from(len) == self.stream_end(),
            retransmission,
            ect: env.ecn.enabled && len > 0 && !retransmission,
            cwr: len > 0 && std::mem::take(&mut env.ecn.cwr),
        }
    }

    /// Retransmits the outstanding segment at position `at`.
    pub(super) fn send_again(
        &mut self,
        now: Nanos,
        at: usize,
        repair: bool,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        self.is_plain = false;
        let (space, before) = self.board.get(at).map_or((0, false), |s| (s.len, s.retransmitted));
        let snapshot = self.snapshot(now, space);
        let by_timer = self.recovery.take_timed_out();
        self.board.retransmit(at, now, snapshot, repair, by_timer);
        let segment = *self.board.get(at)?;
        // Karn: this may be the segment that is being timed.
        if at == 0 || !self.discipline.keeps_timing(self.recovery.phase()) {
            self.timed = None;
        }
        // The timer starts if it does not run (RFC 6298 5.1), and, if so configured, restarts with
        // the first outstanding segment.
        let restart = at == 0 && env.config.rto_restart_on_retransmission;
        if restart || !env.timers.is_running(Timer::Retransmit) {
            self.arm(now, env.timers);
        }
        let len = segment.payload();
        let range = (segment.start, segment.start + u64::from(len));
        self.spurious.on_retransmission(now, range, (self.una, before), env.config);
        env.stats.segments_retransmitted += u64::from(len > 0);
        env.stats.bytes_retransmitted += u64::from(len);
        self.after_sending(now, len, true, env.config);
        Some(Outgoing {
            start: segment.start,
            len,
            fin: segment.fin,
            push: len > 0 && segment.start + u64::from(len) == self.stream_end(),
            retransmission: true,
            ect: false,
            cwr: false,
        })
    }

    /// A zero-window probe: the next byte, or the FIN, beyond the window. The probe is not entered
    /// as outstanding, so that its loss is no sign of congestion.
    fn probe(&mut self, now: Nanos, env: &mut Env<'_>) -> Option<Outgoing> {
        (self.probe_due, self.is_plain) = (false, false);
        let end = self.stream_end();
        let data = self.nxt < end;
        let fin = self.fin && self.nxt == end;
        if !(data || fin) {
            return None;
        }
        let retransmission = self.probed > self.nxt;
        self.probed = self.nxt + 1;
        env.stats.zero_window_probes += 1;
        self.count_below(now, u64::from(data), true);
        env.timers.set(Timer::Persist, now + self.rtt.backed_off(self.persist_backoff));
        Some(Outgoing {
            start: self.nxt,
            len: u32::from(data),
            fin,
            push: data && self.nxt + 1 == end,
            retransmission,
            ect: false,
            cwr: false,
        })
    }

    /// The delivery state that a segment of sequence space `space` records when it leaves now.
    #[inline]
    pub(super) fn snapshot(&mut self, now: Nanos, space: u32) -> Snapshot {
        let (pipe, lost) = (self.board.pipe(), self.board.lost_total());
        self.rate.on_sent(now, u64::from(space), pipe, lost)
    }

    /// Bookkeeping after every segment with data.
    #[inline]
    pub(super) fn after_sending(
        &mut self,
        now: Nanos,
        len: u32,
        retransmission: bool,
        config: &TcpConfig,
    ) {
        self.last_sent = Some(now);
        let bytes = u64::from(len);
        self.count_below(now, bytes, retransmission);
        let pipe = self.board.pipe();
        if let Some(prr) = self.recovery.prr() {
            prr.on_sent(bytes);
        }
        self.law.on_sent(now, &Sent { bytes, pipe, retransmission });
        if let Some(rate) = self.pacing_rate(config) {
            let unit = |q| self.small_queue.as_ref().map_or(q, |queue| queue.unit());
            let quantum = self.law.send_quantum().map(|q| if retransmission { 0 } else { unit(q) });
            self.pacer.on_sent(now, bytes, rate.time_for(bytes), quantum);
        }
    }

    /// Whether the next segment is new data of the same quantum.
    fn completes_quantum(&self, now: Nanos) -> bool {
        self.pacer.continues(now, u64::from(self.mss)) && self.board.segments_due() == 0
    }

    fn is_paced(&self, config: &TcpConfig) -> bool {
        match config.pacing {
            Pacing::Off => false,
            Pacing::Law => self.law.pacing_rate().is_some(),
            Pacing::Cwnd => true,
        }
    }
}
