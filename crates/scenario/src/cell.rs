//! An 802.11 cell in a scenario: an access point, its stations and the radio channel.

use airtcp_queueing::QueueConfig;
use airtcp_units::{BitRate, Probability};
use airtcp_wifi::cell::{Capture, Sensing, check_aggregation};
use airtcp_wifi::interference::InterferenceConfig;
use airtcp_wifi::mac::{AccessMethod, MacConfig};
use airtcp_wifi::phy::error::{ErrorModel, ErrorModelConfig};
use airtcp_wifi::phy::fading::FadingConfig;
use airtcp_wifi::phy::noise::NoiseConfig;
use airtcp_wifi::phy::propagation::{PathLossConfig, Position, PropagationConfig};
use airtcp_wifi::phy::{
    Band, Coding, GuardInterval, SecondaryChannel, Standard, Timing, TimingConfig, Width,
};
use airtcp_wifi::places::layout::Layout;
use airtcp_wifi::rate::RateConfig;
use airtcp_wifi::scheme::{self, ControlCategory, SchemeConfig, Seams};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::EMPTY_NAME;
use crate::{Hops, ScenarioError, StationSpec};

/// An 802.11 cell. Its nodes are the access point and the stations; packets go between each
/// station and the access point, or in a chain from neighbour to neighbour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellSpec {
    /// Name in results.
    #[serde(default = "cell")]
    pub name: String,
    /// Version of 802.11.
    #[serde(default)]
    pub standard: Standard,
    /// Frequency band. Default: 5 GHz, and 2.4 GHz for 802.11b and g. 802.11n also exists at 2.4 GHz, 802.11ax
    /// at 2.4 and 6 GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// Width of the channel. Default: 40 MHz for 802.11n, 80 MHz for 802.11ac and ax, and 20 MHz for others and
    /// at 2.4 GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Number of spatial streams of 802.11n, ac and ax, 1 to 4. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Guard interval of HT, VHT and HE frames. Default: 400 ns for 802.11n and ac, 800 ns for 802.11ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_interval: Option<GuardInterval>,
    /// Code of HT and VHT frames: "bcc" or "ldpc". Default: "bcc". HE frames are coded with LDPC: in a cell of
    /// 802.11ax the key is for its stations of 802.11n and ac.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coding: Option<Coding>,
    /// SNR in dB that each spatial stream after the first needs, in addition to its equal part of the power.
    /// For cells with two streams or more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stream_penalty_db: f64,
    /// Rate of data frames, or the initial rate of a rate control. Default: the highest rate that the
    /// standard has with these streams, width and guard interval, or the control's own initial rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// Index of the modulation and coding scheme of data frames in 802.11n, ac and ax, in place of `rate`. It
    /// counts from 0 for each number of streams, also in 802.11n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Rate control, which chooses the rate of each attempt. Default: one rate for all.
    #[serde(default)]
    pub rate_control: RateConfig,
    /// Rates that the rate control may choose. Default: all rates of the standard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<BitRate>,
    /// Node name of the access point.
    #[serde(default = "ap")]
    pub access_point: String,
    /// Prefix of the stations' node names: `sta` gives `sta0`, `sta1`, ...
    #[serde(default = "sta")]
    pub prefix: String,
    /// Positions of the stations.
    pub layout: Layout,
    /// Which nodes exchange frames: `access-point` (default), or `chain`, in which the access point and
    /// the stations, in their order, exchange frames with their neighbours and forward packets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hops: Hops,
    /// Position of the layout's origin in the plane, `[x, y]` in metres. The origin is the access point,
    /// unless the layout gives positions.
    #[serde(default)]
    pub center: Position,
    /// Channel number, that of the primary 20 MHz. Cells whose channels overlap share one medium: their stations
    /// hear each other. Default: the cell has its own medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<u16>,
    /// Where the other 20 MHz of a channel of 40 MHz at 2.4 GHz is. Default: above the channels 1 to 9, and below
    /// the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secondary_channel: Option<SecondaryChannel>,
    /// BSS colour of a cell of 802.11ax, 1 to 63, by which stations of other cells recognise its frames. Default:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bss_color: Option<u8>,
    /// Transmit power of every station in dBm.
    #[serde(default = "power")]
    pub power_dbm: f64,
    /// Path loss and shadowing.
    #[serde(default)]
    pub propagation: PropagationConfig,
    /// Variation of the received power over time.
    #[serde(default)]
    pub fading: FadingConfig,
    /// Noise at the receivers.
    #[serde(default)]
    pub noise: NoiseConfig,
    /// Interferers: sources of interference that are not 802.11.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interference: Vec<InterferenceConfig>,
    /// Frame error model: probability of decoding a frame at a signal to interference and noise ratio
    /// (SINR).
    #[serde(default)]
    pub error: ErrorModelConfig,
    /// Capture: reception of overlapping frames.
    #[serde(default)]
    pub capture: Capture,
    /// Sensitivity and carrier sensing of the radios.
    #[serde(default)]
    pub sensing: Sensing,
    /// Probability that a data frame is lost for reasons that the other models leave out.
    #[serde(default)]
    pub residual_error: Probability,
    /// Configurable times.
    #[serde(default)]
    pub timing: TimingConfig,
    /// Medium access.
    #[serde(default)]
    pub mac: MacConfig,
    /// Schemes against unfair shares of the cell. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schemes: Vec<SchemeConfig>,
    /// True if the access category of a real packet (`airtcp emulate`) follows its DSCP, as RFC 8325 and Linux map it,
    /// in place of the category of the flow that makes way. For cells with EDCA.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dscp: bool,
    /// Queue of each station and of the access point. Default: "drop-tail", and "per-station" at the access point of
    /// 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// The queue of the access point. Default: that of `queue`; without it "per-station" with 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_point_queue: Option<QueueConfig>,
    /// Stations that differ from the others, by name. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stations: Vec<StationSpec>,
}

fn cell() -> String {
    "cell".into()
}
fn ap() -> String {
    "ap".into()
}
fn sta() -> String {
    "sta".into()
}
const fn power() -> f64 {
    18.0
}
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Maximum IP packet in a cell: an MSDU of 2304 bytes (802.11-2012 clause 8.2.3) minus LLC and SNAP.
pub const MAX_PACKET: u64 = 2296;

/// A cell and its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Table in the scenario.
    pub spec: CellSpec,
    /// Indices of its nodes, the access point's first.
    pub nodes: Vec<usize>,
    /// Path of the table in the scenario.
    pub path: String,
    /// Names of the nodes of the other cells on its medium.
    pub neighbours: Vec<String>,
    /// True if `without` names it: nothing is sent in it, and other cells do not hear it.
    pub taken_out: bool,
    /// Numbers of the stations that stand beside the access point, because `without` takes their distance away.
    pub beside: Vec<usize>,
}

impl CellSpec {
    /// Names of its nodes, the access point's first.
    pub fn node_names(&self) -> Vec<String> {
        let named = |i: usize| self.layout.name_of(i).map(str::to_owned);
        let stations = (0..self.layout.stations())
            .map(|i| named(i).unwrap_or_else(|| format!("{}{i}", self.prefix)));
        std::iter::once(self.access_point.clone()).chain(stations).collect()
    }

    /// The access parameters of its stations, as its medium access and its schemes set them.
    ///
    /// # Errors
    /// If a number is impossible or a scheme cannot act in this cell; with the table of the key.
    pub fn seams(&self) -> Result<Seams, (String, airtcp_wifi::ConfigError)> {
        let names = self.node_names();
        let keys = self.station_keys();
        let standards: Vec<Standard> = (0..names.len()).map(|i| keys.standard(i)).collect();
        scheme::apply_mixed(&self.schemes, &self.mac, &standards, &names).map_err(|(number, e)| {
            (number.map_or_else(|| "mac".into(), |n| format!("schemes[{n}]")), e)
        })
    }

    /// Number of access categories of each station: one under DCF.
    pub fn categories(&self) -> usize {
        let seams = self.seams().ok();
        seams.map_or(1, |seams| seams.stations.first().map_or(1, |s| s.access.len()))
    }

    /// Checks the rates and their control.
    fn check_rate(&self, timing: &Timing) -> Result<(), airtcp_wifi::ConfigError> {
        self.rate_plan()?.check(timing, self.mac.rts_threshold, self.mac.rts_rate)
    }

    /// Refuses multi-user operation without a queue for each station, and where stations forward packets.
    fn check_ofdma(&self, path: &str) -> Result<(), ScenarioError> {
        if self.mac.ofdma.is_none() {
            return Ok(());
        }
        let refuse = |message: &str| Err(ScenarioError::at(format!("{path}.mac.ofdma"), message));
        let (queue, _) = self.station_keys().queue(0);
        if !queue.is_per_station() {
            return refuse(
                "needs a queue for each station at the access point: set access_point_queue.kind = \
                 \"airtime-fair\", \"fq-codel\" or \"per-station\", or omit it",
            );
        }
        if self.hops == Hops::Chain {
            return refuse("needs hops = \"access-point\", but hops is \"chain\": omit it");
        }
        Ok(())
    }

    /// Refuses to read DSCPs without access categories, and where a scheme takes the category of an ACK from its data.
    fn check_dscp(&self, path: &str, seams: &Seams) -> Result<(), ScenarioError> {
        if !self.dscp {
            return Ok(());
        }
        let message = if self.mac.access == AccessMethod::Dcf {
            "needs access categories, and mac.access is \"dcf\": set mac.access = \"edca\", or omit it"
        } else if seams.stations.iter().any(|one| one.control == ControlCategory::OfData) {
            "gives each packet the category of its own DSCP, and schemes has \"same-category\", which gives an ACK \
             that of its data: omit one of them"
        } else {
            return Ok(());
        };
        Err(ScenarioError::at(format!("{path}.dscp"), message))
    }

    /// Checks what does not depend on a seed.
    pub(crate) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let at = |table: &str| {
            let path = format!("{path}.{table}");
            move |e: airtcp_wifi::ConfigError| {
                let path = format!("{path}.{}", e.path());
                ScenarioError::at(path.trim_end_matches('.').replace("..", "."), e.message)
            }
        };
        for (key, name) in
            [("name", &self.name), ("access_point", &self.access_point), ("prefix", &self.prefix)]
        {
            if name.is_empty() {
                return Err(ScenarioError::at(format!("{path}.{key}"), EMPTY_NAME));
            }
        }
        self.layout.validate().map_err(at("layout"))?;
        if !self.center.is_finite() {
            let message = format!("is {}: expected finite numbers", self.center);
            return Err(ScenarioError::at(format!("{path}.center"), message));
        }
        self.setup().map_err(at(""))?;
        self.radio_channel().map_err(at(""))?;
        let timing = self.times().map_err(at("timing"))?;
        self.check_rate(&timing).map_err(|e| {
            let table = if matches!(e.key, "rate" | "rates" | "mcs") { "" } else { "rate_control" };
            at(table)(e)
        })?;
        ErrorModel::validate(&self.error, self.stream_penalty_db)
            .map_err(|e| at(if e.key == "stream_penalty_db" { "" } else { "error" })(e))?;
        self.check_phy_effects().map_err(at(""))?;
        self.mac.validate().map_err(at("mac"))?;
        self.check_bonding().map_err(at("mac"))?;
        self.check_reuse().map_err(at(""))?;
        self.hops.check(&self.mac, &self.schemes, &self.stations).map_err(at(""))?;
        self.mac.check_protection(&timing).map_err(at("mac"))?;
        let seams = self.seams().map_err(|(table, e)| at(&table)(e))?;
        check_aggregation(&self.mac, self.standard, &seams.stations).map_err(at("mac"))?;
        self.mac.check_ofdma(self.standard).map_err(at("mac"))?;
        self.check_ofdma(path)?;
        self.check_dscp(path, &seams)?;
        let ranges = matches!(self.propagation.path_loss, PathLossConfig::Ranges(_));
        if ranges && seams.stations.iter().any(|station| station.power_gain_db > 0.0) {
            let message = "has \"power-classes\", which has no effect with the path loss \"ranges\": \
                           choose another path loss";
            return Err(ScenarioError::at(format!("{path}.schemes"), message));
        }
        self.check_stations(path, &timing)
    }
}
