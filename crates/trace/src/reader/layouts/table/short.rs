//! Shortened names of links.

/// Most characters of a cell in a link's name.
const LONGEST_KEY: usize = 100;

/// A cell shortened for a name. A cut cell ends in a hash of the whole cell (FNV-1a), so that
/// different cells stay different.
pub(super) fn shorten(cell: &str) -> String {
    if cell.chars().nth(LONGEST_KEY).is_none() {
        return cell.to_owned();
    }
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = cell.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    let kept: String = cell.chars().take(LONGEST_KEY - 17).collect();
    format!("{kept}~{hash:016x}")
}
