//! Closed forms, the papers' numbers, and properties of all path losses.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::detmath;
use proptest::prelude::*;

use super::*;

fn context(stations: &[String]) -> PropagationContext<'_> {
    PropagationContext { frequency_hz: 5.15e9, stations, seed: Seed::new(11), label: "cell" }
}

fn names() -> Vec<String> {
    ["a", "b", "c"].map(String::from).into()
}

fn propagation(toml: &str) -> Result<Propagation, ConfigError> {
    Propagation::new(&toml::from_str(toml).unwrap(), &context(&names()))
}

/// Loss between two stations on a line.
fn at(model: &Propagation, distance: f64) -> f64 {
    model.loss_db(0, Position::new(0.0, 0.0), 1, Position::new(distance, 0.0))
}

/// K = -46.68 dB, and the received power of 18 dBm at the distances of S3's layouts.
#[test]
fn the_powers_of_s3() {
    let model = propagation("path_loss = { model = \"log-distance\", exponent = 3.5 }").unwrap();
    assert!((at(&model, 1.0) - 46.68).abs() < 0.005);
    for (distance, power) in
        [(5.0, -53.15), (50_f64.sqrt(), -58.42), (75_f64.sqrt(), -61.49), (10.0, -63.68)]
    {
        let ours = 18.0 - at(&model, distance);
        assert!((ours - power).abs() < 0.01, "{distance} m: {ours}");
    }
    // Nearer than the reference distance the loss stays.
    assert_eq!(at(&model, 0.5), at(&model, 1.0));
    let own = "frequency_mhz = 900\n[path_loss]\nmodel = \"log-distance\"\nexponent = 2\n\
               reference_m = 10\nreference_loss_db = 50";
    assert!((at(&propagation(own).unwrap(), 1_000.0) - 90.0).abs() < 1e-9);
}

/// Friis: at 2.4 GHz and 100 m 80.1 dB; 6 dB for each doubling.
#[test]
fn free_space() {
    let text = "frequency_mhz = 2400\npath_loss = { model = \"free-space\" }";
    let model = propagation(text).unwrap();
    let wavelength: f64 = 299_792_458.0 / 2.4e9;
    let area = (4.0 * std::f64::consts::PI * 100.0 / wavelength) * 1.0;
    assert!((detmath::pow(10.0, at(&model, 100.0) / 20.0) / area - 1.0).abs() < 1e-12);
    assert!((at(&model, 100.0) - 80.05).abs() < 0.005);
    assert!((at(&model, 200.0) - at(&model, 100.0) - 6.0206).abs() < 1e-4);
    assert!(at(&model, 0.0) < 0.1);
}

/// The thresholds of ns-2's defaults: 3.65262e-10 W at 250 m, 1.559e-11 W at 550 m, of 0.28183815 W.
#[test]
fn two_rays_as_ns2_has_them() {
    let text = "frequency_mhz = 914\npath_loss = { model = \"two-ray\" }";
    let model = propagation(text).unwrap();
    let watts = |distance| 0.281_838_15 * detmath::pow(10.0, -at(&model, distance) / 10.0);
    assert!((watts(250.0) / 3.65262e-10 - 1.0).abs() < 1e-5, "{}", watts(250.0));
    assert!((watts(550.0) / 1.559e-11 - 1.0).abs() < 2e-4, "{}", watts(550.0));
    // The two laws meet at the crossover, 86.2 m.
    let PathLoss::TwoRay(law) = &model.law else { panic!() };
    let crossover = law.crossover_m();
    assert!((crossover - 86.2).abs() < 0.05, "{crossover}");
    assert!((at(&model, crossover * 0.999_999) - at(&model, crossover * 1.000_001)).abs() < 1e-4);
    assert!((watts(2.0 * crossover) / watts(crossover) - 1.0 / 16.0).abs() < 1e-9);
    assert!((watts(0.5 * crossover) / watts(crossover) - 4.0).abs() < 1e-9);
}

/// Frames are received up to 250 m and sensed up to 500 m, both limits included, at any power.
#[test]
fn ranges_are_exact() {
    let model = propagation("path_loss = { model = \"ranges\" }").unwrap();
    for power in [-10.0, 0.0, 16.0206, 24.5] {
        let limits = model.thresholds(Dbm(power)).unwrap();
        let received = |d| Dbm(power - at(&model, d));
        let decode = |d| received(d) >= limits.decode;
        let sense = |d| received(d) >= limits.sense;
        // In mW, as the receiver compares them.
        let watts = |d| received(d).milliwatts() >= limits.decode.milliwatts();
        assert!(decode(0.0) && decode(249.9) && decode(250.0) && !decode(250.000_001));
        assert!(watts(250.0) && !watts(250.000_001));
        assert!(sense(250.1) && sense(500.0) && !sense(500.000_001));
    }
    assert!(propagation("").unwrap().thresholds(Dbm(18.0)).is_none());
    // S0's line: 150, 600 and 450 m between the cells.
    assert_eq!((at(&model, 150.0), at(&model, 450.0)), (60.0, 61.0));
    assert_eq!(at(&model, 600.0), f64::INFINITY);
}

#[test]
fn a_matrix_is_read_by_name() {
    let text = "[path_loss]\nmodel = \"matrix\"\nlosses = [\n\
                { between = [\"c\", \"a\"], loss_db = 61 },\n{ between = [\"a\", \"b\"], loss_db = 72 }]";
    let model = propagation(text).unwrap();
    let here = Position::default();
    let loss = |a, b| model.loss_db(a, here, b, here);
    assert_eq!((loss(0, 1), loss(1, 0), loss(0, 2)), (72.0, 72.0, 61.0));
    assert_eq!((loss(1, 2), loss(7, 0)), (f64::INFINITY, f64::INFINITY));
    assert!(model.check(&[here, here], &names()).is_ok());
    assert!(model.loss_at(3.0).is_none());
}

/// A path loses the sum of the walls it crosses. At the corner of two walls only one counts.
#[test]
fn walls_add_up() {
    let text = "path_loss = { model = \"free-space\" }\nwalls = [\n\
                { from = [5, -10], to = [5, 10], loss_db = 10 },\n\
                { from = [7, -10], to = [7, 0], loss_db = 3 },\n\
                { from = [7, 0], to = [7, 10], loss_db = 4 }]";
    let model = propagation(text).unwrap();
    let extra = |ax, ay, bx, by| {
        let (a, b) = (Position::new(ax, ay), Position::new(bx, by));
        let there = model.loss_db(0, a, 1, b);
        assert_eq!(there, model.loss_db(1, b, 0, a));
        (there - model.law.loss_db(0, a, 1, b) + 0.5).floor()
    };
    assert_eq!(extra(0.0, 1.0, 4.0, 1.0), 0.0);
    assert_eq!(extra(0.0, 1.0, 6.0, 1.0), 10.0);
    assert_eq!(extra(0.0, 1.0, 9.0, 1.0), 14.0);
    assert_eq!(extra(0.0, -1.0, 9.0, -1.0), 13.0);
    assert_eq!(extra(0.0, 11.0, 9.0, 11.0), 0.0);
    // Through the corner: one of the two, not both and not none.
    let corner = extra(0.0, 0.0, 9.0, 0.0);
    assert!(corner == 13.0 || corner == 14.0, "{corner}");
    // Along a wall.
    assert_eq!(extra(5.0, -20.0, 5.0, 20.0), 0.0);
}

/// Shadowing is standard normal (mean, variance and tails), and independent between pairs.
#[test]
fn shadowing_is_normal() {
    let text =
        "shadowing_db = 6\npath_loss = { model = \"matrix\", losses = [], otherwise_db = 60 }";
    let model = propagation(text).unwrap();
    let here = Position::default();
    let draws: Vec<f64> = (0..300_usize)
        .flat_map(|a| (a + 1..300).map(move |b| (a, b)))
        .map(|(a, b)| (model.loss_db(a, here, b, here) - 60.0) / 6.0)
        .collect();
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    let variance = draws.iter().map(|z| z * z).sum::<f64>() / n;
    let beyond = draws.iter().filter(|z| z.abs() > 1.96).count() as f64 / n;
    let lag = draws.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n;
    assert!(mean.abs() < 5.0 / n.sqrt(), "{mean}");
    assert!((variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{variance}");
    assert!((beyond - 0.05).abs() < 5.0 * (0.0475 / n).sqrt(), "{beyond}");
    assert!(lag.abs() < 5.0 / n.sqrt(), "{lag}");
}

/// Shadowing is the same in both directions. Another label or seed changes it.
#[test]
fn shadows_belong_to_pairs() {
    let config: PropagationConfig = toml::from_str("shadowing_db = 6").unwrap();
    let names = names();
    let build = |context: &PropagationContext<'_>| Propagation::new(&config, context).unwrap();
    let loss = |model: &Propagation, a, b| {
        model.loss_db(a, Position::new(0.0, 0.0), b, Position::new(9.0, 0.0))
    };
    let model = build(&context(&names));
    assert_eq!(loss(&model, 3, 8), loss(&model, 8, 3));
    assert_ne!(loss(&model, 3, 8), loss(&model, 3, 7));
    let other = build(&PropagationContext { seed: Seed::new(12), ..context(&names) });
    assert_ne!(loss(&model, 3, 8), loss(&other, 3, 8));
    let other = build(&PropagationContext { label: "cell/2", ..context(&names) });
    assert_ne!(loss(&model, 3, 8), loss(&other, 3, 8));
    // The number of stations does not matter.
    let more: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    assert_eq!(loss(&model, 1, 2), loss(&build(&context(&more)), 1, 2));
}

#[test]
fn pair_keys_are_of_pairs() {
    let mut keys = std::collections::BTreeSet::new();
    for a in 0..60 {
        for b in 0..a {
            assert_eq!(pair_key(a, b), pair_key(b, a));
            assert!(keys.insert(pair_key(a, b)));
        }
    }
}

#[test]
fn bad_input_is_named() {
    let refuse = |text: &str| propagation(text).unwrap_err().to_string();
    let model = |text: &str| refuse(&format!("path_loss = {{ {text} }}"));
    assert_eq!(
        model("model = \"log-distance\", exponent = -1"),
        "exponent: is -1: expected 0 to 20"
    );
    assert!(model("model = \"log-distance\", reference_m = 0").starts_with("reference_m"));
    assert!(model("model = \"log-distance\", reference_loss_db = nan").contains("is NaN dB"));
    assert!(model("model = \"two-ray\", height_m = 0").starts_with("height_m"));
    assert!(
        model("model = \"ranges\", interference_m = 100")
            .starts_with("interference_m: is 100 m, less than decode_m (250 m)")
    );
    let losses = |rows: &str| model(&format!("model = \"matrix\", losses = [{rows}]"));
    assert_eq!(
        losses("{ between = [\"a\", \"x\"], loss_db = 1 }"),
        "losses: the cell has no station \"x\" (stations: a, b, c)"
    );
    assert!(losses("{ between = [\"a\", \"a\"], loss_db = 1 }").contains("are one station"));
    let twice =
        "{ between = [\"a\", \"b\"], loss_db = 1 }, { between = [\"b\", \"a\"], loss_db = 2 }";
    assert!(losses(twice).contains("\"b\" and \"a\" have two losses"));
    assert!(losses("{ between = [\"a\", \"b\"], loss_db = -1 }").starts_with("loss_db: is -1 dB"));
    assert!(refuse("shadowing_db = -1").starts_with("shadowing_db"));
    assert!(refuse("frequency_mhz = 0").starts_with("frequency_mhz"));
    assert!(
        refuse("shadowing_db = 3\npath_loss = { model = \"ranges\" }").starts_with("shadowing_db")
    );
    assert!(
        refuse("walls = [{ from = [1, 1], to = [1, 1], loss_db = 3 }]").starts_with("walls: one")
    );
    assert!(refuse("walls = [{ from = [1, 1], to = [2, 1], loss_db = -3 }]").contains("-3 dB"));
}

#[test]
fn stations_on_one_spot_are_refused() {
    let model = propagation("").unwrap();
    let far = Position::new(5.0, 0.0);
    assert!(model.check(&[Position::default(), far], &names()).is_ok());
    let error = model.check(&[far, Position::default(), far], &names()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "stations: \"a\" and \"c\" are both at [5, 0]: expected 0.01 m apart or more"
    );
    let nowhere = Position::new(f64::NAN, 0.0);
    assert!(model.check(&[nowhere], &names()).unwrap_err().to_string().contains("\"a\" is at"));
}

#[test]
fn every_model_is_listed_once() {
    let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["log-distance", "free-space", "two-ray", "ranges", "matrix"]);
    assert_eq!(PathLossConfig::default().model(), "log-distance");
}

proptest! {
    /// Not NaN, not negative, the same in both directions, and not decreasing with distance.
    #[test]
    fn what_holds_of_any_path_loss(
        which in 0..PathLossConfig::samples().len(),
        x in -1e4..1e4_f64,
        y in -1e4..1e4_f64,
        near in 0.0..5e3_f64,
        more in 0.0..5e3_f64,
        a in 0..4_usize,
        b in 0..4_usize,
    ) {
        let path_loss = PathLossConfig::samples()[which].clone();
        let config = PropagationConfig { path_loss, ..PropagationConfig::default() };
        let model = Propagation::new(&config, &context(&names())).unwrap();
        let (pa, pb) = (Position::default(), Position::new(x, y));
        let loss = model.loss_db(a, pa, b, pb);
        prop_assert!(loss >= 0.0);
        prop_assert_eq!(loss, model.loss_db(b, pb, a, pa));
        if let (Some(first), Some(second)) = (model.loss_at(near), model.loss_at(near + more)) {
            prop_assert!(second >= first - 1e-9);
            prop_assert!((model.loss_at(pa.distance_m(pb)).unwrap() - loss).abs() < 1e-12 || loss.is_infinite());
        }
    }
}
