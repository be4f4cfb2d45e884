//! Whatever happens to the first packets of a connection, every byte arrives once and in order, and the
//! connection closes.

use airtcp_packet::{Seq, Side};
use airtcp_testkit::{Pair, Pipe, strategies};
use airtcp_transport::tcp::{Reassembly, State, TcpConfig};
use airtcp_units::{Bytes, Span};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const DAY: Span = Span::from_secs(86_400);

/// A transfer.
struct Plan {
    /// Bytes to the server.
    up: u64,
    /// Bytes to the client.
    down: u64,
    /// Maximum bytes that an application reads at a time; `None` for all.
    read: Option<u64>,
    /// True if receivers keep all payload that arrives.
    exact: bool,
}

impl Plan {
    /// Plays the application of one side. Returns whether it did something.
    fn act(&self, pair: &mut Pair, side: Side, closed: &mut bool) -> bool {
        let now = pair.now();
        let (end, expected) = match side {
            Side::Server => (&mut pair.server, self.up),
            Side::Client => (&mut pair.client, self.down),
        };
        let read = self.read.map_or(0, |most| end.read(now, most));
        let open = matches!(end.state(), State::Established | State::CloseWait);
        let closes = open && !*closed && end.delivered() == expected;
        if closes {
            *closed = true;
            end.close(now);
        }
        read > 0 || closes
    }

    /// Transfers everything and closes both ends. After every step it compares the bytes delivered by a receiver
    /// with the pair's own record of in-order payload.
    fn run(&self, pair: &mut Pair) -> Result<(), TestCaseError> {
        let begin = pair.now();
        pair.client.set_auto_read(self.read.is_none());
        pair.server.set_auto_read(self.read.is_none());
        prop_assert_eq!(pair.client.write(begin, self.up), self.up);
        prop_assert_eq!(pair.server.write(begin, self.down), self.down);
        pair.client.open(begin);
        let mut closed = [false; 2];
        loop {
            let mut acted = false;
            for (n, side) in [(0, Side::Client), (1, Side::Server)] {
                acted |= self.act(pair, side, &mut closed[n]);
                let end = pair.end(side);
                let (has, arrived) =
                    (end.delivered() + end.readable(), pair.arrived_in_order(side));
                // A receiver never delivers more than has arrived.
                let right = if self.exact { has == arrived } else { has <= arrived };
                prop_assert!(right, "{side:?} has {has} of {arrived} at {}", pair.now());
            }
            if !pair.step() && !acted {
                break;
            }
            prop_assert!(pair.now().since(begin) < DAY, "the transfer does not complete");
        }
        prop_assert_eq!(pair.server.delivered(), self.up);
        prop_assert_eq!(pair.client.delivered(), self.down);
        prop_assert!(pair.client.is_closed() && pair.server.is_closed());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1024,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_byte_once_and_in_order(
        client in strategies::config(),
        server in strategies::config(),
        to_server in strategies::pipe(),
        to_client in strategies::pipe(),
        up in 0u64..60_000,
        down in prop_oneof![Just(0u64), 0u64..20_000],
        read in prop::option::of(200u64..5_000),
        // Sequence numbers wrap within the transfer or soon after.
        iss in prop_oneof![any::<u32>(), (u32::MAX - 60_000)..=u32::MAX],
        peer_iss in prop_oneof![any::<u32>(), (u32::MAX - 20_000)..=u32::MAX],
    ) {
        let mut pair = Pair::with_iss(&client, &server, Seq(iss), Seq(peer_iss));
        (pair.to_server, pair.to_client) = (to_server, to_client);
        // Go-back-N drops out-of-order payload, PAWS drops late segments (RFC 7323 section 5.3), and
        // a closed window drops the byte of a probe.
        let exact = [&client, &server].iter().all(|c| c.reassembly == Reassembly::Buffering)
            && !(client.timestamps && server.timestamps)
            && read.is_none();
        Plan { up, down, read, exact }.run(&mut pair)?;
    }
}

/// More than 4 GiB through a scaled window: offsets beyond 32 bits, sequence numbers that wrap twice.
#[test]
fn more_than_32_bits_of_data() {
    let config = TcpConfig {
        mss: 65_000,
        receive_buffer: Bytes(1 << 30),
        max_window: Some(2000),
        timestamps: true,
        ..TcpConfig::default()
    };
    let mut pair = Pair::with_iss(&config, &config, Seq(u32::MAX - 100_000), Seq(5));
    let faults = Pipe { lost: 1 << 40 | 1 << 62, ..Pipe::new(Span::from_millis(20)) };
    (pair.to_server, pair.to_client) = (faults, faults);
    let bytes = (1u64 << 33) + 12_345;
    let plan = Plan { up: bytes, down: 10, read: None, exact: true };
    plan.run(&mut pair).expect("all of it arrives");
    assert_eq!(pair.client.stats().bytes_acked, bytes);
    assert!(pair.client.stats().segments_retransmitted < 10);
}

/// Without faults nothing is retransmitted.
#[test]
fn nothing_is_retransmitted_without_loss() {
    let config = TcpConfig::default();
    let mut pair = Pair::new(&config, &config);
    let plan = Plan { up: 2_000_000, down: 100_000, read: None, exact: true };
    plan.run(&mut pair).expect("all of it arrives");
    for stats in [pair.client.stats(), pair.server.stats()] {
        assert_eq!(stats.segments_retransmitted + stats.timeouts + stats.bytes_duplicate, 0);
    }
}
