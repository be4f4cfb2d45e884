//! The registered link protocols: one line each.

use airtcp_probe::ConfigError;

use super::{Common, LinkProtocol, Model};

/// Expands one line per protocol into the configuration, the list and the samples of the
/// conformance suite.
macro_rules! registry {
    (
        #[doc = $none_doc:literal] "none" from $none_source:literal;
        $(#[doc = $doc:literal] $name:literal $variant:ident($model:ty, $config:ty) from $source:literal;)+
    ) => {
        /// The table `protocol` of a link; `kind` chooses the protocol.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum ProtocolConfig {
            #[doc = $none_doc]
            #[serde(rename = "none")]
            None(NoProtocolConfig),
            $(#[doc = $doc] #[serde(rename = $name)] $variant($config),)+
        }

        airtcp_probe::entries! {
            "link-protocol";
            #[doc = $none_doc] "none" from $none_source;
            $(#[doc = $doc] $name from $source;)+
        }

        impl ProtocolConfig {
            /// The tag of the protocol.
            pub const fn kind(&self) -> &'static str {
                match self { Self::None(_) => "none", $(Self::$variant(_) => $name,)+ }
            }

            /// Keys that all protocols share; `None` without a protocol.
            pub fn common(&self) -> Option<Common<'_>> {
                match self {
                    Self::None(_) => None,
                    $(Self::$variant(c) => Some(<$model as Model>::common(c)),)+
                }
            }

            /// The protocol that the table describes; `None` without one. `mtu` is the maximum
            /// frame size, if limited.
            ///
            /// # Errors
            /// If a value is impossible. The message names the key and the accepted values.
            pub fn build(&self, mtu: Option<u64>) -> Result<Option<Protocol>, ConfigError> {
                Ok(match self {
                    Self::None(_) => None,
                    $(Self::$variant(c) => Some(Box::new(<$model as Model>::build(c, mtu)?)),)+
                })
            }

            /// Configurations that the conformance suite tests.
            #[cfg(test)]
            pub(crate) fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$model as Model>::samples().into_iter().map(Self::$variant));)+
                all
            }
        }
    };
}

registry! {
    /// No protocol: each packet has one transmission
    "none" from "own";
    /// Retransmits fragments until all have arrived, up to 15 attempts without back-off
    "ll-arq" LlArq(super::LlArq, super::LlArqConfig) from "S2 section VI";
    /// Hybrid ARQ: proactive parity from the estimated loss, more parity on request
    "ll-harq" LlHarq(super::LlHarq, super::LlHarqConfig) from "S2 sections V and VI";
}

/// Any link protocol. It is called a few times per frame of about twenty random draws, so the cost
/// of dynamic dispatch is negligible.
pub type Protocol = Box<dyn LinkProtocol>;

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
