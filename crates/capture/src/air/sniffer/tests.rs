use airtcp_wire::link_type;

use super::*;

const STATION: [u8; 6] = [2, 0, 0, 0, 0, 1];
const ACCESS_POINT: [u8; 6] = [2, 0, 0, 0, 0, 2];

/// Radiotap with clock, flags and rate.
fn radiotap(us: u64, flags: u8, rate: u8) -> Vec<u8> {
    let mut header = vec![0, 0, 18, 0, 7, 0, 0, 0];
    header.extend(us.to_le_bytes());
    header.extend([flags, rate]);
    header
}

/// A QoS data frame from the access point to the station, with an IP packet of one byte.
fn data(sequence: u16, retry: bool) -> Vec<u8> {
    let mut frame = vec![0x88, if retry { 0x0a } else { 0x02 }, 48, 0];
    for address in [STATION, ACCESS_POINT, ACCESS_POINT] {
        frame.extend(address);
    }
    frame.extend((sequence << 4).to_le_bytes());
    frame.extend([0, 0, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]);
    frame
}

fn ack(to: [u8; 6]) -> Vec<u8> {
    let mut frame = vec![0xd4, 0, 0, 0];
    frame.extend(to);
    frame
}

/// A capture by hand: frames at 24 Mbit/s by the radio's clock.
#[derive(Default)]
struct Capture {
    sniffer: Sniffer,
    ip_packets: u64,
}

impl Capture {
    /// A frame with flags of radiotap, and its length on the wire.
    fn frame(&mut self, us: u64, flags: u8, wire_len: u32, frame: &[u8]) {
        let mut bytes = radiotap(us, flags, 48);
        bytes.extend(frame);
        let packet = Packet {
            time_ns: 5_000_000_000 + us * 1000,
            is_timed: true,
            link_type: link_type::RADIOTAP,
            interface: 0,
            wire_len: wire_len + 18,
            data: &bytes,
        };
        self.sniffer.on_packet(&packet, |_, _| self.ip_packets += 1);
    }

    fn data(&mut self, us: u64, sequence: u16, retry: bool) {
        self.frame(us, 0x10, 1536, &data(sequence, retry));
    }

    fn ack(&mut self, us: u64, to: [u8; 6]) {
        self.frame(us, 0x10, 14, &ack(to));
    }

    fn link(self) -> LinkReport {
        self.sniffer.finish().1.into_iter().next().unwrap()
    }
}

#[test]
fn an_acknowledgement_answers_the_frame_before_it() {
    let mut capture = Capture::default();
    // 1536 bytes at 24 Mbit/s take 516 µs.
    capture.data(0, 1, false);
    capture.ack(516 + 16 + 20, ACCESS_POINT);
    // Too late by the radio's clock: the answer to a retry that was not captured.
    capture.data(2000, 2, false);
    capture.ack(3200, ACCESS_POINT);
    // To somebody else.
    capture.data(4000, 3, false);
    capture.ack(4000 + 552, STATION);
    capture.data(5000, 3, true);
    capture.ack(5000 + 552, ACCESS_POINT);
    capture.data(6000, 4, false);
    capture.ack(6000 + 552, ACCESS_POINT);
    // The transmitter did not hear the acknowledgement.
    capture.data(7000, 4, true);
    capture.ack(7000 + 552, ACCESS_POINT);
    assert_eq!(capture.ip_packets, 4);
    let link = capture.link();
    assert_eq!((link.attempts, link.packets), (6, 4));
    assert_eq!(link.retries_after_ack, 1);
    assert_eq!((link.sniffer.acks_without_data, link.sniffer.unanswered), (1, 0));
    // Two of seven attempts: the retry of the second packet was not captured.
    let loss = link.raw_loss.unwrap();
    assert!((loss - 2.0 / 7.0).abs() < 0.05, "{loss}");
    assert_eq!(link.packets_by_attempts, [1, 3]);
    // 20 µs of preamble before the first timestamp, 8 µs of the acknowledgement behind the last one.
    assert!((link.latency_s.p50.unwrap() / 580e-6 - 1.0).abs() < 0.02, "{:?}", link.latency_s);
    assert_eq!(link.inter_attempt_s.samples, 2);
    assert_eq!(link.rates[0].rate_bps, Some(24_000_000));
}

#[test]
fn damaged_frames_are_attempts_of_known_links() {
    let mut capture = Capture::default();
    // The header of a damaged frame is believed only after a good one.
    capture.frame(0, 0x50, 1536, &data(1, false));
    capture.data(1000, 1, true);
    capture.ack(1552, ACCESS_POINT);
    capture.frame(2000, 0x50, 1536, &data(2, false));
    capture.data(3000, 2, true);
    capture.ack(3552, ACCESS_POINT);
    // A number far from the others.
    capture.frame(4000, 0x50, 1536, &data(2000, false));
    assert_eq!(capture.ip_packets, 2);
    let (air, links) = capture.sniffer.finish();
    assert_eq!(air.unwrap().frames.damaged, 3);
    assert_eq!((links[0].attempts, links[0].packets, links[0].sniffer.damaged), (3, 2, 1));
    assert_eq!(links[0].sniffer.first_attempts_missed, 1);
}

#[test]
fn airtime_goes_to_transmitters() {
    let mut capture = Capture::default();
    capture.data(0, 1, false);
    capture.ack(552, ACCESS_POINT);
    let mut beacon = vec![0x80, 0, 0, 0, 255, 255, 255, 255, 255, 255];
    beacon.extend(ACCESS_POINT);
    beacon.extend(ACCESS_POINT);
    beacon.extend([0; 10]);
    beacon.extend([100, 0, 0, 0]);
    capture.frame(100_000, 0x10, 42, &beacon);
    let (air, _) = capture.sniffer.finish();
    let air = air.unwrap();
    assert_eq!((air.frames.data, air.frames.ack, air.frames.beacon), (1, 1, 1));
    assert_eq!(air.beacons[0].interval_s, Some(0.1024));
    // 536 µs and 36 µs; the station's acknowledgement takes 28 µs.
    for (station, (address, us)) in air.stations.iter().zip([("00:02", 572.0), ("00:01", 28.0)]) {
        assert!(station.address.ends_with(address), "{station:?}");
        assert!((station.airtime_s * 1e6 - us).abs() < 1e-6, "{station:?}");
    }
    assert_eq!(air.stations.len(), 2);
}

#[test]
fn late_stamps_of_a_host_leave_doubt() {
    let at = |us: u64| Instant { host_ns: us * 1000, ..Instant::default() };
    let mut radio = Radio::default();
    radio.set_legacy_rate(48);
    let transmitter = Mac(ACCESS_POINT);
    let of = |bytes| airtime(&radio, bytes);
    let answer_at = |us| {
        let mut answers = Answers::default();
        answers.remember(Last {
            transmitter,
            at: at(0),
            airtime: of(1536),
            is_aggregated: false,
            packet: None,
        });
        answers.of(transmitter, &at(us), of(14)).unwrap().1
    };
    assert!(matches!(answer_at(0), Answer::Yes));
    assert!(matches!(answer_at(900), Answer::Yes));
    assert!(matches!(answer_at(1000), Answer::Doubtful));
    assert!(matches!(answer_at(4000), Answer::No));
}

/// The second station of the tests of carrier sensing.
const OTHER: [u8; 6] = [2, 0, 0, 0, 0, 3];

/// A frame of 100 bytes (56 us at 24 Mbit/s) to the access point.
fn upload(from: [u8; 6], sequence: u16) -> Vec<u8> {
    let mut frame = vec![0x08, 0x01, 44, 0];
    for address in [ACCESS_POINT, from, ACCESS_POINT] {
        frame.extend(address);
    }
    frame.extend((sequence << 4).to_le_bytes());
    frame.extend([0xaa; 72]);
    frame
}

impl Capture {
    /// 100 exchanges of the station, each with its acknowledgement `gap_us` after the end of the frame.
    fn exchanges(&mut self, gap_us: impl Fn(u16) -> u64) {
        for number in 0..100 {
            let us = 1000 * u64::from(number);
            self.frame(us, 0x10, 100, &upload(STATION, number));
            // The timestamp is that of the first bit behind a preamble of 20 us.
            self.frame(us + 36 + gap_us(number) + 20, 0x10, 14, &ack(STATION));
        }
    }

    fn sensing(self) -> Option<crate::air::report::SensingReport> {
        self.sniffer.finish().0.unwrap().carrier_sensing
    }
}

#[test]
fn frames_that_carrier_sensing_forbids() {
    // The station's frames begin at multiples of 1 ms and end 36 us after their timestamp.
    for (after_us, overlaps, early) in [
        // In the same slot; within the frame; before PIFS; at PIFS.
        (9, 0, 0),
        (30, 5, 0),
        (56 + 10, 0, 5),
        (56 + 25, 0, 0),
    ] {
        let mut capture = Capture::default();
        capture.exchanges(|_| 16);
        for number in 0..5u16 {
            let us = 200_000 + 1000 * u64::from(number);
            capture.frame(us, 0x10, 100, &upload(STATION, 200 + number));
            capture.frame(us + after_us, 0x10, 100, &upload(OTHER, number));
        }
        let found = capture.sensing().unwrap();
        assert_eq!((found.ack_gap_s * 1e6).round().to_bits(), 16.0f64.to_bits());
        assert_eq!(found.pairs_tested, 1);
        let counts: Vec<_> =
            found.pairs.iter().map(|pair| (pair.overlaps, pair.early_starts)).collect();
        let expected = if overlaps + early > 0 { vec![(overlaps, early)] } else { Vec::new() };
        assert_eq!(counts, expected, "{after_us} us");
        for pair in &found.pairs {
            // 9 frames follow one of the other; 3 / 100 of the times may be inexact: P(N >= 5) = 1e-5.
            assert!(pair.hidden && pair.p_value < 2e-5 && pair.frames == 9, "{pair:?}");
            let [losses, _] = &pair.losses;
            assert_eq!(losses.overlapped_attempts, overlaps);
            let loss = (early as f64) / (100.0 + early as f64);
            assert!((losses.loss_without_overlap.unwrap() - loss).abs() < 1e-9, "{losses:?}");
        }
    }
}

#[test]
fn inexact_times_show_nothing_of_carrier_sensing() {
    let mut capture = Capture::default();
    capture.exchanges(|number| 16 + u64::from(number % 20));
    assert_eq!(capture.sensing(), None);
    // Two of 100 times are inexact: so may three starts be.
    let mut capture = Capture::default();
    capture.exchanges(|number| if number % 50 == 1 { 24 } else { 16 });
    for number in 0..3u16 {
        let us = 200_000 + 30_000 * u64::from(number);
        capture.frame(us, 0x10, 100, &upload(STATION, 200 + number));
        capture.frame(us + 66, 0x10, 100, &upload(OTHER, number));
        for later in 1..20u16 {
            let us = us + 1000 * u64::from(later);
            capture.frame(us, 0x10, 100, &upload(STATION, 300 + 20 * number + later));
            capture.frame(us + 200, 0x10, 100, &upload(OTHER, 300 + 20 * number + later));
        }
    }
    let pairs = capture.sensing().unwrap().pairs;
    assert!(pairs.len() == 1 && pairs[0].early_starts == 3 && !pairs[0].hidden, "{pairs:?}");
}
