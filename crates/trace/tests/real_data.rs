//! Facts about public data sets, counted beforehand by an independent script. The tests need the
//! folder of data sets in `AIRTCP_DATA`; without it each test reports that it was skipped.
#![allow(clippy::print_stdout, reason = "a skipped test has to say so")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use airtcp_trace::metrics::Pairs;
use airtcp_trace::{AnalyseOptions, Class, LinkTrace, ReadOptions, analyse, read_links, read_many};
use airtcp_units::Span;

/// The path of a data set's file, or `None` and a printed note.
fn data(file: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set, {file} is not read");
        return None;
    };
    let path = Path::new(&root).join(file);
    assert!(path.exists(), "AIRTCP_DATA has no {file}");
    Some(path)
}

fn read(path: &Path) -> Vec<LinkTrace> {
    read_links(path, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Received and sent packets over all links.
fn totals(links: &[LinkTrace]) -> (usize, usize) {
    links.iter().fold((0, 0), |(received, sent), link| {
        (received + link.outcomes.received(), sent + link.outcomes.len())
    })
}

#[test]
fn rutgers_noise() {
    let Some(path) = data("rutgers-noise-80211/delivery.tsv.gz") else { return };
    let links = read(&path);
    assert_eq!(links.len(), 2780);
    assert!(links.iter().all(|link| link.outcomes.len() == 300 && link.order_known));
    let with = |low: usize, high: usize| {
        links.iter().filter(move |l| (low..=high).contains(&l.outcomes.received()))
    };
    assert_eq!((with(0, 0).count(), with(300, 300).count()), (673, 1428));
    // Strictly between 5 % and 95 %: 16 to 284 of 300.
    let pairs = with(16, 284).fold(Pairs::default(), |sum, l| sum + Pairs::of(&l.outcomes));
    assert_eq!(with(16, 284).count(), 229);
    assert_eq!(pairs, Pairs { n00: 25_598, n01: 10_386, n10: 10_512, n11: 21_975 });
    assert!((1.0 - pairs.b().unwrap() - 0.676).abs() < 5e-4);
    assert!((pairs.g().unwrap() - 0.289).abs() < 5e-4);
    let mut by_noise: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for link in &links {
        let sum = by_noise.entry(&link.labels["noise_dbm"]).or_default();
        sum.0 += link.outcomes.received();
        sum.1 += 1;
    }
    let expected =
        [("-10", 115_286), ("-15", 133_309), ("-20", 142_629), ("-5", 83_772), ("0", 49_411)];
    assert_eq!(by_noise, expected.map(|(noise, n)| (noise, (n, 556))).into());
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    for link in &links {
        *classes.entry(Class::of(link.outcomes.received() as u64, 300)).or_default() += 1;
    }
    let expected = [
        (Class::VeryPoor, 936),
        (Class::Poor, 37),
        (Class::Intermediate, 79),
        (Class::Good, 62),
        (Class::VeryGood, 238),
        (Class::Perfect, 1428),
    ];
    assert_eq!(classes, expected.into());
}

#[test]
fn a_rutgers_link_counted_by_hand() {
    let Some(path) = data("rutgers-noise-80211/delivery.tsv.gz") else { return };
    let links = read(&path);
    let link = links.iter().find(|l| l.name == "delivery:1-8>6-1@-20dBm").unwrap();
    let stats = analyse(&link.outcomes, &AnalyseOptions::default());
    assert_eq!((stats.packets, stats.received), (300, 71));
    assert_eq!(stats.pairs, Some(Pairs { n00: 188, n01: 40, n10: 41, n11: 30 }));
    assert!((stats.mu.unwrap() - (1.0 - 40.0 / 228.0 - 41.0 / 71.0)).abs() < 1e-12);
    assert_eq!((stats.longest_success_burst, stats.longest_loss_burst), (Some(5), Some(50)));
    let losses = stats.loss_bursts.unwrap();
    assert_eq!((losses.count, losses.histogram[0]), (41, (1, 10)));
    assert_eq!(stats.class, Class::Intermediate);
    // S1: far too few packets to determine mu.
    assert!(!stats.converged && stats.convergence.reason.contains("too few"));
}

#[test]
fn rutgers_original_files_agree_with_the_table() {
    let (Some(table), Some(archive)) = (
        data("rutgers-noise-80211/delivery.tsv.gz"),
        data("rutgers-noise-80211/rutgers-noise.tar.xz"),
    ) else {
        return;
    };
    let key = |l: &LinkTrace| ["noise_dbm", "tx", "rx"].map(|k| l.labels[k].clone());
    let table: BTreeMap<_, _> = read(&table).into_iter().map(|l| (key(&l), l)).collect();
    let originals = read(&archive);
    assert_eq!((originals.len(), table.len()), (2780, 2780));
    for link in &originals {
        assert_eq!(link.outcomes, table[&key(link)].outcomes, "{}", link.name);
    }
    let invalid = |l: &LinkTrace| l.notes.iter().any(|note| note.contains("invalid RSSI"));
    let errors = |l: &LinkTrace| table[&key(l)].labels["err128"] != "0";
    assert!(originals.iter().all(|link| invalid(link) == errors(link)));
    // Both in one folder: the links count once.
    let folder = archive.parent().unwrap().to_path_buf();
    let (links, skipped) = read_many(&[folder], &ReadOptions::default(), |_, _, _| {}).unwrap();
    assert_eq!((links.len(), skipped.len()), (2780, 1));
}

#[test]
fn k7_bursts() {
    for (file, links, received, sent, channels) in [
        ("evalab_1", 184, 967_130, 1_037_431, false),
        ("grenoble_1", 4, 4_132_500, 5_104_500, false),
        ("peach_1", 131, 8_839_003, 8_948_755, false),
        ("strasbourg_1", 320, 7_125_713, 8_190_000, true),
    ] {
        let Some(path) = data(&format!("k7-802154/{file}.k7.gz")) else { return };
        let read = read(&path);
        assert_eq!((read.len(), totals(&read)), (links, (received, sent)), "{file}");
        assert!(
            read.iter().all(|l| !l.order_known && l.labels.contains_key("channel") == channels)
        );
    }
}

#[test]
fn tsch_sources() {
    let expected: [(&str, &[(usize, usize)]); 2] = [
        (
            "tdma-3-1-induced_interference",
            &[
                (2226, 2336),
                (1356, 1429),
                (1757, 2461),
                (2229, 2447),
                (1750, 2239),
                (2235, 2402),
                (1660, 1811),
                (3220, 3409),
                (3223, 3356),
                (3746, 4074),
            ],
        ),
        (
            "tdma-4-1-high_load",
            &[
                (674, 714),
                (305, 350),
                (115, 140),
                (918, 1187),
                (820, 1182),
                (484, 585),
                (695, 1179),
                (317, 434),
                (704, 1403),
                (360, 503),
            ],
        ),
    ];
    for (file, counts) in expected {
        let Some(path) = data(&format!("tum-tsch-802154/{file}.log.xz")) else { return };
        let links = read(&path);
        let got: Vec<_> = links.iter().map(|l| (l.outcomes.received(), l.outcomes.len())).collect();
        assert_eq!(got, counts, "{file}");
        assert!(links[0].name.ends_with(":source2") && links[9].name.ends_with(":source11"));
    }
}

#[test]
fn aggregated_tables() {
    let Some(folder) = data("enslyon-80211ac") else { return };
    let (links, skipped) = read_many(&[folder], &ReadOptions::default(), |_, _, _| {}).unwrap();
    // 78 files, of which 8 hold no Block ACK counts, and an index.
    assert_eq!((links.len(), skipped.len()), (70, 9));
    assert_eq!(totals(&links), (73_951_688, 74_676_113));
    let fan = links.iter().find(|l| l.name == "fan_5_1").unwrap();
    assert_eq!((fan.outcomes.received(), fan.outcomes.len()), (1_597_367, 1_605_399));
    let Some(path) = data("wilab-802154-macperf/802_15_4_MACperf_30s.csv.gz") else { return };
    let links = read(&path);
    assert_eq!((links.len(), totals(&links)), (177, (2_635_311, 2_635_311 + 1_876_980)));
}

#[test]
fn mahimahi_opportunities() {
    // Lines, last line, and the longest gap, each counted by awk.
    for (file, lines, end, gap) in [
        ("Verizon-LTE-short.down.xz", 58_655, 140_000, 1_447),
        ("Verizon-LTE-short.up.xz", 69_367, 140_000, 1_718),
        ("ATT-LTE-driving-2016.down.xz", 45_604, 120_002, 1_123),
        ("ATT-LTE-driving-2016.up.xz", 19_101, 120_002, 4_061),
        ("0.57mbps-poisson.trace.xz", 2_786, 60_027, 146),
        ("10-every-200.trace", 10, 200, 200),
    ] {
        let Some(path) = data(&format!("mahimahi-links/{file}")) else { return };
        let links = read(&path);
        assert_eq!(links[0].source.layout, "mahimahi");
        let capacity = links[0].capacity.as_ref().unwrap();
        let ms = Span::from_millis;
        assert_eq!((capacity.entries(), capacity.period()), (lines, ms(end)), "{file}");
        assert_eq!(capacity.longest_outage(), ms(gap), "{file}");
        let mean = (lines * 1504 * 8) as f64 / (end as f64 / 1e3);
        assert!((capacity.mean_bps() / mean - 1.0).abs() < 1e-12, "{file}");
    }
}

#[test]
fn everything_else_is_refused_in_words() {
    for (folder, says) in [
        ("solis-wifi-bandwidth", "log of throughput"),
        ("sbu-wifi-cellular-bandwidth", "log of throughput"),
        ("senic-wifi-ble-logs", "not a delivery trace"),
        ("hmm-80211b-office", "hidden Markov model"),
        ("monitor-80211-air", "packet capture"),
    ] {
        let Some(path) = data(folder) else { return };
        let e = read_many(&[path], &ReadOptions::default(), |_, _, _| {}).unwrap_err().to_string();
        assert!(e.contains(says), "{e}");
    }
    let Some(root) = data("") else { return };
    // Every file of every data set: read or refused, never a panic.
    let (links, skipped) = read_many(&[root], &ReadOptions::default(), |_, _, _| {}).unwrap();
    let mut layouts: BTreeMap<&str, usize> = BTreeMap::new();
    for link in &links {
        *layouts.entry(&link.source.layout).or_default() += 1;
    }
    let expected = [
        ("enslyon-80211ac", 70),
        ("k7", 639),
        ("link-rows", 2780),
        ("mahimahi", 6),
        ("tum-tsch", 20),
        ("wilab-macperf", 177),
    ];
    assert_eq!(layouts, expected.into());
    assert!(skipped.iter().all(|s| s.reason.to_string().len() < 700));
}
