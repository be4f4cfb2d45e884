//! Awkward but legal traffic, segment by segment, with counts that follow from the RFCs.

#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use airtcp_capture::dissect::{Address, Endpoint, Flags, Options, Segment};
use airtcp_capture::tcp::report::{ConnectionReport, DirectionReport};
use airtcp_capture::tcp::{Tracker, TrackerLimits};

const MS: u64 = 1_000_000;
const ACK: u8 = Flags::ACK.0;
const SYN: u8 = Flags::SYN.0;
const FIN: u8 = Flags::FIN.0;
/// Initial sequence numbers of the client and the server: both wrap.
const ISS: [u32; 2] = [0xffff_fff0, 0xffff_f000];

/// A script of segments between a client and a server. Numbers count from the initial sequence numbers.
struct Script {
    segments: Vec<Segment>,
    ids: [u16; 2],
}

fn end(client: bool) -> Endpoint {
    let (last, port) = if client { (1, 50_000) } else { (2, 443) };
    Endpoint { address: Address::v4([10, 0, 0, last]), port }
}

impl Script {
    fn new() -> Self {
        Self { segments: Vec::new(), ids: [7, 900] }
    }

    /// A connection whose handshake takes `rtt_us`, captured at the client.
    fn opened(rtt_us: u64) -> Self {
        let mut script = Self::new();
        script.add(0, 'C', SYN, 0, 0, 0);
        script.add(rtt_us, 'S', SYN | ACK, 0, 1, 0);
        script.add(rtt_us + 100, 'C', ACK, 1, 1, 0);
        script
    }

    /// A segment `us` after the start, which the last call returns for changes.
    fn add(
        &mut self,
        us: u64,
        from: char,
        flags: u8,
        seq: u32,
        ack: u32,
        payload: u32,
    ) -> &mut Segment {
        let client = from == 'C';
        let place = usize::from(!client);
        self.ids[place] += 1;
        let options = Options { sack_permitted: flags & SYN != 0, ..Options::default() };
        self.segments.push(Segment {
            time_ns: 1_000_000 * MS + us * 1000,
            from: end(client),
            to: end(!client),
            sequence: ISS[place].wrapping_add(seq),
            acknowledgement: if flags & ACK == 0 { 0 } else { ISS[1 - place].wrapping_add(ack) },
            flags: Flags(flags),
            window: 60_000,
            payload,
            options,
            ip_id: Some(self.ids[place]),
            ttl: 64,
            ..Segment::default()
        });
        self.segments.last_mut().unwrap()
    }

    /// `count` segments of 1000 bytes from the server, each acknowledged `rtt_us` later.
    fn download(&mut self, us: u64, first: u32, count: u32, rtt_us: u64) {
        for n in first..first + count {
            let at = us + u64::from(n - first) * 2000;
            self.add(at, 'S', ACK, 1 + n * 1000, 1, 1000);
            self.add(at + rtt_us, 'C', ACK, 1, 1 + (n + 1) * 1000, 0);
        }
    }

    /// Changes the times of the packets of an end.
    fn shift(&mut self, from: char, us: i64) {
        for segment in self.segments.iter_mut().filter(|s| (s.from == end(true)) == (from == 'C')) {
            segment.time_ns = segment.time_ns.saturating_add_signed(us * 1000);
        }
    }

    /// The only connection, its packets in the order of their times.
    fn report(mut self) -> ConnectionReport {
        self.segments.sort_by_key(|segment| segment.time_ns);
        self.report_as_written()
    }

    fn report_as_written(&self) -> ConnectionReport {
        let mut tracker = Tracker::new(TrackerLimits::default());
        for segment in &self.segments {
            tracker.on_segment(segment);
        }
        let mut report = tracker.finish();
        assert_eq!(report.connections.len(), 1);
        report.connections.remove(0)
    }
}

/// Data segments, unique bytes, segments sent again, spurious ones, capture losses.
fn counts(direction: &DirectionReport) -> [u64; 5] {
    [
        direction.data_segments,
        direction.unique_bytes,
        direction.retransmitted_segments,
        direction.spurious_retransmissions,
        direction.capture_losses,
    ]
}

/// Two captures whose clocks differ, by less and by more than the round trip, are put in order.
#[test]
fn merged_clocks() {
    for (from, us) in [('C', -50_000), ('C', -5_000), ('S', 50_000), ('S', 400_000)] {
        let mut script = Script::opened(30_000);
        script.download(200_000, 0, 60, 100);
        script.shift(from, us);
        let report = script.report();
        let [upload, download] = &report.directions[..] else { panic!() };
        assert_eq!(counts(download), [60, 60_000, 0, 0, 0], "{from} {us}");
        assert_eq!((download.out_of_order, download.syn_retransmissions), (0, 0));
        assert_eq!((download.rtt_s.samples, upload.rtt_s.samples), (0, 0));
        assert_eq!(report.vantage, "unknown");
        let early = report.early_acks.unwrap();
        let skew = us.unsigned_abs() as f64 / 1e6;
        assert!(early.two_clocks && early.count >= 60, "{early:?}");
        assert!((early.lag_max_s - (skew - 1e-4)).abs() < 1e-9, "{early:?}");
        assert!(early.skew_at_most_s.is_none_or(|most| most >= skew), "{early:?}");
        // The client's clock alone tells the handshake.
        assert!((download.handshake_rtt_s.unwrap() - 0.0301).abs() < 1e-9);
    }
}

/// The server's clock is early: its answers come before the client's SYN and data.
#[test]
fn answers_before_the_syn() {
    let mut script = Script::opened(30_000);
    for n in 0..20 {
        let at = 100_000 + u64::from(n) * 40_000;
        script.add(at, 'C', ACK, 1 + n * 1000, 1, 1000);
        script.add(at + 30_000, 'S', ACK, 1, 1 + (n + 1) * 1000, 0);
    }
    script.shift('S', -50_000);
    let report = script.report();
    assert_eq!(counts(&report.directions[0]), [20, 20_000, 0, 0, 0]);
    assert!(report.client_known && report.client.ends_with(":50000"));
    assert!(report.early_acks.unwrap().two_clocks);
}

/// Behind merged clocks, a lost segment that was sent again is one, and data that the capture lacks are capture
/// losses.
#[test]
fn losses_behind_merged_clocks() {
    let mut script = Script::opened(30_000);
    script.download(200_000, 0, 20, 100);
    // Segment 20 is lost behind the capture, and sent again after three duplicate ACKs.
    let lost = 20_001;
    script.add(240_000, 'S', ACK, lost, 1, 1000);
    for n in 21..25 {
        let at = 240_000 + u64::from(n - 20) * 1000;
        script.add(at, 'S', ACK, 1 + n * 1000, 1, 1000);
        let ack = script.add(at + 100, 'C', ACK, 1, lost, 0);
        let right = 1 + (n + 1) * 1000;
        ack.options.sack.push((ISS[1].wrapping_add(lost + 1000), ISS[1].wrapping_add(right)));
    }
    script.add(246_000, 'S', ACK, lost, 1, 1000);
    script.add(246_100, 'C', ACK, 1, 25_001, 0);
    script.download(260_000, 25, 20, 100);
    let all = script.segments.len();
    script.shift('C', -50_000);
    let expected = [46, 45_000, 1, 0, 0];
    let whole = Script { segments: script.segments.clone(), ids: script.ids }.report();
    assert_eq!(counts(&whole.directions[1]), expected);
    assert_eq!(whole.directions[1].retransmissions.fast, 1);
    // Without one of the later segments.
    script.segments.remove(all - 20);
    let report = script.report();
    assert_eq!(counts(&report.directions[1]), [45, 44_000, 1, 0, 1]);
}

/// Data that several receive queues wrote behind their ACKs, also in another order than they were sent.
#[test]
fn written_late() {
    let mut script = Script::opened(30_000);
    script.download(200_000, 0, 50, 100);
    let data = |n: usize| 3 + 2 * n;
    for n in [6, 18, 30, 42] {
        script.segments[data(n)].time_ns += 300_000;
    }
    let report = Script { segments: script.segments.clone(), ids: script.ids }.report();
    assert_eq!(counts(&report.directions[1]), [50, 50_000, 0, 0, 0]);
    assert_eq!(report.directions[1].rtt_s.samples, 46);
    let early = report.early_acks.unwrap();
    assert!(!early.two_clocks && early.count == 4, "{early:?}");
    assert!((early.lag_max_s - 2e-4).abs() < 1e-9);
    // One comes behind the next segment and the ACK of both.
    script.segments[data(10)].time_ns += 2_400_000;
    let report = script.report();
    assert_eq!(counts(&report.directions[1]), [50, 50_000, 0, 0, 0]);
    assert_eq!(report.early_acks.unwrap().count, 5);
}

/// A segment that is sent again after its ACK, and whose first copy the capture lacks, is no late record: its
/// identification, or the losses of the capture, tell.
#[test]
fn a_second_copy_is_not_late() {
    for has_ids in [true, false] {
        let mut script = Script::opened(30_000);
        script.download(200_000, 0, 20, 100);
        if !has_ids {
            // The capture lacks others as well.
            script.segments.remove(13);
        }
        let all = script.segments.len();
        // The last segment is sent again, and only its second copy is in the capture.
        script.add(300_000, 'S', ACK, 19_001, 1, 1000);
        script.segments.remove(all - 2);
        if !has_ids {
            script.segments.iter_mut().for_each(|segment| segment.ip_id = None);
        }
        let report = script.report();
        assert!(report.early_acks.is_none(), "{:?}", report.early_acks);
        let lost = if has_ids { 1 } else { 2 };
        let download = &report.directions[1];
        assert_eq!((download.retransmitted_segments, download.capture_losses), (1, lost));
    }
}

/// A monitor lacks most data; a probe repeats the last segment, of which it has no other copy.
#[test]
fn a_probe_behind_what_the_capture_lacks() {
    let mut script = Script::opened(30_000);
    script.download(200_000, 0, 10, 100);
    script.segments.retain(|s| s.payload == 0 || s.sequence == ISS[1].wrapping_add(1));
    let probe = script.add(221_000, 'S', ACK, 9001, 1, 1000);
    probe.ip_id = probe.ip_id.map(|id| id + 90);
    let report = script.report();
    assert!(report.early_acks.is_none(), "{:?}", report.early_acks);
    let download = &report.directions[1];
    assert_eq!((download.retransmitted_segments, download.capture_losses), (1, 9));
}

/// A capture that lacks the SYN, or the packets of one end, has nothing early.
#[test]
fn what_the_capture_lacks_is_not_early() {
    let mut script = Script::opened(30_000);
    script.download(200_000, 0, 50, 100);
    let whole = Script { segments: script.segments.clone(), ids: script.ids };
    script.segments.remove(0);
    assert!(script.report().early_acks.is_none());
    let mut one_end = whole;
    one_end.segments.retain(|segment| segment.from == end(false));
    let report = one_end.report();
    assert!(report.early_acks.is_none());
    assert_eq!(counts(&report.directions[1]), [50, 50_000, 0, 0, 0]);
}

/// Probes of a closed window: of one byte that the receiver takes or not, and of none, as Linux sends them.
#[test]
fn window_probes() {
    for (bytes, is_taken) in [(1, false), (1, true), (0, false)] {
        let mut script = Script::opened(20_000);
        for n in 0..6 {
            script.add(100_000 + u64::from(n) * 1000, 'C', ACK, 1 + n * 1000, 1, 1000);
        }
        script.add(126_000, 'S', ACK, 1, 6001, 0).window = 0;
        let seq = if bytes == 1 { 6001 } else { 6000 };
        let taken = u32::from(is_taken);
        for (n, at) in [500_000, 1_500_000, 3_500_000].into_iter().enumerate() {
            script.add(at, 'C', ACK, seq, 1, bytes);
            let ack = 6001 + if n == 2 { taken } else { 0 };
            script.add(at + 20_000, 'S', ACK, 1, ack, 0).window = 0;
        }
        // The ACK that opens the window is lost behind the capture: one more probe.
        script.add(3_600_000, 'S', ACK, 1, 6001 + taken, 0);
        script.add(5_500_000, 'C', ACK, seq + taken, 1, bytes);
        let ack = 6001 + 2 * taken;
        script.add(5_520_000, 'S', ACK, 1, ack, 0);
        script.add(5_521_000, 'C', ACK, ack, 1, 1000);
        script.add(5_541_000, 'S', ACK, 1, ack + 1000, 0);
        let report = script.report();
        let upload = &report.directions[0];
        let all = if is_taken { 7002 } else { 7000 };
        assert_eq!(counts(upload), [7, all, 0, 0, 0], "{bytes} {is_taken}");
        assert_eq!((upload.window_probes, upload.keep_alives, upload.timeouts), (4, 0, 0));
        assert_eq!((upload.zero_windows, upload.zero_window_acks), (1, 4));
        let shares: Vec<(&str, f64)> = upload.limited_by.iter().collect();
        let window = shares.iter().find(|(name, _)| *name == "receive_window").unwrap().1;
        assert!(window > 0.6, "{shares:?}");
        assert_eq!(upload.duplicate_acks, 0);
        assert_eq!(upload.closed_to_end_s, None);
    }
}

/// The window is closed until the capture ends: 20 s from the ACK that closed it, whatever probes were answered. Once all
/// data to the FIN are acknowledged, or after a reset alone, no window is missed.
#[test]
fn a_window_that_never_opens_again() {
    let closing = |fin: u32| {
        let mut script = Script::opened(20_000);
        let flags = if fin > 0 { ACK | Flags::FIN.0 } else { ACK };
        script.add(100_000, 'C', flags, 1, 1, 1000);
        script.add(120_000, 'S', ACK, 1, 1001 + fin, 0).window = 0;
        script
    };
    let mut script = closing(0);
    for at in [500_000, 1_500_000, 20_100_000] {
        script.add(at, 'C', ACK, 1001, 1, 1);
        script.add(at + 20_000, 'S', ACK, 1, 1001, 0).window = 0;
    }
    let closed = script.report().directions[0].closed_to_end_s;
    assert!((closed.unwrap() - 20.0).abs() < 1e-9, "{closed:?}");
    assert_eq!(closing(1).report().directions[0].closed_to_end_s, None);
    let mut reset = Script::opened(20_000);
    reset.add(100_000, 'C', ACK, 1, 1, 1000);
    reset.add(120_000, 'S', ACK | Flags::RST.0, 1, 1001, 0).window = 0;
    assert_eq!(reset.report().directions[0].closed_to_end_s, None);
}

/// Keep-alives of one byte and of none are no data; a reset's window advertises nothing.
#[test]
fn keep_alives_and_a_reset() {
    for bytes in [0, 1] {
        let mut script = Script::opened(20_000);
        script.add(100_000, 'C', ACK, 1, 1, 500);
        script.add(120_000, 'S', ACK, 1, 501, 0);
        for n in 1..4 {
            script.add(n * 10_000_000, 'C', ACK, 500, 1, bytes);
            script.add(n * 10_000_000 + 20_000, 'S', ACK, 1, 501, 0);
        }
        script.add(40_000_000, 'S', ACK | Flags::RST.0, 1, 501, 0).window = 0;
        let report = script.report();
        let upload = &report.directions[0];
        assert_eq!(counts(upload), [1, 500, 0, 0, 0]);
        assert_eq!((upload.keep_alives, upload.window_probes, upload.zero_windows), (3, 0, 0));
        assert_eq!(upload.receive_window.mean_bytes, Some(60_000.0));
    }
}

/// Both ends open (RFC 9293 section 3.5) and close (section 3.6, case 3) at the same time. A SYN that is sent again counts.
#[test]
fn both_open_and_close() {
    for again in [0, 1] {
        let mut script = Script::new();
        script.add(0, 'C', SYN, 0, 0, 0);
        if again == 1 {
            script.add(1000, 'C', SYN, 0, 0, 0);
        }
        script.add(2000, 'S', SYN, 0, 0, 0);
        script.add(30_000, 'C', SYN | ACK, 0, 1, 0);
        script.add(32_000, 'S', SYN | ACK, 0, 1, 0);
        for n in 0..12 {
            let at = 100_000 + u64::from(n) * 1000;
            script.add(at, 'C', ACK, 1 + n * 700, 1, 700);
            script.add(at + 31_000, 'S', ACK, 1, 1 + (n + 1) * 700, 0);
        }
        script.add(200_000, 'C', FIN | ACK, 8401, 1, 0);
        script.add(200_100, 'S', FIN | ACK, 1, 8401, 0);
        script.add(230_000, 'C', ACK, 8402, 2, 0);
        script.add(230_100, 'S', ACK, 2, 8402, 0);
        let report = script.report();
        assert_eq!(counts(&report.directions[0]), [12, 8400, 0, 0, 0]);
        assert_eq!(report.directions[0].syn_retransmissions, again);
        assert_eq!(report.directions[1].syn_retransmissions, 0);
        assert!(report.directions.iter().all(|d| d.fin_retransmissions == 0));
    }
}

/// Data in the SYN (RFC 7413): taken, taken in part, not taken, or lost with the SYN.
#[test]
fn early_data() {
    for (taken, refused) in [(600, 0), (200, 400), (0, 600)] {
        let mut script = Script::new();
        script.add(0, 'C', SYN, 0, 0, 600);
        script.add(30_000, 'S', SYN | ACK, 0, 1 + taken, 0);
        script.add(30_100, 'C', ACK, 1 + taken, 1, 1000);
        script.add(60_100, 'S', ACK, 1, 1001 + taken, 0);
        let report = script.report();
        let upload = &report.directions[0];
        assert_eq!(counts(upload), [2, u64::from(1000 + taken), 0, 0, 0], "{taken}");
        assert_eq!((upload.early_refused_bytes, upload.syn_retransmissions), (refused, 0));
    }
    let mut script = Script::new();
    script.add(0, 'C', SYN, 0, 0, 600);
    script.add(1_000_000, 'C', SYN, 0, 0, 0);
    script.add(1_030_000, 'S', SYN | ACK, 0, 1, 0);
    script.add(1_030_100, 'C', ACK, 1, 1, 600);
    script.add(1_060_100, 'S', ACK, 1, 601, 0);
    let report = script.report();
    let upload = &report.directions[0];
    assert_eq!((upload.syn_retransmissions, upload.retransmitted_segments), (1, 1));
    assert_eq!((upload.unique_bytes, upload.early_refused_bytes), (600, 0));
}

/// Every packet twice, with and without identifications, at the same and at another time to live: the counts
/// are those of one copy.
#[test]
fn copies_of_all_packets() {
    for has_ids in [true, false] {
        for ttl in [64, 61] {
            let mut script = Script::opened(30_000);
            script.add(40_000, 'C', ACK, 1, 1, 500);
            script.download(70_000, 0, 5, 100);
            script.add(90_000, 'S', FIN | ACK, 5001, 501, 100);
            script.add(90_100, 'C', FIN | ACK, 501, 5102, 0);
            script.add(120_000, 'S', ACK, 5102, 502, 0);
            script.add(120_100, 'C', Flags::RST.0, 502, 0, 0);
            if !has_ids {
                script.segments.iter_mut().for_each(|segment| segment.ip_id = None);
            }
            let copy = |s: &Segment| Segment { time_ns: s.time_ns + 30_000, ttl, ..s.clone() };
            script.segments.extend(script.segments.clone().iter().map(copy));
            let report = script.report();
            let [upload, download] = &report.directions[..] else { panic!() };
            assert_eq!(counts(download), [6, 5100, 0, 0, 0], "{has_ids} {ttl}");
            assert_eq!(counts(upload), [1, 500, 0, 0, 0], "{has_ids} {ttl}");
            for direction in [upload, download] {
                assert_eq!((direction.syn_retransmissions, direction.fin_retransmissions), (0, 0));
                assert_eq!(direction.network_duplicates, 0);
            }
            assert_eq!(download.copied_segments, 6);
            if ttl == 64 {
                assert!((upload.handshake_rtt_s.unwrap() - 0.0301).abs() < 1e-9);
            }
        }
    }
}
