//! What to conclude of schemes: who leads in what, what each gains and costs, and whom.
//!
//! | aspect | quantity | better | matters from [chosen] |
//! |---|---|---|---|
//! | goodput | `total_goodput_bps` | more | [`GOODPUT_MATTERS`] of the larger |
//! | fairness | `jain_index` | more | [`JAIN_MATTERS`] |
//! | slowest flow | `slowest_flow_bps` | more | [`FLOW_MATTERS`] of the larger |
//! | latency | `exchange_p95_s`, if there are exchanges | less | [`DELAY_MATTERS`] of the larger |
//!
//! Fairness and the slowest flow are asked for if several flows compete. A claim needs a paired interval that
//! excludes zero and a mean difference that matters. A variant is as good as the reference if two one-sided tests
//! place the difference within the one that matters. Of a variant that is neither, and whose interval reaches a gain
//! that matters, the replications do not tell. Intervals are Bonferroni's: with `m` aspects and `k`
//! variants at `0.05 / (m (k - 1))`, once for the rankings and once against the reference, and at
//! `0.05 / (s (k - 1))` for the goodputs of `s` stations.

use airtcp_units::Narrow;

use crate::comparison::verdict::{DELAY_MATTERS, GOODPUT_MATTERS};
use crate::document::compare::NotRanked;
use crate::document::conclusion::{
    Aspect, Lag, Question, SchemesVerdict, StationChanges, TradeOff,
};
use crate::document::schemes::SchemeRun;
use crate::numbers::equivalence::{Matters, Pair, Relation, most_needed};
use crate::numbers::paired::{ALPHA, ranking_at};

/// A difference in Jain's index that counts: from equal shares to shares whose standard deviation is a
/// seventh of their mean.
pub(crate) const JAIN_MATTERS: f64 = 0.02;
/// The same of the goodput of the slowest flow, and of a station, as a share of the larger.
pub(crate) const FLOW_MATTERS: f64 = 0.05;

/// A quantity that is asked for.
struct Asked {
    aspect: Aspect,
    quantity: &'static str,
    matters: Matters,
    of: fn(&SchemeRun) -> Option<f64>,
}

/// All that may be asked for.
const ASKED: [Asked; 4] = [
    Asked {
        aspect: Aspect::Goodput,
        quantity: "total_goodput_bps",
        matters: Matters { from: GOODPUT_MATTERS, relative: true, more_is_better: true },
        of: |run| Some(run.total_goodput_bps),
    },
    Asked {
        aspect: Aspect::Fairness,
        quantity: "jain_index",
        matters: Matters { from: JAIN_MATTERS, relative: false, more_is_better: true },
        of: |run| run.jain_index,
    },
    Asked {
        aspect: Aspect::SlowestFlow,
        quantity: "slowest_flow_bps",
        matters: Matters { from: FLOW_MATTERS, relative: true, more_is_better: true },
        of: |run| run.slowest_flow_bps,
    },
    Asked {
        aspect: Aspect::Latency,
        quantity: "exchange_p95_s",
        matters: Matters { from: DELAY_MATTERS, relative: true, more_is_better: false },
        of: |run| run.exchange_p95_s,
    },
];

/// What is compared: names of the variants, the number of the reference, and the runs of each.
pub(crate) struct Setup<'a> {
    pub(crate) names: &'a [String],
    pub(crate) reference: usize,
    pub(crate) runs: &'a [Vec<SchemeRun>],
    /// How many flows compete.
    pub(crate) flows: usize,
    /// Names of the stations in the order of the runs; none for an access point.
    pub(crate) stations: &'a [Option<String>],
}

/// Weighs the variants; `not_ranked` are those that did not run.
pub(crate) fn verdict(setup: &Setup<'_>, mut not_ranked: Vec<NotRanked>) -> SchemesVerdict {
    let delivers = |i: &usize| setup.runs[*i].iter().any(|run| run.total_goodput_bps > 0.0);
    let (ranked, silent): (Vec<usize>, Vec<usize>) = (0..setup.names.len()).partition(delivers);
    let why = || "it delivers nothing".to_owned();
    let silent =
        silent.into_iter().map(|i| NotRanked { variant: setup.names[i].clone(), why: why() });
    not_ranked.extend(silent);
    let asked = ASKED.iter().filter(|asked| is_asked(setup, asked));
    let asked: Vec<&Asked> = asked.collect();
    let questions: Vec<Question> =
        asked.iter().map(|one| question(setup, one, &ranked, asked.len())).collect();
    let trade_offs = ranked.iter().filter_map(|i| trade_off(&questions, &setup.names[*i]));
    SchemesVerdict {
        replications: u32::narrow(setup.runs.first().map_or(0, Vec::len)),
        trade_offs: trade_offs.collect(),
        stations: ranked.iter().filter_map(|i| changes(setup, *i, ranked.len())).collect(),
        questions,
        not_ranked,
    }
}

/// Fairness is asked for among several flows, latency where there are exchanges.
fn is_asked(setup: &Setup<'_>, asked: &Asked) -> bool {
    match asked.aspect {
        Aspect::Goodput => true,
        Aspect::Fairness | Aspect::SlowestFlow => setup.flows > 1,
        Aspect::Latency => setup.runs.iter().flatten().any(|run| run.exchange_p95_s.is_some()),
    }
}

/// A quantity of a variant by replication; nothing if one has none, as without goodput or exchange.
fn values(setup: &Setup<'_>, of: fn(&SchemeRun) -> Option<f64>, variant: usize) -> Vec<f64> {
    let all: Option<Vec<f64>> = setup.runs[variant].iter().map(of).collect();
    all.unwrap_or_default()
}

fn question(setup: &Setup<'_>, asked: &Asked, ranked: &[usize], questions: usize) -> Question {
    let alpha = ALPHA / questions as f64;
    let names: Vec<String> = ranked.iter().map(|i| setup.names[*i].clone()).collect();
    let each: Vec<Vec<f64>> = ranked.iter().map(|i| values(setup, asked.of, *i)).collect();
    // What is best when least is ranked by its negative: the lag is then what a variant has more.
    let sign = if asked.matters.more_is_better { 1.0 } else { -1.0 };
    let signed: Vec<Vec<f64>> =
        each.iter().map(|values| values.iter().map(|v| sign * v).collect()).collect();
    let (ranking, lags) = ranking_at(&names, &signed, &vec![false; names.len()], alpha);
    let lag = |name: &String| {
        let i = names.iter().position(|n| n == name)?;
        lags[i].map(|behind| Lag { variant: name.clone(), behind })
    };
    let others = ranked.iter().filter(|i| **i != setup.reference).count().max(1);
    let reference = values(setup, asked.of, setup.reference);
    let (alpha, equal) = (alpha / others as f64, ALPHA / others as f64);
    let pairs: Vec<(&String, Pair<'_>)> = names
        .iter()
        .zip(&each)
        .filter(|(name, _)| **name != setup.names[setup.reference])
        .map(|(name, ours)| (name, Pair { ours, theirs: &reference, matters: asked.matters }))
        .collect();
    let held = |want: Relation| {
        let is = |(name, pair): &(&String, Pair<'_>)| {
            (pair.relation(alpha, equal) == want).then(|| (*name).clone())
        };
        pairs.iter().filter_map(is).collect::<Vec<_>>()
    };
    let is_open = |(_, pair): &&(&String, Pair<'_>)| {
        pair.relation(alpha, equal) == Relation::Unknown && pair.may_be_better(alpha)
    };
    let open: Vec<_> = pairs.iter().filter(is_open).collect();
    Question {
        aspect: asked.aspect,
        quantity: asked.quantity.to_owned(),
        matters: asked.matters.from,
        relative: asked.matters.relative,
        more_is_better: asked.matters.more_is_better,
        lags: ranking.order.iter().filter_map(lag).collect(),
        better: held(Relation::Better),
        worse: held(Relation::Worse),
        equivalent: held(Relation::Equivalent),
        undecided: open.iter().map(|(name, _)| (*name).clone()).collect(),
        needed: most_needed(open.iter().map(|(_, pair)| pair.needed(alpha))),
        ranking,
    }
}

/// What a variant gains and costs, if it does both.
fn trade_off(questions: &[Question], name: &String) -> Option<TradeOff> {
    let of = |list: fn(&Question) -> &Vec<String>| -> Vec<Aspect> {
        questions.iter().filter(|q| list(q).contains(name)).map(|q| q.aspect).collect()
    };
    let (better, worse) = (of(|q| &q.better), of(|q| &q.worse));
    let both = !better.is_empty() && !worse.is_empty();
    both.then(|| TradeOff { variant: name.clone(), better, worse })
}

/// The stations whose goodput a variant changes; `None` if there are none.
fn changes(setup: &Setup<'_>, variant: usize, variants: usize) -> Option<StationChanges> {
    let stations = setup.stations.iter().enumerate();
    let stations: Vec<(usize, &String)> =
        stations.filter_map(|(i, name)| Some((i, name.as_ref()?))).collect();
    if variant == setup.reference || stations.is_empty() {
        return None;
    }
    let matters = Matters { from: FLOW_MATTERS, relative: true, more_is_better: true };
    let alpha = ALPHA / (stations.len() * (variants - 1).max(1)) as f64;
    let goodput = |of: usize, station: usize| -> Vec<f64> {
        let runs = setup.runs[of].iter();
        runs.filter_map(|run| run.stations.get(station)).map(|s| s.goodput_bps).collect()
    };
    let mut found = StationChanges {
        variant: setup.names[variant].clone(),
        gain: Vec::new(),
        lose: Vec::new(),
    };
    for (i, name) in stations {
        let (ours, theirs) = (&goodput(variant, i)[..], &goodput(setup.reference, i)[..]);
        match (Pair { ours, theirs, matters }).relation(alpha, alpha) {
            Relation::Better => found.gain.push(name.clone()),
            Relation::Worse => found.lose.push(name.clone()),
            _ => {}
        }
    }
    (!found.gain.is_empty() || !found.lose.is_empty()).then_some(found)
}
