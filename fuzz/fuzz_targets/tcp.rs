//! Any sequence of segments, timers and application calls against one end of a connection:
//! nothing panics, time never runs backwards, output always ends.
#![no_main]

use airtcp_packet::{Ecn, Flags, Pool, SackBlock, Segment, Seq};
use airtcp_probe::{Cx, Machine, NoProbe, Who};
use airtcp_transport::tcp::{Connection, Profile, Role, TcpConfig};
use airtcp_units::Nanos;
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
enum Step {
    Segment {
        seq: i16,
        ack: i16,
        flags: u8,
        len: u16,
        window: u16,
        sacks: [(i16, i16); 3],
        count: u8,
        timestamps: Option<(u32, u32)>,
        ce: bool,
    },
    Wait(u32),
    Timer,
    Write(u16),
    Read(u16),
    Close,
    Abort,
}

fuzz_target!(|input: (u8, bool, u32, Vec<Step>)| {
    let (profile, active, iss, steps) = input;
    let config = TcpConfig::profile(Profile::ALL[profile as usize % Profile::ALL.len()]);
    let role = if active { Role::Active } else { Role::Passive };
    let mut connection = Connection::new(&config, role, Seq(iss));
    let mut now = Nanos::ZERO;
    let (mut probe, mut pool) = (NoProbe, Pool::new());
    let mut cx = Cx::new(&mut probe, &mut pool, Who::Link(0));
    let mut last = Segment::default();
    connection.open(now);
    for step in steps.into_iter().take(200) {
        match step {
            Step::Segment { seq, ack, flags, len, window, sacks, count, timestamps, ce } => {
                // Near what the endpoint last said, so that some of it is acceptable.
                let near = |base: Seq, by: i16| Seq(base.0.wrapping_add_signed(i32::from(by)));
                let mut segment = Segment {
                    seq: near(last.ack, seq),
                    ack: near(last.seq, ack),
                    flags: Flags(flags),
                    len,
                    window,
                    ecn: if ce { Ecn::Ce } else { Ecn::Ect0 },
                    ..Segment::default()
                };
                if let Some((value, echo)) = timestamps {
                    segment.set_timestamps(value, echo);
                }
                for (start, end) in sacks.into_iter().take(usize::from(count % 4)) {
                    segment.push_sack(SackBlock { start: near(last.seq, start), end: near(last.seq, end) });
                }
                connection.handle(now, segment, &mut cx);
            }
            Step::Wait(ns) => now = Nanos(now.0 + u64::from(ns)),
            Step::Timer => {
                let at = connection.next_timer();
                if at != Nanos::NEVER {
                    assert!(at >= now);
                    now = at;
                    connection.on_timer(now, &mut cx);
                }
            }
            Step::Write(bytes) => {
                connection.write(now, u64::from(bytes));
            }
            Step::Read(bytes) => {
                connection.read(now, u64::from(bytes));
            }
            Step::Close => connection.close(now),
            Step::Abort => connection.abort(now),
        }
        let mut sent = 0;
        while let Some(segment) = connection.poll(now, &mut cx) {
            last = segment;
            sent += 1;
            assert!(sent < 100_000, "output without end");
        }
    }
});
