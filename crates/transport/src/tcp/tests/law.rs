//! The sender's reports to a congestion law, through a law that records them.

use std::sync::{Arc, Mutex};

use airtcp_packet::{Seq, Side};
use airtcp_units::{BitRate, Nanos, Span};

use super::pair::{Fate, Pair, ms};
use crate::tcp::{Connection, Pacing, Recovery, Role, TcpConfig};
use airtcp_congestion::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawState, Lost, Sent,
};

#[derive(Debug, Default)]
struct Notes {
    starts: Vec<LawParams>,
    sent: Vec<Sent>,
    acks: Vec<AckSample>,
    losses: Vec<Lost>,
    order: Vec<&'static str>,
    episodes: Vec<Congestion>,
    idles: Vec<Idle>,
}

/// A law with a fixed window and rate.
#[derive(Debug)]
struct Fixed {
    window: u64,
    rate: Option<BitRate>,
    notes: Arc<Mutex<Notes>>,
}

impl Fixed {
    fn note(&self, f: impl FnOnce(&mut Notes)) {
        f(&mut self.notes.lock().unwrap());
    }
}

impl CongestionControl for Fixed {
    fn start(&mut self, _: Nanos, params: &LawParams) {
        self.note(|n| n.starts.push(*params));
    }
    fn on_sent(&mut self, _: Nanos, sent: &Sent) {
        self.note(|n| n.sent.push(*sent));
    }
    fn on_ack(&mut self, _: Nanos, ack: &AckSample) {
        self.note(|n| n.acks.push(*ack));
    }
    fn on_lost(&mut self, _: Nanos, lost: &Lost) {
        self.note(|n| {
            n.losses.push(*lost);
            n.order.push("lost");
        });
    }
    fn on_congestion(&mut self, _: Nanos, congestion: &Congestion) {
        self.note(|n| {
            n.episodes.push(*congestion);
            n.order.push("episode");
        });
    }
    fn on_idle(&mut self, _: Nanos, idle: &Idle) {
        self.note(|n| n.idles.push(*idle));
    }
    fn limit_cwnd(&mut self, _: u64) {}
    fn cwnd(&self) -> u64 {
        self.window
    }
    fn ssthresh(&self) -> u64 {
        self.window
    }
    fn pacing_rate(&self) -> Option<BitRate> {
        self.rate
    }
    fn state(&self) -> LawState {
        LawState::Other("fixed")
    }
}

fn pair(config: &TcpConfig, window: u64, rate: Option<BitRate>) -> (Pair, Arc<Mutex<Notes>>) {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let law = Fixed { window, rate, notes: Arc::clone(&notes) };
    let mut pair = Pair::new(config, ms(50));
    pair.client = Connection::with_law(config, Role::Active, Seq(9), Box::new(law));
    pair.connect();
    (pair, notes)
}

fn config() -> TcpConfig {
    TcpConfig { mss: 1000, ack_every: 1, rto_min: ms(400), ..TcpConfig::default() }
}

#[test]
fn pacing_spreads_a_window_and_the_samples_show_the_rate() {
    // 8 Mb/s: a segment each millisecond; the window is never the limit.
    let (mut pair, notes) = pair(&config(), 10_000_000, BitRate::new(8_000_000));
    let start = pair.now;
    pair.act(Side::Client, |c, now| c.write(now, u64::MAX));
    pair.run(start + ms(600));
    let times: Vec<u64> = pair
        .sent
        .iter()
        .filter(|s| s.from == Side::Client && s.segment.len > 0)
        .map(|s| s.at.since(start).0 / 1_000)
        // In the first round trip the window field of the SYN-ACK is the limit.
        .filter(|t| *t >= 150_000)
        .collect();
    assert!(times.len() >= 250);
    assert!(times.windows(2).all(|w| w[1] - w[0] == 1000), "{times:?}");
    let notes = notes.lock().unwrap();
    let rates: Vec<u64> =
        notes.acks.iter().filter_map(|a| a.rate?.rate()).map(BitRate::bps).collect();
    assert!(rates.len() > 200);
    let settled = &rates[rates.len() - 150..];
    assert!(settled.iter().all(|r| *r == 8_000_000), "{settled:?}");
    assert_eq!(notes.acks.last().and_then(|a| a.min_rtt), Some(ms(100)));
    assert_eq!(notes.starts.len(), 2);
}

/// RFC 9002 section 7.8: a window that pacing alone keeps from being full counts as the limit, if there is data for it.
/// 8 Mb/s carry 100 segments in a round trip, of a window of 150.
#[test]
fn pacing_is_no_limit_of_the_application() {
    let limited = |written: u64| {
        let (mut pair, notes) = pair(&config(), 150_000, BitRate::new(8_000_000));
        // The first round trip has the window field of the SYN-ACK.
        pair.act(Side::Client, |c, now| c.write(now, 1000));
        pair.run(pair.now + ms(400));
        notes.lock().unwrap().acks.clear();
        pair.act(Side::Client, |c, now| c.write(now, written));
        pair.run(pair.now + ms(1000));
        let notes = notes.lock().unwrap();
        let count = notes.acks.iter().filter(|a| a.cwnd_limited).count();
        (count, notes.acks.len())
    };
    // Two windows and a half: the last ACKs find less data than room.
    let (count, all) = limited(375_000);
    assert_eq!(all, 375);
    assert!((225..=325).contains(&count), "{count}");
    // Less data than the window has room for.
    assert_eq!(limited(100_000), (0, 100));
}

/// With pacing off the law's rate has no effect: everything that the windows allow leaves at once.
#[test]
fn pacing_can_be_turned_off() {
    let off = TcpConfig { pacing: Pacing::Off, ..config() };
    let (mut pair, _) = pair(&off, 20_000, BitRate::new(8_000_000));
    let start = pair.now;
    pair.act(Side::Client, |c, now| c.write(now, u64::MAX));
    pair.run(start + ms(50));
    let data = pair.sent.iter().filter(|s| s.from == Side::Client && s.segment.len > 0);
    let times: Vec<_> = data.map(|s| s.at).collect();
    assert_eq!(times, vec![start; 20]);
    assert_eq!(pair.client.pacing_rate(), None);
}

/// The reports that BBR needs. Every loss is reported before the episode, with the data in flight
/// at the segment's departure and the losses since. Samples carry the same. The law knows whether
/// recovery continues.
#[test]
fn losses_are_reported_one_by_one() {
    let (mut pair, notes) = pair(&config(), 10_000, None);
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        n += u32::from(side == Side::Client && s.len > 0);
        if [13, 14].contains(&n) && side == Side::Client { Fate::Drop } else { Fate::Deliver }
    });
    pair.act(Side::Client, |c, now| c.write(now, 40_000));
    pair.run(pair.now + ms(3000));
    let notes = notes.lock().unwrap();
    let lost = Lost {
        start: 12_001,
        bytes: 1000,
        tx_in_flight: 10_000,
        lost: 1000,
        app_limited: false,
        total_delivered: 15_000,
    };
    // The two left within the same window: the second report includes the first loss.
    assert_eq!(notes.losses, [lost, Lost { start: 13_001, lost: 2000, ..lost }]);
    assert_eq!(notes.order, ["lost", "lost", "episode"]);
    let last = notes.acks.last().unwrap();
    assert_eq!((last.total_lost, last.total_delivered, last.in_recovery), (2000, 40_000, false));
    assert!(notes.acks.iter().any(|a| a.in_recovery));
    // The segment before the two is acknowledged before they are judged; later segments show both
    // losses.
    let seen: Vec<u64> = notes.acks.iter().filter_map(|a| a.rate.map(|r| r.lost)).collect();
    assert_eq!((seen[11], seen.iter().max()), (0, Some(&2000)));
    let flights: Vec<u64> =
        notes.acks.iter().filter_map(|a| a.rate.map(|r| r.tx_in_flight)).collect();
    assert_eq!(&flights[..12], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10].map(|n| n * 1000));
}

/// A timeout marks everything outstanding lost, after the report of the episode.
#[test]
fn a_timeout_reports_every_loss() {
    let (mut pair, notes) = pair(&config(), 5000, None);
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        n += u32::from(side == Side::Client && s.len > 0);
        if n <= 5 && side == Side::Client { Fate::Drop } else { Fate::Deliver }
    });
    pair.act(Side::Client, |c, now| c.write(now, 20_000));
    pair.run(pair.now + ms(3000));
    let notes = notes.lock().unwrap();
    assert_eq!(notes.order, ["episode", "lost", "lost", "lost", "lost", "lost"]);
    let flights: Vec<_> = notes.losses.iter().map(|l| (l.tx_in_flight, l.lost)).collect();
    assert_eq!(flights, [1000, 2000, 3000, 4000, 5000].map(|n| (n, n)));
}

/// A flow without data restarts as application-limited, and its first flight is marked so.
#[test]
fn a_pause_is_application_limited() {
    let (mut pair, notes) = pair(&config(), 5000, None);
    pair.act(Side::Client, |c, now| c.write(now, 20_000));
    pair.run(pair.now + ms(2000));
    pair.act(Side::Client, |c, now| c.write(now, 20_000));
    pair.run(pair.now + ms(2000));
    let notes = notes.lock().unwrap();
    assert!(notes.idles.last().unwrap().app_limited);
    let limited: Vec<bool> =
        notes.acks.iter().filter_map(|a| a.rate.map(|r| r.app_limited)).collect();
    // The first flights after the handshake and after the pause, and segments sent when no more
    // data was to come. A round trip later the mark is gone.
    let first = [true, true, true, true, true, false];
    assert_eq!((&limited[..6], &limited[20..26]), (&first[..], &first[..]), "{limited:?}");
}

#[test]
fn everything_sent_and_acknowledged_is_reported() {
    let (mut pair, notes) = pair(&config(), 5000, None);
    pair.act(Side::Client, |c, now| c.write(now, 20_000));
    pair.run(pair.now + ms(2000));
    pair.act(Side::Client, |c, now| c.write(now, 1000));
    pair.run(pair.now + ms(1000));
    let notes = notes.lock().unwrap();
    assert_eq!(notes.sent.iter().map(|s| s.bytes).sum::<u64>(), 21_000);
    assert!(notes.sent.iter().all(|s| s.pipe <= 5000 && !s.retransmission));
    assert_eq!(notes.acks.iter().map(|a| a.acked).sum::<u64>(), 21_000);
    assert_eq!(notes.acks.last().map(|a| a.total_delivered), Some(21_000));
    assert!(notes.episodes.is_empty());
    // The last write came after a pause of about two seconds.
    let idle = notes.idles.last().copied();
    assert!(idle.is_some_and(|i| i.idle > Span::from_millis(1500) && i.restart));
    // Fifteen ACKs freed room that was needed; the last five and the one after did not.
    let limited: Vec<bool> = notes.acks.iter().map(|a| a.cwnd_limited).collect();
    assert!(limited[..15].iter().all(|l| *l) && !limited[20], "{limited:?}");
}

/// Three losses in a window are one episode; a repeated timeout is another kind.
#[test]
fn an_episode_is_reported_once() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let (mut pair, notes) = pair(&TcpConfig { recovery, ..config() }, 20_000, None);
        let mut n = 0;
        pair.script = Box::new(move |side, _, s| {
            if side == Side::Client && s.len > 0 {
                n += 1;
                if [3, 6, 9].contains(&n) {
                    return Fate::Drop;
                }
            }
            Fate::Deliver
        });
        pair.act(Side::Client, |c, now| c.write(now, 100_000));
        pair.run(pair.now + ms(5000));
        assert_eq!(pair.server.delivered(), 100_000);
        let mut notes = notes.lock().unwrap();
        let kinds: Vec<_> = notes.episodes.drain(..).map(|e| e.kind).collect();
        assert_eq!(kinds, [CongestionKind::FastRetransmit], "{recovery:?}");
    }
    let (mut pair, notes) = pair(&config(), 20_000, None);
    pair.script =
        Box::new(
            |side, _, s| {
                if side == Side::Client && s.len > 0 { Fate::Drop } else { Fate::Deliver }
            },
        );
    pair.act(Side::Client, |c, now| c.write(now, 100_000));
    pair.run(pair.now + ms(3000));
    let notes = notes.lock().unwrap();
    let kinds: Vec<_> = notes.episodes.iter().map(|e| e.kind).collect();
    // After 0.4, 1.2 and 2.8 s.
    assert_eq!(
        kinds,
        [CongestionKind::Rto, CongestionKind::Persistent, CongestionKind::Persistent]
    );
    assert_eq!(notes.episodes[0].flight, 20_000);
}
