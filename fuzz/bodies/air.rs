//! Any frames of 802.11: each is counted once, and losses are shares.

use airtcp_capture::air::Sniffer;
use airtcp_capture::read::Packet;
use airtcp_wire::{capture_headers, link_type};

use super::input::Bytes;

/// Feeds frames to a sniffer: each has a length and a time of two bytes before it.
fn feed(bytes: &[u8], link_type: u16) {
    let mut input = Bytes(bytes);
    let mut sniffer = Sniffer::default();
    let (mut time_ns, mut fed) = (0, 0);
    while !input.0.is_empty() {
        let length = usize::from(input.u16());
        time_ns += u64::from(input.u16()) * 1000;
        let data = input.slice(length);
        if let Some((_, frame)) = capture_headers::read(link_type, data) {
            assert!(data.ends_with(frame), "the frame is not the end of its packet");
        }
        let wire_len = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let packet = Packet { time_ns, is_timed: true, link_type, interface: 0, wire_len, data };
        sniffer.on_packet(&packet, |ip, _| {
            assert!(ip.len() <= data.len(), "more than the frame has");
        });
        fed += 1;
    }
    let (air, links) = sniffer.finish();
    let Some(air) = air else { return };
    let f = &air.frames;
    let data = f.data + f.null_data;
    let control = f.ack + f.block_ack + f.block_ack_request + f.rts + f.cts + f.cf_end + f.ps_poll;
    let others = f.other_control + f.beacon + f.other_management + f.extension + f.unreadable;
    assert_eq!(data + control + others, fed, "a frame is counted twice or not at all");
    assert!(links.iter().map(|link| link.attempts).sum::<u64>() <= f.data);
    for link in links {
        assert!(link.packets <= link.attempts, "{link:?}");
        let losses = [link.raw_loss, link.residual_loss];
        let shares = losses.into_iter().flatten().chain(link.rates.iter().map(|rate| rate.share));
        for share in shares {
            assert!((0.0..=1.0).contains(&share), "{share} in {link:?}");
        }
    }
}

/// Frames behind radiotap headers.
pub(crate) fn radiotap(bytes: &[u8]) {
    feed(bytes, link_type::RADIOTAP);
}

/// Frames without radio headers.
pub(crate) fn frames(bytes: &[u8]) {
    feed(bytes, link_type::IEEE802_11);
}
