//! Why a file with frames of 802.11 shows no link, no loss or no TCP.

use super::report::FrameCounts;

/// Lines for what a file lacks, by the frames before and behind it. `has_links` says whether data frames
/// made a link, and `tcp` how many segments were in them.
pub(crate) fn reasons(
    before: &FrameCounts,
    behind: &FrameCounts,
    has_links: bool,
    tcp: u64,
) -> Vec<String> {
    let of = |count: fn(&FrameCounts) -> u64| count(behind) - count(before);
    let data = of(|f| f.data);
    let (empty, beacons) = (of(|f| f.null_data), of(|f| f.beacon));
    let management = of(|f| f.other_management);
    let control = of(|f| {
        f.ack
            + f.block_ack
            + f.block_ack_request
            + f.rts
            + f.cts
            + f.cf_end
            + f.ps_poll
            + f.other_control
    });
    let all = data + empty + beacons + management + control + of(|f| f.extension);
    let mut lines = Vec::new();
    if all == 0 {
        return lines;
    }
    if data == 0 {
        lines.push(format!(
            "no link of 802.11: no frame has data (beacons {beacons}, other management {management}, \
             control {control}, data without body {empty}). Capture on the channel of the network, with a \
             radio that receives its widths and rates"
        ));
        return lines;
    }
    if !has_links {
        let damaged = of(|f| f.damaged);
        lines.push(format!(
            "no link of 802.11: none of the {data} data frames is whole (frames with a wrong frame check \
             sequence: {damaged})"
        ));
    }
    if of(|f| f.ack + f.block_ack) == 0 {
        lines.push(
            "no MAC ACK was captured: only frames that were sent again count as lost".to_owned(),
        );
    }
    let protected = of(|f| f.protected);
    if tcp == 0 && protected > 0 {
        lines.push(format!(
            "{protected} of {} data frames are encrypted: TCP in them is not visible without \
             --decrypt-with",
            data + empty
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_link_say_why() {
        let none = FrameCounts::default();
        assert!(reasons(&none, &none, false, 0).is_empty());
        let beacons = FrameCounts { beacon: 9, rts: 2, null_data: 1, ..none };
        let lines = reasons(&none, &beacons, false, 0);
        assert!(
            lines[0].contains("(beacons 9, other management 0, control 2, data without body 1)")
        );
        let damaged = FrameCounts { data: 5, damaged: 5, ack: 1, ..none };
        assert!(
            reasons(&none, &damaged, false, 0)[0].contains("none of the 5 data frames is whole")
        );
        let sealed = FrameCounts { data: 5, protected: 5, ack: 5, ..none };
        assert_eq!(
            reasons(&none, &sealed, true, 0),
            ["5 of 5 data frames are encrypted: TCP in them is not visible without --decrypt-with"]
        );
        assert!(reasons(&none, &sealed, true, 7).is_empty());
        let unanswered = FrameCounts { data: 5, ..none };
        assert!(reasons(&none, &unanswered, true, 7)[0].starts_with("no MAC ACK"));
        // What an earlier file had is not counted.
        assert!(reasons(&sealed, &sealed, true, 0).is_empty());
    }
}
