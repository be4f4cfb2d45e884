//! Binary files, recognised by their first bytes: their kind, and what to do with them.

const CAPTURE: &str = "'airtcp capture' says what TCP did in it. It is no trace: a \
    capture shows packets, not which of them the link lost, and TCP's sequence numbers count \
    bytes. Give a log with one packet a line, such as that of ping -D -O, or a table of sent \
    packets and what became of them.";
const OTHER_CAPTURE: &str = "Convert it with 'editcap -F pcap IN OUT'; 'airtcp capture' reads the \
    result.";
const EXPORT: &str = "Export its column of outcomes as CSV.";
const PICTURE: &str = "Give the data that it was drawn from, as CSV.";

/// First bytes, kind of the file, and what to do.
const KINDS: &[(&[u8], &str, &str)] = &[
    (b"\xd4\xc3\xb2\xa1", "a pcap packet capture", CAPTURE),
    (b"\xa1\xb2\xc3\xd4", "a pcap packet capture", CAPTURE),
    (b"\x4d\x3c\xb2\xa1", "a pcap packet capture", CAPTURE),
    (b"\xa1\xb2\x3c\x4d", "a pcap packet capture", CAPTURE),
    (b"\x0a\x0d\x0d\x0a", "a pcapng packet capture", CAPTURE),
    (b"snoop\0\0\0", "a snoop packet capture", OTHER_CAPTURE),
    (b"PK\x05\x06", "an empty zip archive", "Give the files themselves."),
    (b"PK\x03\x04", "a zip archive", "Unpack it first."),
    (b"BZh", "bzip2-compressed data", "Decompress it first, or use .gz, .xz or .zst."),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it first."),
    (b"Rar!\x1a\x07", "a rar archive", "Unpack it first."),
    (b"\x04\x22\x4d\x18", "lz4-compressed data", "Decompress it first, or use .gz, .xz or .zst."),
    (b"PAR1", "a Parquet file", EXPORT),
    (b"ARROW1", "an Arrow file", EXPORT),
    (b"\x93NUMPY", "a NumPy array", EXPORT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", EXPORT),
    (b"MATLAB 5.0", "a MATLAB file", EXPORT),
    (b"SQLite format 3\0", "an SQLite database", EXPORT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document (.xls, .doc)", EXPORT),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", PICTURE),
    (b"\xff\xd8\xff", "a JPEG picture", PICTURE),
    (b"GIF87a", "a GIF picture", PICTURE),
    (b"GIF89a", "a GIF picture", PICTURE),
    (b"%PDF-", "a PDF document", PICTURE),
    (b"\x7fELF", "a program", "Give the data file itself."),
    (b"\xff\xfe", "UTF-16 text", "Save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text", "Save it as UTF-8."),
];

/// The kind of a file that begins with `start`, and what to do; `None` if unknown. Compressed files
/// that the reader opens are not listed.
#[must_use]
pub fn binary_kind(start: &[u8]) -> Option<(&'static str, &'static str)> {
    if start.starts_with(b"PK\x03\x04") {
        // An Office document is a zip archive of XML.
        let head = &start[..start.len().min(4096)];
        let has = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
        if has(b"[Content_Types].xml") || has(b"application/vnd.oasis") {
            return Some(("an Office document (.xlsx, .docx, .ods)", EXPORT));
        }
    }
    if start.starts_with(b"PING ") && start.contains(&8) {
        return Some((
            "the dots of ping -f",
            "Which packets were lost is not in it: ping -D -O prints each.",
        ));
    }
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some(("a WebP picture", PICTURE));
    }
    KINDS.iter().find(|(magic, ..)| start.starts_with(magic)).map(|(_, what, hint)| (*what, *hint))
}
