//! Any options of TCP, and any sequence of segments against the connection tracker.

use airtcp_capture::dissect::{Address, Content, Endpoint, Flags, Fragments, Segment, dissect_ip};
use airtcp_capture::tcp::connections::Report;
use airtcp_capture::tcp::{Tracker, TrackerLimits};

use super::input::Bytes;

/// The segment of an IPv4 packet with these options.
fn with_options(options: &[u8]) -> Option<Segment> {
    let header = 20 + options.len().next_multiple_of(4);
    let total = u8::try_from(20 + header).ok()?;
    let mut packet = vec![0x45, 0, 0, total, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    packet.extend([0x12, 0x34, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2]);
    packet.extend([u8::try_from(header / 4).ok()? << 4, 0x10, 1, 0, 0, 0, 0, 0]);
    packet.extend(options);
    packet.resize(usize::from(total), 0);
    match dissect_ip(0, &packet, packet.len(), &mut Fragments::default()) {
        Content::Tcp(segment) => Some(segment),
        _ => None,
    }
}

/// Options: what is read is in its bounds, and does not depend on what does nothing before it.
pub(crate) fn options(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(36)];
    let segment = with_options(bytes).expect("the headers are whole");
    assert_eq!(segment.payload, 0);
    let options = segment.options;
    assert!(options.window_scale.is_none_or(|shift| shift <= 14));
    let mut behind = vec![1; 4];
    behind.extend(bytes);
    let same = with_options(&behind).expect("the headers are whole").options;
    assert_eq!(options, same);
}

/// Steps of one input.
const STEPS: usize = 400;
/// Pairs of ends.
const PAIRS: u8 = 40;

/// A segment near the last one of its pair, and the number of the pair.
fn segment(input: &mut Bytes<'_>, time_ns: u64, next: &mut [[u32; 2]]) -> (u8, Segment) {
    let which = input.u8();
    let pair = which / 2 % PAIRS;
    let from = usize::from(which % 2);
    let ends = [1, 2].map(|end| Endpoint { address: Address::v4([10, 0, end, pair]), port: 80 });
    let near = |base: u32, by: i16| base.wrapping_add_signed(i32::from(by));
    let numbers = next[usize::from(pair)];
    let flags = input.u8();
    let mut segment = Segment {
        time_ns,
        from: ends[from],
        to: ends[1 - from],
        sequence: near(numbers[from], input.i16()),
        acknowledgement: near(numbers[1 - from], input.i16()),
        flags: Flags(flags & 0xdf),
        window: input.u16(),
        payload: u32::from(input.u16()),
        ttl: 60 + input.u8() % 4,
        ..Segment::default()
    };
    let options = input.u8();
    segment.ip_id = (options & 1 == 1).then(|| input.u16());
    if options & 2 == 2 {
        segment.options.timestamps = Some((input.u32(), input.u32()));
    }
    for _ in 0..options >> 2 & 3 {
        let (start, end) = (input.i16(), input.i16());
        segment.options.sack.push((near(numbers[1 - from], start), near(numbers[1 - from], end)));
    }
    if options & 0x80 == 0x80 {
        segment.payload = input.u32();
    }
    next[usize::from(pair)][from] = segment.sequence.wrapping_add(segment.payload);
    (pair, segment)
}

/// What holds of every report.
pub(super) fn hold(report: &Report, segments: u64, reported: usize) {
    assert!(report.connections.len() <= reported);
    let packets: u64 = report.connections.iter().map(|connection| connection.packets).sum();
    assert!(packets <= segments, "{packets} packets of {segments} segments");
    let by = &report.without_data_by;
    let silent = by.opened + by.refused + by.unanswered + by.other;
    assert_eq!(silent, report.without_data);
    for connection in &report.connections {
        let both: u64 = connection
            .directions
            .iter()
            .map(|direction| direction.packets + direction.copied_segments)
            .sum();
        assert_eq!(both + connection.copied_acks, connection.packets);
        for direction in &connection.directions {
            assert!(direction.unique_bytes <= direction.payload_bytes, "{direction:?}");
            let by = &direction.retransmissions;
            let all = by.fast + by.timeout + by.after_timeout + by.tail_loss_probe + by.unknown;
            assert_eq!(all, direction.retransmitted_segments);
            assert!(direction.spurious_retransmissions <= all);
            let repeated = all + direction.out_of_order + direction.network_duplicates;
            assert!(repeated <= direction.data_segments, "{direction:?}");
            let shares: f64 = direction.limited_by.iter().map(|(_, share)| share).sum();
            assert!(shares == 0.0 || (shares - 1.0).abs() < 1e-9, "{shares}");
        }
    }
}

/// Plays an input against trackers: one with room for everything, one that must evict, and one that gets
/// the segments of one pair only.
pub(crate) fn tracker(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let roomy = TrackerLimits { open: 1000, reported: 1000, ..TrackerLimits::default() };
    let narrow = TrackerLimits { open: 8, reported: 4, ..TrackerLimits::default() };
    let [mut all, mut few, mut alone] = [roomy, narrow, roomy].map(Tracker::new);
    let mut next = vec![[0; 2]; usize::from(PAIRS)];
    let chosen = input.u8() / 2 % PAIRS;
    let (mut time_ns, mut fed) = (0, 0);
    for _ in 0..STEPS {
        if input.0.is_empty() {
            break;
        }
        time_ns += u64::from(input.u16()) * 4096;
        let (pair, segment) = segment(&mut input, time_ns, &mut next);
        all.on_segment(&segment);
        few.on_segment(&segment);
        if pair == chosen {
            alone.on_segment(&segment);
        }
        fed += 1;
    }
    let [all, few, alone] = [all, few, alone].map(Tracker::finish);
    hold(&all, fed, 1000);
    hold(&few, fed, 4);
    assert_eq!(all.evicted + all.omitted, 0);
    // A connection does not depend on the others.
    let ends = [1, 2].map(|end| format!("10.0.{end}.{chosen}:80"));
    let own = all.connections.iter().filter(|connection| ends.contains(&connection.client));
    assert!(own.eq(&alone.connections), "a connection depends on others");
}
