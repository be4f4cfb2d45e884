//! The treatment that a packet asks for by the DSCP of its IP header (RFC 2474), as one of the four classes of 802.11.
//!
//! ```text
//! DSCP                               user priority   class
//! AF1x (10, 12, 14), CS2 (16)              0         best effort
//! AF2x (18, 20, 22)                        3         best effort
//! CS3 (24), AF3x (26, 28, 30)              4         video
//! VA (44), EF (46)                         6         voice
//! any other                            DSCP / 8      1, 2 background; 0, 3 best effort; 4, 5 video; 6, 7 voice
//! ```
//! The codepoints are those of RFC 8325, figure 1, of which those not named here have the three upper bits of the DSCP as
//! user priority. Linux takes these bits for all other codepoints, too (`cfg80211_classify8021d` since 6.2), as section 2.3
//! calls common practice; figure 1 recommends best effort for them. The classes of user priorities are those of IEEE
//! 802.11-2020 table 10-1.
//!
//! Leaves out: a mapping that the access point announces (QoS Map, 802.11-2020 clause 9.4.2.94); background for LE (1), which
//! RFC 8622 asks for and Linux does not do.

/// The four classes of 802.11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Service {
    /// What asks for nothing.
    #[default]
    BestEffort,
    /// Less than best effort.
    Background,
    /// Video.
    Video,
    /// Voice and network control.
    Voice,
}

impl Service {
    /// The class of a packet with this DSCP, of 6 bits.
    pub const fn of_dscp(dscp: u8) -> Self {
        match user_priority(dscp & 0x3f) {
            1 | 2 => Self::Background,
            4 | 5 => Self::Video,
            6 | 7 => Self::Voice,
            _ => Self::BestEffort,
        }
    }

    /// Its number, of two bits; 0 is best effort.
    pub(crate) const fn bits(self) -> u16 {
        self as u16
    }

    /// The class with these two low bits.
    pub(crate) const fn from_bits(bits: u16) -> Self {
        match bits & 3 {
            0 => Self::BestEffort,
            1 => Self::Background,
            2 => Self::Video,
            _ => Self::Voice,
        }
    }
}

const fn user_priority(dscp: u8) -> u8 {
    match dscp {
        10 | 12 | 14 | 16 => 0,
        18 | 20 | 22 => 3,
        24 | 26 | 28 | 30 => 4,
        44 | 46 => 6,
        _ => dscp >> 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every codepoint of RFC 8325, figure 1.
    #[test]
    fn the_codepoints_of_rfc_8325() {
        let table: [(Service, &[u8]); 4] = [
            // CS7, CS6; EF, VA.
            (Service::Voice, &[56, 48, 46, 44]),
            // CS5; AF4x; CS4; AF3x; CS3.
            (Service::Video, &[40, 34, 36, 38, 32, 26, 28, 30, 24]),
            // AF2x; CS2; AF1x; DF.
            (Service::BestEffort, &[18, 20, 22, 16, 10, 12, 14, 0]),
            // CS1.
            (Service::Background, &[8]),
        ];
        for (service, codepoints) in table {
            for dscp in codepoints {
                assert_eq!(Service::of_dscp(*dscp), service, "DSCP {dscp}");
            }
        }
    }

    /// The others follow the upper three bits, as in Linux.
    #[test]
    fn other_codepoints() {
        for (dscp, service) in [
            (1, Service::BestEffort),
            (9, Service::Background),
            (17, Service::Background),
            (25, Service::BestEffort),
            (45, Service::Video),
            (50, Service::Voice),
            (63, Service::Voice),
        ] {
            assert_eq!(Service::of_dscp(dscp), service, "DSCP {dscp}");
        }
    }

    #[test]
    fn bits_and_back() {
        for dscp in 0..64 {
            let service = Service::of_dscp(dscp);
            assert_eq!(Service::from_bits(service.bits()), service);
        }
        assert_eq!(Service::from_bits(0), Service::default());
    }
}
