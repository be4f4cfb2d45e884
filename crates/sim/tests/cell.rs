//! TCP in an 802.11 cell, from the scenario to the results.

use airtcp_scenario::read;
use airtcp_sim::results::Replication;
use airtcp_sim::run;

fn replications(text: &str) -> Vec<Replication> {
    let plan = read(text, "test", &[]).unwrap().resolve().unwrap();
    let load = |_: &str| Err("no traces here".to_owned());
    run(&plan, &load, Some(1), |_, _| true).unwrap().replications
}

const STAR: &str = r#"
duration = "12 s"
warmup = "2 s"
[[cells]]
layout = { kind = "star", stations = 6, radius_m = 5 }
propagation.path_loss = { model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }
noise.floor_dbm = -99
timing.ack_rate.fixed = "6 Mb/s"
residual_error = "1 %"
[[flows]]
count = 6
from = "sta*"
to = "ap"
tcp = { profile = "s0", mss = 536 }
"#;

#[test]
fn six_uploads_in_a_star() {
    let all = replications(STAR);
    let run = &all[0];
    assert!(run.conservation.ok, "{:?}", run.conservation);
    println!("{}", serde_json::to_string_pretty(&run.cells).unwrap());
    for flow in &run.flows {
        println!("{} {:.3}", flow.name, flow.goodput_bps / 1e6);
    }
    println!("{:.3} {:?} {}", run.total_goodput_bps / 1e6, run.jain_index, run.events);
    assert!(run.total_goodput_bps > 8e6);
}
