//! Every law under every recovery: many losses in one window of data are one reaction.

use std::sync::{Arc, Mutex};

use airtcp_packet::{Seq, Side};
use airtcp_units::{BitRate, Nanos};

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Connection, Recovery, Role, TcpConfig};
use airtcp_congestion::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, Law, LawConfig, LawParams,
    LawState, Lost, Promises, Sent, TcpApConfig,
};

/// The reports to a law, and falls of its window without a report.
#[derive(Debug, Default)]
struct Notes {
    episodes: Vec<CongestionKind>,
    fell_in_recovery: usize,
}

/// A registered law whose calls are recorded.
#[derive(Debug)]
struct Watched {
    law: Law,
    notes: Arc<Mutex<Notes>>,
}

impl CongestionControl for Watched {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.law.start(now, params);
    }
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        self.law.on_sent(now, sent);
    }
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        let before = self.law.cwnd();
        self.law.on_ack(now, ack);
        if ack.in_fast_recovery && self.law.cwnd() < before {
            self.notes.lock().unwrap().fell_in_recovery += 1;
        }
    }
    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        self.law.on_lost(now, lost);
    }
    fn on_congestion(&mut self, now: Nanos, congestion: &Congestion) {
        self.notes.lock().unwrap().episodes.push(congestion.kind);
        self.law.on_congestion(now, congestion);
    }
    fn on_spurious(&mut self, now: Nanos) {
        self.law.on_spurious(now);
    }
    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        self.law.on_idle(now, idle);
    }
    fn limit_cwnd(&mut self, bytes: u64) {
        self.law.limit_cwnd(bytes);
    }
    fn cwnd(&self) -> u64 {
        self.law.cwnd()
    }
    fn ssthresh(&self) -> u64 {
        self.law.ssthresh()
    }
    fn pacing_rate(&self) -> Option<BitRate> {
        self.law.pacing_rate()
    }
    fn bandwidth(&self) -> Option<BitRate> {
        self.law.bandwidth()
    }
    fn send_quantum(&self) -> Option<u64> {
        self.law.send_quantum()
    }
    fn governs_recovery(&self) -> bool {
        self.law.governs_recovery()
    }
    fn state(&self) -> LawState {
        self.law.state()
    }
    fn promises(&self) -> Promises {
        self.law.promises()
    }
}

fn recoveries() -> Vec<Recovery> {
    let names = Recovery::ENTRIES.iter().map(|e| format!("\"{}\"", e.name));
    names.map(|name| serde_json::from_str(&name).unwrap()).collect()
}

/// All laws. TCP-AP takes the path for many fast hops, so that the lost segments are of one window.
fn laws() -> Vec<LawConfig> {
    let fast = TcpApConfig { hops: 1000, rate: BitRate::from_mbps(1000), ..TcpApConfig::default() };
    let of_path =
        |law| if matches!(law, LawConfig::TcpAp(_)) { LawConfig::TcpAp(fast) } else { law };
    LawConfig::all().into_iter().map(of_path).collect()
}

/// A transfer in which four segments of one window are lost.
fn four_losses(law: &LawConfig, recovery: Recovery) -> (Pair, Notes, Promises) {
    let config = TcpConfig {
        mss: 1000,
        recovery,
        initial_window: Some(20),
        ack_every: 1,
        // Long enough for NewReno's round trip per hole.
        rto_min: ms(3000),
        ..TcpConfig::default()
    };
    let notes = Arc::new(Mutex::new(Notes::default()));
    let built = law.build();
    let promises = built.promises();
    let watched = Watched { law: built, notes: Arc::clone(&notes) };
    let mut n = 0;
    let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
        if side == Side::Client && s.len > 0 {
            n += 1;
            if [30, 32, 35, 39].contains(&n) {
                return Fate::Drop;
            }
        }
        Fate::Deliver
    });
    pair.client = Connection::with_law(&config, Role::Active, Seq(9), Box::new(watched));
    pair.start(300_000);
    pair.finish(at(600_000));
    let notes = std::mem::take(&mut *notes.lock().unwrap());
    (pair, notes, promises)
}

#[test]
fn losses_of_one_window_are_one_reaction() {
    for law in laws() {
        for recovery in recoveries() {
            let what = format!("{} with {recovery:?}", law.name());
            let (pair, notes, promises) = four_losses(&law, recovery);
            assert_eq!(pair.server.delivered(), 300_000, "{what}");
            let stats = pair.client.stats();
            let told = stats.fast_retransmits + stats.timeouts;
            assert_eq!(notes.episodes.len() as u64, told, "{what}: one report each");
            if promises.steady_in_recovery {
                assert_eq!(notes.fell_in_recovery, 0, "{what}");
            }
            if recovery == Recovery::Reno {
                // Leaves at the first new ACK: each hole is an episode, or waits for the timer.
                assert!(notes.episodes.len() >= 2, "{what}: {:?}", notes.episodes);
            } else if recovery == Recovery::SackNs2 {
                // Holes stay in ns-2's pipe: after a large reduction, there is no room for the last
                // one, which then waits for the timer.
                assert_eq!(notes.episodes[0], CongestionKind::FastRetransmit, "{what}");
                assert!(notes.episodes[1..].iter().all(|e| *e == CongestionKind::Rto), "{what}");
            } else {
                assert_eq!(notes.episodes, [CongestionKind::FastRetransmit], "{what}");
            }
        }
    }
}
