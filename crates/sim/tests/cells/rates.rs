//! TCP over rate controls, from the scenario to the results.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;

/// Goodput of a download in Mb/s.
fn goodput(control: &str, cell: &str) -> f64 {
    let run = run_first(&format!(
        "duration = \"45 s\"\nwarmup = \"5 s\"\n[[cells]]\n{cell}\n\
         rate_control.control = \"{control}\"\n\
         [[flows]]\nfrom = \"ap\"\nto = \"sta0\"\ntcp = {{ profile = \"s0\" }}\n"
    ));
    assert!(run.conservation.ok, "{:?}", run.conservation);
    run.total_goodput_bps / 1e6
}

/// S0 Tables II and III: under Bluetooth voice a slower frame meets more interfering packets, so a rate control
/// that reduces the rate after failures stalls TCP (SACK, HV3: 2.32 Mb/s without adaptation, 0.005 with).
#[test]
fn rate_adaptation_hurts_under_bluetooth() {
    for (voice, duty) in [("HV3", 0.3), ("HV1", 1.0)] {
        let cell = format!(
            "standard = \"802.11b\"\nlayout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\n\
             rate = \"11 Mb/s\"\ninterference = [{{ kind = \"bluetooth\", voice = \"{voice}\", \
             slots = \"independent\", duty = {duty}, in_band = 0.27, overlap = \"payload-slots\", \
             reach.stations = [\"sta0\"] }}]"
        );
        let fixed = goodput("fixed", &cell);
        assert!(fixed > 3.0, "{voice}: {fixed}");
        for control in ["s0", "arf", "aarf"] {
            let adapted = goodput(control, &cell);
            assert!(adapted < 0.01 * fixed, "{voice} {control}: {adapted} of {fixed}");
        }
        let measured = goodput("minstrel", &cell);
        assert!(measured > 0.85 * fixed, "{voice} minstrel: {measured} of {fixed}");
    }
}

/// S2: rate adaptation helps against noise. At 60 m no frame at 54 Mb/s is decoded.
#[test]
fn rate_adaptation_helps_under_noise() {
    let cell = "layout = { kind = \"star\", stations = 1, radius_m = 60 }\nnoise.floor_dbm = -99\n\
                propagation.path_loss = { model = \"log-distance\", exponent = 3.5, \
                reference_loss_db = 46.67 }\n\
                sensing = { sensitivity_dbm = -120, carrier_sense_dbm = -120 }";
    let fixed = goodput("fixed", cell);
    assert!(fixed < 0.01, "{fixed}");
    for control in ["s0", "arf", "aarf", "amrr", "onoe", "minstrel", "ideal"] {
        let adapted = goodput(control, cell);
        assert!(adapted > 5.0, "{control}: {adapted}");
    }
}
