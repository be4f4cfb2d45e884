//! Wrapped files: compressed, cut short, damaged, archives.

use std::io::Read;

use super::*;

#[test]
fn compressed_files_are_opened_by_their_content() {
    let plain = b"1101\n0110\n";
    for (name, data) in [
        ("a.gz", gzip(plain)),
        ("no-ending", gzip(&gzip(plain))),
        ("a.xz", XZ.to_vec()),
        ("a.txt", ZSTD.to_vec()),
        ("two members.gz", [gzip(b"1101"), gzip(b"0110")].concat()),
        ("skippable.zst", [b"\x50\x2a\x4d\x18\x03\0\0\0abc", ZSTD].concat()),
    ] {
        let links = read(name, &data).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(bits(&links[0]), "11010110", "{name}");
    }
}

#[test]
fn every_zstd_frame_is_read() {
    let links = read("a.zst", &ZSTD.repeat(1000)).unwrap();
    assert_eq!(bits(&links[0]), "11010110".repeat(1000));
    let mut wrong = ZSTD.to_vec();
    *wrong.last_mut().unwrap() ^= 1;
    assert!(error("a.zst", wrong).contains("checksum"));
}

#[test]
fn cut_and_damaged_compressed_files_are_told() {
    let text: String = (0..20_000).map(|i| if i * i % 7 == 1 { '1' } else { '0' }).collect();
    let whole = gzip(text.as_bytes());
    for data in
        [&whole[..whole.len() / 2], &whole[..whole.len() - 4], &XZ[..XZ.len() - 20], &ZSTD[..12]]
    {
        let e = error("a.gz", data);
        assert!(e.contains("cut short or damaged"), "{e}");
    }
    let mut flipped = whole;
    let at = flipped.len() - 6;
    flipped[at] ^= 0x55;
    assert!(error("a.gz", flipped).contains("cut short or damaged"));
}

#[test]
fn damage_is_told_without_the_words_of_a_decoder() {
    const REASONS: [&str; 5] = [
        "it ends before its end mark",
        "a checksum does not match",
        "it asks for too much memory",
        "it uses a feature that is not supported",
        "it breaks the rules of its format",
    ];
    let gz = gzip(&b"1101\n".repeat(1000));
    let mut damaged = 0;
    for (name, whole) in [("a.xz", XZ), ("a.gz", &gz[..])] {
        for at in 6..whole.len() {
            let mut data = whole.to_vec();
            data[at] ^= 0xff;
            let Err(TraceError::Damaged { reason, .. }) = read(name, &data) else { continue };
            damaged += 1;
            assert!(REASONS.contains(&reason), "{name}, byte {at}: {reason}");
        }
    }
    assert!(damaged > 40, "{damaged}");
}

#[test]
fn archives_are_read_member_by_member() {
    let mut tar = tar::Builder::new(Vec::new());
    let mut add = |name: &str, data: &str| {
        let mut header = tar::Header::new_ustar();
        header.set_size(data.len() as u64);
        tar.append_data(&mut header, name, data.as_bytes()).unwrap();
    };
    add("dbm-5/Results_node1-2_DailyTest/sdec3-4", "0 20\n1 255\n2 21\n299 22\n300 22\n");
    add("dbm0/Results_node1-2_DailyTest/sdec5-6", "");
    add("README.txt", "not data");
    let data = gzip(&tar.into_inner().unwrap());
    let links = read("r.tar.gz", &data).unwrap();
    assert_eq!(links.len(), 2);
    assert_eq!((links[0].name.as_str(), links[0].outcomes.len()), ("1-2>3-4@-5dBm", 300));
    assert_eq!(
        links[0].outcomes.iter().enumerate().filter(|b| b.1).map(|b| b.0).collect::<Vec<_>>(),
        [0, 2, 299]
    );
    assert_eq!((links[0].notes.len(), links[0].labels["noise_dbm"].as_str()), (2, "-5"));
    assert_eq!((links[1].outcomes.len(), links[1].outcomes.received()), (300, 0));
    assert!(error("r.tar.gz", gzip(&gunzip(&data)[..1500])).contains("damaged"));
}

fn gunzip(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(data).read_to_end(&mut out).unwrap();
    out
}

#[test]
fn what_follows_the_end_of_compressed_data_is_named() {
    let gz = gzip(b"1101\n0110\n");
    for (name, whole) in [("a.gz", &gz[..]), ("a.zst", ZSTD)] {
        for rest in [&b"junk"[..], b"\0", &[0; 300], b"0110\n0110\n0110\n"] {
            let e = error(name, [whole, rest].concat());
            assert!(e.contains("ends after 10 decompressed bytes, and other bytes follow"), "{e}");
            assert!(!e.contains("cut short"), "{e}");
        }
    }
    assert!(error("a.gz", [&gz[..], &gz[..7]].concat()).contains("cut short"));
}
