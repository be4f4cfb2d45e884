//! What `verify` says: what was seen, what speaks against it, what could not be seen.

use super::class::{Class, stations};
use super::device::Device;
use super::listing::Rules;
use super::station::Cell;

/// Exit status if the rules are seen to work.
pub const WORKS: u8 = 0;
/// Exit status if something takes the effect away: rules that are missing, or a driver that does not follow.
pub const FAILS: u8 = 4;
/// Exit status if the rules are there and no packet passed them meanwhile.
pub const UNKNOWN: u8 = 5;

/// Two looks at a device, some seconds apart.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// The ruleset at the first look.
    pub before: Rules,
    /// The ruleset at the second.
    pub after: Rules,
    /// What iw told at the first look, if it told anything.
    pub cell_before: Option<Cell>,
    /// What iw told at the second.
    pub cell_after: Option<Cell>,
    /// Flow tables in hardware; none if they could not be listed.
    pub offloaded: Option<Vec<String>>,
    /// Seconds between the looks.
    pub seconds: u64,
}

/// A verdict: its lines and the exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Lines for a person.
    pub lines: Vec<String>,
    /// [`WORKS`], [`FAILS`] or [`UNKNOWN`].
    pub status: u8,
}

/// Judges two looks at a device.
pub fn judge(device: &Device, looks: &Looks) -> Verdict {
    let Some(class) = looks.after.class.filter(|_| looks.after.hooked) else {
        let lines = vec![format!(
            "{device}: no rules at its egress. Install them: airtcp ftca install --dev {device}"
        )];
        return Verdict { lines, status: FAILS };
    };
    let raised = looks.after.raised().saturating_sub(looks.before.raised());
    let mut seen = vec![format!(
        "the rules are there, class {class}; in {} s they raised {raised} packets ({} pure ACKs and {} SYN, FIN or RST \
         since they were installed)",
        looks.seconds, looks.after.pure_ack, looks.after.syn_fin_rst
    )];
    let (mut against, mut unseen) = (Vec::new(), Vec::new());
    rest_of_the_kernel(looks, &mut against, &mut unseen);
    driver(looks, class, raised, (&mut seen, &mut against, &mut unseen));
    unseen.push("filters of tc at the egress, and queues of the driver's firmware".to_owned());
    let status = match (against.is_empty(), raised) {
        (false, _) => FAILS,
        (true, 0) => UNKNOWN,
        (true, _) => WORKS,
    };
    let mut lines = vec![headline(device, status)];
    for (word, all) in [("seen", seen), ("against it", against), ("not seen", unseen)] {
        lines.extend(all.into_iter().map(|text| format!("  {word}: {text}")));
    }
    Verdict { lines, status }
}

fn headline(device: &Device, status: u8) -> String {
    match status {
        WORKS => format!("{device}: TCP packets without payload are raised"),
        FAILS => format!("{device}: the rules are there, but something takes their effect away"),
        _ => format!(
            "{device}: the rules are there, and no packet passed them: send a TCP upload, and verify again"
        ),
    }
}

fn rest_of_the_kernel(looks: &Looks, against: &mut Vec<String>, unseen: &mut Vec<String>) {
    for table in &looks.after.overruled_by {
        against.push(format!("table netdev {table} sets the priority again after these rules"));
    }
    match &looks.offloaded {
        None => unseen.push("flow tables: nft could not list them".to_owned()),
        Some(tables) if tables.is_empty() => {
            unseen.push("offloads of a vendor's driver outside nftables".to_owned());
        }
        Some(tables) => against.push(format!(
            "hardware takes over the flows of flow table {}, past all rules: on OpenWrt, `uci set \
             firewall.@defaults[0].flow_offloading_hw=0`",
            tables.join(", ")
        )),
    }
}

type Lists<'a> = (&'a mut Vec<String>, &'a mut Vec<String>, &'a mut Vec<String>);

/// What the driver's counters say of the raised packets.
fn driver(looks: &Looks, class: Class, raised: u64, (seen, against, unseen): Lists<'_>) {
    let Some(cell) = &looks.cell_after else {
        unseen.push("the driver: iw is missing, or the device is not one of Wi-Fi".to_owned());
        return;
    };
    let without = cell.stations.iter().filter(|s| s.wmm == Some(false)).count();
    if without > 0 {
        against.push(format!(
            "{} without WMM get all frames as best effort: enable WMM (hostapd: wmm_enabled=1)",
            stations(without)
        ));
    }
    let tid = class.user_priority();
    let Some(frames) = frames(looks, tid) else {
        unseen.push(
            "frames by TID: this driver does not count them, or no station is there".to_owned(),
        );
        return;
    };
    if frames.saturating_mul(2) >= raised {
        if raised > 0 {
            seen.push(format!("the driver sent {frames} frames of TID {tid} ({class}) meanwhile"));
        }
        return;
    }
    against.push(format!(
        "the driver sent {frames} frames of TID {tid} ({class}) for {raised} raised packets: it classifies by itself, \
         or admission control (ACM) lowers them"
    ));
}

/// Frames with a TID between the looks, to stations that both saw.
fn frames(looks: &Looks, tid: u32) -> Option<u64> {
    let (before, after) = (looks.cell_before.as_ref()?, looks.cell_after.as_ref()?);
    let mut total = None;
    for station in &after.stations {
        let Some(now) = station.frames(tid) else { continue };
        let then = before.stations.iter().find(|s| s.address == station.address);
        let more = now.saturating_sub(then.and_then(|s| s.frames(tid)).unwrap_or(0));
        total = Some(total.unwrap_or(0_u64).saturating_add(more));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::station::Station;
    use super::*;

    fn rules(pure_ack: u64) -> Rules {
        Rules { hooked: true, class: Some(Class::Voice), pure_ack, ..Rules::default() }
    }

    fn cell(frames: u64, wmm: bool) -> Cell {
        let mut queued = [0; 16];
        queued[6] = frames;
        let station = Station { wmm: Some(wmm), queued: Some(queued), ..Station::default() };
        Cell { no_ht: None, stations: vec![station] }
    }

    fn looks(raised: u64, frames: u64) -> Looks {
        Looks {
            before: rules(10),
            after: rules(10 + raised),
            cell_before: Some(cell(5, true)),
            cell_after: Some(cell(5 + frames, true)),
            offloaded: Some(Vec::new()),
            seconds: 3,
        }
    }

    fn status(looks: &Looks) -> u8 {
        judge(&"wlan0".parse().unwrap(), looks).status
    }

    #[test]
    fn rules_work_if_the_driver_sends_as_many_frames_of_their_class() {
        assert_eq!(status(&looks(100, 100)), WORKS);
        assert_eq!(status(&looks(100, 3)), FAILS);
        assert_eq!(status(&looks(0, 0)), UNKNOWN);
        assert_eq!(status(&Looks { cell_after: None, ..looks(100, 0) }), WORKS);
    }

    #[test]
    fn what_takes_the_effect_away_is_named() {
        assert_eq!(status(&Looks { after: Rules::default(), ..looks(1, 1) }), FAILS);
        let hardware = Looks { offloaded: Some(vec!["ft".to_owned()]), ..looks(9, 9) };
        assert_eq!(status(&hardware), FAILS);
        assert_eq!(status(&Looks { cell_after: Some(cell(14, false)), ..looks(9, 9) }), FAILS);
        let after = Rules { overruled_by: vec!["other".to_owned()], ..rules(19) };
        let verdict = judge(&"wlan0".parse().unwrap(), &Looks { after, ..looks(9, 9) });
        assert!(verdict.lines.iter().any(|line| line.contains("table netdev other")));
        assert_eq!(verdict.status, FAILS);
    }
}
