//! Taking acknowledgements: RFC 9293 section 3.10.7.4 (fifth), RFC 6298 section 5.

use airtcp_packet::{Flags, Segment, Seq};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Span};

use super::{Env, Sender};
use crate::tcp::config::{BackoffReset, LossResponse, Recovery, RttSampling, TcpConfig};
use crate::tcp::recovery::{Evidence, ProbeAck, PrrAck, Reported};
use crate::tcp::timers::Timer;
use airtcp_congestion::{AckSample, CongestionControl, Lost};

/// What the connection knows about an acknowledgement beside the segment itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AckInfo {
    /// Our ISN.
    pub(crate) iss: Seq,
    /// Offset acknowledged, not beyond what was sent.
    pub(crate) ack: u64,
    /// The peer's sequence offset.
    pub(crate) seq: u64,
    /// Round-trip time by timestamps, if they are in use.
    pub(crate) echo: Option<Span>,
    /// The timestamp echoed, likewise.
    pub(crate) echoed: Option<u32>,
}

impl Sender {
    /// Takes the acknowledgement, SACK blocks, window and ECN echo of a segment.
    #[inline]
    pub(crate) fn on_ack<P: Probe>(
        &mut self,
        now: Nanos,
        info: AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.in_flight() == 0 && info.ack == self.una {
            self.on_idle_ack(now, &info, segment, env, cx);
            return;
        }
        let in_network = self.in_network(env.config);
        let flight = self.flight_size();
        if self.is_rack() {
            self.board.rack_before_ack(self.rtt.min_rtt(), info.echoed);
        }
        let prior = (self.una, in_network, self.rate.delivered(), self.board.lost_total());
        let dsacks = env.stats.dsacks;
        let (news, sack_sent) = if segment.sacks().is_empty() {
            (false, None)
        } else {
            self.take_sacks(now, &info, segment, env)
        };
        if self.is_ns2() {
            self.ns2_on_ack();
        }
        if info.ack < self.una {
            self.tell_losses(now, env, cx);
            // An old ACK: its SACK blocks may still be news, nothing else is.
            if self.spurious.is_on() && env.stats.dsacks > dsacks {
                self.detect_spurious(now, &Evidence::default(), env, cx);
            }
            return;
        }
        let was_fast = self.recovery.is_fast();
        let new = info.ack > self.una;
        let acked = if new { self.advance(now, &info, env, cx) } else { None };
        let reported = Reported { acked: (info.ack - prior.0, acked), sacked: sack_sent };
        self.take_trip(now, segment, &info, reported);
        self.tell_losses(now, env, cx);
        let rtt = acked.max(sack_sent).map(|sent| now.since(sent));
        if let Some(rtt) = rtt {
            self.rtt.note_min(rtt);
        }
        let same_window =
            self.update_window(info.seq, info.ack, u64::from(segment.window) << self.peer_shift);
        let ece = self.take_echo(now, segment, flight, env);
        // RFC 5681 section 2: outstanding data, no payload, SYN or FIN, no progress, same
        // window. RFC 6675 section 2 asks for new SACK information instead.
        let bare = segment.len == 0 && !segment.flags.has(Flags::FIN) && !new && same_window;
        let outstanding = self.in_flight() > 0;
        let duplicate = self.is_duplicate(bare && outstanding, news, new);
        if self.spurious.is_on() {
            let evidence = Evidence {
                acked: info.ack - prior.0,
                duplicate: bare && outstanding,
                news,
                dsack: (env.stats.dsacks > dsacks, dsacks > 0),
                echo: info.echoed,
                ece,
            };
            self.detect_spurious(now, &evidence, env, cx);
        }
        if new {
            self.recover_on_new(now, info.ack - prior.0, env, cx);
        }
        if duplicate && outstanding {
            env.stats.dup_acks += 1;
            if !self.recovery.discipline.is_selective() {
                self.rate.on_duplicate(now, u64::from(self.mss), self.in_flight());
            }
            self.recover_on_duplicate(now, env, cx);
        }
        if self.is_rack() {
            let bare_duplicate = bare && outstanding && segment.sacks().is_empty();
            self.loss_detection(now, (prior.0, dsacks, bare_duplicate), env, cx);
        }
        if !new && !duplicate {
            self.manage_persist(env);
            return;
        }
        let sample = AckSample {
            acked: info.ack - prior.0,
            delivered: self.rate.delivered() - prior.2,
            lost: self.board.lost_total() - prior.3,
            pipe: self.in_network(env.config),
            prior_pipe: prior.1,
            total_delivered: self.rate.delivered(),
            total_lost: self.board.lost_total(),
            acked_up_to: self.una,
            sent_up_to: self.nxt,
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            rate: self.rate.take(self.rtt.min_rtt(), self.board.lost_total()),
            cwnd_limited: prior.0 < self.window_limited_to,
            in_fast_recovery: was_fast || self.recovery.is_reducing(),
            ends_recovery: was_fast && !self.recovery.is_reducing(),
            in_recovery: !self.recovery.is_open(),
            // What a timeout lost is repaired without new data, which alone could say CWR: the echo
            // repeats marks that the timeout has answered. Linux and ns-2 grow on it.
            ece: ece && !self.recovery.is_timeout(),
        };
        self.law.on_ack(now, &sample);
        if self.recovery.prr.is_some() {
            let (delivered, lost, acked) = (prior.2, prior.3, sample.acked);
            self.prr_on_ack(PrrAck { delivered, lost, acked, duplicate });
        }
        self.manage_persist(env);
    }

    /// Whether an ACK counts as a duplicate: `bare` by RFC 5681 section 2, by RFC 6675 section 2 for
    /// the `news` it brings.
    const fn is_duplicate(&self, bare: bool, news: bool, new: bool) -> bool {
        match self.recovery.discipline {
            Recovery::Sack => news,
            Recovery::SackNs2 => news && !new,
            _ => bare,
        }
    }

    /// An ACK with nothing outstanding, as at a receiver of bulk data: only the window is news, and
    /// a duplicate that a recovery now over may have caused.
    #[inline]
    fn on_idle_ack<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let window = u64::from(segment.window) << self.peer_shift;
        let same_window = self.update_window(info.seq, info.ack, window);
        if self.is_rack() {
            // The other copy of a probe may have been for nothing.
            let first = segment.sacks().first();
            let dsack_end = first.and_then(|b| b.end.unwrap_near(info.iss, self.una));
            let bare_duplicate = segment.len == 0 && same_window && first.is_none();
            self.tlp_on_ack(now, ProbeAck { flight: 0, dsack_end, bare_duplicate }, env, cx);
        }
        let wanted = self.spurious.is_on() || env.config.eifel_detection;
        if wanted && !segment.sacks().is_empty() {
            self.take_late_report(now, info, segment, env, cx);
        }
        self.manage_persist(env);
    }

    /// RACK's and TLP's part of taking an acknowledgement: `una` and the DSACKs before it, and
    /// whether it is a duplicate that reports nothing.
    fn loss_detection<P: Probe>(
        &mut self,
        now: Nanos,
        (una, dsacks, bare_duplicate): (u64, u64, bool),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let dsack = env.stats.dsacks > dsacks;
        let dsack_end = self.last_report.filter(|_| dsack);
        self.tlp_on_ack(
            now,
            ProbeAck { flight: self.nxt - una, dsack_end, bare_duplicate },
            env,
            cx,
        );
        self.rack_on_ack(now, dsack, env, cx);
        if self.una > una || self.board.segments_sacked() > 0 {
            self.schedule_probe(now, env);
        }
    }

    /// Tells the law of every segment judged lost since last told, as far as losses are told.
    #[inline]
    pub(crate) fn tell_losses<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.board.has_losses() {
            match env.config.loss_response {
                LossResponse::TpLda => self.judge_losses(now, env, cx),
                response => self.hand_over_losses(now, response == LossResponse::Always),
            }
        }
    }

    /// Forgets the segments judged lost since last asked; tells the law of them if `told`.
    pub(crate) fn hand_over_losses(&mut self, now: Nanos, told: bool) {
        let total_delivered = self.rate.delivered();
        for lost in self.board.drain_losses() {
            if told {
                self.law.on_lost(now, &Lost { total_delivered, ..lost });
            }
        }
    }

    /// Data in the network: RFC 6675 `pipe`, less what duplicates show to have left it where the
    /// scoreboard cannot tell.
    fn in_network(&self, config: &TcpConfig) -> u64 {
        if self.is_ns2() {
            return self.board.pipe();
        }
        if self.recovery.discipline.is_selective() {
            return self.board.pipe();
        }
        let left = self.inflation(config).max(0);
        self.board.pipe().saturating_sub(left as u64)
    }

    /// Feeds SACK blocks to the scoreboard. Returns whether they brought news and when the
    /// last-sent segment of the news left.
    fn take_sacks(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
    ) -> (bool, Option<Nanos>) {
        let (mut news, mut newest) = (false, None);
        let selective = self.recovery.listens();
        let reports = self.spurious.is_on() || env.config.eifel_detection;
        if !(selective || reports) {
            return (news, newest);
        }
        let blocks = segment.sacks();
        for (i, block) in blocks.iter().enumerate() {
            let (Some(start), Some(end)) = (
                block.start.unwrap_near(info.iss, self.una),
                block.end.unwrap_near(info.iss, self.una),
            ) else {
                continue;
            };
            if start >= end || end > self.nxt {
                continue;
            }
            if i == 0 && self.is_duplicate_report(start, end, info, blocks.get(1)) {
                env.stats.dsacks += 1;
                self.last_report = Some(end);
                self.spurious.on_duplicate_report(start, end);
                continue;
            }
            if !selective {
                break;
            }
            let from = start.max(self.una.max(info.ack));
            if from < end {
                let (new, sent) = self.board.sack(from, end, now, &mut self.rate);
                news |= new;
                newest = newest.max(sent);
            }
        }
        (news, newest)
    }

    /// Nothing is outstanding and an ACK has SACK blocks: they can only report duplicates.
    fn take_late_report<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let dsacks = env.stats.dsacks;
        self.take_sacks(now, info, segment, env);
        if env.stats.dsacks > dsacks {
            self.detect_spurious(now, &Evidence::default(), env, cx);
        }
    }

    /// RFC 2883 section 4: the first block reports a duplicate if it lies below the
    /// acknowledgement or inside the second block.
    fn is_duplicate_report(
        &self,
        start: u64,
        end: u64,
        info: &AckInfo,
        second: Option<&airtcp_packet::SackBlock>,
    ) -> bool {
        if end <= info.ack {
            return true;
        }
        second.is_some_and(|b| {
            let s = b.start.unwrap_near(info.iss, self.una);
            let e = b.end.unwrap_near(info.iss, self.una);
            s.is_some_and(|s| s <= start) && e.is_some_and(|e| end <= e)
        })
    }

    /// New data is acknowledged. Returns when the newest of it left, if that can be told.
    #[inline]
    fn advance<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> Option<Nanos> {
        let acked = self.board.ack(info.ack, now, &mut self.rate);
        let payload_to = info.ack.min(self.stream_end());
        env.stats.bytes_acked += payload_to.saturating_sub(self.una.max(1));
        let bytes = info.ack - self.una;
        self.una = info.ack;
        // Only a probe can have been acknowledged beyond NXT.
        self.nxt = self.nxt.max(info.ack);
        self.retries = 0;
        let timed = match self.timed {
            Some((end, sent)) if end <= info.ack => {
                self.timed = None;
                Some(sent)
            }
            _ => None,
        };
        self.note_advance(bytes, acked.last, info.echoed, env.config);
        let clean = if acked.retransmitted { None } else { acked.oldest };
        let sample = match (env.config.rtt_sampling, info.echo) {
            (RttSampling::EveryAck, None) => clean.map(|sent| now.since(sent)),
            (RttSampling::EveryAck, Some(echo)) => Some(clean.map_or(echo, |s| now.since(s))),
            (RttSampling::OnePerRoundTrip, Some(echo)) => Some(echo),
            (RttSampling::OnePerRoundTrip, None) => timed.map(|sent| now.since(sent)),
        };
        if let Some(sample) = sample {
            self.take_rtt(now, (sample, info.ack), env, cx);
        } else if env.config.rto_backoff_reset == BackoffReset::NewAck {
            self.rtt.reset_backoff();
        }
        // RFC 6298 5.2 and 5.3.
        if self.in_flight() == 0 {
            env.timers.stop(Timer::Retransmit);
        } else if self.recovery.restarts_timer(info.ack, env.config) {
            self.arm(now, env.timers);
        }
        if acked.retransmitted { None } else { acked.newest }
    }

    /// Takes a round-trip sample of an ACK up to `ack`.
    pub(crate) fn take_rtt<P: Probe>(
        &mut self,
        now: Nanos,
        (sample, ack): (Span, u64),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.rtt.sample(now, sample);
        self.tlp_on_sample();
        if let Some((srtt, rttvar)) = self.spurious.take_adaptation(ack) {
            self.rtt.adapt(sample, srtt, rttvar);
        }
        let srtt = self.rtt.srtt().unwrap_or_default();
        env.stats.rtt.record(sample, srtt);
        let rto = self.rtt.rto();
        cx.record(now, || Event::Rtt { sample, srtt, rto });
    }

    /// The window may have opened: an open window needs no probes.
    fn manage_persist(&mut self, env: &mut Env<'_>) {
        if env.timers.is_running(Timer::Persist) && (self.in_flight() > 0 || self.edge > self.nxt) {
            env.timers.stop(Timer::Persist);
            self.persist_backoff = 0;
            self.probe_due = false;
        }
    }
}
