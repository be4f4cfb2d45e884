//! A peer that has proved its key may send anything.

use proptest::prelude::*;

proptest! {
    #[test]
    fn memory_is_bounded(
        first: u8,
        records in proptest::collection::vec(
            (0_u8..40, 1_u8..7, proptest::collection::vec(any::<u8>(), 0..9)), 0..200),
    ) {
        let all = records.iter().flat_map(|(channel, kind, rest)| {
            [&[*channel, *kind][..], rest].concat()
        });
        let bytes: Vec<u8> = std::iter::once(first).chain(all).collect();
        airtcp_tunnel::fuzz(&bytes);
    }
}
