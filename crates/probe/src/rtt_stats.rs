//! Round-trip statistics of a transport.

use airtcp_units::Span;
use serde::Serialize;

/// Samples of the round-trip time since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RttStats {
    /// Number of samples.
    #[serde(rename = "rtt_samples")]
    pub samples: u64,
    /// Sum of the samples.
    #[serde(rename = "rtt_sum")]
    pub sum: Span,
    /// Minimum; zero before the first.
    #[serde(rename = "rtt_min")]
    pub min: Span,
    /// Maximum.
    #[serde(rename = "rtt_max")]
    pub max: Span,
    /// Smoothed as the transport does (RFC 6298, RFC 5348); zero before the first.
    #[serde(rename = "srtt")]
    pub smoothed: Span,
}

impl RttStats {
    /// Mean of the samples.
    pub fn mean(&self) -> Option<Span> {
        (self.samples > 0).then(|| self.sum / self.samples)
    }

    /// Records a sample and the smoothed round-trip time after it.
    #[inline]
    pub fn record(&mut self, sample: Span, smoothed: Span) {
        self.min = if self.samples == 0 { sample } else { self.min.min(sample) };
        self.max = self.max.max(sample);
        self.samples += 1;
        self.sum += sample;
        self.smoothed = smoothed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_up() {
        let mut rtt = RttStats::default();
        assert_eq!(rtt.mean(), None);
        for (sample, smoothed) in [(30, 30), (10, 27), (50, 30)] {
            rtt.record(Span::from_millis(sample), Span::from_millis(smoothed));
        }
        let ms = Span::from_millis;
        let expected =
            RttStats { samples: 3, sum: ms(90), min: ms(10), max: ms(50), smoothed: ms(30) };
        assert_eq!((rtt, rtt.mean()), (expected, Some(ms(30))));
    }
}
