//! Counts in notes, with singular or plural words.

use std::fmt::Display;

/// A count followed by the words for 1 or for any other count.
pub(super) fn counted<N: Copy + Display + PartialEq + From<u8>>(
    number: N,
    (one, many): (&str, &str),
) -> String {
    let words = if number == N::from(1) { one } else { many };
    format!("{number} {words}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular() {
        let replies = ("reply came", "replies came");
        assert_eq!(counted(1_u64, replies), "1 reply came");
        assert_eq!(counted(0_usize, replies), "0 replies came");
        assert_eq!(counted(21_u64, replies), "21 replies came");
    }
}
