//! How the search runs: workers, stops, and changes that run again.

use airtcp_study::{Explanation, LimitsVerdict, Why};

use super::{pairs, run, with};

const LOSSY: &str = "duration = \"20 s\"\nreplications = 3\n\
    [[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"20 ms\"\n\
    loss = { model = \"bernoulli\", probability = 0.02 }\nreverse = { rate = \"1 Mb/s\" }\n\
    [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = \"linux\"\n\
    [[flows]]\nfrom = \"b\"\nto = \"a\"\ntcp = { profile = \"linux\", send_buffer = \"16 kB\" }\n";

#[test]
fn without_being_asked_nothing_runs() {
    let whole = run(LOSSY, &[]);
    let never = |_: usize, _: usize| -> bool { panic!("a variant ran") };
    let found = with(LOSSY, &whole, Why::No, None, never).unwrap();
    assert!(found.limits.is_empty());
    assert_eq!((found.why.asked, found.why.verdict), (Why::No, LimitsVerdict::NotAsked));
    assert_eq!(found.why.variants, 0);
}

#[test]
fn a_stopped_run_is_not_explained_and_a_stopped_search_says_so() {
    let mut whole = run(LOSSY, &[]);
    // The search stops after some calls: at once, and in a later step.
    for most in [0, 1, 20] {
        let mut calls = 0;
        let stop = |_: usize, _: usize| {
            calls += 1;
            calls <= most
        };
        let found = with(LOSSY, &whole, Why::Auto, None, stop).unwrap();
        assert_eq!(found.why.verdict, LimitsVerdict::Stopped, "after {most}");
    }
    whole.interrupted = true;
    let never = |_: usize, _: usize| -> bool { panic!("a variant ran") };
    let found = with(LOSSY, &whole, Why::Auto, None, never).unwrap();
    assert_eq!(found.why.verdict, LimitsVerdict::Stopped);
    assert!(found.limits.is_empty());
}

#[test]
fn workers_do_not_matter() {
    let whole = run(LOSSY, &[]);
    let found = |workers| -> Explanation {
        with(LOSSY, &whole, Why::Auto, Some(workers), |_, _| true).unwrap()
    };
    let one = found(1);
    assert!(!one.limits.is_empty());
    assert_eq!(one, found(2));
}

/// Each replication of a variant runs once, and those of the scenario as given are the run's.
#[test]
fn nothing_runs_twice() {
    let whole = run(LOSSY, &[]);
    let (mut jobs, mut last) = (0, (0, 0));
    let count = |done: usize, total: usize| {
        if done < last.0 || total != last.1 {
            jobs += last.1;
        }
        last = (done, total);
        true
    };
    let found = with(LOSSY, &whole, Why::Yes, Some(1), count).unwrap();
    let jobs = jobs + last.1;
    assert!(jobs > 0 && jobs <= 3 * found.why.variants as usize, "{jobs} of {:?}", found.why);
}

/// The whole time has no bound on events: the change gives the stated goodput, bit for bit.
#[test]
fn a_change_runs_again_with_the_goodput_that_it_states() {
    let whole = run(LOSSY, &[]);
    let found = with(LOSSY, &whole, Why::Yes, None, |_, _| true).unwrap();
    assert!((found.why.measured_s - 20.0).abs() < 1e-9);
    assert!(!found.limits.is_empty());
    let goodput = |change: &[String], flows: &[String]| -> f64 {
        let again = run(LOSSY, &pairs(change));
        let of = |run: &airtcp_sim::results::Replication| -> f64 {
            let ours = run.flows.iter().filter(|flow| flows.contains(&flow.name));
            ours.map(|flow| flow.goodput_bps).sum()
        };
        let totals: Vec<f64> = again.replications.iter().map(of).collect();
        totals.iter().sum::<f64>() / totals.len() as f64
    };
    let all = ["flow0".to_owned(), "flow1".to_owned()];
    for limit in &found.limits {
        let flows = if limit.of == airtcp_study::Of::Sum { &all[..] } else { &limit.flows };
        let (stated, again) = (limit.without_bps, goodput(&limit.change, flows));
        assert_eq!(stated.to_bits(), again.to_bits(), "{limit:?}: {again}");
        if limit.after.is_empty() {
            assert_eq!(limit.goodput_bps.to_bits(), goodput(&[], flows).to_bits(), "{limit:?}");
        }
    }
}
