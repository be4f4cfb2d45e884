//! The round-trip time of the path between the first two ports, with as little queue as there is.

use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_sim::TraceLoader;
use airtcp_units::{Nanos, Span};

use crate::emulate::Emulation;

/// Small packets that are sent each way, in virtual time, and the time between them.
const PROBES: u64 = 20;
const APART: u64 = 50_000_000;
/// An Ethernet frame with an IPv4 packet of 64 bytes, without a transport header.
const FRAME: usize = 78;

/// Sends small packets both ways in virtual time, and adds the shortest times. Zero if none arrives.
///
/// # Errors
/// If the scenario cannot run with real traffic.
pub(super) fn round_trip(plan: &Resolved, load: &TraceLoader<'_>) -> Result<Span, ScenarioError> {
    let mut emulation = Emulation::new(plan, vec![[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]], load)?;
    let mut frame = vec![0; FRAME];
    frame[..6].copy_from_slice(&[2, 0, 0, 0, 0, 2]);
    frame[12..14].copy_from_slice(&[0x08, 0x00]);
    // IPv4, 20 bytes of header, 64 bytes, protocol 253 (RFC 3692: for experiments).
    frame[14..18].copy_from_slice(&[0x45, 0, 0, 64]);
    frame[22..24].copy_from_slice(&[64, 253]);
    let ports = emulation.ports().to_vec();
    let mut least = [None::<Span>; 2];
    for probe in 1..=PROBES {
        let at = Nanos(probe * APART);
        emulation.enter(0, &frame, at);
        emulation.enter(1, &frame, at);
        emulation.run_until(Nanos(at.0 + APART));
        while emulation.leave().is_some() {}
        while let Some(fate) = emulation.take_fate() {
            if let Some(way) = ports.iter().position(|name| *name == fate.port)
                && way < 2
                && matches!(fate.fate, "delivered" | "marked")
            {
                let took = fate.left.since(fate.entered);
                least[way] = Some(least[way].map_or(took, |known| known.min(took)));
            }
        }
    }
    Ok(match least {
        [Some(there), Some(back)] => Span(there.0 + back.0),
        _ => Span::ZERO,
    })
}
