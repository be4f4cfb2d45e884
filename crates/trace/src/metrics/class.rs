//! The names S1 (figure 2) gives to ranges of the packet reception ratio.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The class of a link by its packet reception ratio (PRR). S1 prints very poor < 0.1, poor 0.1 to
/// 0.2, intermediate 0.2 to 0.6, good and very good above, perfect = 1. The class of a boundary and
/// the step from good to very good (0.9) are our choices.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub enum Class {
    /// PRR below 0.1.
    #[serde(rename = "very poor")]
    VeryPoor,
    /// PRR from 0.1 to below 0.2.
    #[serde(rename = "poor")]
    Poor,
    /// PRR from 0.2 to 0.6, both included.
    #[serde(rename = "intermediate")]
    Intermediate,
    /// PRR above 0.6 and below 0.9.
    #[serde(rename = "good")]
    Good,
    /// PRR from 0.9 to below 1.
    #[serde(rename = "very good")]
    VeryGood,
    /// No packet lost.
    #[serde(rename = "perfect")]
    Perfect,
}

impl Class {
    /// The class of a link that delivered `received` of `packets`. The comparison uses integers, so
    /// that 60 of 100 is exactly on the boundary.
    pub fn of(received: u64, packets: u64) -> Self {
        let tenths = u128::from(received) * 10;
        let n = u128::from(packets);
        match () {
            () if received == packets && packets > 0 => Self::Perfect,
            () if tenths < n || packets == 0 => Self::VeryPoor,
            () if tenths < 2 * n => Self::Poor,
            () if tenths <= 6 * n => Self::Intermediate,
            () if tenths < 9 * n => Self::Good,
            () => Self::VeryGood,
        }
    }

    /// The name as printed and as written in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VeryPoor => "very poor",
            Self::Poor => "poor",
            Self::Intermediate => "intermediate",
            Self::Good => "good",
            Self::VeryGood => "very good",
            Self::Perfect => "perfect",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries() {
        let cases = [
            (0, Class::VeryPoor),
            (99, Class::VeryPoor),
            (100, Class::Poor),
            (199, Class::Poor),
            (200, Class::Intermediate),
            (600, Class::Intermediate),
            (601, Class::Good),
            (899, Class::Good),
            (900, Class::VeryGood),
            (999, Class::VeryGood),
            (1000, Class::Perfect),
        ];
        for (received, class) in cases {
            assert_eq!(Class::of(received, 1000), class, "{received}");
            let json = serde_json::to_string(&class).unwrap();
            assert_eq!(json, format!("\"{class}\""));
        }
    }
}
