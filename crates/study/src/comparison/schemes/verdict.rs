//! What to conclude of schemes: who leads in what, what each gains and costs, and whom.
//!
//! Each variant is compared with the reference in every aspect that is asked for: see [`crate::comparison::criteria`], and
//! [`ASPECTS`] for the quantities and from which difference each matters. Of a variant that is neither different nor as
//! good, and whose interval reaches a gain that matters, the replications do not tell. Bonferroni's correction is made
//! once for the rankings, once against the reference, and once for the goodputs of stations.

use airtcp_units::Narrow;

use crate::comparison::criteria::{
    Criterion, DELAY_MATTERS, GOODPUT_MATTERS, Measured, Relations, Setting, all, measured,
};
use crate::document::compare::{NotRanked, Ranking};
use crate::document::conclusion::{
    Aspect, Lag, Question, SchemesVerdict, StationChanges, TradeOff,
};
use crate::document::schemes::SchemeRun;
use crate::numbers::equivalence::{Matters, Pair, Relation, most_needed};
use crate::numbers::paired::{ALPHA, ranking_at};

/// A difference in the goodput of the slowest flow, and of a station, that counts.
const FLOW_MATTERS: Matters = Matters { from: 0.05, relative: true, more_is_better: true };

/// The aspects of schemes, with the differences that matter. \[choice\]
const ASPECTS: [Criterion<SchemeRun, Aspect>; 4] = [
    Criterion {
        name: Aspect::Goodput,
        quantity: "total_goodput_bps",
        matters: Matters { from: GOODPUT_MATTERS, relative: true, more_is_better: true },
        values: |runs| all(runs, |r| Some(r.total_goodput_bps)),
        is_asked: |_, _, _| true,
    },
    // From equal shares to shares whose standard deviation is a seventh of their mean.
    Criterion {
        name: Aspect::Fairness,
        quantity: "jain_index",
        matters: Matters { from: 0.02, relative: false, more_is_better: true },
        values: |runs| all(runs, |r| r.jain_index),
        is_asked: |setting, _, _| setting.flows > 1,
    },
    Criterion {
        name: Aspect::SlowestFlow,
        quantity: "slowest_flow_bps",
        matters: FLOW_MATTERS,
        values: |runs| all(runs, |r| r.slowest_flow_bps),
        is_asked: |setting, _, _| setting.flows > 1,
    },
    Criterion {
        name: Aspect::Latency,
        quantity: "exchange_p95_s",
        matters: Matters { from: DELAY_MATTERS, relative: true, more_is_better: false },
        values: |runs| all(runs, |r| r.exchange_p95_s),
        is_asked: |_, _, runs| runs.iter().flatten().any(|r| r.exchange_p95_s.is_some()),
    },
];

/// What is compared: names of the variants, the reference first, and the runs of each.
pub(crate) struct Setup<'a> {
    pub(crate) names: &'a [String],
    pub(crate) runs: &'a [Vec<SchemeRun>],
    /// How many flows compete.
    pub(crate) flows: usize,
    /// Names of the stations in the order of the runs; none for an access point.
    pub(crate) stations: &'a [Option<String>],
}

/// Number of the variant that the others are compared with.
const REFERENCE: usize = 0;

/// Weighs the variants; `not_ranked` are those that did not run.
pub(crate) fn verdict(setup: &Setup<'_>, mut not_ranked: Vec<NotRanked>) -> SchemesVerdict {
    let asked = measured(&ASPECTS, setup.runs, Setting { is_coded: false, flows: setup.flows });
    let (mut ranked, silent) = asked[0].rank(setup.names, &[]);
    ranked.sort_unstable();
    not_ranked.extend(silent);
    let others: Vec<usize> = ranked.iter().copied().filter(|i| *i != REFERENCE).collect();
    let relations = Relations::new(&asked, others.len());
    let held: Vec<Vec<Relation>> = others.iter().map(|i| relations.of(*i, REFERENCE)).collect();
    let question = |(number, one): (usize, &Measured<SchemeRun, Aspect>)| {
        let of = |wanted: Relation| {
            let each = others.iter().zip(&held).filter(move |(_, held)| held[number] == wanted);
            each.map(|(i, _)| *i)
        };
        let named = |wanted| of(wanted).map(|i| setup.names[i].clone()).collect();
        let may = |i: &usize| relations.may_be_better(number, *i, REFERENCE);
        let open: Vec<usize> = of(Relation::Unknown).filter(may).collect();
        let Criterion { name, quantity, matters, .. } = one.criterion;
        let (ranking, lags) = ranking(setup.names, one, &ranked, ALPHA / asked.len() as f64);
        Question {
            aspect: *name,
            quantity: (*quantity).to_owned(),
            matters: matters.from,
            relative: matters.relative,
            more_is_better: matters.more_is_better,
            ranking,
            lags,
            better: named(Relation::Better),
            worse: named(Relation::Worse),
            equivalent: named(Relation::Equivalent),
            undecided: open.iter().map(|i| setup.names[*i].clone()).collect(),
            needed: most_needed(open.iter().map(|i| relations.needed(number, *i, REFERENCE))),
        }
    };
    let trade_off = |(i, held): (&usize, &Vec<Relation>)| {
        let (better, worse) =
            (relations.named(held, Relation::Better), relations.named(held, Relation::Worse));
        let both = !better.is_empty() && !worse.is_empty();
        both.then(|| TradeOff { variant: setup.names[*i].clone(), better, worse })
    };
    SchemesVerdict {
        replications: u32::narrow(setup.runs.first().map_or(0, Vec::len)),
        questions: asked.iter().enumerate().map(question).collect(),
        trade_offs: others.iter().zip(&held).filter_map(trade_off).collect(),
        stations: others.iter().filter_map(|i| changes(setup, *i, ranked.len())).collect(),
        not_ranked,
    }
}

/// The ranked variants in an aspect, and how far each is behind the best.
fn ranking(
    names: &[String],
    one: &Measured<SchemeRun, Aspect>,
    ranked: &[usize],
    alpha: f64,
) -> (Ranking, Vec<Lag>) {
    let names: Vec<String> = ranked.iter().map(|i| names[*i].clone()).collect();
    // What is best when least is ranked by its negative: the lag is then what a variant has more.
    let sign = if one.criterion.matters.more_is_better { 1.0 } else { -1.0 };
    let signed = |i: &usize| -> Vec<f64> { one.each[*i].iter().map(|v| sign * v).collect() };
    let signed: Vec<Vec<f64>> = ranked.iter().map(signed).collect();
    let (ranking, lags) = ranking_at(&names, &signed, &vec![false; names.len()], alpha);
    let lag = |name: &String| {
        let i = names.iter().position(|n| n == name)?;
        lags[i].map(|behind| Lag { variant: name.clone(), behind })
    };
    let lags = ranking.order.iter().filter_map(lag).collect();
    (ranking, lags)
}

/// The stations whose goodput a variant changes; `None` if there are none.
fn changes(setup: &Setup<'_>, variant: usize, variants: usize) -> Option<StationChanges> {
    let stations = setup.stations.iter().enumerate();
    let stations: Vec<(usize, &String)> =
        stations.filter_map(|(i, name)| Some((i, name.as_ref()?))).collect();
    let alpha = ALPHA / (stations.len() * (variants - 1).max(1)) as f64;
    let goodput = |of: usize, station: usize| -> Vec<f64> {
        let runs = setup.runs[of].iter();
        runs.filter_map(|run| run.stations.get(station)).map(|s| s.goodput_bps).collect()
    };
    let (mut gain, mut lose) = (Vec::new(), Vec::new());
    for (i, name) in stations {
        let (ours, theirs) = (&goodput(variant, i)[..], &goodput(REFERENCE, i)[..]);
        match (Pair { ours, theirs, matters: FLOW_MATTERS }).relation(alpha, alpha) {
            Relation::Better => gain.push(name.clone()),
            Relation::Worse => lose.push(name.clone()),
            _ => {}
        }
    }
    let any = !gain.is_empty() || !lose.is_empty();
    any.then(|| StationChanges { variant: setup.names[variant].clone(), gain, lose })
}
