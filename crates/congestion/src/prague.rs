//! Prague: a scalable law, which answers the share of marked packets, for the whole Internet.
//!
//! draft-briscoe-iccrg-prague-congestion-control-04 section 2.4, its reference in Linux (`tcp_prague.c` 0.7 of L4STeam), and
//! DCTCP (RFC 8257 section 3.3), from which it comes. Bytes; F is the share of a round's bytes that were marked.
//!
//! ```text
//! alpha = alpha + (F - alpha)/16     once a round trip, from the first mark on; begins with 1   RFC 8257 3.3, Linux
//! mark    cwnd = (1 - alpha/2) cwnd  at most once a round trip                                  RFC 8257 3.3
//! ACK     cwnd += MSS unmarked/cwnd  also in a round with a mark, where DCTCP does not grow     draft, Linux
//! loss    cwnd/2                     as Reno                                                    RFC 9331 4.3, Linux
//! pacing  cwnd/SRTT, twice that while cwnd is below half of ssthresh                            Linux
//! ```
//!
//! Growth by p packets unmarked balances reductions by `alpha/2 = p/2` where `cwnd = 2 (1 - p)/p` segments. The marked
//! bytes come from accurate feedback (RFC 9768). With that of RFC 3168, alpha stays 1: the law is Reno with pacing.
//!
//! Leaves out: the reduced dependence on round-trip times below 25 ms (draft section 2.4.4), the detection of queues that
//! mark as RFC 3168 has it, the growth of CUBIC after a loss, adaptive segment sizes.

use airtcp_units::{BitRate, Nanos, Saturate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::by_window;
use super::{
    AckSample, Congestion, CongestionControl, CongestionKind, LawParams, LawTable, Window,
};

/// Weight of a round in the average of the shares.
const GAIN: f64 = 1.0 / 16.0;

/// Parameters of Prague: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PragueConfig {}

impl LawTable for PragueConfig {}

/// The share of marked bytes, averaged over rounds.
#[derive(Debug, Clone, Copy)]
struct Share {
    alpha: f64,
    /// A mark was counted.
    seen: bool,
    /// Bytes delivered and marked in this round.
    delivered: u64,
    marked: u64,
    /// Stream offset whose acknowledgement ends the round.
    ends_at: u64,
}

impl Share {
    const fn new() -> Self {
        Self { alpha: 1.0, seen: false, delivered: 0, marked: 0, ends_at: 0 }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.seen |= ack.marked > 0;
        self.delivered = self.delivered.saturating_add(ack.delivered);
        self.marked = self.marked.saturating_add(ack.marked);
        if ack.acked_up_to <= self.ends_at || self.delivered == 0 {
            return;
        }
        if self.seen {
            let share = (self.marked as f64 / self.delivered as f64).min(1.0);
            self.alpha += GAIN * (share - self.alpha);
        }
        (self.delivered, self.marked, self.ends_at) = (0, 0, ack.sent_up_to);
    }
}

/// Prague's law.
#[derive(Debug, Clone)]
pub struct Prague {
    window: Window,
    share: Share,
    srtt: Option<Span>,
}

impl Prague {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(_: &PragueConfig) -> Self {
        Self { window: Window::default(), share: Share::new(), srtt: None }
    }
}

impl CongestionControl for Prague {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.window = Window::new(params, true);
        self.share = Share::new();
        self.srtt = params.srtt;
    }

    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        self.srtt = ack.srtt.or(self.srtt);
        self.share.on_ack(ack);
        let rules = self.window.params().rules;
        if ack.acked == 0 || ack.is_recovering(rules) || self.window.on_slow_start_ack(ack) {
            return;
        }
        // An echo without a count is that of RFC 3168, on which a window does not grow.
        let counted = !ack.ece || ack.marked > 0;
        if ack.cwnd_limited && counted {
            let unmarked = ack.acked.saturating_sub(ack.marked) as f64;
            let (mss, cwnd) = (self.window.mss() as f64, self.window.cwnd() as f64);
            self.window.grow(mss * unmarked / cwnd);
        }
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        let reduced = match c.kind {
            CongestionKind::EcnCe => {
                u64::saturate((1.0 - self.share.alpha / 2.0) * self.window.cwnd() as f64)
            }
            _ => self.window.loss_base(c) / 2,
        };
        self.window.on_congestion(c, reduced);
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        let srtt = self.srtt.filter(|srtt| *srtt > Span::ZERO)?;
        let cwnd = self.window.cwnd();
        let gain = if cwnd < self.window.ssthresh() / 2 { 2.0 } else { 1.0 };
        let bps = gain * 8.0 * cwnd as f64 / srtt.as_secs_f64();
        BitRate::new(u64::saturate(bps).max(1))
    }

    fn answers_marks_at_once(&self) -> bool {
        true
    }

    by_window!(and undo and pause);
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Narrow, detmath};

    use super::*;

    const MSS: u64 = 1000;

    fn law(segments: u64) -> Prague {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: segments * MSS,
            initial_ssthresh: segments * MSS,
            ..LawParams::default()
        };
        let mut law = Prague::new(&PragueConfig::default());
        law.start(Nanos::ZERO, &params);
        law
    }

    fn mark(law: &mut Prague) {
        let flight = law.cwnd();
        let kind = CongestionKind::EcnCe;
        law.on_congestion(Nanos::ZERO, &Congestion { kind, flight, restart: false });
    }

    /// ACKs of a segment each for a window of data, of which each `every`-th is marked, counted on from `count`. The first
    /// mark is a reaction. `accurate`: the feedback has the number.
    fn round(law: &mut Prague, sent: &mut u64, count: &mut u64, every: u64, accurate: bool) {
        let (begin, segments) = (*sent, law.cwnd() / MSS);
        *sent += segments * MSS;
        let mut reacted = false;
        for at in 1..=segments {
            *count += 1;
            let marked = every > 0 && count.is_multiple_of(every);
            if marked && !reacted {
                reacted = true;
                mark(law);
            }
            let ack = AckSample {
                acked: MSS,
                delivered: MSS,
                acked_up_to: begin + at * MSS,
                sent_up_to: *sent,
                cwnd_limited: true,
                ece: marked,
                marked: if marked && accurate { MSS } else { 0 },
                srtt: Some(Span::from_millis(40)),
                ..AckSample::default()
            };
            law.on_ack(Nanos::ZERO, &ack);
        }
    }

    /// The first mark halves; a share of 1 in 16 rounds without a mark falls by (15/16)^16.
    #[test]
    fn the_share_is_an_average_over_rounds() {
        let (mut law, mut sent, mut count) = (law(64), 0, 0);
        mark(&mut law);
        assert_eq!(law.cwnd(), 32 * MSS);
        round(&mut law, &mut sent, &mut count, 0, true);
        assert!((law.share.alpha - 1.0).abs() < 1e-12, "no mark was counted yet");
        round(&mut law, &mut sent, &mut count, 1, true);
        let before = law.share.alpha;
        assert!((before - 1.0).abs() < 0.07, "{before}");
        let start = sent;
        for _ in 0..17 {
            round(&mut law, &mut sent, &mut count, 0, true);
        }
        assert!(sent > start);
        let rounds = detmath::ln(law.share.alpha / before) / detmath::ln(15.0 / 16.0);
        assert!((15.9..=18.1).contains(&rounds), "{rounds} rounds");
    }

    /// In the steady state cwnd = 2 (1 - p)/p: growth by the unmarked segments, reduction by half of their share.
    #[test]
    fn the_window_is_inverse_to_the_share() {
        for every in [5_u64, 10, 25] {
            let p = 1.0 / every as f64;
            let (mut law, mut sent, mut count) = (law(40), 0, 0);
            let (mut sum, mut rounds) = (0.0, 0);
            for n in 0..2000 {
                round(&mut law, &mut sent, &mut count, every, true);
                if n >= 400 {
                    sum += law.cwnd() as f64 / MSS as f64;
                    rounds += 1;
                }
            }
            let (mean, expected) = (sum / f64::from(rounds), 2.0 * (1.0 - p) / p);
            assert!((mean / expected - 1.0).abs() < 0.15, "{every}: {mean}, {expected}");
        }
    }

    /// Without the count a mark halves, always, and the window does not grow on the echo.
    #[test]
    fn without_accurate_feedback_it_is_reno() {
        let (mut law, mut sent, mut count) = (law(64), 0, 0);
        for _ in 0..20 {
            round(&mut law, &mut sent, &mut count, 10, false);
            assert!((law.share.alpha - 1.0).abs() < 1e-12);
        }
        law.window.set_cwnd(20 * MSS);
        mark(&mut law);
        assert_eq!(law.cwnd(), 10 * MSS);
        let kind = CongestionKind::FastRetransmit;
        law.window.set_cwnd(30 * MSS);
        law.on_congestion(Nanos::ZERO, &Congestion { kind, flight: 30 * MSS, restart: false });
        assert_eq!(law.cwnd(), 15 * MSS);
    }

    #[test]
    fn it_paces() {
        let (mut law, mut sent, mut count) = (law(40), 0, 0);
        assert_eq!(law.pacing_rate(), None);
        round(&mut law, &mut sent, &mut count, 0, true);
        let rate = law.pacing_rate().unwrap().bps();
        assert!(rate.abs_diff(law.cwnd() * 8 * 25) <= 1, "{rate}: a window in 40 ms");
        law.window.set_ssthresh(400 * MSS);
        assert!(law.pacing_rate().unwrap().bps().abs_diff(2 * rate) <= 2);
    }
}
