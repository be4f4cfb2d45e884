//! Taking acknowledgements: RFC 9293 section 3.10.7.4 (fifth), RFC 6298 section 5.

use airtcp_packet::{Flags, Segment};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Narrow, Span};

use super::ack_info::AckInfo;
use super::losses::Reported;
use super::{Env, Sender, view};
use crate::tcp::config::{BackoffReset, RttSampling, TcpConfig};
use crate::tcp::recovery::{Evidence, LossRecovery, ProbeAck, PrrAck};
use crate::tcp::scoreboard::Acked;
use crate::tcp::timers::Timer;
use airtcp_congestion::{AckSample, CongestionControl};

/// State before an acknowledgement is processed.
pub(super) struct Prior {
    pub(super) una: u64,
    /// Data in the network, and FlightSize.
    pub(super) in_network: u64,
    pub(super) flight: u64,
    /// Bytes delivered and judged lost in total, and duplicates reported in total.
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) dsacks: u64,
}

/// Classification of an acknowledgement.
#[derive(Default)]
pub(super) struct Taken {
    /// Bytes that the ACK acknowledges cumulatively.
    pub(super) acked: u64,
    pub(super) new: bool,
    /// The SACK blocks report something for the first time.
    pub(super) new_sack: bool,
    /// The ACK is a duplicate by RFC 5681 section 2, and by the discipline.
    pub(super) bare: bool,
    pub(super) duplicate: bool,
    /// The ACK arrived in fast recovery.
    pub(super) fast: bool,
    /// Round-trip time of the newest segment that the ACK reports.
    pub(super) rtt: Option<Span>,
    pub(super) ece: bool,
    /// Bytes newly reported as marked.
    pub(super) marked: u64,
}

impl Sender {
    /// Processes the acknowledgement, SACK blocks, window and ECN echo of a segment.
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
        (self.heard, self.is_plain) = (now, false);
        if segment.has_loss_mark() {
            self.take_loss_mark(now, &info, segment, env);
        }
        let prior = self.prior(env);
        if self.is_rack() {
            self.board.rack_before_ack(self.rtt.min_rtt(), info.echoed);
        }
        let (new_sack, sacked) = if segment.sacks().is_empty() {
            (false, None)
        } else {
            self.take_sacks(now, &info, segment, env)
        };
        if self.recovery.is_fast() {
            self.discipline.on_any_ack();
        }
        if info.ack < self.una {
            self.on_old_ack(now, &prior, env, cx);
            return;
        }
        let (fast, new) = (self.recovery.is_fast(), info.ack > self.una);
        let (first_sacked, sacked) = sacked.map(|(first, last)| (now.since(first), last)).unzip();
        let newest = if new {
            let acked = self.board.ack(info.ack, now, &mut self.rate);
            self.advance(now, &info, (acked, first_sacked), env, cx)
        } else {
            if let Some(sample) = first_sacked
                && env.config.rtt_sampling == RttSampling::EveryReport
            {
                self.take_rtt(now, (sample, self.una), env, cx);
            }
            None
        };
        let acked = info.ack - prior.una;
        self.take_trip(now, segment, &info, Reported { acked: (acked, newest), sacked });
        self.report_losses(now, env, cx);
        let rtt = newest.max(sacked).map(|sent| now.since(sent));
        if let Some(rtt) = rtt {
            self.rtt.note_min(rtt);
        }
        let same_window = self.update_window(info.seq, info.ack, self.scaled(segment.window));
        let delivered = self.rate.delivered() - prior.delivered;
        let (ece, marked) = self.take_echo(now, segment, (prior.flight, delivered), env);
        // RFC 5681 section 2: outstanding data, no payload, SYN or FIN, no progress, same window.
        // RFC 6675 section 2 requires new SACK information instead.
        let bare = segment.len == 0 && !segment.flags.has(Flags::FIN) && !new && same_window;
        let bare = bare && self.in_flight() > 0;
        let duplicate = self.discipline.is_duplicate(bare, new_sack, new);
        let taken = Taken { acked, new, new_sack, bare, duplicate, fast, rtt, ece, marked };
        self.recover(now, (&prior, &taken), info.echoed, env, cx);
        if self.is_rack() {
            let bare_duplicate = bare && segment.sacks().is_empty();
            self.loss_detection(now, (prior.una, prior.dsacks, bare_duplicate), env, cx);
        }
        if new || duplicate {
            self.report_ack(now, &prior, &taken, env.config);
        }
        self.finish_ack(new, env);
    }

    /// State before an acknowledgement is processed.
    #[inline]
    fn prior(&self, env: &Env<'_>) -> Prior {
        Prior {
            una: self.una,
            in_network: self.in_network(env.config),
            flight: self.flight_size(),
            delivered: self.rate.delivered(),
            lost: self.board.lost_total(),
            dsacks: env.stats.dsacks,
        }
    }

    /// An old ACK: only its SACK blocks can be new.
    fn on_old_ack<P: Probe>(
        &mut self,
        now: Nanos,
        prior: &Prior,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.report_losses(now, env, cx);
        if self.spurious.is_on() && env.stats.dsacks > prior.dsacks {
            self.detect_spurious(now, &Evidence::default(), env, cx);
        }
    }

    /// Loss recovery processes the acknowledgement, after the check for a spurious recovery.
    #[inline]
    fn recover<P: Probe>(
        &mut self,
        now: Nanos,
        (prior, taken): (&Prior, &Taken),
        echo: Option<u32>,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.spurious.is_on() {
            let evidence = Evidence {
                acked: taken.acked,
                duplicate: taken.bare,
                new_sack: taken.new_sack,
                dsack: (env.stats.dsacks > prior.dsacks, prior.dsacks > 0),
                echo,
                ece: taken.ece,
            };
            self.detect_spurious(now, &evidence, env, cx);
        }
        if taken.new {
            self.recover_on_new(now, taken.acked, env, cx);
        }
        if taken.duplicate && self.in_flight() > 0 {
            env.stats.dup_acks += 1;
            if !self.discipline.is_selective() {
                self.rate.on_duplicate(now, u64::from(self.mss), self.in_flight());
            }
            self.recover_on_duplicate(now, env, cx);
        }
    }

    /// Passes an acknowledgement with new information to the law, and to PRR if it runs.
    #[inline]
    pub(super) fn report_ack(
        &mut self,
        now: Nanos,
        prior: &Prior,
        taken: &Taken,
        config: &TcpConfig,
    ) {
        let sample = AckSample {
            acked: taken.acked,
            delivered: self.rate.delivered() - prior.delivered,
            lost: self.board.lost_total() - prior.lost,
            pipe: self.in_network(config),
            prior_pipe: prior.in_network,
            total_delivered: self.rate.delivered(),
            total_lost: self.board.lost_total(),
            acked_up_to: self.una,
            sent_up_to: self.nxt,
            rtt: taken.rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            rate: self.rate.take(self.rtt.min_rtt(), self.board.lost_total()),
            cwnd_limited: prior.una < self.window_limited_to
                || self.grows_below_device_limit(prior.flight),
            in_fast_recovery: taken.fast || self.recovery.is_reducing(),
            ends_recovery: taken.fast && !self.recovery.is_reducing(),
            in_recovery: !self.recovery.is_open(),
            // Slow start after a timeout repairs without new data, which alone could carry CWR: the
            // echo repeats marks that the timeout has answered. Linux and ns-2 grow on it.
            ece: taken.ece && !self.recovery.is_timeout(),
            marked: taken.marked,
        };
        self.law.on_ack(now, &sample);
        if self.recovery.has_prr() {
            self.prr_on_ack(PrrAck {
                delivered: prior.delivered,
                lost: prior.lost,
                acked: taken.acked,
                duplicate: taken.duplicate,
            });
        }
    }

    /// An ACK with nothing outstanding, as at a receiver of bulk data. Only the window can be new,
    /// or a DSACK for a recovery that is over.
    #[inline]
    pub(crate) fn on_idle_ack<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let window = self.scaled(segment.window);
        let same_window = self.update_window(info.seq, info.ack, window);
        if self.is_rack() {
            // The ACK may report the probe's copy as a duplicate.
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

    /// Data in the network: RFC 6675 `pipe`. Where the scoreboard cannot count them, the arrivals
    /// shown by duplicates are subtracted.
    fn in_network(&self, config: &TcpConfig) -> u64 {
        if self.discipline.is_selective() {
            return self.board.pipe();
        }
        let left = self.inflation(config).max(0);
        self.board.pipe().saturating_sub(u64::narrow(left))
    }

    /// New data is acknowledged, which covers the segments `acked`; `first_sacked` is the age of the first segment that the
    /// SACK blocks newly report. Returns the departure of its newest segment, if that is unambiguous.
    #[inline]
    pub(super) fn advance<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        (acked, first_sacked): (Acked, Option<Span>),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> Option<Nanos> {
        let payload_to = info.ack.min(self.stream_end());
        env.stats.bytes_acked += payload_to.saturating_sub(self.una.max(1));
        let bytes = info.ack - self.una;
        self.una = info.ack;
        // Beyond NXT only a probe can be acknowledged.
        self.nxt = self.nxt.max(info.ack);
        self.retries = 0;
        let timed = match self.timed {
            Some((end, sent)) if end <= info.ack => {
                self.timed = None;
                Some(sent)
            }
            _ => None,
        };
        self.last_advance.note(bytes, acked.last, info.echoed, env.config);
        let clean = if acked.retransmitted { None } else { acked.oldest };
        let clean = clean.map(|sent| now.since(sent));
        let sample = match env.config.rtt_sampling {
            RttSampling::EveryAck => clean.or(info.echo),
            RttSampling::EveryReport => clean.or(first_sacked).or(info.echo),
            RttSampling::OnePerRoundTrip => info.echo.or(timed.map(|sent| now.since(sent))),
        };
        if let Some(sample) = sample {
            self.take_rtt(now, (sample, info.ack), env, cx);
        } else if env.config.rto_backoff_reset == BackoffReset::NewAck {
            self.rtt.reset_backoff();
        }
        // RFC 6298 5.2 and 5.3.
        if self.in_flight() == 0 {
            env.timers.stop(Timer::Retransmit);
        } else if !self.recovery.is_fast()
            || self.discipline.restarts_timer(&view!(self, env.config))
        {
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
        self.rtt.sample(now, sample, (self.una, self.nxt));
        if let Some(rack) = self.discipline.rack() {
            rack.tlp.on_sample();
        }
        if let Some((srtt, rttvar)) = self.spurious.take_adaptation(ack) {
            self.rtt.adapt(sample, srtt, rttvar);
        }
        let srtt = self.rtt.srtt().unwrap_or_default();
        env.stats.rtt.record(sample, srtt);
        let rto = self.rtt.rto();
        cx.record(now, || Event::Rtt { sample, srtt, rto });
    }

    /// An acknowledgement, of new data if `new`, has been processed.
    #[inline]
    fn finish_ack(&mut self, new: bool, env: &mut Env<'_>) {
        self.manage_persist(env);
        if new {
            self.find_plain(env);
        }
    }

    /// An open window needs no zero-window probes.
    fn manage_persist(&mut self, env: &mut Env<'_>) {
        if env.timers.is_running(Timer::Persist) && (self.in_flight() > 0 || self.edge > self.nxt) {
            env.timers.stop(Timer::Persist);
            self.persist_backoff = 0;
            self.probe_due = false;
        }
    }
}
