//! What a TCP connection that sends is like, each 100 ms, as the kernel counts it.

use airtcp_os::tcp::TcpInfo;

/// Bytes of a sample in a report.
pub(super) const SAMPLE: usize = 56;

/// A look at a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadSample {
    /// Nanoseconds since the connection began to send.
    pub at: u64,
    /// What the kernel counted until then.
    pub info: TcpInfo,
}

impl LoadSample {
    /// As bytes of a report.
    pub(super) fn record(&self) -> [u8; SAMPLE] {
        let i = &self.info;
        let longs = [self.at, i.bytes_acked, i.busy_us, i.rwnd_limited_us, i.sndbuf_limited_us];
        let numbers = [i.retransmitted, i.rtt_us, i.cwnd, i.mss];
        let mut bytes = [0; SAMPLE];
        let (front, back) = bytes.split_at_mut(40);
        for (place, long) in front.as_chunks_mut::<8>().0.iter_mut().zip(longs) {
            *place = long.to_be_bytes();
        }
        for (place, number) in back.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
            *place = number.to_be_bytes();
        }
        bytes
    }

    /// From the bytes of a report.
    pub(super) fn read(bytes: &[u8; SAMPLE]) -> Self {
        let long = |n: usize| bytes.as_chunks::<8>().0.get(n).map_or(0, |b| u64::from_be_bytes(*b));
        let number =
            |n: usize| bytes.as_chunks::<4>().0.get(10 + n).map_or(0, |b| u32::from_be_bytes(*b));
        let info = TcpInfo {
            bytes_acked: long(1),
            busy_us: long(2),
            rwnd_limited_us: long(3),
            sndbuf_limited_us: long(4),
            retransmitted: number(0),
            rtt_us: number(1),
            cwnd: number(2),
            mss: number(3),
            ..TcpInfo::default()
        };
        Self { at: long(0), info }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_as_it_was_written() {
        let info = TcpInfo {
            bytes_acked: 1 << 40,
            busy_us: 2,
            rwnd_limited_us: 3,
            sndbuf_limited_us: 4,
            retransmitted: 5,
            rtt_us: 6,
            cwnd: 7,
            mss: 8,
            ..TcpInfo::default()
        };
        let sample = LoadSample { at: 9, info };
        assert_eq!(LoadSample::read(&sample.record()), sample);
    }
}
