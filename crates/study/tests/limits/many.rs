//! The work is bounded: many flows, links and cells take no more variants than a few.

use std::fmt::Write as _;

use airtcp_study::{Cause, Why};

use super::{explained, of};

/// Most variants of one part of a scenario: each kind, what stands behind the first, and places.
const MOST: u32 = 80;

#[test]
fn five_hundred_flows_take_no_more_variants_than_a_few() {
    let mut text = "duration = \"2 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\n\
        delay = \"100 ms\"\n"
        .to_owned();
    for number in 0..500 {
        let buffer = 3000 + number;
        write!(
            text,
            "[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             tcp = {{ profile = \"linux\", mss = 500, receive_buffer = \"{buffer} B\", send_buffer = \"{buffer} B\" }}\n"
        )
        .unwrap();
    }
    let found = explained(&text, Why::Auto);
    assert!(found.why.variants <= MOST, "{} variants", found.why.variants);
    assert!(found.why.refused.is_empty(), "{:?}", found.why.refused);
}

/// A link for each of fifty flows: parts that share nothing are judged as one if they are many.
#[test]
fn many_parts_are_judged_as_one() {
    let mut text = "duration = \"12 s\"\nwarmup = \"2 s\"\nreplications = 3\n".to_owned();
    for n in 0..50 {
        write!(
            text,
            "[[links]]\nfrom = \"a{n}\"\nto = \"b{n}\"\nrate = \"1 Mb/s\"\ndelay = \"5 ms\"\n\
             [[flows]]\nfrom = \"a{n}\"\nto = \"b{n}\"\ntcp = \"linux\"\n"
        )
        .unwrap();
    }
    let found = explained(&text, Why::Auto);
    assert!(found.why.variants <= MOST, "{} variants", found.why.variants);
    let limit = of(&found, Cause::LinkRate);
    assert!((limit.ratio.unwrap() - 2.0).abs() < 0.2, "{limit:?}");
    assert!(limit.place.ends_with("and 47 more"), "{}", limit.place);
}

/// Sixty-four cells on one channel.
#[test]
fn many_cells_on_one_channel_are_one_medium() {
    let mut text = "duration = \"200 ms\"\nwarmup = \"50 ms\"\nreplications = 3\n".to_owned();
    for n in 0..64 {
        write!(
            text,
            "[[cells]]\nname = \"c{n}\"\naccess_point = \"ap{n}\"\nprefix = \"s{n}x\"\nchannel = 36\n\
             center = [0, {n}]\nlayout = {{ kind = \"star\", stations = 1 }}\n\
             [[flows]]\nfrom = \"s{n}x0\"\nto = \"ap{n}\"\ntcp = \"linux\"\n"
        )
        .unwrap();
    }
    let found = explained(&text, Why::Auto);
    assert!(found.why.variants <= MOST, "{} variants", found.why.variants);
}
