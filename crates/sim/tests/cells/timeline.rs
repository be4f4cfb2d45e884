//! Events of the medium, compared with the results and with the rules of medium access.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

use crate::common::{no_traces, plan};
use airtcp_probe::air::AirFrame;
use airtcp_probe::{
    FrameClass, NoProbe, Series, SeriesOptions, Timeline, TimelineOptions, WaitKind,
};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::Replication;
use airtcp_sim::run_one;
use airtcp_units::{Nanos, Narrow, Span};

const SLOT: Span = Span::from_micros(9);
const SIFS: Span = Span::from_micros(16);

fn cell(layout: &str, more: &str) -> String {
    format!(
        r#"
        duration = "500 ms"
        [[cells]]
        rate = "24 Mb/s"
        layout = {layout}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        noise.floor_dbm = -99
        {more}
        [[flows]]
        count = 2
        from = "sta*"
        to = "ap"
        tcp = "linux"
    "#
    )
}

const HIDDEN: &str = r#"{ kind = "positions", stations = [[-20, 0], [20, 0]] }"#;
const STAR: &str = r#"{ kind = "star", stations = 2, radius_m = 5 }"#;

fn ms(n: u64) -> Nanos {
    Nanos::ZERO + Span::from_millis(n)
}

fn watched(text: &str, options: TimelineOptions) -> (Replication, Timeline) {
    let plan = plan(text);
    let probe = Timeline::new(options);
    let (result, mut timeline) =
        run_one(&plan, 0, &no_traces, probe, &Stop::new()).unwrap().unwrap();
    timeline.finish();
    (result, timeline)
}

fn whole(text: &str) -> (Replication, Timeline) {
    watched(text, TimelineOptions { max_frames: 1 << 20, ..TimelineOptions::new(ms(0), ms(501)) })
}

#[test]
fn frames_and_losses_are_those_of_the_results() {
    for more in ["", "mac.rts_threshold = \"0 B\"", "mac.access = \"edca\""] {
        let (result, timeline) = whole(&cell(HIDDEN, more));
        let mut seen: BTreeMap<(u32, FrameClass), (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
        for f in timeline.frames() {
            let (sent, lost) = seen.entry((f.frame.from, f.frame.class)).or_default();
            *sent += 1;
            if let Some(loss) = f.loss {
                *lost.entry(loss.name()).or_default() += 1;
            }
        }
        let mut kinds = 0;
        for (i, station) in result.cells[0].stations.iter().enumerate() {
            for class in FrameClass::ALL {
                let Some(counts) = station.frames.get(class.name()) else { continue };
                kinds += 1;
                let (sent, lost) = &seen[&(u32::narrow(i), class)];
                // Frames on the air at the end count as sent but have no event.
                assert!(counts.sent - sent <= 1, "{more} {i} {class:?} {sent} {}", counts.sent);
                let lost: Vec<_> = lost.iter().map(|(name, n)| (name.to_string(), *n)).collect();
                let counted: Vec<_> = counts.lost.iter().map(|(k, n)| (k.clone(), *n)).collect();
                assert_eq!(lost, counted, "{more} {i} {class:?}");
            }
        }
        assert_eq!(kinds, seen.len());
        assert!(result.conservation.ok);
    }
}

#[test]
fn watching_changes_nothing() {
    let text = cell(HIDDEN, "");
    let (result, timeline) = watched(&text, TimelineOptions::new(ms(100), ms(120)));
    assert!(!timeline.frames().is_empty() && !timeline.waits().is_empty());
    let unwatched = run_one(&plan(&text), 0, &no_traces, NoProbe, &Stop::new());
    assert_eq!(result, unwatched.unwrap().unwrap().0);
}

#[test]
fn an_interval_equals_its_part_of_the_whole_run() {
    let text = cell(STAR, "");
    let (_, all) = whole(&text);
    let (_, part) = watched(&text, TimelineOptions::new(ms(200), ms(230)));
    let overlaps = |f: &AirFrame| f.started < ms(230) && f.ended > ms(200);
    let expected: Vec<_> = all.frames().iter().filter(|f| overlaps(&f.frame)).copied().collect();
    assert!(expected.len() > 50);
    assert_eq!(part.frames(), expected);
    let waits = all.waits().iter().filter(|w| w.from < ms(230) && w.until > ms(200)).count();
    assert_eq!(part.waits().len(), waits);
}

#[test]
fn responses_follow_after_sifs_and_navs_cover_them() {
    let (_, timeline) = whole(&cell(STAR, "mac.rts_threshold = \"0 B\""));
    let frames = timeline.frames();
    let mut answered = 0;
    for (i, f) in frames.iter().enumerate() {
        if f.loss.is_some() || f.frame.duration == Span::ZERO {
            continue;
        }
        let Some(next) = frames.get(i + 1) else { continue };
        assert_eq!(next.frame.started, f.frame.ended + SIFS, "{f:?} {next:?}");
        answered += 1;
    }
    assert!(answered > 500);
    // A third station's NAV lasts from the end of the RTS to the end of the ACK.
    let acks: Vec<Nanos> =
        frames.iter().filter(|f| f.frame.class == FrameClass::Ack).map(|f| f.frame.ended).collect();
    let navs: Vec<_> = timeline.waits().iter().filter(|w| w.kind == WaitKind::Nav).collect();
    let ended = navs.iter().filter(|w| acks.contains(&w.until)).count();
    assert!(ended > 300 && navs.len() - ended < navs.len() / 20, "{ended} of {}", navs.len());
}

#[test]
fn back_off_counts_idle_slots_and_resumes() {
    let (_, timeline) = whole(&cell(STAR, ""));
    let mut left_before: BTreeMap<u32, u32> = BTreeMap::new();
    let mut stretches = 0;
    let mut resumed = 0;
    for wait in timeline.waits() {
        let WaitKind::BackOff { slots, left, .. } = wait.kind else { continue };
        stretches += 1;
        let passed = wait.until.since(wait.from).0 / SLOT.0;
        // Under DCF only whole slots count.
        assert_eq!(u64::from(slots - left), passed, "{wait:?}");
        for f in timeline.frames() {
            let apart = f.frame.ended <= wait.from || f.frame.started >= wait.until;
            assert!(apart, "{wait:?} beside {f:?}");
        }
        if let Some(before) = left_before.insert(wait.station, left).filter(|left| *left > 0) {
            assert_eq!(before, slots, "{wait:?}");
            resumed += 1;
        }
    }
    assert!(stretches > 300 && resumed > 30, "{stretches} {resumed}");
}

#[test]
fn stations_over_time_end_where_the_results_do() {
    let text = cell(HIDDEN, "");
    let probe = Series::new(SeriesOptions { max_rows: 64, ..SeriesOptions::default() });
    let (result, mut series) =
        run_one(&plan(&text), 0, &no_traces, probe, &Stop::new()).unwrap().unwrap();
    series.finish();
    let tables: Vec<_> = series.stations().collect();
    assert_eq!(tables.len(), 3);
    for ((medium, number), table) in tables {
        assert_eq!(medium, 0);
        let station = &result.cells[0].stations[number as usize];
        let last = |name: &str| *table.column(name).unwrap().last().unwrap();
        let of = |class: FrameClass| station.frames.get(class.name());
        let packets = [FrameClass::Data, FrameClass::TcpAck];
        let sent: u64 = packets.iter().filter_map(|c| of(*c)).map(|c| c.sent).sum();
        assert_eq!(last("frames"), sent);
        let lost: u64 = packets.iter().filter_map(|c| of(*c)).flat_map(|c| c.lost.values()).sum();
        assert!(last("lost") == lost && (number == 0 || lost > 0), "{lost}");
        assert_eq!(last("rate"), 24_000_000);
        let share = last("airtime") as f64 / 0.5e9;
        let expected = station.airtime_share;
        assert!((share - expected).abs() < 1e-3, "{share} against {expected}");
        // Counts since the start never fall.
        for name in ["airtime", "frames", "lost"] {
            assert!(table.column(name).unwrap().is_sorted(), "{name}");
        }
    }
}
