//! Any text as what other programs say to `airtcp-live`: listings of `iw` and `nft`, recorded arrivals, lines of control.

use airtcp_live::emulate::{RECORD_HEADER, Recorded, Set, read_arrivals};
use airtcp_live::ftca::device::Device;
use airtcp_live::ftca::{listing, station};

/// A text whose parts are separated by NUL: what `nft -j list ruleset`, `nft list ruleset`, `nft list flowtables`,
/// `iw dev DEV info` and `iw dev DEV station dump -v` print. Nothing panics, and nothing is read that no line says.
pub(crate) fn listings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0');
    let mut part = || parts.next().unwrap_or_default();
    let (json, plain, flowtables, info, dump) = (part(), part(), part(), part(), part());
    let device: Device = "wlan0".parse().expect("a name of a device");
    if let Some(rules) = listing::rules(json, plain, &device) {
        assert!(!rules.hooked || plain.contains(&device.table()));
        assert!(rules.raised() >= rules.pure_ack.max(rules.syn_fin_rst));
        for table in &rules.overruled_by {
            assert!(plain.contains(table.as_str()) && *table != device.table());
        }
    }
    for name in listing::offloaded(flowtables) {
        assert!(flowtables.contains(&name));
    }
    assert!(listing::offloaded(flowtables).len() <= flowtables.lines().count());
    let cell = station::cell(info, dump);
    assert!(cell.no_ht.is_none() || info.contains("width:"));
    let said = dump.lines().filter(|line| line.trim().starts_with("Station ")).count();
    assert!(cell.stations.len() <= said);
    for one in &cell.stations {
        assert_eq!(one.frames(16), None);
        assert!(one.frames(6).is_none() || dump.contains("MSDU:") || dump.contains("TXQs:"));
        assert!(dump.contains(&one.address));
    }
}

/// A text as recorded arrivals at two ports, and each of its lines as a change: what is read is written and read as it was.
pub(crate) fn arrivals(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(read) = read_arrivals(&text, 2) {
        assert!(read.is_sorted_by_key(Recorded::at));
        let lines: Vec<String> = read.iter().map(ToString::to_string).collect();
        let written = format!("{RECORD_HEADER}\n{}", lines.join("\n"));
        assert_eq!(read_arrivals(written.trim_end(), 2).as_ref(), Ok(&read));
    }
    for line in text.lines() {
        if let Ok(Some(set)) = Set::read(line) {
            assert_eq!(Set::read(&set.to_string()), Ok(Some(set)));
        }
    }
}
