//! Names of columns: their words, and the unit of time that they end in.

use airtcp_units::Span;

/// A name whose words are parted by underscores.
pub(super) fn parted(name: &str) -> String {
    let mut parted = name.to_owned();
    for (i, _) in name.rmatch_indices(char::is_uppercase) {
        if name[..i].ends_with(char::is_lowercase) {
            parted.insert(i, '_');
        }
    }
    parted
}

/// True if one of the words of a name is among `words`.
pub(super) fn has(name: &str, words: &str) -> bool {
    normal(name).split('_').any(|word| is_among(word, words))
}

pub(super) fn is_among(word: &str, words: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// The unit of time that a name ends in. The times of frames of Wireshark are in seconds.
pub(super) fn unit_of(name: &str) -> Option<Span> {
    match normal(name).rsplit_once('_')?.1 {
        "relative" | "epoch" if normal(name).starts_with("frame_time") => Some(Span::from_secs(1)),
        "s" | "sec" | "seconds" => Some(Span::from_secs(1)),
        "ms" | "msec" => Some(Span::from_millis(1)),
        "us" | "usec" => Some(Span::from_micros(1)),
        "ns" | "nsec" => Some(Span(1)),
        _ => None,
    }
}

/// A name for comparison: lower case, with an underscore for anything but letters and digits.
pub(super) fn normal(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(plain).collect::<String>().trim_matches('_').to_owned()
}
