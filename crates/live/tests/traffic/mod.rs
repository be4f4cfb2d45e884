//! Bursts of TCP between two ports.

use airtcp_packet::{Ecn, Flags, Seq};
use airtcp_units::{LowBits, Nanos, Narrow};
use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::{ipv4, tcp};

/// A small generator of numbers for arrivals and calls.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A frame of TCP from a port: data from port 0, ACKs from port 1.
fn frame(port: usize, flow: u16, number: u32) -> Vec<u8> {
    let ports = if port == 0 { [5_201, 40_000 + flow] } else { [40_000 + flow, 5_201] };
    let len = if port == 0 { 1_448 } else { 0 };
    let header = tcp::Repr {
        source_port: ports[0],
        destination_port: ports[1],
        seq: Seq(number.wrapping_mul(1_448)),
        ack: Seq(number),
        flags: Flags::ACK,
        window: 500,
        options: tcp::Options { timestamps: Some((number, number)), ..Default::default() },
        ..tcp::Repr::default()
    };
    let addresses = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let (source, destination) = (addresses[port].into(), addresses[1 - port].into());
    let ip = ipv4::Repr {
        source,
        destination,
        protocol: if flow == 9 { 1 } else { tcp::PROTOCOL },
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::Ect0,
        ident: u16::low_bits(number),
        dont_fragment: true,
        more_fragments: false,
        frag_offset: 0,
        payload_len: header.buffer_len() + len,
    };
    let mut frame = vec![2; 12];
    frame.extend([8, 0]);
    ip.emit(&mut frame);
    header.emit(&mut frame, &Addresses::V4(source, destination), Payload::zeros(len));
    frame.resize(frame.len() + len, 7);
    frame
}

/// Bursts from both ports over two seconds: (time, port, frame).
pub(crate) fn traffic(seed: u64) -> Vec<(Nanos, usize, Vec<u8>)> {
    let mut numbers = Numbers(seed);
    let (mut at, mut all) = (0, Vec::new());
    for number in 0.. {
        at +=
            if numbers.below(24) == 0 { numbers.below(20_000_000) } else { numbers.below(300_000) };
        if at > 2_000_000_000 {
            break;
        }
        let port = usize::from(numbers.below(3) == 0);
        let flow = if numbers.below(20) == 0 { 9 } else { u16::narrow(numbers.below(4)) };
        all.push((Nanos(at), port, frame(port, flow, number)));
    }
    all
}
