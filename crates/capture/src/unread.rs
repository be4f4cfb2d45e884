//! Counts of the packets that can hold TCP and are not read, by name.

use crate::dissect::{Unread, link};

/// Names that are counted one by one.
const MOST_NAMES: usize = 16;
/// What to do about a link type.
const OTHER_LINK: &str = "If an Ethernet or an IP header is at their start, 'editcap -T ether IN OUT' \
                          or 'editcap -T rawip IN OUT' states it; otherwise capture again with a link \
                          type that 'tcpdump -L -i INTERFACE' lists ('-y TYPE')";

/// Packets that are not read, in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unreads {
    named: Vec<(Unread, u64)>,
    links: Vec<(u16, u64)>,
    /// Packets with a name beyond the most.
    others: u64,
}

/// Counts one more of a kind. False if there are too many kinds.
fn count<K: PartialEq>(counts: &mut Vec<(K, u64)>, kind: K) -> bool {
    if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == kind) {
        *count += 1;
        return true;
    }
    if counts.len() < MOST_NAMES {
        counts.push((kind, 1));
        return true;
    }
    false
}

impl Unreads {
    /// Counts a packet in what can hold TCP.
    pub(crate) fn add(&mut self, what: Unread) {
        self.others += u64::from(!count(&mut self.named, what));
    }

    /// Counts a packet of a link type.
    pub(crate) fn add_link(&mut self, number: u16) {
        self.others += u64::from(!count(&mut self.links, number));
    }

    /// True if there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.named.is_empty() && self.links.is_empty()
    }

    /// A line for each name; `all` is the number of packets in the file.
    pub(crate) fn lines(&self, all: u64) -> Vec<String> {
        let (is, has) =
            (|n| if n == 1 { "is" } else { "are" }, |n| if n == 1 { "has" } else { "have" });
        let mut lines = Vec::new();
        for (what, n) in &self.named {
            let of = of(*n, all);
            lines.push(format!("{of} {} in {what}, which airtcp does not read", is(*n)));
        }
        for (number, n) in &self.links {
            let (of, name) = (of(*n, all), link::named_number(*number));
            lines
                .push(format!("{of} {} {name}, which airtcp does not read. {OTHER_LINK}", has(*n)));
        }
        if self.others > 0 {
            let of = of(self.others, all);
            lines.push(format!(
                "{of} {} in other things that airtcp does not read",
                is(self.others)
            ));
        }
        lines
    }
}

/// So many of the packets.
fn of(n: u64, all: u64) -> String {
    let packets = if all == 1 { "packet" } else { "packets" };
    format!("{n} of {all} {packets}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_name() {
        let mut unread = Unreads::default();
        assert!(unread.is_empty());
        let what = |number| Unread { name: "GRE with protocol", number: Some(number) };
        for _ in 0..34 {
            unread.add(Unread { name: "IPsec ESP", number: None });
        }
        for number in 0..20 {
            unread.add(what(number));
        }
        unread.add_link(189);
        let lines = unread.lines(68);
        assert_eq!(lines[0], "34 of 68 packets are in IPsec ESP, which airtcp does not read");
        assert_eq!(
            lines[1],
            "1 of 68 packets is in GRE with protocol 0x0000, which airtcp does not read"
        );
        assert!(lines[16].starts_with("1 of 68 packets has link type 189 (usb-linux), which"));
        assert_eq!(lines[17], "5 of 68 packets are in other things that airtcp does not read");
    }
}
