//! The times of a sender's states add up to the measured time, to the nanosecond, for every transport and
//! law, whatever the link, the buffers and the application do.

use airtcp_congestion::LawConfig;
use airtcp_probe::NoProbe;
use airtcp_scenario::read;
use airtcp_units::Span;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::build::build;

const TRANSPORTS: [&str; 5] = ["tcp", "lt-tcp", "sliding", "tfrc", "udp"];
const LINKS: [&str; 6] = [
    "",
    "queue = { kind = \"drop-tail\", packets = 10 }",
    "queue = { kind = \"red\", ecn = true }",
    "loss = { model = \"bernoulli\", probability = 0.02 }",
    "loss = { model = \"bernoulli\", probability = 0.3 }",
    "loss = { model = \"blackout\", period = \"3 s\", duration = \"1 s\" }",
];
const APPS: [&str; 6] = [
    "{ kind = \"bulk\" }",
    "{ kind = \"bulk\", start = \"700 ms\", size = \"300 kB\" }",
    "{ kind = \"bulk\", stop = \"3 s\" }",
    "{ kind = \"constant-rate\", rate = \"300 kb/s\", message = \"500 B\", stop = \"4 s\" }",
    "{ kind = \"on-off\", rate = \"4 Mb/s\", message = \"1000 B\", on = \"300 ms\", off = \"500 ms\" }",
    "{ kind = \"request-response\", request = \"200 B\", response = \"60000 B\", think = \"50 ms\" }",
];
const BUFFERS: [&str; 4] = [
    "",
    ", send_buffer = \"20 kB\"",
    ", receive_buffer = \"10 kB\"",
    ", receive_buffer = \"20 kB\", send_buffer = \"20 kB\"",
];

/// A law by its place in the registry.
fn law(number: usize) -> String {
    let laws = LawConfig::all();
    laws[number % laws.len()].name().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn times_of_all_states_add_up(
        transport in select(TRANSPORTS.as_slice()),
        number in 0_usize..1000,
        link in select(LINKS.as_slice()),
        app in select(APPS.as_slice()),
        buffers in select(BUFFERS.as_slice()),
        ecn: bool,
        warmup_ns in 0_u64..4_000_000_000,
        seed in 0_u32..1000,
    ) {
        let exchange = app.contains("request-response") && matches!(transport, "udp" | "tfrc");
        let streams_only = app.contains("bulk") && transport == "udp";
        prop_assume!(!exchange && !streams_only);
        let text = format!(
            r#"
seed = {seed}
duration = "5 s"
warmup = "{warmup_ns} ns"
[[links]]
from = "a"
to = "b"
rate = "3 Mb/s"
delay = "15 ms"
{link}
[[flows]]
from = "a"
to = "b"
transport = "{transport}"
app = {app}
tcp = {{ ecn = {ecn}, congestion = "{}"{buffers} }}
"#,
            law(number)
        );
        let plan = read(&text, "test", &[]).and_then(|s| s.resolve()).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        let seed = Seed { root: plan.scenario.seed, replication: 0 };
        let load = |name: &str| Err(name.to_owned());
        let mut world = build(&plan, seed, &load, NoProbe).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let measured = Span::from_secs(5).saturating_sub(plan.scenario.warmup);
        prop_assert!(world.run_until(Nanos::ZERO + plan.scenario.warmup, u64::MAX));
        world.settle_waits();
        let before = Snapshot::take(&world);
        prop_assert!(world.run_until(Nanos::ZERO + Span::from_secs(5), u64::MAX));
        let after = Snapshot::take(&world);
        let spent = after.flows[0].waited(&before.flows[0]);
        prop_assert_eq!(spent.open() + spent.closed(), measured, "{}", text);
        if app == APPS[0] {
            prop_assert_eq!(spent.open(), measured, "{}", text);
        }
    }
}
