//! Shortens a case in which a law breaks a rule.
//!
//! Calls are left out as long as a rule is still broken, first many at once, then single ones, and
//! parameters are replaced by plain ones. The rule of the short case may be another one.

use airtcp_units::Span;

use super::case::{Broken, Make, drive, recorded};
use super::driver::{Ack, Call};
use crate::{LawParams, LawRules, SlowStartKind};

/// Most runs of a case: bounds the time with a slow law.
const MOST_RUNS: u32 = 400;

struct Search<'a> {
    make: &'a Make<'a>,
    params: LawParams,
    calls: Vec<Call>,
    rule: String,
    runs: u32,
}

/// The shortest case that is found from `calls`, in which the law breaks a rule.
pub(super) fn shortest(make: &Make<'_>, params: LawParams, calls: Vec<Call>) -> Broken {
    let mut search = Search { make, params, calls, rule: String::new(), runs: 0 };
    let calls = search.calls.clone();
    search.take(params, calls);
    search.plain_params();
    let mut size = search.calls.len() / 2;
    while size > 0 {
        search.without(size);
        size /= 2;
    }
    search.plain_calls();
    search.without(1);
    recorded(make, search.params, &search.calls, search.rule)
}

impl Search<'_> {
    /// Keeps the case if the law breaks a rule in it.
    fn take(&mut self, params: LawParams, mut calls: Vec<Call>) -> bool {
        self.runs += 1;
        if self.runs > MOST_RUNS {
            return false;
        }
        let Err((at, rule)) = drive(self.make, &params, &calls) else { return false };
        calls.truncate(at + 1);
        (self.params, self.calls, self.rule) = (params, calls, rule);
        true
    }

    /// Leaves out runs of `size` calls.
    fn without(&mut self, size: usize) {
        let mut from = 0;
        while from < self.calls.len() {
            let mut calls = self.calls.clone();
            calls.drain(from..(from + size).min(calls.len()));
            if !self.take(self.params, calls) {
                from += size;
            }
        }
    }

    fn plain_params(&mut self) {
        let mut plain = self.params;
        plain.slow_start = SlowStartKind::Standard;
        (plain.paced, plain.ssthresh_in_segments, plain.abc_limit) = (false, false, 1);
        plain.max_cwnd = u64::MAX;
        let calls = self.calls.clone();
        self.take(plain, calls.clone());
        for plain in [
            LawParams { seed: 1, srtt: None, ..self.params },
            LawParams { seed: 1, rules: LawRules::Documents, ..self.params },
        ] {
            self.take(plain, calls.clone());
        }
        self.take(LawParams { half_of_cwnd: false, ..self.params }, calls.clone());
        let whole = LawParams { mss: 1000, initial_window: 10_000, ..self.params };
        self.take(whole, calls.clone());
        let initial_ssthresh = 5 * u64::from(self.params.mss);
        let threshold = LawParams { initial_ssthresh, ..self.params };
        self.take(threshold, calls);
    }

    fn plain_calls(&mut self) {
        for at in 0..self.calls.len() {
            let Some(Call::Ack(ack)) = self.calls.get(at).copied() else { continue };
            let rtt = Span::from_millis(10);
            for plain in [
                Ack { rtt, boost: 1, ..ack },
                Ack { segments: 1, ..ack },
                Ack { fast: false, ..ack },
                Ack { ece: false, ..ack },
            ] {
                let mut calls = self.calls.clone();
                calls[at] = Call::Ack(plain);
                self.take(self.params, calls);
                if at >= self.calls.len() {
                    return;
                }
            }
        }
    }
}
