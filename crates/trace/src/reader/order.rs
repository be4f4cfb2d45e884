//! Draws the order of packets that a file only counts.
//!
//! The order within a group is drawn at random, every order being equally likely, from a fixed
//! seed. The packet reception ratio and all changes slower than a group are kept. Within a group
//! the result is an independent link of that group's ratio, so burst metrics are artefacts there.

use airtcp_random::{Seed, Stream, digest};
use airtcp_units::{Narrow, Outcomes};

/// Draws orders for one link.
pub(super) struct Shuffler(Stream);

impl Shuffler {
    /// For the link of this name within its file: the same name gives the same order.
    pub(super) fn new(seed: u64, link: &str) -> Self {
        Self(Seed::new(seed).stream(&format!("trace/order/{link}")))
    }

    /// For the only link of a file, by its groups (sent, delivered): a file under another name
    /// gets the same order, and a file with other counts an independent one.
    pub(super) fn of_counts(seed: u64, groups: impl IntoIterator<Item = [u64; 2]>) -> Self {
        Self::new(seed, &format!("counts/{:016x}", digest(groups.into_iter().flatten())))
    }

    /// Appends `sent` outcomes, `delivered` of them received (at most `sent`), in random order.
    pub(super) fn append(&mut self, out: &mut Outcomes, sent: u64, delivered: u64) {
        let (mut left, mut ones) = (sent, delivered.min(sent));
        while left > 0 {
            if ones == 0 || ones == left {
                // Nothing left to draw.
                out.push_run(ones > 0, usize::narrow(left));
                return;
            }
            let received = self.0.below(left) < ones;
            out.push(received);
            ones -= u64::from(received);
            left -= 1;
        }
    }
}

/// The note on a link with a drawn order.
pub(super) fn note(group: &str) -> String {
    let article = if group.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!(
        "the file counts packets per {group} but not their order, which was drawn at random from a \
         fixed seed: burst lengths, mu, beta and the CPDF within {article} {group} are artefacts of that, \
         only what is slower is the link's own"
    )
}

/// The note on a trace that this program wrote from a trace with a drawn order.
pub(super) fn converted() -> String {
    "a comment in the file says that the order of packets was not measured but drawn at random: burst \
     lengths, mu, beta and the CPDF are not the link's own"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_and_places_are_even() {
        let mut shuffler = Shuffler::new(0, "a>b");
        let mut at = [0u32; 10];
        for _ in 0..20_000 {
            let mut out = Outcomes::new();
            shuffler.append(&mut out, 10, 3);
            assert_eq!((out.len(), out.received()), (10, 3));
            at.iter_mut().zip(out.iter()).for_each(|(n, bit)| *n += u32::from(bit));
        }
        // Each place is received with probability 0.3: 6000 of 20,000, standard deviation 65.
        assert!(at.iter().all(|n| n.abs_diff(6000) < 5 * 65), "{at:?}");
    }

    #[test]
    fn edges() {
        let mut out = Outcomes::new();
        let mut shuffler = Shuffler::new(0, "a>b");
        shuffler.append(&mut out, 0, 0);
        shuffler.append(&mut out, 5, 9);
        shuffler.append(&mut out, 5, 0);
        assert_eq!((out.len(), out.received()), (10, 5));
    }
}
