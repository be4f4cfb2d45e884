//! Any sequence of datagrams, timers and application calls against one end of a sliding connection over bytes:
//! nothing panics, output ends, and a packet delivers at most one symbol.

use airtcp_packet::{Ecn, EndpointId, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_sliding::{Bytes as Stream, Datagram, FIN, SlidingConfig, SlidingConnection};
use airtcp_units::{Nanos, Narrow};

use super::input::Bytes;

/// Steps of one input.
const STEPS: usize = 300;
/// Packets that an end sends at most at once.
const MAX_SENT: u32 = 40_000;

/// A datagram whose first words are near those that the end has sent, so that some of it is acceptable.
fn datagram(input: &mut Bytes<'_>, last: [u32; 2]) -> Datagram {
    let choice = input.u8();
    let flags = input.u8();
    let count = usize::from(choice % 9);
    let mut words = Vec::new();
    for place in 0..count {
        let near = last[place % 2].wrapping_add_signed(i32::from(input.i16()) / 256);
        let word = match choice >> 4 & 3 {
            0 => near,
            1 if place < 2 => near,
            2 if place < 3 => near,
            _ => input.u32(),
        };
        words.push(word);
    }
    let payload = input.slice(usize::from(input.0.first().copied().unwrap_or_default()));
    let mut bytes = vec![flags, u8::narrow(count)];
    bytes.extend(u16::narrow(payload.len()).to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(payload);
    if choice & 128 != 0 {
        bytes.truncate(usize::from(input.u8()));
    }
    let ecn = if choice & 64 == 0 { Ecn::Ect0 } else { Ecn::Ce };
    Datagram { ecn, bytes }
}

/// The first two words of a packet: its number and the oldest symbol, or what feedback says.
fn words(packet: &Datagram) -> Option<[u32; 2]> {
    let word = |from: usize| {
        let bytes = packet.bytes.get(from..from + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    Some([word(4)?, word(8)?])
}

/// Plays the input against an end.
pub(crate) fn sliding(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let side = if input.u8() & 1 == 1 { Side::Client } else { Side::Server };
    let config = SlidingConfig { segment: 1 + input.u16() % 1500, ..SlidingConfig::default() };
    let mut end: SlidingConnection<Stream> = SlidingConnection::of_bytes(&config, side);
    let mut probe = NoProbe;
    let mut cx = Cx::new(&mut probe, EventSource::Endpoint(EndpointId::new(0, side)));
    let (mut now, mut last, mut arrived, mut read) = (Nanos::ZERO, [0; 2], 0, 0);
    end.open(now);
    for _ in 0..STEPS {
        if input.0.is_empty() {
            break;
        }
        match input.u8() % 8 {
            0..=2 => {
                let packet = datagram(&mut input, last);
                arrived += 1;
                end.handle(now, packet, &mut cx);
            }
            3 => now = Nanos(now.0 + u64::from(input.u32())),
            4 | 5 => {
                let at = end.next_timer();
                if at != Nanos::NEVER {
                    now = now.max(at);
                    end.on_timer(now, &mut cx);
                }
            }
            6 => end.write(&vec![7; usize::from(input.u16())]),
            _ => {
                read += end.read().len();
                if input.u8() == 255 {
                    end.close(now);
                }
            }
        }
        let mut sent = 0;
        while let Some(packet) = end.poll(now, &mut cx) {
            last = words(&packet).unwrap_or(last);
            sent += 1;
            assert!(sent < MAX_SENT, "output without end");
        }
    }
    read += end.read().len();
    assert_eq!(read as u64, end.delivered());
    // A packet completes at most one symbol.
    assert!(read <= arrived * usize::from(FIN - 1), "{read} bytes of {arrived} packets");
}
