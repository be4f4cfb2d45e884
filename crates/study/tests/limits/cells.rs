//! Cells: airtime, distance, and the queue of the access point.

use airtcp_study::{Cause, Of, Why};

use super::{explained, named, of};

/// Stations at 5 m of their access point, behind which a server stands.
fn cell(flows: &str) -> String {
    format!(
        "duration = \"8 s\"\nwarmup = \"1 s\"\nreplications = 3\n\
         [[cells]]\nlayout = {{ kind = \"star\", stations = 4, radius_m = 5 }}\n\
         mac = {{ access = \"edca\", txop_limits = \"zero\" }}\n\
         [[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"1 Gb/s\"\ndelay = \"5 ms\"\n{flows}"
    )
}

const UP: &str =
    "[[flows]]\nname = \"up\"\ncount = 4\nfrom = \"sta*\"\nto = \"server\"\ntcp = \"linux\"\n";
const DOWN: &str =
    "[[flows]]\nname = \"down\"\nfrom = \"server\"\nto = \"sta0\"\ntcp = \"linux\"\n";

/// The access point has one turn of five, and its queue is full of ACKs of the uploads.
#[test]
fn a_queue_of_acks_at_the_access_point_starves_a_download() {
    let found = explained(&cell(&format!("{UP}{DOWN}")), Why::Yes);
    let [slow] = found.why.slow_flows.as_slice() else { panic!("{:?}", found.why.slow_flows) };
    assert_eq!((slow.flow.as_str(), slow.short_of), ("down", Some(Cause::Queue)));
    assert_eq!(slow.place, "ap");
    assert!(slow.without_bps.unwrap() > 2.0 * slow.goodput_bps, "{slow:?}");
    assert!(slow.alone_bps.unwrap() > slow.goodput_bps, "{slow:?}");
    let limit = found.limits.iter().find(|l| l.cause == Cause::Queue && l.of == Of::Flows).unwrap();
    assert_eq!((limit.place.as_str(), limit.flows.as_slice()), ("ap", &["down".to_owned()][..]));
}

#[test]
fn a_full_medium_is_the_only_limit_of_near_stations() {
    let found = explained(&cell(DOWN), Why::Auto);
    assert_eq!(named(&found), [(Cause::Medium, "cell")]);
    let limit = of(&found, Cause::Medium);
    assert!((limit.ratio.unwrap() - 2.0).abs() < 0.2, "{limit:?}");
    assert_eq!(limit.change, ["cells[0].mac.ablation.speed=2.0"]);
}

/// A station that sends at the lowest rate takes the airtime of all.
#[test]
fn a_slow_station_wastes_the_airtime_of_the_others() {
    let text = cell(UP).replace(
        "mac = {",
        "rate = \"54 Mb/s\"\nstandard = \"802.11g\"\nstations = [{ name = \"sta3\", rate = \"6 Mb/s\" }]\nmac = {",
    );
    let found = explained(&text, Why::Auto);
    let limit = of(&found, Cause::SlowStation);
    assert_eq!((limit.place.as_str(), limit.after.len()), ("sta3", 0));
    assert!(limit.low.unwrap() > 1.1, "{limit:?}");
    assert_eq!(limit.change, ["without.distance=[\"sta3\"]"]);
}
