use super::*;

fn of(number: u16, data: &[u8]) -> Layer<'_> {
    layer(number, View::new(data, data.len()))
}

fn ip(data: &[u8]) -> Layer<'_> {
    Layer::Ip(View::new(data, data.len()))
}

#[test]
fn tags_and_families() {
    let mut frame = vec![0; 12];
    frame.extend([0x81, 0, 0, 5, 0x88, 0xa8, 0, 1, 0x08, 0, 0x45]);
    assert_eq!(of(link_type::ETHERNET, &frame), ip(&[0x45]));
    assert_eq!(of(link_type::ETHERNET, &frame[..13]), Layer::Unreadable);
    assert_eq!(of(link_type::NULL, &[2, 0, 0, 0, 0x45]), ip(&[0x45]));
    assert_eq!(of(link_type::LOOP, &[0, 0, 0, 30, 0x60]), ip(&[0x60]));
    assert_eq!(of(147, &[]), Layer::UnknownLink(147));
}

#[test]
fn serial_lines() {
    for (number, frame) in [
        (link_type::PPP, &[0xff, 3, 0, 0x21, 0x45][..]),
        (link_type::PPP, &[0, 0x57, 0x45]),
        (link_type::PPP, &[0x21, 0x45]),
        (50, &[0x0f, 0, 8, 0, 0x45]),
        (51, &[0x11, 0, 0, 1, 0, 3, 0, 0x21, 0x45]),
        (104, &[0x8f, 0, 8, 0, 0x45]),
        (166, &[1, 3, 0, 0x21, 0x45]),
        (204, &[1, 0xff, 3, 0, 0x21, 0x45]),
        (205, &[0, 0x0f, 0, 8, 0, 0x45]),
        (206, &[0, 0x18, 0x41, 3, 0xcc, 0x45]),
        (link_type::FRELAY, &[0x18, 0x41, 8, 0, 0x45]),
    ] {
        assert_eq!(of(number, frame), ip(&[0x45]), "{frame:x?}");
    }
    // The link control protocol, and a frame that was cut off.
    assert_eq!(of(link_type::PPP, &[0xff, 3, 0xc0, 0x21, 1]), Layer::Other);
    assert_eq!(of(link_type::PPP, &[0xff, 3]), Layer::Unreadable);
}

/// Headers that end in LLC, SNAP or Ethernet.
#[test]
fn networks_of_other_kinds() {
    let llc: &[u8] = &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];
    let behind = |before: &[u8]| [before, llc].concat();
    let is_llc = |number, frame: Vec<u8>| {
        let found = of(number, &frame);
        assert_eq!(found, Layer::Llc(View::new(llc, 9)), "link type {number}");
    };
    is_llc(link_type::FDDI, behind(&[&[0x50][..], &[0; 12]].concat()));
    is_llc(link_type::TOKEN_RING, behind(&[&[0x10, 0x40][..], &[0; 12]].concat()));
    let routed = [&[0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 4, 0, 0, 0][..]].concat();
    is_llc(link_type::TOKEN_RING, behind(&routed));
    is_llc(100, behind(&[]));
    is_llc(122, behind(&[0; 16]));
    is_llc(123, behind(&[2, 0, 0, 5]));
    let cooked = [0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
    is_llc(link_type::LINUX_SLL, behind(&cooked));
    // Beacons of FDDI hold no data.
    assert_eq!(of(link_type::FDDI, &[0xc2; 20]), Layer::Other);
    assert_eq!(of(138, &[&[0; 16][..], &[8, 0, 0x45]].concat()), ip(&[0x45]));
    let erf = [&[0; 8][..], &[0x82, 0, 0, 0, 0, 0, 0, 0], &[0; 8], &[0; 2], &[7; 14]].concat();
    assert_eq!(of(197, &erf), Layer::ethernet(View::new(&[7; 14], 14)));
}

/// Headers of capturing systems.
#[test]
fn headers_of_hosts() {
    let mut tap = [108u32, 1, 12].map(u32::to_le_bytes).concat();
    tap.resize(108, 0);
    tap.push(0x45);
    let raw = Layer::Link(12, View::new(&[0x45], 1));
    assert_eq!(of(link_type::PKTAP, &tap), raw);
    assert_eq!(of(link_type::USER_2, &tap), raw);
    let mut big = [108u32, 1, 12].map(u32::to_be_bytes).concat();
    big.extend(&tap[12..]);
    assert_eq!(of(link_type::PKTAP, &big), raw);
    // Something else of a user, and a tap behind a tap.
    assert_eq!(of(link_type::USER_2, &[9; 200]), Layer::UnknownLink(149));
    tap[8..10].copy_from_slice(&258u16.to_le_bytes());
    assert_eq!(of(link_type::PKTAP, &tap), Layer::Other);

    // A mark before the payload; both byte orders.
    let little = [2, 0, 0, 0, 8, 0, 2, 0, 1, 2, 3, 4, 5, 0, 9, 0, 0x45, 0, 0, 0];
    let big = [2, 0, 0, 0, 0, 8, 0, 2, 1, 2, 3, 4, 0, 5, 0, 9, 0x45, 0, 0, 0];
    assert_eq!(of(239, &little), ip(&[0x45]));
    assert_eq!(of(239, &big), ip(&[0x45]));
    assert_eq!(of(239, &[2, 0, 0, 0, 3, 0, 9, 0]), Layer::Unreadable);
    assert_eq!(of(239, &[2, 0, 0, 0]), Layer::Other);

    let ipnet = [&[1, 26][..], &[0; 22], &[0x60]].concat();
    assert_eq!(of(226, &ipnet), ip(&[0x60]));
    let pflog = [&[61, 2][..], &[0; 62], &[0x45]].concat();
    assert_eq!(of(117, &pflog), ip(&[0x45]));
    let air = [&[0, 0, 3, 0x23][..], &[0; 10], &[0, 0, 0x99]].concat();
    assert_eq!(of(link_type::LINUX_SLL, &air), Layer::Link(127, View::new(&[0x99], 1)));
}

#[test]
fn names_of_link_types() {
    assert_eq!(name(1), "ethernet");
    assert_eq!(name(192), "ppi");
    assert_eq!(name(258), "pktap");
    assert_eq!(name(189), "usb-linux (link type 189)");
    assert_eq!(name(9999), "link type 9999");
    let numbers: std::collections::BTreeSet<u16> = LINKS.iter().map(|(n, ..)| *n).collect();
    assert_eq!(numbers.len(), LINKS.len());
}
