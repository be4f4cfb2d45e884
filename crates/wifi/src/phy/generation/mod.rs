//! The generations of 802.11. One is one file and one line here.

mod description;
mod he;
mod ht;
mod legacy;
mod vht;

use std::fmt;

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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.generation().name)
    }
}

#[cfg(test)]
mod tests;
