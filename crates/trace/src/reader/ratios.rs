//! Detects delivery ratios of a file that were divided by a hundred once too often.
//!
//! The layouts refuse a ratio above 1. Ratios in percent that were divided by a hundred twice look
//! like very poor links: none exceeds 0.01. Every layout with ratios uses this test.

/// Ratios that never exceed this are probably hundredths of the true ratios.
const SMALL_SCALE: f64 = 0.011;
/// Fewest ratios above 0 for the note.
const MANY: u64 = 100;

/// The ratios of one file.
#[derive(Debug, Default)]
pub(super) struct Ratios {
    highest: f64,
    delivering: u64,
}

impl Ratios {
    /// Takes in a ratio.
    pub(super) fn add(&mut self, ratio: f64) {
        self.highest = self.highest.max(ratio);
        self.delivering += u64::from(ratio > 0.0);
    }

    /// The note on ratios that the file calls `name`.
    pub(super) fn note(&self, name: &str) -> Option<String> {
        (self.delivering >= MANY && self.highest <= SMALL_SCALE).then(|| {
            format!(
                "no {name} of the file exceeds {}: they look like hundredths of delivery ratios; \
                 if so the link is a hundred times as good",
                self.highest
            )
        })
    }

    /// The note on stated ratios that contradict the counts: `stated` is the sum of the stated
    /// ratios, `counted` that of the counts' ratios.
    pub(super) fn beside_counts(&self, name: &str, stated: f64, counted: f64) -> Option<String> {
        let off = (stated - counted).abs() > 0.01 * counted.max(stated);
        (self.delivering > 0 && off).then(|| {
            format!(
                "the counts give {:.3} times the file's own {name}; the counts were taken",
                counted / stated
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ratios: impl IntoIterator<Item = f64>) -> Ratios {
        let mut all = Ratios::default();
        ratios.into_iter().for_each(|ratio| all.add(ratio));
        all
    }

    #[test]
    fn hundredths_are_noticed_where_there_are_many() {
        assert!(
            of([0.0098; 100]).note("pdr").unwrap().starts_with("no pdr of the file exceeds 0.0098")
        );
        assert_eq!(of([0.0098; 99]).note("pdr"), None);
        assert_eq!(of([0.0; 1000]).note("pdr"), None);
        assert_eq!(of([0.01; 100].into_iter().chain([0.4])).note("pdr"), None);
    }

    #[test]
    fn a_ratio_that_contradicts_its_counts_is_noticed() {
        let ratios = of([0.97, 0.5]);
        assert_eq!(ratios.beside_counts("PRR", 1.47, 1.469), None);
        let said = ratios.beside_counts("PRR", 0.0147, 1.47).unwrap();
        assert!(said.starts_with("the counts give 100.000 times the file's own PRR"), "{said}");
    }
}
