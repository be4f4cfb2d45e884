//! Bytes of one frame of each kind, worked out by hand from the standard.

use airtcp_packet::{Flags, Seq, Side};
use airtcp_units::{BitRate, Span};
use airtcp_wire::ieee80211::fcs;

use super::*;
use crate::air::{AirAggregate, AirBlockAck, AirFormat, AirMcs};

fn frame(class: FrameClass, from: u32, to: u32, bytes: u32) -> AirFrame {
    AirFrame {
        from,
        to: Some(to),
        class,
        rate: BitRate::from_mbps(24),
        ofdm: true,
        bytes,
        category: None,
        sequence: 0,
        fragment: 0,
        more_fragments: false,
        retry: false,
        no_ack: false,
        attempt: 0,
        duration: Span::ZERO,
        started: Nanos(1_000_000),
        body: Nanos(1_020_000),
        ended: Nanos(1_100_000),
        content: None,
        aggregate: None,
        block_ack: None,
        mcs: None,
    }
}

fn site(name: &str) -> RadioSite {
    RadioSite {
        name: name.into(),
        cell: "cell".into(),
        access_point: 0,
        channel: Some(36),
        frequency_mhz: 5180,
        beacon_interval: 50,
        power_dbm: 18.0,
    }
}

/// The packets in the captures of an access point and a station.
fn captured(events: &[AirEvent]) -> [Vec<Vec<u8>>; 2] {
    let radios = ["ap", "sta0"].map(|name| (site(name), Vec::new())).into();
    let mut probe = RadiotapProbe::new(vec![radios]).unwrap();
    for event in events {
        probe.record(Nanos(1_100_000), EventSource::Medium(0), &Event::Air(*event));
    }
    let files = probe.finish().unwrap().remove(0);
    [packets(&files[0]), packets(&files[1])]
}

/// The packets of a pcapng file.
fn packets(file: &[u8]) -> Vec<Vec<u8>> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let mut found = Vec::new();
    let mut at = 0;
    while at < file.len() {
        if word(at) == 6 {
            found.push(file[at + 28..at + 28 + word(at + 20)].to_vec());
        }
        at += word(at + 4);
    }
    found
}

fn sent(frame: AirFrame) -> AirEvent {
    AirEvent::Sent { frame, loss: None }
}

fn heard(frame: AirFrame, decoded: bool) -> AirEvent {
    AirEvent::Heard { station: 0, frame, signal_dbm: -74.2, noise_dbm: -99.0, decoded }
}

#[test]
fn an_acknowledgement_that_was_sent() {
    let ack = frame(FrameClass::Ack, 0, 1, 14);
    let [ap, _] = captured(&[sent(ack)]);
    let mut expected = vec![
        0, 0, 23, 0, 0x0f, 0x04, 0,
        0, // version, length, present: TSFT, flags, rate, channel, power
        0xfc, 0x03, 0, 0, 0, 0, 0, 0, // TSFT: 1020 us
        0x10, 48, // FCS at the end; 24 Mb/s in units of 500 kb/s
        0x3c, 0x14, 0x40, 0x01, // 5180 MHz, OFDM at 5 GHz
        18,   // dBm
        0xd4, 0, 0, 0, // ACK, duration 0
        2, 0, 0, 0, 0, 1, // receiver
    ];
    expected.extend(fcs(&expected[23..]).to_le_bytes());
    assert_eq!(ap, [expected]);
}

#[test]
fn rts_and_cts_as_received() {
    let rts = AirFrame { duration: Span(150_500), ..frame(FrameClass::Rts, 1, 0, 20) };
    let cts = frame(FrameClass::Cts, 1, 0, 14);
    let [ap, sta] = captured(&[heard(rts, true), heard(cts, true)]);
    assert!(sta.is_empty());
    assert_eq!(ap[0][2..8], [24, 0, 0x6f, 0, 0, 0]);
    // Signal -74 dBm, noise -99 dBm.
    assert_eq!(ap[0][22..24], [182, 157]);
    let mpdu = &ap[0][24..];
    // Duration 150.5 us rounded up; receiver, transmitter.
    assert_eq!(mpdu[..16], [0xb4, 0, 151, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]);
    assert_eq!((mpdu.len(), ap[1].len() - 24), (20, 14));
    assert_eq!(ap[1][24..34], [0xc4, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
}

fn segment() -> Segment {
    let mut s = Segment::default();
    (s.flags, s.seq, s.ack, s.len) = (Flags::ACK, Seq(7), Seq(9), 3);
    s
}

fn data(category: Option<u8>) -> AirFrame {
    let qos = if category.is_some() { 2 } else { 0 };
    AirFrame {
        attempt: 1,
        sequence: 0x123,
        category,
        duration: Span(44_000),
        content: Some((EndpointId::new(0, Side::Server), segment())),
        ..frame(FrameClass::Data, 1, 0, 43 + 36 + qos)
    }
}

#[test]
fn data_with_mac_and_llc_headers() {
    let [ap, _] = captured(&[heard(data(None), true)]);
    let mpdu = &ap[0][24..];
    assert_eq!(mpdu.len(), 79);
    assert_eq!(mpdu[..4], [0x08, 0x01, 44, 0], "data to the distribution system");
    assert_eq!(mpdu[4..10], [2, 0, 0, 0, 0, 0], "BSSID");
    assert_eq!(mpdu[10..16], [2, 0, 0, 0, 0, 1], "source");
    assert_eq!(mpdu[16..22], [2, 0, 0, 0, 0, 0], "destination");
    assert_eq!(mpdu[22..24], [0x30, 0x12], "sequence number 0x123, fragment 0");
    assert_eq!(mpdu[24..32], [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
    let mut packet = Vec::new();
    as_bytes::encode(&mut packet, EndpointId::new(0, Side::Client), &segment(), 0, usize::MAX);
    assert_eq!(mpdu[32..75], packet);
    assert_eq!(mpdu[75..], fcs(&mpdu[..75]).to_le_bytes());
}

#[test]
fn a_retransmission_without_content_repeats_the_packet() {
    let again = AirFrame { retry: true, attempt: 2, content: None, ..data(Some(3)) };
    let next = AirFrame { sequence: 0x124, ..data(Some(3)) };
    let [ap, _] = captured(&[heard(data(Some(3)), false), heard(again, true), heard(next, true)]);
    let [garbled, whole, next] = [0, 1, 2].map(|i| &ap[i][24..]);
    assert_eq!(whole[..2], [0x88, 0x09], "QoS data, retry");
    assert_eq!(whole[24..26], [6, 0], "user priority of voice");
    let [silent, _] = captured(&[heard(AirFrame { no_ack: true, ..data(Some(3)) }, true)]);
    assert_eq!(silent[0][48..50], [0x26, 0], "ack policy No Ack");
    assert_eq!(garbled[26..77], whole[26..77]);
    let [bad, good] = [garbled, whole].map(|mpdu| mpdu[mpdu.len() - 4..].to_vec());
    assert_eq!(good, fcs(&whole[..77]).to_le_bytes());
    assert_eq!(bad, (!fcs(&garbled[..77])).to_le_bytes());
    assert_eq!([ap[0][16], ap[1][16]], [0x50, 0x10]);
    // IP identification: the same in a retransmission, one more in the next packet.
    assert_eq!([&whole[38..40], &next[38..40]], [[0, 0], [0, 1]]);
}

#[test]
fn fragments_carry_parts_of_the_packet() {
    let whole = data(None);
    let first = AirFrame { bytes: 28 + 30, more_fragments: true, ..whole };
    let second = AirFrame { bytes: 28 + 21, fragment: 1, content: None, ..whole };
    let [ap, _] = captured(&[heard(first, true), heard(second, true), heard(whole, true)]);
    let body = |i: usize| ap[i][24 + 24..ap[i].len() - 4].to_vec();
    assert_eq!([body(0), body(1)].concat(), body(2));
    assert_eq!((ap[0][25], ap[1][25]), (0x05, 0x01), "more fragments, and the last");
    assert_eq!(ap[1][24 + 22], 0x31);
}

#[test]
fn beacons_have_any_length() {
    for bytes in 60..=400 {
        let beacon = AirFrame { to: None, attempt: 1, ..frame(FrameClass::Beacon, 0, 1, bytes) };
        let [ap, _] = captured(&[sent(beacon)]);
        let mpdu = &ap[0][23..];
        assert_eq!(mpdu.len(), bytes as usize);
        assert_eq!(mpdu[32..34], [50, 0], "its interval");
        let mut at = 36;
        while at < mpdu.len() - 4 {
            at += 2 + usize::from(mpdu[at + 1]);
        }
        assert_eq!(at, mpdu.len() - 4, "elements of {bytes} bytes");
    }
}

#[test]
fn a_short_preamble_of_dsss_has_its_flag() {
    let dsss = AirFrame { ofdm: false, rate: BitRate::from_mbps(11), ..data(None) };
    let at = |ns| AirFrame { body: dsss.started + Span(ns), ..dsss };
    let [ap, _] = captured(&[heard(at(96_000), true), heard(at(192_000), true)]);
    assert_eq!([ap[0][16], ap[1][16]], [0x12, 0x10]);
    assert_eq!(ap[0][17], 22);
}

/// Open system authentication and association of 802.11a: the fields, then the rates.
#[test]
fn authentication_and_association() {
    let body = |class, from: u32, bytes: u32| {
        let [ap, sta] = captured(&[sent(frame(class, from, 1 - from, bytes))]);
        let mpdu = if from == 0 { ap } else { sta }.remove(0)[23..].to_vec();
        assert_eq!(mpdu.len(), bytes as usize);
        let access_point = [2, 0, 0, 0, 0, 0];
        assert_eq!(mpdu[16..22], access_point);
        (mpdu[0], mpdu[24..mpdu.len() - 4].to_vec())
    };
    assert_eq!(body(FrameClass::Authentication, 1, 34), (0xb0, vec![0, 0, 1, 0, 0, 0]));
    assert_eq!(body(FrameClass::Authentication, 0, 34), (0xb0, vec![0, 0, 2, 0, 0, 0]));
    let rates = [1, 8, 0x8c, 0x12, 0x98, 0x24, 0xb0, 0x48, 0x60, 0x6c];
    let request = [&[1, 0, 10, 0, 0, 8][..], b"cell    ", &rates[..]].concat();
    assert_eq!(body(FrameClass::AssociationRequest, 1, 52), (0x00, request));
    let response = [&[1, 0, 0, 0, 1, 0xc0][..], &rates[..]].concat();
    assert_eq!(body(FrameClass::AssociationResponse, 0, 44), (0x10, response));
}

fn vht(number: u16, sequence: u16) -> AirFrame {
    let aggregate = Some(AirAggregate { reference: 7, number, count: 2 });
    let mcs = Some(AirMcs {
        format: AirFormat::Vht,
        index: 9,
        streams: 2,
        width_mhz: 80,
        guard_ns: 400,
        ldpc: false,
        ru_tones: None,
    });
    AirFrame { sequence, aggregate, mcs, ..data(Some(1)) }
}

/// A-MPDU status and VHT information after the fields of every frame, aligned to 4 and 2 bytes.
#[test]
fn mpdus_of_an_aggregate() {
    let [ap, _] = captured(&[heard(vht(0, 0x123), true), heard(vht(1, 0x124), false)]);
    let present = 0x0b_u32 | 0x60 | 1 << 20 | 1 << 21;
    assert_eq!(ap[0][2..4], [44, 0]);
    assert_eq!(ap[0][4..8], present.to_le_bytes());
    // Reference number, last subframe known; the second is the last.
    assert_eq!(ap[0][24..32], [7, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(ap[1][24..32], [7, 0, 0, 0, 12, 0, 0, 0]);
    // Known: no STBC, guard interval and bandwidth; short; 80 MHz; MCS 9 with two streams.
    assert_eq!(ap[0][32..44], [0x45, 0, 4, 4, 0x92, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(ap[0][44..46], [0x88, 1]);
    assert_eq!(ap[1][16], FCS_AT_END | BAD_FCS);
    let ht = AirMcs { format: AirFormat::Ht, index: 7, width_mhz: 20, ..vht(0, 0).mcs.unwrap() };
    let he = AirMcs { format: AirFormat::He, index: 11, guard_ns: 800, ldpc: true, ..ht };
    let frame = |mcs| heard(AirFrame { mcs: Some(mcs), ..data(Some(1)) }, true);
    let format = AirFormat::HeTrigger;
    let unit = AirMcs { format, guard_ns: 1600, ru_tones: Some(52), ..he };
    let [ap, _] = captured(&[frame(ht), frame(he), frame(unit)]);
    assert_eq!(ap[2][24..36], [0xe3, 0x42, 2, 0, 0, 0x2b, 0, 0, 0x15, 0, 2, 0]);
    assert_eq!(ap[0][24..27], [0x7f, 0x04, 15]);
    assert_eq!(ap[1][24..36], [0xe0, 0x42, 2, 0, 0, 0x2b, 0, 0, 0, 0, 2, 0]);
}

/// A BlockAck of 64 bits: best effort, compressed, starting at 0x123 with the first and third MPDU.
#[test]
fn block_acks_and_requests() {
    let block = |asks, bytes| AirFrame {
        block_ack: Some(AirBlockAck { asks, start: 0x123, bitmap: [5, 0, 0, 1 << 63] }),
        category: Some(1),
        ..frame(if asks { FrameClass::BlockAckReq } else { FrameClass::Ack }, 1, 0, bytes)
    };
    let frames = [block(false, 32), block(true, 24), block(false, 56)];
    let [ap, _] = captured(&frames.map(|frame| heard(frame, true)));
    let mpdu = |i: usize| &ap[i][24..];
    assert_eq!(mpdu(0)[..4], [0x94, 0, 0, 0]);
    assert_eq!(mpdu(0)[16..28], [4, 0, 0x30, 0x12, 5, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!((mpdu(1)[0], mpdu(1)[16..20].to_vec()), (0x84, vec![4, 0, 0x30, 0x12]));
    assert_eq!((mpdu(2)[18], mpdu(2)[51]), (0x34, 0x80));
    assert_eq!([0, 1, 2].map(|i| mpdu(i).len()), [32, 24, 56]);
}
