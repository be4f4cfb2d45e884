//! ACKs that were lost on their way to the sender, counted by the identification of their IPv4 headers.
//!
//! Linux numbers the packets of a connection one by one (RFC 6864 permits it), so a missing number is a lost ACK.
//! Receivers that write zero or random numbers do not show losses.

use crate::tcp::log::Log;

/// Least number of steps.
const FEW: usize = 20;
/// Largest step that lost ACKs make.
const LARGEST_STEP: u16 = 50;
/// Share of the steps that are at most that, if the receiver counts.
const COUNTS: f64 = 0.95;

/// ACKs that were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckLoss {
    /// Lost ACKs.
    pub lost: u64,
    /// ACKs that were sent.
    pub sent: u64,
}

impl AckLoss {
    /// The losses of all connections; none if a receiver does not count its packets.
    pub(super) fn of<'a>(logs: impl Iterator<Item = &'a Log>) -> Option<Self> {
        let mut all = Self { lost: 0, sent: 0 };
        for log in logs {
            let ids: Vec<u16> = log.acks.iter().filter_map(|ack| ack.ip_id).collect();
            let one = Self::of_ids(&ids)?;
            all = Self { lost: all.lost + one.lost, sent: all.sent + one.sent };
        }
        Some(all)
    }

    fn of_ids(ids: &[u16]) -> Option<Self> {
        let steps: Vec<u16> = ids.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        let counting: Vec<u64> = steps
            .iter()
            .filter(|step| (1..LARGEST_STEP).contains(step))
            .map(|step| u64::from(*step))
            .collect();
        if steps.len() < FEW || (counting.len() as f64) < COUNTS * steps.len() as f64 {
            return None;
        }
        let lost = counting.iter().map(|step| step - 1).sum();
        Some(Self { lost, sent: lost + steps.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit test 5 of the design: exact across the wrap; constant and random numbers tell nothing.
    #[test]
    fn missing_numbers_are_lost_acks() {
        let ids: Vec<u16> =
            (0..200u16).filter(|n| n % 10 != 3).map(|n| n.wrapping_add(65_436)).collect();
        assert_eq!(AckLoss::of_ids(&ids), Some(AckLoss { lost: 20, sent: 199 }));
        assert_eq!(AckLoss::of_ids(&[0; 200]), None);
        let random: Vec<u16> = (0..200u16).map(|n| n.wrapping_mul(40_503)).collect();
        assert_eq!(AckLoss::of_ids(&random), None);
        assert_eq!(AckLoss::of_ids(&ids[..10]), None);
    }
}
