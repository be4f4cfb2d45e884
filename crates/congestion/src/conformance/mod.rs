//! Checks that a law behaves as every law must, for any behaviour of the network.
//!
//! [`check`] drives a law, which may come from anywhere, through random sequences of calls, and
//! returns the shortest case that it finds in which the law breaks a rule. The rules are those of
//! [`CongestionControl`](crate::CongestionControl) with the exceptions that the law declares in
//! [`Promises`](crate::Promises). The registered laws are driven by the same [`driver`] in the tests.

mod case;
mod driver;
mod generate;
mod shrink;
mod steps;
#[cfg(test)]
mod tests;

use airtcp_units::Span;

use self::case::drive;
pub use self::case::{Broken, Make};
use self::driver::{Ack, Call, Driver};
use self::generate::Draws;
pub use self::steps::{Step, Told};
use crate::{CongestionControl, Law, LawParams};

/// Calls of a case that checks growth, and ACKs in a round trip there.
const GROWTH_CALLS: u32 = 3000;
const ACKS_PER_ROUND: u64 = 10;

/// Checks a law in `cases` random cases of up to `most` calls, and that it grows on a path without
/// loss. Equal seeds make equal cases.
///
/// # Errors
/// The shortest case found in which the law breaks a rule.
pub fn check(make: &Make<'_>, cases: u32, most: usize, seed: u64) -> Result<(), Box<Broken>> {
    for case in 0..cases {
        let mut draws = Draws::new(seed, case);
        let params = draws.params();
        let calls = draws.calls(most);
        if drive(make, &params, &calls).is_err() {
            return Err(Box::new(shrink::shortest(make, params, calls)));
        }
    }
    grows(make, &Draws::new(seed, 0).params())
}

/// On a path without loss a law grows, here with ten ACKs per round trip.
fn grows(make: &Make<'_>, params: &LawParams) -> Result<(), Box<Broken>> {
    let ack = Ack {
        segments: 1,
        limited: true,
        fast: false,
        ece: false,
        rtt: Span::from_millis(ACKS_PER_ROUND),
        boost: ACKS_PER_ROUND,
    };
    let calls = [Call::Wait(Span::from_millis(1)), Call::Ack(ack)];
    let mut driver = Driver::new(Law::Dyn(make()), params);
    for _ in 0..GROWTH_CALLS {
        for call in calls {
            if let Err(rule) = driver.call(call) {
                return Err(Box::new(Broken { rule, params: *params, steps: Vec::new() }));
            }
        }
    }
    let (last, first) = (driver.law.cwnd(), params.initial_window.min(params.max_cwnd));
    if last > first || last == params.max_cwnd {
        return Ok(());
    }
    let rule = format!("{GROWTH_CALLS} ACKs without a loss left a window of {last}, from {first}");
    Err(Box::new(Broken { rule, params: *params, steps: Vec::new() }))
}
