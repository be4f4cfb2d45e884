//! A hash of the trajectory of a run: every arrival, when, where, and what arrived.

use airtcp_packet::{EndpointId, Segment};
use airtcp_units::Nanos;

/// Two lanes of 64 bits, each a multiply-and-rotate fold, so that equal runs have equal
/// fingerprints on every machine and a difference anywhere shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u64; 2]);

impl Fingerprint {
    pub(crate) const fn new() -> Self {
        Self([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344])
    }

    fn fold(&mut self, word: u64) {
        let [a, b] = self.0;
        self.0 = [
            (a ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29),
            (b.wrapping_add(word)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(31) ^ a,
        ];
    }

    /// A packet for `to` came out of link number `link`.
    pub(crate) fn fold_arrival(
        &mut self,
        now: Nanos,
        link: u32,
        to: EndpointId,
        segment: &Segment,
    ) {
        self.fold(now.0);
        self.fold(u64::from(link) << 32 | to.index() as u64);
        self.fold(u64::from(segment.seq.0) << 32 | u64::from(segment.ack.0));
        self.fold(
            u64::from(segment.len) << 32
                | u64::from(segment.window) << 16
                | u64::from(segment.flags.0) << 8
                | u64::from(segment.ecn.bits()),
        );
    }

    /// 32 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        format!("{:016x}{:016x}", self.0[0], self.0[1])
    }
}
