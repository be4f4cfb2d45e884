//! The registered schemes: one line each.

use airtcp_probe::ConfigError;

use super::{Family, Seams};

airtcp_probe::family! {
    /// Any registered scheme.
    #[derive(Debug)]
    pub enum Scheme;
    /// An entry of the list `schemes` of a cell; `scheme` chooses the scheme.
    pub enum SchemeConfig of "scheme", tag "scheme" as scheme, samples of Family;

    /// TCP packets without payload (ACK, SYN, FIN, RST) in voice, or in a category of their own above voice
    "ftca" Ftca(super::Ftca, super::FtcaConfig) from "S3 section 5";
    /// TCP ACKs in the access category of the data that they acknowledge
    "same-category" SameCategory(super::SameCategory, super::SameCategoryConfig) from "S3 section 4.3, reference 18";
    /// TCP ACKs at the access point in a category whose contention window is small enough that their queue is not the bottleneck
    "leith-clifford" LeithClifford(super::LeithClifford, super::LeithCliffordConfig) from "Leith and Clifford 2005; S3 section 4.3, reference 19";
    /// ACKs of the access point to different stations in one access, without back-off and ahead of all data
    "tap" Tap(super::Tap, super::TapConfig) from "S3 section 4.4, reference 38";
    /// MAC ACKs that reserve the medium for a packet to the sender of the data
    "dcf+" DcfPlus(super::DcfPlus, super::DcfPlusConfig) from "S3 section 4.5, figure 4.2, reference 28";
    /// A least contention window that halves with each success and is restored by a failure
    "auto-zoom" AutoZoom(super::AutoZoom, super::AutoZoomConfig) from "S3 section 4.5";
    /// Access parameters of single stations, and a controller that adjusts their AIFSN to equal shares
    "per-station" PerStation(super::PerStationScheme, super::PerStationConfig) from "S3 section 4.6, reference 37";
    /// More transmit power for some stations, whose frames the receiver captures
    "power-classes" PowerClasses(super::PowerClasses, super::PowerClassesConfig) from "S3 section 4.6, reference 27";
    /// Marks or drops packets by the average number of MAC retries; with `pacing`, a longer back-off after a success
    "link-red" LinkRed(super::LinkRed, super::LinkRedConfig) from "Fu et al., INFOCOM 2003; S0 section 4";
    /// The access point caches TCP data towards stations, retransmits them itself, and absorbs the duplicate ACKs
    "snoop" Snoop(super::Snoop, super::SnoopConfig) from "Balakrishnan et al. 1995; S3 reference 21";
    /// The access point terminates the sender's TCP connection and opens one to the receiver
    "split-tcp" SplitTcp(super::SplitTcp, super::SplitTcpConfig) from "Bakre and Badrinath 1995; S3 references 12 and 35";
    /// The access point turns MAC acknowledgements of TCP data into TCP ACKs; stations drop their own
    "ack-agent" AckAgent(super::AckAgent, super::AckAgentConfig) from "Pang et al. 2005; S3 reference 34, figure 4.3";
    /// The access point marks ACKs whose gaps the MAC has lost on the air, and the sender does not reduce its window for them
    "eln" Eln(super::Eln, super::ElnConfig) from "Balakrishnan and Katz 1998";
}

impl Scheme {
    pub(super) fn build(config: &SchemeConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        build!(config, c => Family::build(c, seams))
    }
}
