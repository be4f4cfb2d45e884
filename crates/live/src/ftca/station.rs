//! What `iw dev DEV info` and `iw dev DEV station dump -v` print.
//!
//! iw prints for people, and says that its output may change. A line that is not understood is skipped, and what no line
//! tells stays unknown.

/// What a station's rates tell of its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Generation {
    /// No rate was printed.
    #[default]
    Unknown,
    /// Rates of 802.11a, b or g, which do not aggregate.
    Legacy,
    /// A rate of 802.11n or later: it has an MCS.
    Aggregates,
}

/// A station of a cell, or the access point of a station.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Station {
    /// Its address, as printed.
    pub address: String,
    /// What its rates tell.
    pub generation: Generation,
    /// Whether it uses WMM, without which all frames have one category.
    pub wmm: Option<bool>,
    /// Frames to it by TID (0 to 15), as the driver's queues count them.
    pub queued: Option<[u64; 16]>,
    /// MSDUs to it by TID (0 to 15), as mac80211 counts them.
    pub sent: Option<[u64; 16]>,
}

impl Station {
    /// Frames to it with a TID: of the driver's queues, else of mac80211.
    pub fn frames(&self, tid: u32) -> Option<u64> {
        let counts = self.queued.as_ref().or(self.sent.as_ref())?;
        counts.get(usize::try_from(tid).ok()?).copied()
    }
}

/// What iw tells of a device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// Whether the channel has no HT (802.11n).
    pub no_ht: Option<bool>,
    /// Its stations, in the order of the text.
    pub stations: Vec<Station>,
}

/// Reads both texts.
pub fn cell(info: &str, dump: &str) -> Cell {
    Cell { no_ht: no_ht(info), stations: stations(dump) }
}

/// Reads from `iw dev DEV info` whether the channel is without HT: `width: 20 MHz (no HT)`.
fn no_ht(info: &str) -> Option<bool> {
    let line = info.lines().map(str::trim).find(|line| line.starts_with("channel "))?;
    line.contains("width:").then(|| line.contains("(no HT)"))
}

/// The tables of a station with a row a TID.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Msdu,
    Queues,
}

/// Reads `iw dev DEV station dump -v`.
pub fn stations(dump: &str) -> Vec<Station> {
    let mut all: Vec<Station> = Vec::new();
    let mut rows = None;
    for line in dump.lines() {
        let text = line.trim();
        if let Some(address) = text.strip_prefix("Station ") {
            let address = address.split_whitespace().next().unwrap_or_default().to_owned();
            all.push(Station { address, ..Station::default() });
            rows = None;
            continue;
        }
        let Some(station) = all.last_mut() else { continue };
        match (text, rows) {
            // A device with several links prints the tables of each link after those of all.
            ("MSDU:", _) => rows = station.sent.is_none().then_some(Rows::Msdu),
            ("TXQs:", _) => rows = station.queued.is_none().then_some(Rows::Queues),
            (_, Some(of)) if text.starts_with("TID") || row(station, of, text) => {}
            _ => {
                rows = None;
                key(station, text);
            }
        }
    }
    all
}

/// Reads a row of a table; false if the line is none.
fn row(station: &mut Station, of: Rows, text: &str) -> bool {
    let mut numbers = text.split_whitespace().map_while(|part| part.parse::<u64>().ok());
    let Some(tid) = numbers.next() else { return false };
    let (counts, column) = match of {
        Rows::Msdu => (&mut station.sent, 1),     // rx, tx, ...
        Rows::Queues => (&mut station.queued, 8), // seven others, tx-bytes, tx-packets
    };
    let Some(count) = numbers.nth(column) else { return false };
    if let Some(at) = usize::try_from(tid).ok().filter(|at| *at < 16) {
        counts.get_or_insert([0; 16])[at] = count;
    }
    true
}

fn key(station: &mut Station, text: &str) {
    let Some((key, value)) = text.split_once(':') else { return };
    match key {
        "tx bitrate" | "rx bitrate" if value.contains("MBit/s") => {
            if value.contains("MCS") {
                station.generation = Generation::Aggregates;
            } else if station.generation == Generation::Unknown {
                station.generation = Generation::Legacy;
            }
        }
        "WMM/WME" => station.wmm = Some(value.trim() == "yes"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As iw 5.19 prints it for ath10k: two stations of an access point, of which the second is of 802.11g.
    const DUMP: &str = "\
Station 02:00:00:00:01:00 (on wlan0)
\tinactive time:\t40 ms
\ttx bitrate:\t866.7 MBit/s VHT-MCS 9 80MHz short GI VHT-NSS 2
\trx bitrate:\t6.0 MBit/s
\tMSDU:
\t\tTID\trx\ttx\ttx retries\ttx failed
\t\t0\t900\t800\t7\t\t0
\t\t5\t1\t41\t0\t\t0
\t\t6\t2\t42\t0\t\t0
\t\t16\t3\t4\t0\t\t0
\tTXQs:
\t\tTID\tqsz-byt\tqsz-pkt\tflows\tdrops\tmarks\toverlmt\thashcol\ttx-bytes\ttx-packets
\t\t0\t0\t0\t12\t0\t0\t0\t0\t990000\t801
\t\t6\t0\t0\t3\t0\t0\t0\t0\t2100\t35
\tauthorized:\tyes
\tWMM/WME:\tyes
\tMFP:\t\tno
Station 02:00:00:00:02:00 (on wlan0)
\ttx bitrate:\t54.0 MBit/s
\trx bitrate:\t(unknown)
\tMSDU:
\t\tTID\trx\ttx\ttx retries\ttx failed
\t\t6\t0\t9\t0\t\t0
\tWMM/WME:\tno
";

    #[test]
    fn a_dump_of_two_stations_is_read() {
        let all = stations(DUMP);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].address, "02:00:00:00:01:00");
        assert_eq!(all[0].generation, Generation::Aggregates);
        assert_eq!((all[0].wmm, all[1].wmm), (Some(true), Some(false)));
        assert_eq!(
            (all[0].frames(6), all[0].frames(5), all[0].frames(0)),
            (Some(35), Some(0), Some(801))
        );
        assert_eq!(all[0].sent.unwrap()[6], 42);
        assert_eq!((all[1].generation, all[1].frames(6)), (Generation::Legacy, Some(9)));
        assert_eq!(all[1].frames(16), None);
    }

    #[test]
    fn links_of_one_station_do_not_replace_its_own_tables() {
        let text = "Station 02:00:00:00:01:00 (on wlan0)\n\tMSDU:\n\tTID\trx\ttx\n\t6\t0\t5\t0\n\
                    \tLink 0:\n\t\ttx bitrate:\t1200.9 MBit/s 80MHz EHT-MCS 11 EHT-NSS 2 EHT-GI 0\n\
                    \t\tMSDU:\n\t\tTID\trx\ttx\n\t\t6\t0\t3\t0\n";
        let all = stations(text);
        assert_eq!((all[0].frames(6), all[0].generation), (Some(5), Generation::Aggregates));
    }

    #[test]
    fn the_channel_tells_whether_it_has_ht() {
        let of = |line: &str| cell(&format!("Interface wlan0\n\tifindex 3\n\t{line}\n"), "").no_ht;
        assert_eq!(
            of("channel 1 (2412 MHz), width: 20 MHz (no HT), center1: 2412 MHz"),
            Some(true)
        );
        assert_eq!(of("channel 36 (5180 MHz), width: 80 MHz, center1: 5210 MHz"), Some(false));
        assert_eq!(of("type managed"), None);
    }

    #[test]
    fn hostile_texts_are_skipped() {
        for text in [
            "MSDU:\n1 2 3",
            "Station\nMSDU:\n99999999999999999999 1 1",
            "Station x\nTXQs:\n6 1",
            "Station \u{0}\ntx bitrate:\nMSDU:\n6 -1 -1 \n18446744073709551615 1 1 1",
            ":::\n\r\n",
        ] {
            assert!(stations(text).iter().all(|s| s.frames(6).is_none()), "{text:?}");
        }
        assert_eq!(stations(&"Station a\n".repeat(10_000)).len(), 10_000);
    }
}
