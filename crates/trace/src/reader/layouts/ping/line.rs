//! The lines of ping's output.

use airtcp_units::Span;

use super::super::totals::Totals;

/// One line of the output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Header {
        host: &'a str,
        first: u64,
    },
    Reply(u64),
    NoReply(u64),
    /// A reply that ping marks as a duplicate.
    Duplicate,
    /// A reply, in a language other than English.
    Foreign,
    Sent(Summary),
    /// Another line of ping, not about a packet.
    Known,
    Other,
}

/// The line of totals at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) totals: Totals,
    pub(super) time: Option<Span>,
    /// Number of the first request in programs with this form of summary.
    pub(super) first: u64,
}

/// Time stamp (`-D`) in billionths of a second, and content of the line.
pub(super) fn parse(line: &str) -> (Option<i128>, Line<'_>) {
    let (stamp, line) = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) => (super::super::stamps::seconds(stamp), rest.trim()),
        None => (None, line.trim()),
    };
    if let Some(rest) = line.strip_prefix("PING ") {
        return (stamp, header(rest));
    }
    if let Some(rest) = line.strip_prefix("PING6(") {
        let host = rest.split_once("--> ").map_or("", |(_, host)| host.trim());
        return (stamp, Line::Header { host, first: 0 });
    }
    if let Some((sent, rest)) = line.split_once(" packets transmitted") {
        return (stamp, sent.parse().map_or(Line::Other, |sent| Line::Sent(summary(sent, rest))));
    }
    let Some(number) = number(line) else {
        return (stamp, if is_known(line) { Line::Known } else { Line::Other });
    };
    let reply = line.contains("bytes from") && !line.contains("(DUP!)");
    let foreign = line.contains(" ttl=") && !line.contains("bytes from");
    let silent = [
        "BAD CHECKSUM",
        "no answer yet",
        "Request timeout",
        "Unreachable",
        "unreachable",
        "exceeded",
    ];
    match () {
        () if silent.iter().any(|words| line.contains(words)) => (stamp, Line::NoReply(number)),
        () if reply => (stamp, Line::Reply(number)),
        () if foreign => (stamp, Line::Foreign),
        () if line.contains("(DUP!)") => (stamp, Line::Duplicate),
        () => (stamp, Line::Other),
    }
}

/// `rest` of a line that begins with PING. iputils counts from 1: "a.b (1.2.3.4) 56(84) bytes of data.",
/// "::1(::1) 56 data bytes"; the others from 0: "a.b (1.2.3.4): 56 data bytes".
fn header(rest: &str) -> Line<'_> {
    let word = rest.split_whitespace().next().unwrap_or_default();
    let host = word.split('(').next().unwrap_or_default().trim_end_matches(':');
    let from_0 = !word.contains('(') && rest.contains(": ") && rest.contains(" data bytes");
    Line::Header { host, first: u64::from(!from_0) }
}

/// The totals after "packets transmitted".
fn summary(sent: u64, rest: &str) -> Summary {
    let received = rest.split(',').find_map(|part| part.trim().strip_suffix("received"));
    let words: Vec<_> = received.map_or(Vec::new(), |part| part.split_whitespace().collect());
    Summary {
        totals: Totals { sent, received: words.first().and_then(|count| count.parse().ok()) },
        time: rest.rsplit_once("time ").and_then(|(_, t)| t.trim().parse().ok()),
        first: u64::from(words.get(1) != Some(&"packets")),
    }
}

/// True for lines of ping that are not about packets.
fn is_known(line: &str) -> bool {
    const BEGINNINGS: [&str; 7] =
        ["--- ", "rtt min/", "round-trip min/", "PATTERN:", "pipe ", "ping: ", "Warning: "];
    line.is_empty() || line == "^C" || BEGINNINGS.iter().any(|words| line.starts_with(words))
}

/// The ICMP error on a request.
pub(super) fn report(line: &str) -> Option<&'static str> {
    const SAID: [&str; 6] = [
        "Destination Host Unreachable",
        "Destination Net Unreachable",
        "Destination Port Unreachable",
        "Time to live exceeded",
        "Unreachable",
        "unreachable",
    ];
    SAID.into_iter().find(|words| line.contains(words))
}

/// The number after `icmp_seq=`, `icmp_seq `, `icmp_req=` or `seq=`.
fn number(line: &str) -> Option<u64> {
    let at = ["icmp_seq", "icmp_req", " seq"].iter().find_map(|key| {
        let rest = line.split_once(key)?.1;
        rest.strip_prefix(['=', ' '])
    })?;
    let digits = at.find(|c: char| !c.is_ascii_digit()).unwrap_or(at.len());
    at[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_pings() {
        let second = Span::from_secs(1);
        let sent = |sent, received, time, first| {
            let totals = Totals { sent, received: Some(received) };
            Line::Sent(Summary { totals, time, first })
        };
        for (line, parsed) in [
            (
                "PING 10.9.0.2 (10.9.0.2) 56(84) bytes of data.",
                Line::Header { host: "10.9.0.2", first: 1 },
            ),
            ("PING a.b (1.2.3.4): 56 data bytes", Line::Header { host: "a.b", first: 0 }),
            ("PING ::1(::1) 56 data bytes", Line::Header { host: "::1", first: 1 }),
            ("PING a (::1) from ::2 va: 56 data bytes", Line::Header { host: "a", first: 0 }),
            ("PING6(56=40+8+8 bytes) ::1 --> fe80::2", Line::Header { host: "fe80::2", first: 0 }),
            (
                "PING 192.0.2.7 (192.0.2.7) 56(84) octets de données.",
                Line::Header { host: "192.0.2.7", first: 1 },
            ),
            ("64 Bytes von 192.0.2.7: icmp_seq=1 ttl=57 Zeit=9,8 ms", Line::Foreign),
            (
                "5 packets transmitted, 4 received, +1 duplicates, 20% packet loss",
                sent(5, 4, None, 1),
            ),
            ("64 bytes from 10.9.0.2: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from fe80::1%va: icmp_seq=7 ttl=64 time=0.05 ms", Line::Reply(7)),
            ("64 bytes from 1.2.3.4: seq=3 ttl=56 time=13.310 ms", Line::Reply(3)),
            ("64 bytes from 1.2.3.4: icmp_seq=7 ttl=64 time=0.05 ms (DUP!)", Line::Duplicate),
            ("no answer yet for icmp_seq=12", Line::NoReply(12)),
            ("Request timeout for icmp_seq 5", Line::NoReply(5)),
            ("From 10.9.0.1 icmp_seq=4 Destination Host Unreachable", Line::NoReply(4)),
            (
                "60 packets transmitted, 50 received, 16.6667% packet loss, time 1000ms",
                sent(60, 50, Some(second), 1),
            ),
            ("8 packets transmitted, 8 packets received, 0.0% packet loss", sent(8, 8, None, 0)),
            ("rtt min/avg/max/mdev = 0.047/0.060/0.075/0.005 ms", Line::Known),
            ("the router was restarted here", Line::Other),
        ] {
            assert_eq!(parse(line), (None, parsed), "{line}");
        }
        let stamped = parse("[1795392084.653295] no answer yet for icmp_seq=2");
        assert_eq!(stamped, (Some(1_795_392_084_653_295_000), Line::NoReply(2)));
    }
}
