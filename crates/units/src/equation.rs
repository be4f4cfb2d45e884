//! TCP's throughput equation as TFRC uses it, RFC 5348 section 3.1.
//!
//! `X = s / (R sqrt(2bp/3) + t_RTO (3 sqrt(3bp/8)) p (1 + 32 p^2))`: the simplified form of
//! Padhye, Firoiu, Towsley and Kurose (1998). It stands in this crate because the transport TFRC and
//! the predictions from traces share no other.

/// The denominator of TFRC's equation: seconds per segment of a TCP with round-trip time `rtt`,
/// retransmission timeout `rto`, loss event rate `p` per packet (at most 1) and `b` packets per
/// acknowledgement (RFC 5348 has 1). Zero if `p` is 0.
pub fn tfrc_seconds_per_segment(rtt: f64, rto: f64, p: f64, b: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    let p = p.min(1.0);
    let congestion = rtt * (2.0 * b * p / 3.0).sqrt();
    let timeouts = rto * 3.0 * (3.0 * b * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    congestion + timeouts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: p = 1 %, R = 100 ms. sqrt(2p/3) = 0.0816497; the timeout term is
    /// 0.4 * 3 * 0.0612372 * 0.01 * 1.0032 = 7.3720e-4.
    #[test]
    fn a_worked_point() {
        let seconds = tfrc_seconds_per_segment(0.1, 0.4, 0.01, 1.0);
        let expected = 0.1 * 0.081_649_658 + 0.4 * 3.0 * 0.061_237_244 * 0.01 * 1.0032;
        assert!((seconds / expected - 1.0).abs() < 1e-6, "{seconds}");
        assert!((seconds - 8.902e-3).abs() < 1e-6, "{seconds}");
        // With small p only the square root remains.
        let seconds = tfrc_seconds_per_segment(0.1, 0.4, 1e-8, 1.0);
        assert!((seconds / (0.1 * (2e-8_f64 / 3.0).sqrt()) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn rates_beyond_their_range() {
        for p in [0.0, -1.0] {
            assert!(tfrc_seconds_per_segment(0.1, 0.4, p, 1.0) <= 0.0);
        }
        let most = tfrc_seconds_per_segment(0.1, 0.4, 1.0, 1.0);
        assert_eq!(tfrc_seconds_per_segment(0.1, 0.4, 2.0, 1.0).to_bits(), most.to_bits());
    }

    /// net/dccp/ccids/lib/tfrc_equation.c of Linux tabulates 1e6 / (R X) in whole numbers: (p, entry).
    #[test]
    fn equals_the_table_in_the_linux_kernel() {
        for (p, entry) in [
            (0.0001, 8172.0),
            (0.0002, 11_567.0),
            (0.002, 37_172.0),
            (0.01, 89_021.0),
            (0.05, 271_305.0),
            (0.1, 564_939.0),
            (1.0, 243_315_981.0),
        ] {
            let found = 1e6 * tfrc_seconds_per_segment(1.0, 4.0, p, 1.0);
            assert!((found - entry).abs() <= 1.0, "p {p}: {found} instead of {entry}");
        }
    }
}
