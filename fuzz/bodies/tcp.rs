//! Any sequence of segments, timers and application calls against one end of a connection:
//! nothing panics, time never runs backwards, output always ends.

use airtcp_packet::{Ecn, Flags, SackBlock, Segment, Seq};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_transport::tcp::{Connection, Profile, Role, TcpConfig};
use airtcp_units::Nanos;

use super::input::Bytes;

/// Steps of one input.
const STEPS: usize = 200;

/// A segment near what the endpoint last said, so that some of it is acceptable.
#[allow(clippy::field_reassign_with_default, reason = "some fields are private to their crate")]
fn segment(input: &mut Bytes<'_>, last: &Segment) -> Segment {
    let near = |base: Seq, by: i16| Seq(base.0.wrapping_add_signed(i32::from(by)));
    let options = input.u8();
    let mut segment = Segment::default();
    segment.seq = near(last.ack, input.i16());
    segment.ack = near(last.seq, input.i16());
    segment.flags = Flags(input.u8());
    segment.len = input.u16();
    segment.window = input.u16();
    segment.ecn = if options & 1 == 1 { Ecn::Ce } else { Ecn::Ect0 };
    if options & 2 == 2 {
        segment.set_timestamps(input.u32(), input.u32());
    }
    for _ in 0..options >> 2 & 3 {
        let (start, end) = (input.i16(), input.i16());
        segment.push_sack(SackBlock { start: near(last.seq, start), end: near(last.seq, end) });
    }
    segment
}

/// Plays the input against a connection.
pub(crate) fn tcp(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let config = TcpConfig::profile(Profile::ALL[usize::from(input.u8()) % Profile::ALL.len()]);
    let role = if input.u8() & 1 == 1 { Role::Active } else { Role::Passive };
    let mut connection = Connection::new(&config, role, Seq(input.u32()));
    let mut now = Nanos::ZERO;
    let mut probe = NoProbe;
    let mut cx = Cx::new(&mut probe, EventSource::Link(0));
    let mut last = Segment::default();
    connection.open(now);
    for _ in 0..STEPS {
        if input.0.is_empty() {
            break;
        }
        match input.u8() % 8 {
            0 | 1 => {
                let segment = segment(&mut input, &last);
                connection.handle(now, segment, &mut cx);
            }
            2 => now = Nanos(now.0 + u64::from(input.u32())),
            3 => {
                let at = connection.next_timer();
                if at != Nanos::NEVER {
                    assert!(at >= now, "a timer in the past");
                    now = at;
                    connection.on_timer(now, &mut cx);
                }
            }
            4 => {
                connection.write(now, u64::from(input.u16()));
            }
            5 => {
                connection.read(now, u64::from(input.u16()));
            }
            6 => connection.close(now),
            _ => connection.abort(now),
        }
        let mut sent = 0;
        while let Some(segment) = connection.poll(now, &mut cx) {
            last = segment;
            sent += 1;
            assert!(sent < 100_000, "output without end");
        }
    }
}
