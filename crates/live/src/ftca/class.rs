//! The access category of TCP packets without payload.

use std::fmt;

use clap::ValueEnum;

use super::station::{Cell, Generation};

/// The category that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Asked {
    /// Video where aggregation is in use or nothing is known, else voice.
    #[default]
    Auto,
    /// Voice: the shortest access, never aggregated.
    Voice,
    /// Video: a shorter access than data, and aggregated.
    Video,
}

/// An access category above best effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// User priority 6.
    Voice,
    /// User priority 5.
    Video,
}

impl Class {
    /// The user priority of IEEE 802.1D (IEEE 802.11-2020 table 10-1), which is the TID of the frames.
    pub const fn user_priority(self) -> u32 {
        match self {
            Self::Voice => 6,
            Self::Video => 5,
        }
    }

    /// The priority of a packet for which `cfg80211_classify8021d` of Linux takes this user priority: 256 more.
    pub const fn priority(self) -> u32 {
        256 + self.user_priority()
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Voice => "voice",
            Self::Video => "video",
        })
    }
}

/// A category and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The category.
    pub class: Class,
    /// The reason, after the word "because".
    pub reason: String,
}

/// Chooses the category.
///
/// mac80211 does not aggregate frames of voice. Where stations aggregate, an ACK in voice costs a whole exchange, and
/// many ACKs in video share one. Where nothing is known, video is the smaller risk: most cells aggregate, and in one
/// that does not, video still comes before data.
pub fn choose(asked: Asked, cell: Option<&Cell>) -> Choice {
    let (class, reason) = match (asked, cell) {
        (Asked::Voice, _) => (Class::Voice, "it was asked for".to_owned()),
        (Asked::Video, _) => (Class::Video, "it was asked for".to_owned()),
        (Asked::Auto, None) => {
            (Class::Video, "iw tells nothing of this device, and most cells aggregate".to_owned())
        }
        (Asked::Auto, Some(cell)) => automatic(cell),
    };
    Choice { class, reason }
}

fn automatic(cell: &Cell) -> (Class, String) {
    let known = cell.stations.iter().filter(|s| s.generation != Generation::Unknown).count();
    let newer = cell.stations.iter().filter(|s| s.generation == Generation::Aggregates).count();
    if newer > 0 {
        let reason = format!(
            "{newer} of {} use 802.11n or later, which aggregates video but not voice",
            stations(cell.stations.len())
        );
        return (Class::Video, reason);
    }
    if cell.no_ht == Some(true) {
        return (
            Class::Voice,
            "the channel has no HT, so that no frames are aggregated".to_owned(),
        );
    }
    if known > 0 && known == cell.stations.len() {
        let reason = format!("no rate of {} is of 802.11n or later", stations(known));
        return (Class::Voice, reason);
    }
    if cell.no_ht == Some(false) {
        return (Class::Video, "the channel has HT, and no station tells otherwise".to_owned());
    }
    (Class::Video, "iw tells no station's rate and no channel, and most cells aggregate".to_owned())
}

/// A number of stations, in words.
pub fn stations(count: usize) -> String {
    format!("{count} station{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::station::Station;
    use super::*;

    fn class(no_ht: Option<bool>, of: &[Generation]) -> Class {
        let station =
            |generation: &Generation| Station { generation: *generation, ..Station::default() };
        choose(Asked::Auto, Some(&Cell { no_ht, stations: of.iter().map(station).collect() })).class
    }

    #[test]
    fn video_where_a_station_aggregates_and_voice_where_none_can() {
        use Generation::{Aggregates, Legacy, Unknown};
        assert_eq!(class(Some(false), &[Legacy, Aggregates]), Class::Video);
        assert_eq!(class(Some(false), &[Legacy, Legacy]), Class::Voice);
        assert_eq!(class(Some(false), &[Legacy, Unknown]), Class::Video);
        assert_eq!(class(Some(true), &[]), Class::Voice);
        assert_eq!(class(Some(false), &[]), Class::Video);
        assert_eq!(class(None, &[]), Class::Video);
        assert_eq!(choose(Asked::Auto, None).class, Class::Video);
        assert_eq!(choose(Asked::Voice, None).class, Class::Voice);
    }

    #[test]
    fn priorities_are_those_that_the_kernel_takes_as_user_priorities() {
        assert_eq!((Class::Voice.priority(), Class::Video.priority()), (262, 261));
    }
}
