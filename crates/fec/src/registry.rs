//! The registered codes: one line each.

use std::ops::Range;

use crate::{ErasureCode, FecError, Plan};

macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $variant:ident($code:ty, $config:ty) from $source:literal;)+) => {
        /// Any registered code.
        #[derive(Debug)]
        pub enum Code {
            $(#[doc = $doc] $variant(Box<$code>),)+
        }

        /// A code and its parameters; `kind` chooses the code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum CodeConfig {
            $(#[doc = $doc] #[serde(rename = $name)] $variant($config),)+
        }

        airtcp_probe::entries! { "code"; $(#[doc = $doc] $name from $source;)+ }
        airtcp_probe::dispatch! { Code: $($variant)+ }

        impl CodeConfig {
            /// The tag of the code.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// The default configuration of every code.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$variant(<$config>::default()),)+]
            }
        }

        impl Code {
            /// Builds the configured code.
            pub fn new(config: &CodeConfig) -> Self {
                match config {
                    $(CodeConfig::$variant(c) => Self::$variant(Box::new(<$code>::new(c))),)+
                }
            }
        }
    };
}

registry! {
    /// Systematic Reed-Solomon code: any K symbols of a block determine it; at most 255 in a block
    "reed-solomon" ReedSolomon(crate::ReedSolomon, crate::ReedSolomonConfig) from "Lin, Chung and Han 2014 (FFT over GF(2^16))";
    /// RaptorQ, rateless: K symbols nearly always suffice, K + 2 fail once in a million
    "raptorq" RaptorQ(crate::RaptorQ, crate::RaptorQConfig) from "RFC 6330";
    /// Random linear code over GF(256), over a sliding window: K symbols suffice 254 times in 255
    "sliding-window" SlidingWindow(crate::SlidingWindow, crate::SlidingWindowConfig) from "RFC 8681";
}

impl Default for CodeConfig {
    fn default() -> Self {
        Self::ReedSolomon(crate::ReedSolomonConfig::default())
    }
}

impl ErasureCode for Code {
    fn plan(&self, source: usize, repair: usize) -> Result<Plan, FecError> {
        each!(self, c => c.plan(source, repair))
    }
    fn repair_len(&self, bytes: usize) -> usize {
        each!(self, c => c.repair_len(bytes))
    }
    fn encode(
        &mut self,
        source: &[&[u8]],
        numbers: Range<usize>,
    ) -> Result<Vec<Vec<u8>>, FecError> {
        each!(self, c => c.encode(source, numbers))
    }
    fn decode(
        &mut self,
        source: usize,
        bytes: usize,
        received: &[(usize, &[u8])],
    ) -> Result<Vec<(usize, Vec<u8>)>, FecError> {
        each!(self, c => c.decode(source, bytes, received))
    }
    fn recovers(&self, source: usize, received: &[usize]) -> bool {
        each!(self, c => c.recovers(source, received))
    }
}
