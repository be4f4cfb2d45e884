//! The generations of 802.11. One is one file, and a line here for its frames and one for the standard that has them.

mod description;
mod he;
mod ht;
mod legacy;
mod vht;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phy::band::Band;

pub use description::MAX_TIME;
pub(crate) use description::{Generation, LdpcBits, Limits, Shape, training_fields};
pub(crate) use he::ltf_ns;

/// Declares the formats of frames, the oldest first.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $generation:path;)*) => {
        /// Format of a frame's preamble and symbols.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $($(#[$doc])* $format,)*
        }

        impl Format {
            /// All formats, the oldest first.
            pub const ALL: &'static [Self] = &[$(Self::$format),*];

            /// The generation that brought it.
            #[inline]
            pub(crate) const fn generation(self) -> &'static Generation {
                const GENERATIONS: &[&Generation] = &[$(&$generation),*];
                GENERATIONS[self as usize]
            }
        }
    };
}

formats! {
    /// DSSS and CCK (802.11b).
    Dsss = legacy::DSSS;
    /// Non-HT OFDM (802.11a and g).
    Ofdm = legacy::OFDM;
    /// HT-mixed (802.11n).
    Ht = ht::HT;
    /// VHT (802.11ac).
    Vht = vht::VHT;
    /// HE single-user (802.11ax).
    He = he::HE;
}

/// Declares the standards. Each has the formats up to its own.
macro_rules! standards {
    ($($(#[$attribute:meta])* $tag:literal $standard:ident = $format:ident at $bands:expr;)*) => {
        /// A version of 802.11.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Standard {
            $(
                $(#[$attribute])*
                #[serde(rename = $tag)]
                $standard,
            )*
        }

        impl Standard {
            /// All standards, the oldest of each band first.
            pub const ALL: &'static [Self] = &[$(Self::$standard),*];

            /// Format of its fastest frames.
            pub const fn format(self) -> Format {
                match self {
                    $(Self::$standard => Format::$format,)*
                }
            }

            /// Bands in which it exists; the first is the default.
            pub const fn bands(self) -> &'static [Band] {
                match self {
                    $(Self::$standard => &$bands,)*
                }
            }
        }

        impl fmt::Display for Standard {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$standard => $tag,)*
                })
            }
        }
    };
}

standards! {
    /// OFDM at 5 GHz, 6 to 54 Mb/s.
    #[default]
    "802.11a" A = Ofdm at [Band::Ghz5];
    /// DSSS and CCK at 2.4 GHz, 1 to 11 Mb/s.
    "802.11b" B = Dsss at [Band::Ghz2];
    /// OFDM at 2.4 GHz, and the rates of 802.11b.
    "802.11g" G = Ofdm at [Band::Ghz2];
    /// HT at 2.4 or 5 GHz: 20 and 40 MHz, up to 600 Mb/s.
    "802.11n" N = Ht at [Band::Ghz5, Band::Ghz2];
    /// VHT at 5 GHz: 20 to 160 MHz.
    "802.11ac" Ac = Vht at [Band::Ghz5];
    /// HE at 2.4, 5 or 6 GHz: 20 to 160 MHz.
    "802.11ax" Ax = He at [Band::Ghz5, Band::Ghz2, Band::Ghz6];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.generation().name)
    }
}

#[cfg(test)]
mod tests;
