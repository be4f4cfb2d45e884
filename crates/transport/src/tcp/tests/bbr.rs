//! BBR over a bottleneck.
use airtcp_units::{BitRate, Bytes, Nanos, Span};

use super::bottleneck::{Bottleneck, Path};
use crate::congestion::{Law, LawConfig};
use crate::tcp::{Profile, TcpConfig};

fn config(law: &str) -> TcpConfig {
    let congestion: LawConfig = serde_json::from_str(&format!("\"{law}\"")).unwrap();
    TcpConfig {
        congestion,
        timestamps: false,
        receive_buffer: Bytes(16 << 20),
        ..TcpConfig::profile(Profile::Linux)
    }
}

fn path() -> Path {
    Path {
        rate: BitRate::from_mbps(10),
        delay: Span::from_millis(40),
        queue: 1000,
        loss: 0.0,
        policer: None,
    }
}

fn min_rtt(b: &Bottleneck, flow: usize) -> Option<Span> {
    match b.flows[flow].0.law() {
        Law::Bbr1(l) => l.min_rtt(),
        _ => None,
    }
}

#[test]
fn explore() {
    for loss in [0.0, 0.01, 0.05, 0.1, 0.2] {
        let mut b = Bottleneck::new(Path { loss, ..path() }, &[config("bbr1")]);
        b.open(0, u64::MAX);
        b.run(Nanos::from_secs_f64(5.0));
        let d = b.delivered(0);
        b.run(Nanos::from_secs_f64(65.0));
        let rate = (b.delivered(0) - d) as f64 * 8.0 / 60.0;
        println!(
            "loss {loss}: goodput {:.3} of payload rate; bw {:.4} rtt {:?} stats {:?}",
            rate / b.path.payload_rate(1460),
            b.seen[0].last().unwrap().bandwidth as f64 / b.path.payload_rate(1460),
            min_rtt(&b, 0),
            b.flows[0].0.stats()
        );
        let bdp = b.path.payload_rate(1460) / 8.0 * b.path.rtt(1460).as_secs_f64();
        for t in 0..14 {
            let t = t as f64 * 0.5;
            let s: Vec<_> = b.between(0, t, t + 0.5).collect();
            if s.is_empty() {
                continue;
            }
            let mean = s.iter().map(|s| s.pipe as f64).sum::<f64>() / s.len() as f64 / bdp;
            let max = s.iter().map(|s| s.pipe).max().unwrap() as f64 / bdp;
            if loss == 0.0 {
                println!(
                    "{t}: {} pipe mean {mean:.2} max {max:.2} queued max {:?} cwnd {:.2}",
                    s[0].state,
                    s.iter().map(|s| s.queued).max(),
                    s[0].cwnd as f64 / bdp
                );
            }
        }
        println!("{:?}", &b.states(0)[..b.states(0).len().min(12)]);
    }
}
