//! The registered link protocols: one line each.

use airtcp_probe::{ConfigError, Entry};

use super::{Common, First, LinkProtocol, Missing, Model, SymbolSet};

/// From one line per protocol: the enum, its configuration, the list and the samples that the
/// conformance suite runs. "none" is no line: it is a link without a protocol.
macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $variant:ident($model:ty, $config:ty) from $source:literal;)+) => {
        /// Any registered link protocol.
        #[derive(Debug)]
        pub enum Protocol {
            $(#[doc = $doc] $variant(Box<$model>),)+
            /// A protocol from outside this crate.
            Dyn(Box<dyn DynProtocol>),
        }

        /// The table `protocol` of a link; `kind` chooses the protocol.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum ProtocolConfig {
            /// No protocol: a packet is transmitted once, as a whole
            #[serde(rename = "none")]
            None(NoProtocolConfig),
            $(#[doc = $doc] #[serde(rename = $name)] $variant($config),)+
        }

        const ENTRIES: &[Entry] = &[
            Entry {
                family: "link-protocol",
                name: "none",
                description: "No protocol: a packet is transmitted once, as a whole",
                source: "own",
            },
            $(Entry {
                family: "link-protocol",
                name: $name,
                description: $doc.trim_ascii(),
                source: $source,
            },)+
        ];

        impl ProtocolConfig {
            /// The tag of the protocol.
            pub const fn kind(&self) -> &'static str {
                match self { Self::None(_) => "none", $(Self::$variant(_) => $name,)+ }
            }

            /// What all protocols have; `None` without a protocol.
            pub fn common(&self) -> Option<Common<'_>> {
                match self {
                    Self::None(_) => None,
                    $(Self::$variant(c) => Some(<$model as Model>::common(c)),)+
                }
            }

            /// What the conformance suite runs.
            #[cfg(test)]
            pub(crate) fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$model as Model>::samples().into_iter().map(Self::$variant));)+
                all
            }
        }

        impl Protocol {
            /// The protocol that a table describes; `None` without one. `mtu` is the longest
            /// frame, if that is limited.
            ///
            /// # Errors
            /// If a value is impossible; the message names the key and what is accepted.
            pub fn new(config: &ProtocolConfig, mtu: Option<u64>) -> Result<Option<Self>, ConfigError> {
                match config {
                    ProtocolConfig::None(_) => Ok(None),
                    $(ProtocolConfig::$variant(c) => {
                        let model = <$model as Model>::build(c, mtu)?;
                        Ok(Some(Self::$variant(Box::new(model))))
                    })+
                }
            }

            fn inner(&self) -> &dyn LinkProtocol {
                match self { $(Self::$variant(m) => &**m,)+ Self::Dyn(m) => m.protocol() }
            }

            fn inner_mut(&mut self) -> &mut dyn LinkProtocol {
                match self { $(Self::$variant(m) => &mut **m,)+ Self::Dyn(m) => m.protocol_mut() }
            }
        }
    };
}

registry! {
    /// Fragments sent again until all are there, 15 attempts, no back-off
    "ll-arq" LlArq(super::LlArq, super::LlArqConfig) from "S2 section VI";
    /// Parity by the estimated loss, more on demand, one retransmission
    "ll-harq" LlHarq(super::LlHarq, super::LlHarqConfig) from "S2 sections V and VI";
}

/// The empty table of a link without a protocol.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct NoProtocolConfig {}

impl Default for ProtocolConfig {
    /// No protocol.
    fn default() -> Self {
        Self::None(NoProtocolConfig {})
    }
}

/// A protocol that fits in a box. Implemented for every [`LinkProtocol`]; nobody writes it.
pub trait DynProtocol: std::fmt::Debug + Send {
    /// The protocol.
    fn protocol(&self) -> &dyn LinkProtocol;
    /// The protocol.
    fn protocol_mut(&mut self) -> &mut dyn LinkProtocol;
}

impl<M: LinkProtocol + std::fmt::Debug + Send> DynProtocol for M {
    fn protocol(&self) -> &dyn LinkProtocol {
        self
    }

    fn protocol_mut(&mut self) -> &mut dyn LinkProtocol {
        self
    }
}

// Asked a few times a frame, each of some twenty draws: no need for a match of each method.
impl LinkProtocol for Protocol {
    fn first(&mut self) -> First {
        self.inner_mut().first()
    }

    fn again(&mut self, missing: &Missing) -> SymbolSet {
        self.inner_mut().again(missing)
    }

    fn on_report(&mut self, attempt: u16, sent: u16, received: u16) {
        self.inner_mut().on_report(attempt, sent, received);
    }

    fn attempts(&self) -> u16 {
        self.inner().attempts()
    }

    fn window(&self) -> usize {
        self.inner().window()
    }

    fn header(&self) -> u32 {
        self.inner().header()
    }

    fn estimate(&self) -> Option<f64> {
        self.inner().estimate()
    }
}

/// The registered link protocols, for listing.
pub const fn registry() -> &'static [Entry] {
    ENTRIES
}
