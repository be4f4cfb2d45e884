//! The TFRC rate for the sender and receiver, RFC 5348 section 3.1, and its inverse in the loss
//! event rate. Bytes per second, bytes, seconds. The equation itself is
//! [`tfrc_seconds_per_segment`].

use airtcp_units::tfrc_seconds_per_segment;

/// Throughput in bytes per second of a TCP with segments of `s` bytes, round-trip time `rtt` and
/// timeout `rto` in seconds, that meets loss events at rate `p` per packet; `b` packets are
/// acknowledged by one acknowledgement (RFC 5348 has 1). Infinite if `p` is 0.
pub fn throughput(s: f64, rtt: f64, rto: f64, p: f64, b: f64) -> f64 {
    s / tfrc_seconds_per_segment(rtt, rto, p, b)
}

/// The loss event rate at which [`throughput`] with `rto = 4 rtt` and `b = 1` is `x` bytes per
/// second, within a millionth: the first loss interval is its inverse (RFC 5348 section 6.3.1,
/// which asks for 5 %). Between 1e-8 and 1.
pub fn loss_event_rate(s: f64, rtt: f64, x: f64) -> f64 {
    // The throughput falls monotonically with p; the rate spans eight decades.
    let (mut low, mut high) = (1e-8_f64, 1.0_f64);
    for _ in 0..64 {
        let middle = (low * high).sqrt();
        if throughput(s, rtt, 4.0 * rtt, middle, 1.0) > x {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_per_second() {
        let x = throughput(1460.0, 0.1, 0.4, 0.01, 1.0);
        assert!((x - 164_011.0).abs() < 150.0, "{x}");
        assert!(throughput(1000.0, 0.1, 0.4, 0.0, 1.0).is_infinite());
    }

    #[test]
    fn the_inverse_returns() {
        for p in [1e-6, 1e-3, 0.02, 0.3, 0.9] {
            let x = throughput(1460.0, 0.08, 0.32, p, 1.0);
            assert!((loss_event_rate(1460.0, 0.08, x) / p - 1.0).abs() < 1e-6);
        }
        // s / (2R), the assumed rate if the very first packet is lost: about 20.6 %.
        let p = loss_event_rate(1000.0, 0.1, 1000.0 / 0.2);
        assert!((p - 0.2064).abs() < 1e-3, "{p}");
    }
}
