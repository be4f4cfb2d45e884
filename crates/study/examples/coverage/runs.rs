//! Corners over simulated runs: samples are drawn from many replications, whose mean is the truth.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;

use airtcp_random::Seed;
use airtcp_scenario::Resolved;
use airtcp_sim::results::Replication;
use airtcp_study::{Channel, CompareOptions, Input, compare, intervals};
use airtcp_units::{Narrow, Outcomes, Saturate};

use super::{Corner, corner, covers, link};

/// One flow over a link of this rate (Mb/s), duration (s), one-way delay (ms) and loss.
const LINKS: [(u32, u32, u32, f64); 6] = [
    (10, 10, 10, 3e-4),
    (10, 30, 40, 3e-4),
    (2, 30, 20, 3e-4),
    (20, 10, 20, 3e-4),
    (10, 20, 10, 3e-5),
    (100, 10, 10, 3e-4),
];

/// Replications of a run.
const RUNS: u32 = 600;

/// The plan and the replications of a link.
fn runs(
    (rate, duration, delay, loss): (u32, u32, u32, f64),
) -> Option<(Resolved, Vec<Replication>)> {
    let text = format!(
        "duration = \"{duration} s\"\nreplications = {RUNS}\n\
         links = [{{ from = \"a\", to = \"b\", rate = \"{rate} Mb/s\", delay = \"{delay} ms\", \
         loss = {{ model = \"bernoulli\", probability = {loss} }} }}]\n\
         flows = [{{ from = \"a\", to = \"b\", tcp = \"linux\" }}]"
    );
    let plan = airtcp_scenario::read(&text, "", &[]).ok()?.resolve().ok()?;
    let mut sequence = airtcp_sim::Sequence::default();
    sequence.run_on(&plan, &|name: &str| Err(name.to_owned()), || true).ok()?;
    let replications = sequence.finished_replications().to_vec();
    Some((plan, replications))
}

/// Goodput of a run: a flow that fills its link, whose rare stalls few replications show.
pub(super) fn goodputs() -> Vec<Corner> {
    let mut all = Vec::new();
    for link in LINKS {
        let known = Rc::new(OnceCell::new());
        for n in [2_u64, 3, 5, 10] {
            let (rate, duration, delay, loss) = link;
            let name = format!(
                "{rate} Mb/s, {delay} ms, loss {} %, {duration} s, {n} replications",
                100.0 * loss
            );
            let known = Rc::clone(&known);
            all.push(corner("goodput of a run", name, 30, move |seed| {
                let pool: &Option<(Resolved, Vec<Replication>)> = known.get_or_init(|| runs(link));
                let (plan, pool) = pool.as_ref()?;
                let goodput = |run: &Replication| run.flows[0].goodput_bps;
                let truth = pool.iter().map(goodput).sum::<f64>() / pool.len() as f64;
                let mut stream = Seed::new(seed).stream("coverage/goodput");
                let chosen: Vec<Replication> = (0..n)
                    .map(|_| pool[usize::narrow(stream.below(pool.len() as u64))].clone())
                    .collect();
                let result = airtcp_sim::collect(plan, chosen);
                covers(result.summary.flows[0].quantities.get("goodput_bps")?, truth)
            }));
        }
    }
    all
}

/// Replications of remedies that a truth is of, and that sets of replications are drawn from.
const REMEDY_RUNS: u32 = 300;

/// Goodputs of SACK, LT-TCP and the sliding transport over a link with 1 % loss.
fn remedy_pool() -> Option<[Vec<f64>; 3]> {
    let text = "duration = \"10 s\"\n\
        links = [{ from = \"a\", to = \"b\", rate = \"5 Mb/s\", delay = \"20 ms\", \
        loss = { model = \"bernoulli\", probability = \"1 %\" } }]\n\
        flows = [{ from = \"a\", to = \"b\", tcp = \"linux\" }]";
    let scenario = Box::new(airtcp_scenario::read(text, "", &[]).ok()?);
    let given = Input::Scenario {
        name: "remedies".into(),
        text: text.into(),
        set: Vec::new(),
        scenario,
        folder: PathBuf::new(),
    };
    let options = CompareOptions {
        tcp: vec!["sack".into()],
        remedies: vec!["lt-tcp".into(), "sliding".into()],
        replications: Some(REMEDY_RUNS),
        ..CompareOptions::default()
    };
    let result = compare(&[given], Vec::new(), &options, |_, _| true).ok()?;
    let case = result.subjects.into_iter().next()?.remedies?.case;
    let of = |name: &str| -> Vec<f64> {
        let runs = case.runs.iter().filter(|run| run.variant == name);
        runs.map(|run| run.goodput_bps).collect()
    };
    Some(["sack", "lt-tcp", "sliding"].map(of))
}

/// Gains of remedies over plain TCP, in percent.
pub(super) fn remedies() -> Vec<Corner> {
    let mut all = Vec::new();
    let known: Rc<OnceCell<Option<[Vec<f64>; 3]>>> = Rc::default();
    for (place, remedy) in [(1, "lt-tcp"), (2, "sliding")] {
        for n in [2_u64, 3, 5, 10] {
            let name = format!("{remedy} against sack, 5 Mb/s, 20 ms, loss 1 %, {n} replications");
            let known = Rc::clone(&known);
            all.push(corner("paired difference in percent", name, 30, move |seed| {
                let pools = known.get_or_init(remedy_pool).as_ref()?;
                let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
                let truth = 100.0 * (mean(&pools[place]) / mean(&pools[0]) - 1.0);
                let mut stream = Seed::new(seed).stream("coverage/remedies");
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                for _ in 0..n {
                    let at = usize::narrow(stream.below(pools[0].len() as u64));
                    ours.push(pools[place][at]);
                    theirs.push(pools[0][at]);
                }
                covers(&intervals::difference(&ours, &theirs).percent?, truth)
            }));
        }
    }
    all
}

/// Replications that a truth is the mean of, and that sets of replications are drawn from.
const POOL: u32 = 4_000;

/// Packets a second of two TCPs over as many independent links of one PRR.
fn pool(prr: f64, packets: usize, tcp: [&str; 2]) -> Option<[Vec<f64>; 2]> {
    // Evenly spaced losses: the trace has the PRR to the packet.
    let every = usize::saturate((1.0 / (1.0 - prr)).round());
    let mut trace = Outcomes::new();
    (0..packets).for_each(|slot| trace.push((slot + 1) % every != 0));
    let options = CompareOptions {
        tcp: tcp.map(str::to_owned).to_vec(),
        replications: Some(POOL),
        seed: Some(1),
        ..CompareOptions::default()
    };
    let given = [Input::Link(Box::new(link(trace)))];
    let result = compare(&given, Vec::new(), &options, |_, _| true).ok()?;
    let cases = result.subjects.into_iter().flat_map(|subject| subject.cases);
    let case = cases.into_iter().find(|case| case.channel == Channel::Independent)?;
    Some(tcp.map(|name| {
        let of = case.runs.iter().filter(|run| run.variant == name);
        of.filter_map(|run| run.packets_per_second).collect()
    }))
}

/// Pairs over slots where rare replications make the mean: Student's interval of the difference, as
/// it would be if it were printed.
pub(super) fn rare() -> Vec<Corner> {
    let mut all = Vec::new();
    for prr in [0.99, 0.97] {
        for tcp in [["newreno", "sack"], ["cubic", "sack"], ["vegas", "sack"]] {
            let packets = 2_000;
            let known = Rc::new(OnceCell::new());
            for n in [3, 5, 10, 20] {
                let name = format!(
                    "{} less {} over slots, independent losses, PRR {prr}, {packets} packets, {n} \
                     replications",
                    tcp[0], tcp[1]
                );
                let known = Rc::clone(&known);
                let of = corner("paired difference", name, 1, move |seed| {
                    let pools: &Option<[Vec<f64>; 2]> =
                        known.get_or_init(|| pool(prr, packets, tcp));
                    let [ours, theirs] = pools.as_ref()?;
                    let mut stream = Seed::new(seed).stream("coverage/rare");
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    for _ in 0..n {
                        let at = usize::narrow(stream.below(ours.len() as u64));
                        a.push(ours[at]);
                        b.push(theirs[at]);
                    }
                    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
                    covers(&intervals::difference(&a, &b).absolute, mean(ours) - mean(theirs))
                });
                all.push(Corner { holds: false, ..of });
            }
        }
    }
    all
}
