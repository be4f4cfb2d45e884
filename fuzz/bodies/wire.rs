//! Any bytes as headers: nothing panics, and what a header says is written and read as it was.

use std::fmt::Debug;
use std::net::{Ipv4Addr, Ipv6Addr};

use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::ieee80211::{self, Kind, block_ack, management};
use airtcp_wire::link_type::{AVS, IEEE802_11, PPI, PRISM, RADIOTAP};
use airtcp_wire::pcapng::{EnhancedPacket, Interface, Order, Section, options};
use airtcp_wire::{capture_headers, ipv4, ipv6, radiotap, segment, tcp, udp};

const V4: Addresses = Addresses::V4(Ipv4Addr::LOCALHOST, Ipv4Addr::BROADCAST);
const V6: Addresses = Addresses::V6(Ipv6Addr::LOCALHOST, Ipv6Addr::UNSPECIFIED);

/// Writes what was read, reads it again, and compares.
fn again<T: Debug + PartialEq>(
    read: &T,
    length: usize,
    emit: impl Fn(&T, &mut Vec<u8>),
    parse: impl Fn(&[u8]) -> Option<T>,
) {
    let mut out = Vec::new();
    emit(read, &mut out);
    assert_eq!(out.len(), length, "{read:?}");
    assert_eq!(parse(&out).as_ref(), Some(read));
}

fn upper_layers(bytes: &[u8]) {
    let parse_tcp = |bytes: &[u8]| tcp::Packet::new_checked(bytes).map(|p| tcp::Repr::parse(&p));
    let parse_udp = |bytes: &[u8]| udp::Repr::parse(&udp::Packet::new_checked(bytes)?);
    for between in [V4, V6] {
        if let Some(repr) = parse_tcp(bytes) {
            let emit = |repr: &tcp::Repr, out: &mut Vec<u8>| {
                repr.emit(out, &between, Payload::zeros(0));
                let whole = tcp::Packet::new_checked(out).map(|p| p.verify_checksum(&between));
                assert_eq!(whole, Some(true));
            };
            again(&repr, repr.buffer_len(), emit, parse_tcp);
            let _ = segment::record(&repr, 0, airtcp_packet::Ecn::NotEct);
        }
        if let Some(repr) = parse_udp(bytes).map(|repr| udp::Repr { payload_len: 0, ..repr }) {
            let emit = |repr: &udp::Repr, out: &mut Vec<u8>| {
                repr.emit(out, &between, Payload::zeros(0));
                let whole = udp::Packet::new_checked(out).map(|p| p.verify_checksum(&between));
                assert_eq!(whole, Some(true));
            };
            again(&repr, repr.buffer_len(), emit, parse_udp);
        }
    }
}

fn internet(bytes: &[u8]) {
    let parse_v4 = |bytes: &[u8]| ipv4::Repr::parse(&ipv4::Packet::new_checked(bytes)?);
    let parse_v6 = |bytes: &[u8]| ipv6::Repr::parse(&ipv6::Packet::new_checked(bytes)?);
    if let Some(repr) = parse_v4(bytes) {
        again(&repr, repr.buffer_len(), ipv4::Repr::emit, parse_v4);
        upper_layers(ipv4::Packet::new_checked(bytes).expect("a header").payload());
    }
    if let Some(repr) = parse_v6(bytes) {
        again(&repr, repr.buffer_len(), ipv6::Repr::emit, parse_v6);
        let packet = ipv6::Packet::new_checked(bytes).expect("a header");
        upper_layers(packet.upper().payload);
    }
}

fn frames(bytes: &[u8]) {
    let parse = |bytes: &[u8]| ieee80211::Repr::parse(&ieee80211::Packet::new_checked(bytes)?);
    let Some(repr) = parse(bytes) else { return };
    let is_cut = repr.fourth.is_none() && repr.to_ds && repr.from_ds && repr.sequence.is_some();
    if !is_cut || !matches!(repr.kind, Kind::Data | Kind::NullData) {
        again(&repr, repr.buffer_len(), ieee80211::Repr::emit, parse);
    }
    for padded in [false, true] {
        let body = ieee80211::Packet::new_checked(bytes).expect("a header").body(padded);
        let parse = |body: &[u8]| management::Repr::parse(repr.kind, body);
        if let Some(fields) = parse(body) {
            again(&fields, fields.buffer_len(), management::Repr::emit, parse);
        }
        let parse =
            |body: &[u8]| block_ack::Packet::new_checked(body).map(|p| block_ack::Repr::parse(&p));
        if let Some(fields) = parse(body) {
            again(&fields, fields.buffer_len(), block_ack::Repr::emit, parse);
        }
        assert!(management::elements(body).all(|(_, value)| value.len() < body.len()));
    }
}

fn radios(bytes: &[u8]) {
    for link in [IEEE802_11, RADIOTAP, PPI, AVS, PRISM] {
        if let Some((_, frame)) = capture_headers::read(link, bytes) {
            assert!(bytes.ends_with(frame));
        }
    }
    let parse =
        |bytes: &[u8]| radiotap::Packet::new_checked(bytes).map(|p| radiotap::Repr::parse(&p));
    if let Some(repr) = parse(bytes) {
        again(&repr, repr.buffer_len(), radiotap::Repr::emit, parse);
        frames(radiotap::Packet::new_checked(bytes).expect("a header").frame());
    }
}

fn blocks(bytes: &[u8]) {
    let _ = Section::parse(bytes);
    for order in [Order::Little, Order::Big] {
        let _ = Interface::parse(bytes, order).map(|interface| interface.per_second());
        let _ = EnhancedPacket::parse_obsolete(bytes, order);
        if let Some(packet) = EnhancedPacket::parse(bytes, order) {
            let mut out = Vec::new();
            packet.emit(&mut out, order);
            assert_eq!(EnhancedPacket::parse(&out, order), Some(packet));
        }
        assert!(options(order, bytes).count() <= bytes.len() / 4);
    }
}

/// Bytes as a header of each kind.
pub(crate) fn headers(bytes: &[u8]) {
    internet(bytes);
    upper_layers(bytes);
    frames(bytes);
    radios(bytes);
    blocks(bytes);
}
