use crate::dissect::{Content, Fragments, Unread, dissect_ip};

/// A UDP datagram with these bytes behind its header.
fn to_port(number: u16, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(8 + payload.len()).unwrap();
    [&9u16.to_be_bytes()[..], &number.to_be_bytes(), &length.to_be_bytes(), &[0, 0], payload]
        .concat()
}

/// An IPv4 packet.
fn ipv4(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + payload.len()).unwrap();
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 1, 0, 0, 64, number, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(payload);
    packet
}

fn tcp() -> Vec<u8> {
    let head = [0, 80, 1, 0, 0, 0, 0, 5, 0, 0, 0, 6, 0x50, 0x18, 1, 2, 0, 0, 0, 0];
    ipv4(6, &[&head[..], &[7; 100]].concat())
}

fn ethernet(payload: &[u8]) -> Vec<u8> {
    [&[2; 12][..], &[8, 0], payload].concat()
}

fn content(packet: &[u8]) -> Content<'_> {
    dissect_ip(0, packet, packet.len(), &mut Fragments::default())
}

/// Payload of the segment that a packet holds.
fn payload(packet: &[u8]) -> Option<u32> {
    match content(packet) {
        Content::Tcp(segment) => Some(segment.payload),
        _ => None,
    }
}

/// A tunnel with its name.
type Case = (&'static str, Vec<u8>);

fn assert_read(cases: Vec<Case>) {
    for (name, packet) in cases {
        assert_eq!(payload(&packet), Some(100), "{name}");
    }
}

fn over_udp(number: u16, before: &[u8], inner: &[u8]) -> Vec<u8> {
    ipv4(17, &to_port(number, &[before, inner].concat()))
}

fn over_gre(before: &[u8], inner: &[u8]) -> Vec<u8> {
    ipv4(47, &[before, inner].concat())
}

/// Every tunnel with IP in it, as its standard lays it out.
#[test]
fn tunnels_with_ip() {
    let ip = &tcp()[..];
    let length = u16::try_from(ip.len()).unwrap();
    let with_length =
        |head: &[u8], more: u16, rest: &[u8]| [head, &(length + more).to_be_bytes(), rest].concat();
    let cases: Vec<Case> = vec![
        ("IP in IP", ipv4(4, ip)),
        ("GRE", over_gre(&[0, 0, 8, 0], ip)),
        ("GRE, all fields", over_gre(&[&[0xb0, 0, 8, 0][..], &[0; 12]].concat(), ip)),
        (
            "GRE, a route",
            over_gre(&[0x40, 0, 8, 0, 0, 0, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4, 0, 0, 0, 0], ip),
        ),
        (
            "PPTP",
            over_gre(
                &[
                    &with_length(&[0x30, 0x81, 0x88, 0x0b], 4, &[0; 2])[..],
                    &[0, 0, 0, 1, 0, 0, 0, 0, 0xff, 3, 0, 0x21],
                ]
                .concat(),
                ip,
            ),
        ),
        ("WCCP", over_gre(&[0, 0, 0x88, 0x3e, 0, 0, 0, 0], ip)),
        ("NSH in GRE", over_gre(&[0, 0, 0x89, 0x4f, 0, 2, 0, 1, 0, 0, 0, 0], ip)),
        ("MPLS in GRE", over_gre(&[0, 0, 0x88, 0x47, 0, 0, 0x11, 0], ip)),
        ("MPLS in IP", ipv4(137, &[&[0, 1, 0, 9, 0, 0, 0x11, 0][..], ip].concat())),
        ("AH", ipv4(51, &[&[4, 4][..], &[0; 22], ip].concat())),
    ];
    assert_read(cases);
}

#[test]
fn tunnels_over_udp_with_ip() {
    let ip = &tcp()[..];
    let length = u16::try_from(ip.len()).unwrap();
    let with_length =
        |head: &[u8], more: u16, rest: &[u8]| [head, &(length + more).to_be_bytes(), rest].concat();
    let cases: Vec<Case> = vec![
        ("GTP-U", over_udp(2152, &with_length(&[0x30, 255], 0, &[0; 4]), ip)),
        (
            "GTP-U, session",
            over_udp(
                2152,
                &with_length(&[0x34, 255], 8, &[0, 0, 0, 9, 0, 0, 0, 0x85, 1, 0x10, 9, 0]),
                ip,
            ),
        ),
        ("GTP-U, number", over_udp(2152, &with_length(&[0x32, 255], 4, &[0; 8]), ip)),
        ("GTP of 1999", over_udp(3386, &[&[0x1e, 255][..], &[0; 18]].concat(), ip)),
        ("VXLAN-GPE", over_udp(4790, &[0x0c, 0, 0, 1, 0, 0, 5, 0], ip)),
        (
            "VXLAN-GPE, NSH",
            over_udp(4790, &[0x0c, 0, 0, 4, 0, 0, 5, 0, 0, 2, 0, 1, 0, 0, 0, 0], ip),
        ),
        ("Geneve", over_udp(6081, &[1, 0, 8, 0, 0, 0, 5, 0, 0, 0, 0, 0], ip)),
        ("L2TP", over_udp(1701, &[0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21], ip)),
        (
            "L2TP, all fields",
            over_udp(
                1701,
                &with_length(&[0x4a, 2], 17, &[0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0x21]),
                ip,
            ),
        ),
        ("MPLS in UDP", over_udp(6635, &[0, 0, 0x11, 0], ip)),
        ("LISP", over_udp(4341, &[0; 8], ip)),
        ("GRE in UDP", over_udp(4754, &[0, 0, 8, 0], ip)),
        ("GUE", over_udp(6080, &[0, 4, 0, 0], ip)),
        ("GUE, direct", over_udp(6080, &[], ip)),
        ("NSH in IP", ipv4(145, &[&[0, 2, 0, 1, 0, 0, 0, 0][..], ip].concat())),
    ];
    assert_read(cases);
}

#[test]
fn tunnels_with_ethernet() {
    let frame = &ethernet(&tcp())[..];
    let tagged = [&[2; 12][..], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0], &tcp()].concat();
    let cases: Vec<Case> = vec![
        ("GRE", over_gre(&[0x20, 0, 0x65, 0x58, 0, 0, 5, 0], frame)),
        ("tags", over_gre(&[0, 0, 0x65, 0x58], &tagged)),
        ("ERSPAN I", over_gre(&[0, 0, 0x88, 0xbe], frame)),
        (
            "ERSPAN II",
            over_gre(&[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 1, 0, 1, 0, 0, 0, 0], frame),
        ),
        (
            "ERSPAN III",
            over_gre(&[&[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1][..], &[0; 10]].concat(), frame),
        ),
        (
            "ERSPAN III, more",
            over_gre(
                &[&[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1][..], &[0; 9], &[1], &[0; 8]].concat(),
                frame,
            ),
        ),
        (
            "ERSPAN III, IP",
            over_gre(
                &[&[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1][..], &[0; 8], &[8, 0]].concat(),
                &tcp(),
            ),
        ),
    ];
    assert_read(cases);
}

#[test]
fn more_tunnels_with_ethernet() {
    let frame = &ethernet(&tcp())[..];
    let cases: Vec<Case> = vec![
        ("EtherIP", ipv4(97, &[&[0x30, 0][..], frame].concat())),
        ("SRv6", ipv4(143, frame)),
        ("VXLAN", over_udp(4789, &[8, 0, 0, 0, 0, 0, 5, 0], frame)),
        ("VXLAN of Linux", over_udp(8472, &[8, 0, 0, 0, 0, 0, 5, 0], frame)),
        ("VXLAN, policy", over_udp(4789, &[0x88, 0, 0, 9, 0, 0, 5, 0], frame)),
        ("Geneve", over_udp(6081, &[0, 0, 0x65, 0x58, 0, 0, 5, 0], frame)),
        (
            "GTP-U",
            over_udp(
                2152,
                &[&[0x30, 255][..], &u16::try_from(frame.len()).unwrap().to_be_bytes(), &[0; 4]]
                    .concat(),
                frame,
            ),
        ),
        ("L2TPv3", ipv4(115, &[&[0, 0, 0, 9][..], frame].concat())),
        ("L2TPv3, cookie and sublayer", ipv4(115, &[&[0, 0, 0, 9][..], &[0; 12], frame].concat())),
        ("L2TPv3 over UDP", over_udp(1701, &[0, 3, 0, 0, 0, 0, 0, 9], frame)),
        ("TZSP", over_udp(37008, &[1, 0, 0, 1, 10, 1, 9, 0, 1], frame)),
        ("pseudowire", over_gre(&[0, 0, 0x88, 0x47, 0, 0, 0x11, 0], frame)),
        (
            "pseudowire, control word",
            over_gre(&[0, 0, 0x88, 0x47, 0, 0, 0x11, 0, 0, 0, 0, 0], frame),
        ),
        (
            "LLC",
            over_gre(
                &[0, 0, 0x65, 0x58],
                &[
                    &[2; 12][..],
                    &u16::try_from(8 + tcp().len()).unwrap().to_be_bytes(),
                    &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0],
                    &tcp(),
                ]
                .concat(),
            ),
        ),
        (
            "MACsec, signed",
            over_gre(
                &[0, 0, 0x65, 0x58],
                &[
                    &[2; 12][..],
                    &[0x88, 0xe5, 0x20, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0],
                    &tcp(),
                    &[0; 16],
                ]
                .concat(),
            ),
        ),
    ];
    assert_read(cases);
    // Teredo, with IPv6 in it.
    let tcp6 = [&[0x60, 0, 0, 0, 0, 120, 6, 64][..], &[1; 32], &tcp()[20..]].concat();
    assert_eq!(payload(&over_udp(3544, &[0; 8], &tcp6)), Some(100));
    assert_eq!(payload(&over_udp(3544, &[], &tcp6)), Some(100));
    assert_eq!(payload(&ipv4(41, &tcp6)), Some(100));
}

/// What may hold TCP has a name, and what holds none has none.
#[test]
fn what_is_not_read_has_a_name() {
    let ip = &tcp()[..];
    let named = |packet: &[u8]| match dissect_ip(0, packet, packet.len(), &mut Fragments::default())
    {
        Content::Unread(Unread { name, .. }) => Some(name),
        Content::OtherIp => None,
        other => panic!("{other:?}"),
    };
    for (packet, name) in [
        (ipv4(50, &[9; 60]), Some("IPsec ESP")),
        (over_udp(4500, &[0, 0, 0, 7], &[9; 60]), Some("IPsec ESP")),
        // IKE, and a keep-alive.
        (over_udp(4500, &[0; 4], &[9; 60]), None),
        (over_udp(4500, &[0xff], &[]), None),
        (ipv4(108, &[9; 60]), Some("IPComp")),
        (ipv4(55, &[9; 60]), Some("minimal IP encapsulation")),
        (ipv4(115, &[9; 60]), Some("L2TPv3")),
        (ipv4(115, &[0; 60]), None),
        (over_gre(&[0, 0, 0x77, 0x77], ip), Some("GRE with protocol")),
        (over_gre(&[0, 0, 0, 0], ip), None),
        (
            over_gre(&[0x30, 1, 0x88, 0x0b, 0, 90, 0, 0, 0, 0, 0, 1, 0xfd, 9], &[9; 88]),
            Some("compressed or encrypted PPP"),
        ),
        (over_udp(1701, &[0, 2, 0, 1, 0, 2, 0, 0x53], &[9; 60]), Some("encrypted PPP")),
        // Control messages.
        (over_udp(1701, &[0xc8, 2, 0, 20], &[0; 60]), None),
        (over_udp(2152, &[0x32, 1, 0, 4], &[0; 8]), None),
        (
            over_udp(2152, &[0x30, 255, 0, 60, 0, 0, 0, 1], &[9; 60]),
            Some("GTP-U with other packets than IP"),
        ),
        (over_udp(6635, &[0, 0, 0x11, 0], &[9; 60]), Some("MPLS pseudowires")),
        (over_udp(51820, &[4, 0, 0, 0], &[9; 60]), Some("WireGuard")),
        (over_udp(51820, &[4, 0, 0, 0], &[9; 28]), None),
        (over_udp(1194, &[0x48], &[9; 60]), Some("OpenVPN")),
        (over_udp(5247, &[0], &[9; 60]), Some("CAPWAP")),
        // Ordinary protocols, also on the ports of tunnels.
        (ipv4(1, &[8; 60]), None),
        (over_udp(53, &[], &[9; 60]), None),
        (over_udp(4789, &[0], &[0; 60]), None),
        (over_udp(8472, &[0], &[0; 60]), None),
    ] {
        assert_eq!(named(&packet), name, "{packet:x?}");
    }
}

/// Tunnels in tunnels end.
#[test]
fn the_depth_is_bounded() {
    let mut packet = tcp();
    for _ in 0..4 {
        packet = over_udp(4789, &[8, 0, 0, 0, 0, 0, 5, 0], &ethernet(&packet));
    }
    assert_eq!(payload(&packet), Some(100));
    for _ in 0..40 {
        packet = ipv4(4, &packet);
    }
    assert!(matches!(content(&packet), Content::Unread(_)));
}

/// The first fragment of a tunnel's packet has the headers of what is in it.
#[test]
fn the_first_fragment_of_a_tunnel() {
    let mut packet = over_gre(&[0, 0, 8, 0], &tcp());
    (packet[6], packet[7]) = (0x20, 0);
    let cut = packet[..100].to_vec();
    let mut head = cut.clone();
    (head[2], head[3]) = (0, 100);
    assert_eq!(payload(&head), Some(100));
    (head[6], head[7]) = (0, 10);
    assert_eq!(content(&head), Content::Fragment);
}
