#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let plan = airtcp_scenario::read(&text, "t", &[]).unwrap().resolve().unwrap();
    let run = airtcp_sim::run(&plan, &|_| Err(String::new()), Some(1), |_, _| true).unwrap();
    println!("{}", run.replications[0].total_goodput_bps);
}
