//! Tables of programs: sniffers, spreadsheets, logs of events.

use super::*;

/// Runs of losses.
const fn lost(number: u64) -> bool {
    number % 40 < 7
}

fn came(packets: u64) -> impl Iterator<Item = u64> {
    (0..packets).filter(|n| !lost(*n))
}

/// The outcomes from the first packet received to the last.
fn truth(packets: u64) -> String {
    let all: String = (0..packets).map(|n| if lost(n) { '0' } else { '1' }).collect();
    all.trim_matches('0').to_owned()
}

#[test]
fn counters_of_frames_wrap_where_their_standard_says() {
    for (name, size) in [("wlan.seq", 1 << 12), ("wpan.seq_no", 1 << 8), ("rtp.seq", 1 << 16)] {
        let packets = 3 * size / 2;
        let rows = came(packets).map(|n| format!("{:.2},{}\n", 0.01 * n as f64, (n + 100) % size));
        let text = format!("frame.time_relative,{name}\n{}", joined(rows));
        let link = one("t.csv", &text);
        assert!(bits(&link) == truth(packets), "{name}");
        assert_eq!(link.interval, Some(Span::from_millis(10)), "{name}");
    }
    // Retransmitted frames, and a late one after the wrap.
    let numbers = [4093, 4093, 4094, 0, 4095, 1, 3, 3];
    let text = format!("wlan.seq\n{}", joined(numbers.iter().map(|n| format!("{n}\n"))));
    assert_eq!(bits(&one("t.csv", &text)), "1111101");
    // Other names may be those of several runs.
    let rows = joined((0..9000).map(|n| format!("{}\n", n % 4096)));
    assert!(read("t.csv", format!("seq\n{rows}").as_bytes()).is_err());
}

#[test]
fn round_trip_times_are_no_time_stamps() {
    let rows = came(400).map(|n| format!("8.8.8.8,{n},57,{}\n", 5 + n * 7919 % 45));
    let link = one("t.csv", &format!("host,icmp_seq,ttl,time_ms\n{}", joined(rows)));
    assert!(bits(&link) == truth(400) && link.interval.is_none());
    assert!(link.notes.iter().any(|n| n.contains("they may be delays")), "{:?}", link.notes);
}

#[test]
fn gaps_between_packets_are_no_time_stamps() {
    for name in ["delta_ms", "interval_ms", "tx_delta_ms"] {
        let row = |n: u64| format!("{n},{},{}\n", if n > 0 { 20 } else { 0 }, u8::from(!lost(n)));
        let link = one("t.csv", &format!("seq,{name},ok\n{}", joined((0..200).map(row))));
        assert!(link.interval.is_none(), "{name}: {:?} {:?}", link.interval, link.notes);
    }
}

#[test]
fn what_rows_alone_cannot_show_is_said() {
    let received = joined(came(200).map(|n| format!("{:.2},1\n", 0.02 * n as f64)));
    let notes = one("t.csv", &format!("time_s,ok\n{received}")).notes;
    assert!(notes.iter().any(|n| n.contains("their loss cannot be seen")), "{notes:?}");
    let rows = joined((0..200).map(|n| format!("{},{}\n", u8::from(!lost(n)), n % 5)));
    let notes = one("t.csv", &format!("received,rssi\n{rows}")).notes;
    assert!(notes[0].contains("rows taken in the order sent"), "{notes:?}");
    assert!(!notes.iter().any(|n| n.contains("cannot be seen")), "{notes:?}");
}

#[test]
fn whole_numbers_are_read_as_programs_write_them() {
    let row = |write: fn(u64) -> String| joined(came(200).map(|n| write(n) + "\n"));
    for rows in [row(|n| format!("{n}.0")), row(|n| format!("0x{n:04X}"))] {
        assert_eq!(bits(&one("t.csv", &format!("seq\n{rows}"))), truth(200));
    }
    assert!(error("t.csv", "seq\n5\n6.5\n").contains("whole number"));
}

#[test]
fn rates_may_have_decimal_commas() {
    let rows = joined((0..40).map(|n| format!("{};{},5\r\n", n * 1000, 250 + n)));
    let link = one("rates.csv", &format!("t_ms;kB/s\r\n{rows}"));
    let capacity = link.capacity.unwrap_or_else(|| panic!("{:?}", link.notes));
    let mean = capacity.mean_bps();
    assert!((mean / (8e3 * 270.0) - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn windows_ping_is_known_in_any_language() {
    for line in [
        "Reply from 192.0.2.7: bytes=32 time=3ms TTL=118",
        "Antwort von 192.0.2.7: Bytes=32 Zeit=3ms TTL=118",
        "Antwort von 192.0.2.7: Bytes=32 Zeit<1ms TTL=118",
        "Respuesta desde 192.0.2.7: bytes=32 tiempo=3ms TTL=118",
        "Risposta da 192.0.2.7: byte=32 durata=3ms TTL=118",
        "Resposta de 192.0.2.7: bytes=32 tempo=3ms TTL=118",
        "Antwoord van 192.0.2.7: bytes=32 tijd=3 ms TTL=118",
        "Odpowiedź z 192.0.2.7: bajtów=32 czas=3ms TTL=118",
        "192.0.2.7 からの応答: バイト数 =32 時間 =3ms TTL=118",
        "Ответ от 192.0.2.7: число байт=32 время=3мс TTL=118",
        "Antwort von ::1: Zeit<1ms",
        "Ping wird ausgeführt für 192.0.2.7 mit 32 Bytes Daten:",
        "Ping wird ausgeführt für example.org [192.0.2.7] mit 32 Bytes Daten:",
        "Disparando 192.0.2.7 com 32 bytes de dados:",
        "Badanie 192.0.2.7 z 32 bajtami danych:",
    ] {
        let e = error("p.txt", format!("\r\n{line}\r\nx y z\r\n"));
        assert!(e.contains("the output of Windows' ping"), "{line}: {e}");
        assert!(e.contains("use ping -D -O of Linux"), "{e}");
    }
    // Other systems number their requests.
    let log = "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n\
               64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=3 ms\n";
    assert_eq!(one("p.txt", log).source.layout, "ping");
}
