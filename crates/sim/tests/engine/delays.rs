//! Distributions of delays: against queueing theory, by hand, and over replications.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail; equal runs are equal")]

use crate::common::run_with;
use airtcp_sim::results::{DelayDistribution, RunResult};
use airtcp_units::detmath;

fn distribution<'a>(run: &'a RunResult, name: &str, delay: &str) -> &'a DelayDistribution {
    let mut all = run.delays.distributions.iter();
    all.find(|d| d.name == name && d.delay == delay && d.category.is_none()).unwrap()
}

/// Waiting time of M/D/1 (Erlang 1909), load `rho` and service time 1: the probability of at most `t`,
/// `(1 - rho) sum_k (rho (k - t))^k / k! exp(-rho (k - t))`, `k` from 0 to the integer part of `t`.
fn erlang(rho: f64, t: f64) -> f64 {
    let service = |k: u32| {
        let x = rho * (f64::from(k) - t);
        (1..=k).map(|i| x / f64::from(i)).product::<f64>() * detmath::exp(-x)
    };
    let sum: f64 = (0..1000).take_while(|k| f64::from(*k) <= t).map(service).sum();
    (1.0 - rho) * sum
}

#[test]
fn the_formula_has_known_values() {
    assert!((erlang(0.7, 0.0) - 0.3).abs() < 1e-12);
    // Within the first service time it is (1 - rho) exp(rho t).
    assert!((erlang(0.5, 0.9) - 0.5 * detmath::exp(0.45)).abs() < 1e-12);
}

/// Datagrams of 1 ms arrive as a Poisson process with 70 % of the rate. The waiting times in the queue of the link have
/// Erlang's distribution.
#[test]
fn a_link_with_poisson_arrivals_is_m_d_1() {
    let text = "duration = \"400 s\"\nwarmup = \"2 s\"\nreplications = 4\n\
        [[links]]\nname = \"wire\"\nfrom = \"a\"\nto = \"b\"\nrate = \"8 Mb/s\"\ndelay = \"1 ms\"\n\
        queue = { kind = \"drop-tail\", packets = 10000 }\n\
        [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
        app = { kind = \"constant-rate\", rate = \"5.4432 Mb/s\", message = \"972 B\", arrivals = \"poisson\" }\n";
    let run = run_with(text, 2);
    let found = distribution(&run, "wire", "queue");
    assert!(found.count > 1_100_000, "{}", found.count);
    let points = run.delays.shares.iter().zip(&found.delays_s);
    for (share, delay) in points.filter(|(share, _)| (0.31..=0.99).contains(*share)) {
        let exact = erlang(0.7, delay * 1e3);
        // Chance moves the share of a delay by about 0.1 % here, a bin at most 0.8 % of the delay.
        assert!((exact - share).abs() < 0.006, "{share}: {exact} at {delay} s");
    }
    assert_eq!(found.delays_s[29], 0.0);
    let wire = &run.summary.links[0].quantities;
    // rho / (2 (1 - rho)) services of 1 ms.
    let mean = wire["queue_delay_mean_s"].mean.unwrap();
    assert!((mean / 0.7e-3 * 0.6 - 1.0).abs() < 0.02, "{mean}");
    for (key, share) in
        [("queue_delay_p50_s", 0.5), ("queue_delay_p95_s", 0.95), ("queue_delay_p99_s", 0.99)]
    {
        let estimate = wire[key];
        assert!(
            (erlang(0.7, estimate.mean.unwrap() * 1e3) - share).abs() < 0.006,
            "{key}: {estimate:?}"
        );
        assert!(estimate.ci_low <= estimate.mean && estimate.mean <= estimate.ci_high);
    }
}

/// Twenty datagrams of 1 ms at once wait 0, 1, ... 19 ms. If they leave before the end of the warm-up, no delay of
/// theirs counts.
#[test]
fn delays_exclude_the_warm_up() {
    let text = |warmup: &str| {
        format!(
            "duration = \"10 s\"\nwarmup = \"{warmup}\"\n\
             [[links]]\nname = \"wire\"\nfrom = \"a\"\nto = \"b\"\nrate = \"8 Mb/s\"\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\ncount = 20\n\
             app = {{ kind = \"constant-rate\", rate = \"7776 b/s\", message = \"972 B\", stop = \"1 ms\" }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"77760 b/s\", message = \"972 B\", start = \"2 s\" }}\n"
        )
    };
    let all = run_with(&text("0 s"), 1);
    let found = distribution(&all, "wire", "queue");
    // And one datagram every 100 ms, 2 s to 10 s, which finds the queue empty.
    assert_eq!(found.count, 101);
    let longest = *found.delays_s.last().unwrap();
    assert!((longest / 0.019 - 1.0).abs() < 1.0 / 128.0, "{longest}");
    // 82 of 101 wait for nothing: of the other 19, 10 wait at most 10 ms.
    assert_eq!(found.delays_s[81], 0.0);
    assert!((found.delays_s[91] / 0.010 - 1.0).abs() < 1.0 / 128.0, "{}", found.delays_s[91]);
    let wire = &all.replications[0].links[0];
    assert!((wire.queue_delay_mean_s.unwrap() - 0.190 / 101.0).abs() < 1e-9);
    assert_eq!(wire.queue_delay_p50_s, Some(0.0));
    assert!((wire.queue_delay_max_s.unwrap() - longest).abs() < 1e-12);
    let late = run_with(&text("1500 ms"), 1);
    assert_eq!(distribution(&late, "wire", "queue").count, 81);
    let wire = &late.replications[0].links[0];
    assert_eq!((wire.queue_delay_max_s, wire.queue_delay_mean_s), (Some(0.0), Some(0.0)));
}

const CELL: &str = "duration = \"4 s\"\nwarmup = \"1 s\"\nreplications = 3\n\
    [[cells]]\nlayout = { kind = \"star\", stations = 3 }\n\
    [[flows]]\ncount = 3\nfrom = \"sta*\"\nto = \"ap\"\n";

/// A station alone that finds the medium idle has equal service times.
#[test]
fn services_without_contention_are_equal() {
    let run = run_with(
        "duration = \"20 s\"\nwarmup = \"1 s\"\n\
         [[cells]]\nlayout = { kind = \"star\", stations = 1, radius_m = 5 }\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
         app = { kind = \"constant-rate\", rate = \"80 kb/s\" }\n",
        1,
    );
    let station = &run.replications[0].cells[0].stations[1];
    let mean = station.service_mean_s.unwrap();
    for found in [station.service_p50_s, station.service_p95_s, station.service_p99_s] {
        assert!((found.unwrap() / mean - 1.0).abs() < 1.0 / 128.0, "{found:?}, not {mean}");
    }
    assert_eq!(station.queue_delay_max_s, Some(0.0));
    assert_eq!(distribution(&run, "sta0", "service").count, 190);
}

/// Percentiles are those of the distribution, ascend, and fit the mean.
#[test]
fn stations_in_contention() {
    let text = CELL.replace("4 s", "40 s").replace("replications = 3\n", "");
    let run = run_with(&text, 1);
    for station in &run.replications[0].cells[0].stations {
        for delay in ["service", "queue"] {
            let found = distribution(&run, &station.name, delay);
            let [p50, p95, p99, mean] = match delay {
                "service" => [
                    station.service_p50_s,
                    station.service_p95_s,
                    station.service_p99_s,
                    station.service_mean_s,
                ],
                _ => [
                    station.queue_delay_p50_s,
                    station.queue_delay_p95_s,
                    station.queue_delay_p99_s,
                    station.queue_delay_mean_s,
                ],
            };
            assert_eq!([p50, p95, p99], [50, 95, 99].map(|i| Some(found.delays_s[i])));
            assert!(p50 <= p95 && p95 <= p99);
            assert!(found.delays_s.is_sorted() && found.delays_s.len() == run.delays.shares.len());
            // Each hundredth of the packets lies between two quantiles. Packets that wait at either end of the
            // measured time count in only one of the mean and the quantiles: 2 % are more than they are.
            let least: f64 = found.delays_s[..100].iter().sum::<f64>() / 100.0;
            let most = least + (found.delays_s.last().unwrap() - found.delays_s[0]) / 100.0;
            let (mean, bin) = (mean.unwrap(), 1.0 / 128.0);
            let bounds = least * (0.98 - bin)..=most * (1.02 + bin);
            assert!(bounds.contains(&mean), "{} {delay}: {mean}, not in {bounds:?}", station.name);
        }
    }
}

#[test]
fn distributions_add_up_the_same_on_any_number_of_threads() {
    let (one, four) = (run_with(CELL, 1), run_with(CELL, 4));
    assert_eq!(one.delays, four.delays);
    let text = serde_json::to_string(&one).unwrap();
    let read: RunResult = serde_json::from_str(&text).unwrap();
    assert_eq!(read.delays, one.delays);
    let single = run_with(&CELL.replace("replications = 3", "replications = 1"), 1);
    let count = |run: &RunResult| distribution(run, "sta1", "queue").count;
    assert!(count(&one) > 2 * count(&single));
}

/// Under EDCA each category has its own distribution, and the station has the sum.
#[test]
fn categories_add_up_to_their_station() {
    let run = run_with(
        "duration = \"5 s\"\nwarmup = \"1 s\"\n\
         [[cells]]\nlayout = { kind = \"star\", stations = 2 }\nmac = { access = \"edca\" }\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\naccess_category = \"voice\"\n\
         app = { kind = \"constant-rate\", rate = \"64 kb/s\", message = \"160 B\" }\n",
        1,
    );
    let station = &run.replications[0].cells[0].stations[1];
    let [best_effort, voice] = station.categories.as_slice() else { panic!("{station:?}") };
    assert!(voice.service_p95_s < best_effort.service_p95_s, "{voice:?}");
    assert!(voice.queue_delay_p95_s < best_effort.queue_delay_p50_s, "{voice:?}");
    for delay in ["service", "queue"] {
        let of = |category: Option<&str>| {
            let mut all = run.delays.distributions.iter();
            let ours = |d: &&DelayDistribution| d.name == "sta0" && d.delay == delay;
            all.find(|d| ours(d) && d.category.as_deref() == category).unwrap().count
        };
        assert_eq!(of(None), of(Some("best-effort")) + of(Some("voice")));
        assert!((195..=205).contains(&of(Some("voice"))), "{}", of(Some("voice")));
    }
    let quantities = &run.summary.cells[0].stations[1].quantities;
    assert_eq!(quantities["voice_service_p99_s"].mean, voice.service_p99_s);
}

/// As `exchanges_take_a_round_trip_and_the_data` in `applications.rs`: all exchanges but the first take equally long.
#[test]
fn exchanges_of_a_flow_have_a_distribution() {
    let run = run_with(
        "duration = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n\
         [[flows]]\nname = \"web\"\nfrom = \"a\"\nto = \"b\"\n\
         app = { kind = \"request-response\", request = \"100 B\", response = \"1000 B\", think = \"80 ms\", count = 50 }\n",
        1,
    );
    let found = distribution(&run, "web", "exchange");
    assert_eq!(found.count, 50);
    let exact = 0.02 + f64::from(8 * (140 + 1040)) / 10e6;
    assert!((found.delays_s[98] / exact - 1.0).abs() < 0.01, "{}", found.delays_s[98]);
    let longest = run.replications[0].flows[0].exchange_max_s.unwrap();
    assert!((found.delays_s.last().unwrap() / longest - 1.0).abs() < 1.0 / 128.0);
}
