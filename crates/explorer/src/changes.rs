//! Whether a difference between two runs is more than chance.

use airtcp_study::intervals::difference;
use airtcp_study::{PairedDifference, Standing};
use airtcp_units::detmath::pow;
use serde::Deserialize;

/// Number of events in both runs below which counts are held against the exact distribution, too. \[choice\]
const FEW: u32 = 30;
/// Probability of a wrong claim.
const ALPHA: f64 = 0.05;

/// The values of a quantity in two runs, by replication.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    ours: Vec<f64>,
    theirs: Vec<f64>,
    /// True if the values count events.
    #[serde(default)]
    counts: bool,
}

impl Pair {
    /// The paired difference, ours minus theirs. Few events do not show their variance: two replications with a
    /// timeout more each have differences without any scatter. Below 30 events in both runs, a difference of
    /// counts must therefore also be unlikely for events that fall into either run with probability 1/2.
    pub(crate) fn difference(&self) -> PairedDifference {
        let found = difference(&self.ours, &self.theirs);
        let decided = matches!(found.standing, Standing::More | Standing::Less);
        if !(self.counts && decided) || one_sided(&self.ours, &self.theirs) < ALPHA / 2.0 {
            return found;
        }
        PairedDifference { standing: Standing::Undecided, ..found }
    }
}

/// The probability that the run with more of the events gets so many by chance: a sum of binomial probabilities with
/// p = 1/2. Zero for many events.
fn one_sided(ours: &[f64], theirs: &[f64]) -> f64 {
    let events = |values: &[f64]| values.iter().sum::<f64>();
    let (more, less) = (events(ours).max(events(theirs)), events(ours).min(events(theirs)));
    let total = more + less;
    if total >= f64::from(FEW) {
        return 0.0;
    }
    // The probability of k events of the total in the run with fewer, from k = 0.
    let mut each = pow(0.5, total);
    let mut sum = 0.0;
    for k in (0..FEW).map(f64::from).take_while(|k| *k <= less) {
        sum += each;
        each *= (total - k) / (k + 1.0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(ours: &[f64], theirs: &[f64], counts: bool) -> Standing {
        Pair { ours: ours.to_vec(), theirs: theirs.to_vec(), counts }.difference().standing
    }

    /// All of five events fall into one given run with probability 1/32, which is above 2.5 %, and of six with 1/64.
    #[test]
    fn few_events_are_no_difference() {
        assert!((one_sided(&[5.0], &[0.0]) - 1.0 / 32.0).abs() < 1e-15);
        assert!((one_sided(&[1.0], &[4.0]) - 6.0 / 32.0).abs() < 1e-15);
        assert!((one_sided(&[3.0, 4.0], &[1.0, 1.0]) - 46.0 / 512.0).abs() < 1e-15);
        assert_eq!(standing(&[1.0, 1.0], &[0.0, 0.0], false), Standing::More);
        assert_eq!(standing(&[1.0, 1.0], &[0.0, 0.0], true), Standing::Undecided);
        assert_eq!(standing(&[0.0; 5], &[1.0; 5], true), Standing::Undecided);
        assert_eq!(standing(&[0.0; 6], &[1.0; 6], true), Standing::Less);
        assert_eq!(standing(&[20.0, 21.0, 20.0], &[10.0, 10.0, 11.0], true), Standing::More);
        assert_eq!(standing(&[2.0, 3.0], &[2.0, 3.0], true), Standing::Equal);
    }
}
