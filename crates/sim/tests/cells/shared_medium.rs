//! Cells that share a medium: their effects on each other.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_scenario::read;
use airtcp_sim::results::Replication;

/// A cell of 802.11b with S0's ranges, on channel 1.
fn cell(name: &str, layout: &str, more: &str) -> String {
    format!(
        "[[cells]]\nname = \"{name}\"\naccess_point = \"ap-{name}\"\nprefix = \"{name}\"\n\
         standard = \"802.11b\"\nchannel = 1\nlayout = {layout}\n\
         propagation.path_loss = {{ model = \"ranges\" }}\n{more}\n"
    )
}

fn udp(from: &str, to: &str, rate: &str, more: &str) -> String {
    format!(
        "[[flows]]\nname = \"{from}-{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"udp\"\n\
         app = {{ kind = \"constant-rate\", rate = \"{rate}\", message = \"1000 B\" }}\n{more}\n"
    )
}

/// Frames of a class that a station sent, and the losses by cause.
fn lost(run: &Replication, cell: usize, station: usize, class: &str) -> (u64, Vec<(String, u64)>) {
    let frames = run.cells[cell].stations[station].frames.get(class);
    let lost = frames.map(|f| f.lost.iter().map(|(k, v)| (k.clone(), *v)).collect());
    (frames.map_or(0, |f| f.sent), lost.unwrap_or_default())
}

/// An idle second cell, first or second in the file, changes no result.
#[test]
fn a_silent_second_cell_changes_nothing() {
    let with = |center: &str, channel: &str| {
        format!(
            "[[cells]]\nname = \"busy\"\nlayout = {{ kind = \"disc\", stations = 4 }}\n{channel}\n\
             propagation = {{ path_loss = {{ model = \"log-distance\", exponent = 3.5, \
             reference_loss_db = 46.67 }}, shadowing_db = 4 }}\n{center}\n\
             fading = {{ model = \"rician\", coherence_time = \"20 ms\", k_db = 6 }}\n\
             noise.floor_dbm = -99\nresidual_error = \"1 %\"\n"
        )
    };
    let busy = with("", "");
    let flows = "[[flows]]\ncount = 4\nfrom = \"sta*\"\nto = \"ap\"\n";
    let other = with("center = [3, 4]", "channel = 36")
        .replace("\"busy\"", "\"silent\"\naccess_point = \"x\"\nprefix = \"y\"");
    let shared = with("", "channel = 36");
    let start = "duration = \"3 s\"\n";
    let alone = run_first(&format!("{start}{busy}{flows}"));
    let named = run_first(&format!("{start}{shared}{flows}"));
    let second = run_first(&format!("{start}{shared}{other}{flows}"));
    let first = run_first(&format!("{start}{other}{shared}{flows}"));
    for (run, cell) in [(&named, 0), (&second, 0), (&first, 1)] {
        assert!(run.cells.iter().all(|cell| cell.medium == 0));
        assert_eq!(run.flows, alone.flows);
        assert_eq!(run.cells[cell], alone.cells[0]);
    }
    assert_eq!(second.fingerprint, alone.fingerprint);
    assert!(first.cells[0].stations.iter().all(|s| s.frames.is_empty()));
    assert!(second.cells[1].busy_share.abs() < 1e-12 && alone.total_goodput_bps > 5e6);
}

/// Cells out of each other's range are as isolated as cells on separate media.
#[test]
fn cells_out_of_range_do_not_matter_to_each_other() {
    let of = |channels: [&str; 2], distance: u32| {
        let cells = ["a", "b"].map(|name| {
            let center =
                if name == "b" { format!("center = [{distance}, 0]") } else { String::new() };
            let text = cell(name, "{ kind = \"star\", stations = 3, radius_m = 50 }", &center);
            text.replace("channel = 1\n", channels[usize::from(name == "b")])
        });
        let flows = "[[flows]]\ncount = 3\nfrom = \"a*\"\nto = \"ap-a\"\n\
                     [[flows]]\ncount = 3\nfrom = \"b*\"\nto = \"ap-b\"\n";
        run_first(&format!("duration = \"5 s\"\n{}{}{flows}", cells[0], cells[1]))
    };
    let isolated = of(["", ""], 700);
    let far = of(["channel = 1\n", "channel = 1\n"], 700);
    assert_eq!([isolated.cells[0].medium, isolated.cells[1].medium], [0, 1]);
    let mut cells = far.cells.clone();
    cells[1].medium = 1;
    assert_eq!((&far.flows, &cells), (&isolated.flows, &isolated.cells));
    // Side by side they interfere, unless they are five channels apart.
    let near = of(["channel = 1\n", "channel = 1\n"], 150);
    assert!(
        near.total_goodput_bps < 0.65 * isolated.total_goodput_bps,
        "{}",
        near.total_goodput_bps
    );
    let apart = of(["channel = 1\n", "channel = 6\n"], 150);
    assert_eq!(apart.flows, of(["", ""], 150).flows);
}

/// Six saturated stations of two cells at one position share the air like six of one cell.
#[test]
fn cells_on_one_spot_share_the_air_like_one() {
    let rest = "capture = { model = \"none\" }";
    let saturated = |from: &str, to: &str| {
        let flow = udp(from, to, "8 Mb/s", "count = 3");
        flow.replace(&format!("\"{from}-{to}\"\n"), "\"NAME\"\n").replace("NAME", &from[..1])
    };
    let start = "duration = \"30 s\"\nwarmup = \"1 s\"\n";
    let one = format!(
        "{start}{}{}",
        cell("a", "{ kind = \"star\", stations = 6, radius_m = 10 }", rest),
        udp("a*", "ap-a", "8 Mb/s", "count = 6")
    );
    let two = format!(
        "{start}{}{}{}{}",
        cell("a", "{ kind = \"star\", stations = 3, radius_m = 10 }", rest),
        cell(
            "b",
            "{ kind = \"star\", stations = 3, radius_m = 11 }",
            &format!("{rest}\ncenter = [1, 1]")
        ),
        saturated("a*", "ap-a"),
        saturated("b*", "ap-b")
    );
    let (one, two) = (run_first(&one), run_first(&two));
    let ratio = two.total_goodput_bps / one.total_goodput_bps;
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    let error = |run: &Replication| {
        let all =
            || run.cells.iter().flat_map(|c| &c.stations).filter_map(|s| s.frames.get("data"));
        let lost: u64 = all().flat_map(|f| f.lost.values()).sum();
        lost as f64 / all().map(|f| f.sent).sum::<u64>() as f64
    };
    let (one_error, two_error) = (error(&one), error(&two));
    assert!((one_error - two_error).abs() < 0.01, "{one_error} {two_error}");
    assert!(one_error > 0.1);
    let jain = two.jain_index.unwrap();
    assert!(jain > 0.99, "{jain}");
    // Each cell counts its own frames; the sum is the busy time of the single cell.
    let busy: f64 = two.cells.iter().map(|c| c.busy_share).sum();
    assert!(busy > one.cells[0].busy_share && busy < 1.15 * one.cells[0].busy_share, "{busy}");
}

/// On a line, N1 at 0, BS-1 at 150, BS-2 at 600 and N2 at 750 m: N1 and BS-2 are hidden from each other, and
/// BS-2 is saturated. A frame of N1 with duration T succeeds if it lies in a gap between BS-2's frames:
///
/// ```text
/// P = E[max(0, gap - T)] / E[cycle]       gap = SIFS + ACK + DIFS + slots, cycle = frame + gap
/// ```
#[test]
fn frames_hidden_from_the_other_cell_are_lost_as_the_geometry_says() {
    let of = |bs2: u32, n2: u32| {
        run_first(&format!(
            "duration = \"60 s\"\n{}{}{}{}",
            cell(
                "n1",
                "{ kind = \"positions\", stations = [[0, 0]], access_point = [150, 0] }",
                "mac.attempts = 1\nrate = \"11 Mb/s\"",
            ),
            cell(
                "n2",
                &format!(
                    "{{ kind = \"positions\", stations = [[{n2}, 0]], access_point = [{bs2}, 0] }}"
                ),
                "rate = \"5.5 Mb/s\"\nmac.attempts = 255\nmac.backoff = \"cwmin-only\"",
            ),
            udp("n10", "ap-n1", "31.3 kb/s", "").replace("1000 B", "20 B"),
            udp("ap-n2", "n20", "8 Mb/s", "").replace("1000 B", "1400 B"),
        ))
    };
    let through = |run: &Replication| {
        let (sent, lost) = lost(run, 0, 1, "data");
        let gone: u64 = lost.iter().map(|(_, n)| n).sum();
        assert!(sent > 11_000, "{sent}");
        (1.0 - gone as f64 / sent as f64, lost)
    };
    // 20 B of payload: 84 B of frame; 1400 B: 1464 B. ACKs at 2 Mb/s.
    let (short, long) =
        (192.0 + (84.0f64 * 8.0 / 11.0).ceil(), 192.0 + (1464.0f64 * 8.0 / 5.5).ceil());
    let ack = 192.0 + 56.0;
    let gaps = (0..=31).map(|slots| 10.0 + ack + 50.0 + 20.0 * f64::from(slots));
    let room: f64 = gaps.clone().map(|gap| (gap - short).max(0.0)).sum();
    let cycle: f64 = gaps.map(|gap| long + gap).sum();
    let expected = room / cycle;
    let hidden = of(600, 750);
    let (share, causes) = through(&hidden);
    assert!((share - expected).abs() < 0.015, "{share} {expected}");
    assert!(causes.iter().any(|(cause, n)| cause == "with_data" && *n > 5_000), "{causes:?}");
    assert_eq!(hidden.cells[0].stations[1].hidden_stations, 0, "counted in its own cell");
    // BS-2 does no harm more than 500 m from BS-1; within 500 m of N1 it is sensed.
    assert!(through(&of(651, 800)).0 > 0.9999);
    // (N2 is out of BS-1's range there too, so its ACKs, hidden from N1, do no harm.)
    let heard = through(&of(500, 655)).0;
    assert!(heard > 0.9, "{heard}");
}

/// Keys on which cells on one medium must agree.
#[test]
fn inconsistent_cells_on_one_medium_are_refused() {
    let layout = "{ kind = \"star\", stations = 1, radius_m = 5 }";
    let refused = |second: &str, change: &dyn Fn(String) -> String| {
        let text = cell("b", layout, second);
        let flow = udp("a0", "ap-a", "1 Mb/s", "");
        let text = format!("{}{}{flow}", cell("a", layout, ""), change(text));
        let plan = read(&format!("duration = \"1 s\"\n{text}"), "test", &[]).unwrap();
        let load = |_: &str| Err("no traces".to_owned());
        let done = plan.resolve().and_then(|p| airtcp_sim::run(&p, &load, Some(1), |_, _| true));
        done.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let same = |text: String| text;
    let error = refused(
        "center = [20, 0]\nfading = { model = \"rayleigh\", coherence_time = \"1 ms\" }",
        &same,
    );
    assert!(error.contains("cells[1].fading: differs from cells[0].fading"), "{error}");
    let error = refused("center = [20, 0]\npower_dbm = 10", &same);
    assert!(error.contains("cells[1].power_dbm: differs from cells[0].power_dbm"), "{error}");
    let free = |text: String| text.replace("model = \"ranges\"", "model = \"free-space\"");
    let error = refused("center = [20, 0]", &free);
    assert!(error.contains("cells[1].propagation: differs from cells[0].propagation"), "{error}");
    assert!(error.contains("channels 1 and 1"), "{error}");
    let error = refused("", &same);
    assert!(
        error.contains("cells[1].layout.stations") && error.contains("apart or more"),
        "{error}"
    );
    let error = refused("center = [20, 0]", &|t| t.replace("channel = 1\n", "channel = 36\n"));
    assert!(error.contains("cells[1].channel: is 36: 802.11b has the channels 1 to 14"), "{error}");
    // On separate media, the keys may differ.
    let sixth = |t: String| free(t).replace("channel = 1\n", "channel = 6\n");
    assert_eq!(refused("power_dbm = 10", &sixth), "");
    assert_eq!(
        refused("center = [20, 0]\nmac.access = \"edca\"\nstandard = \"802.11g\"", &|t| t
            .replacen("standard = \"802.11b\"\n", "", 1)),
        ""
    );
}

/// S0's 250 ms capture with a simulated second cell (inventory 3.12). While BS-2 transmits, all frames of N1
/// are lost, because N1 does not sense BS-2, and TCP waits for its timers.
#[test]
fn the_second_cell_captures_the_first_for_250_ms() {
    let text = include_str!("../../../../scenarios/wifi-two-cells.toml");
    let one = text.replace("replications = 8", "replications = 1");
    let run = run_first(&one);
    let quiet = run_first(&one.replace("center = [600, 0]", "center = [651, 0]"));
    let by = |run: &Replication, cause: &str| {
        let (sent, causes) = lost(run, 0, 1, "data");
        let gone = causes.iter().find(|(name, _)| name == cause).map_or(0, |(_, n)| *n);
        (gone, gone as f64 / sent as f64)
    };
    // Alone, the two stations only collide with each other.
    assert_eq!(by(&quiet, "with_data").0, 0);
    let gone = by(&run, "with_data").0;
    assert!((300..2_000).contains(&gone), "{gone}");
    let station = &run.cells[0].stations[1];
    assert!(station.retry_drops >= 29, "{}", station.retry_drops);
    // The abstract capture of the same length and period, and no other change.
    let periodic = "interference = [{ kind = \"periodic\", reach.stations = [\"bs1\"] }]\n\
                    propagation.path_loss = { model = \"ranges\" }\n\n[[cells]]\nname = \"BS-2\"";
    let plain = "propagation.path_loss = { model = \"ranges\" }\n\n[[cells]]\nname = \"BS-2\"";
    assert!(one.contains(plain));
    let apart = one.replace(plain, periodic).replace("center = [600, 0]", "center = [651, 0]");
    let abstracted = run_first(&apart);
    let goodput = |run: &Replication| run.flows[0].goodput_bps;
    assert!(goodput(&run) < 0.9 * goodput(&quiet), "{} {}", goodput(&run), goodput(&quiet));
    let ratio = goodput(&run) / goodput(&abstracted);
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    let drops = abstracted.cells[0].stations[1].retry_drops as f64;
    assert!(
        (station.retry_drops as f64 / drops - 1.0).abs() < 0.2,
        "{} {drops}",
        station.retry_drops
    );
}

/// 802.11b and 802.11g on one channel, 12 m apart: the 802.11b cell does not sense OFDM and collides with it.
/// The 802.11g cell, whose rate needs a higher SINR, loses half of its frames. Protection avoids this.
#[test]
fn protection_helps_beside_802_11b() {
    let of = |protection: &str| {
        let cell = |name: &str, standard: &str, more: &str| {
            format!(
                "[[cells]]\nname = \"{name}\"\naccess_point = \"ap-{name}\"\nprefix = \"{name}\"\n\
                 standard = \"{standard}\"\nchannel = 6\nnoise.floor_dbm = -99\n\
                 layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\n\
                 propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, \
                 reference_loss_db = 46.67 }}\n{more}\n"
            )
        };
        let flow = |name: &str| udp(&format!("{name}0"), &format!("ap-{name}"), "40 Mb/s", "");
        run_first(&format!(
            "duration = \"10 s\"\nwarmup = \"1 s\"\n{}{}{}{}",
            cell("b", "802.11b", ""),
            cell(
                "g",
                "802.11g",
                &format!("center = [12, 0]\ntiming.slot = \"20 us\"\n{protection}")
            ),
            flow("b"),
            flow("g")
        ))
    };
    let errors =
        |run: &Replication| [0, 1].map(|i| run.cells[i].stations[1].frames["data"].error_rate);
    let bare = errors(&of(""));
    assert!(bare[0] < 0.05 && bare[1] > 0.4, "{bare:?}");
    for protection in ["cts-to-self", "rts-cts"] {
        let run = of(&format!("mac.protection = \"{protection}\""));
        let both = errors(&run);
        assert!(both[0] < 0.05 && both[1] < 0.1, "{protection}: {both:?}");
        let sends = |class: &str| run.cells[1].stations[1].frames.contains_key(class);
        assert!(sends("cts") == (protection == "cts-to-self") && sends("rts") != sends("cts"));
    }
}

/// A loss matrix may name the nodes of all cells on the medium. Here only a station of one cell and the
/// access point of the other hear each other, and frames of hidden stations collide there.
#[test]
fn a_loss_matrix_covers_several_cells() {
    let cell = |name: &str, other: &str| {
        format!(
            "[[cells]]\nname = \"{name}\"\naccess_point = \"ap-{name}\"\nprefix = \"{name}\"\n\
             channel = 36\nlayout = {{ kind = \"star\", stations = 1 }}\n\
             propagation.path_loss = {{ model = \"matrix\", losses = [\
             {{ between = [\"a0\", \"ap-a\"], loss_db = 70 }}, \
             {{ between = [\"b0\", \"ap-b\"], loss_db = 70 }}{other}] }}\n"
        )
    };
    let of = |other: &str| {
        let flow = |name: &str| udp(&format!("{name}0"), &format!("ap-{name}"), "10 Mb/s", "");
        run_first(&format!(
            "duration = \"5 s\"\n{}{}{}{}",
            cell("a", other),
            cell("b", other),
            flow("a"),
            flow("b")
        ))
    };
    let met = |run: &Replication, cell: usize| {
        let (_, causes) = lost(run, cell, 1, "data");
        causes.iter().filter(|(cause, _)| cause == "with_data").map(|(_, n)| *n).sum::<u64>()
    };
    let apart = of("");
    assert_eq!((met(&apart, 0), met(&apart, 1)), (0, 0));
    let joined = of(", { between = [\"a0\", \"ap-b\"], loss_db = 71 }");
    assert_eq!(met(&joined, 0), 0);
    assert!(met(&joined, 1) > 500, "{}", met(&joined, 1));
}

/// Cells of 802.11ac and ax: on bands that do not overlap they are isolated, and a silent neighbour changes nothing,
/// to the bit. On one band, or on a secondary channel, they share the air.
#[test]
fn wide_cells_share_a_medium_where_their_bands_overlap() {
    let cell = |name: &str, standard: &str, keys: &str| {
        format!(
            "[[cells]]\nname = \"{name}\"\naccess_point = \"ap-{name}\"\nprefix = \"{name}\"\n\
             standard = \"{standard}\"\nrate_control.control = \"ideal\"\n{keys}\n\
             layout = {{ kind = \"disc\", stations = 2, radius_m = 5, least_m = 1 }}\n"
        )
    };
    let flows =
        |name: &str| format!("[[flows]]\ncount = 2\nfrom = \"{name}*\"\nto = \"ap-{name}\"\n");
    let start = "duration = \"1500 ms\"\nwarmup = \"500 ms\"\n";
    let (fa, fb) = (flows("a"), flows("b"));
    let of = |a: &str, b: &str| {
        let (a, b) = (cell("a", "802.11ac", a), cell("b", "802.11ax", b));
        run_first(&format!("{start}{a}{b}{fa}{fb}"))
    };
    let isolated = of("", "center = [4, 0]");
    let apart = of("channel = 36", "channel = 52\ncenter = [4, 0]");
    assert_eq!((&apart.flows, &apart.cells), (&isolated.flows, &isolated.cells));
    assert_eq!([apart.cells[0].medium, apart.cells[1].medium], [0, 1]);
    let alone = run_first(&format!("{start}{}{fa}", cell("a", "802.11ac", "")));
    let a = cell("a", "802.11ac", "channel = 40");
    let silent = cell("b", "802.11ax", "channel = 36\nwidth = \"20 MHz\"\ncenter = [4, 0]");
    let beside = run_first(&format!("{start}{a}{silent}{fa}"));
    assert_eq!((&beside.flows, &beside.cells[0]), (&alone.flows, &alone.cells[0]));
    let total = |run: &Replication| run.total_goodput_bps / 1e6;
    let one = of("channel = 36", "channel = 36\ncenter = [4, 0]");
    assert!(total(&one) < 0.65 * total(&isolated), "{} {}", total(&one), total(&isolated));
    // A neighbour of 20 MHz on the secondary 20 MHz: with dynamic bonding the wide cell goes on beside it over 20 MHz. With
    // static bonding the two take turns, at the neighbour's cost.
    let narrow = "channel = 40\nwidth = \"20 MHz\"\ncenter = [4, 0]";
    let dynamic = of("channel = 36", narrow);
    let fixed = of("channel = 36\nmac.bonding = \"static\"", narrow);
    let wide = |run: &Replication| run.flows[..2].iter().map(|flow| flow.goodput_bps).sum::<f64>();
    let narrow =
        |run: &Replication| run.flows[2..].iter().map(|flow| flow.goodput_bps).sum::<f64>();
    assert!(narrow(&dynamic) > 1.3 * narrow(&fixed), "{} {}", narrow(&dynamic), narrow(&fixed));
    assert!([&dynamic, &fixed].iter().all(|run| wide(run) < 0.4 * wide(&isolated)));
}

/// The shipped scenario, shorter: beside the neighbour the wide cell gets less than half of what it gets alone, and the
/// neighbour loses little.
#[test]
fn a_neighbour_on_a_secondary_channel_narrows_a_wide_cell() {
    let text = include_str!("../../../../scenarios/wifi5-neighbours.toml")
        .replace("\"12 s\"", "\"4 s\"")
        .replace("replications = 8", "replications = 1");
    let goodput = |text: &str| {
        let run = run_first(text);
        [run.flows[0].goodput_bps / 1e6, run.flows[1].goodput_bps / 1e6]
    };
    let [wide, narrow] = goodput(&text);
    let [alone, other] = goodput(&text.replace("channel = 40", "channel = 52"));
    assert!(wide < 0.5 * alone && wide > 0.15 * alone, "{wide} {alone}");
    assert!(narrow > 0.8 * other, "{narrow} {other}");
}
