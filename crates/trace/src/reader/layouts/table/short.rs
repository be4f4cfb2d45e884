//! Names of links that are short enough.

/// Characters of a cell that names a link.
const LONGEST_KEY: usize = 100;

/// A cell short enough for a name. Two that differ stay different: one that is cut ends in a hash of
/// all of it (FNV-1a).
pub(super) fn shorten(cell: &str) -> String {
    if cell.chars().nth(LONGEST_KEY).is_none() {
        return cell.to_owned();
    }
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = cell.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    let kept: String = cell.chars().take(LONGEST_KEY - 17).collect();
    format!("{kept}~{hash:016x}")
}
