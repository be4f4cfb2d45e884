//! A scenario that changes while its world runs: links take other values, at one instant.
//!
//! Packets in a queue or on the way stay, as `link/change.rs` and `queueing/change.rs` say. The instant is the time until which the
//! world has run, so that the same changes at the same times give the same fates.
//!
//! Leaves out: cells, flows, nodes and routes, which a world has for good.

use airtcp_link::LinkChange;
use airtcp_probe::Probe;
use airtcp_queueing::QueueChange;
use airtcp_random::Seed;
use airtcp_scenario::{OneWay, Resolved, Scenario, ScenarioError};

use super::Outside;
use crate::build::check::check_flows;
use crate::build::{TraceLoader, link_key};

impl<P: Probe> Outside<P> {
    /// The scenario becomes another one, now: links may differ in rate, slot, delay, loss model, jitter, reordering and
    /// duplication, and drop-tail queues in their limit.
    ///
    /// # Errors
    /// If something else differs, or if a value is impossible. Then nothing changes.
    pub fn change(&mut self, to: &Resolved, load: &TraceLoader<'_>) -> Result<(), ScenarioError> {
        unchanged(&self.given, to)?;
        let mut ready = Vec::new();
        for (number, (old, new)) in self.given.links.iter().zip(&to.links).enumerate() {
            if old.direction != new.direction {
                ready.push((number, self.prepared(old, new, load)?));
            }
        }
        check_flows(to)?;
        self.changes += 1;
        for (number, (link, queue)) in ready {
            self.world.change(number, link, queue);
        }
        self.plan.links.clone_from(&to.links);
        self.given = to.clone();
        Ok(())
    }

    /// What makes a link that of another plan.
    fn prepared(
        &self,
        old: &OneWay,
        new: &OneWay,
        load: &TraceLoader<'_>,
    ) -> Result<(LinkChange, Option<QueueChange>), ScenarioError> {
        let at = |key: &str, message: &str| {
            let path = format!("{}.{key}", new.path);
            ScenarioError::at(path.trim_end_matches('.'), message)
        };
        if old.direction.sender_device != new.direction.sender_device {
            return Err(at("sender_device", "cannot change while the link runs"));
        }
        let seed = Seed::new(self.given.scenario.seed);
        let [from, to] = [old, new].map(|one_way| one_way.direction.link_config());
        let label = format!("link/{}", new.name);
        let link = LinkChange::new(&from, &to, seed, (&label, self.changes), load)
            .map_err(|e| at(&link_key(e.key), &e.message))?;
        let [from, to] =
            [old, new].map(|one_way| one_way.direction.queue.clone().unwrap_or_default());
        if let Some(why) = to.fixes_rate().filter(|_| link.changes_pace()) {
            return Err(at("rate", why));
        }
        let queue = QueueChange::new(&from, &to)
            .map_err(|e| at(&format!("queue.{}", e.key), &e.message))?;
        Ok((link, queue))
    }
}

/// Refuses a plan that differs in more than its links.
fn unchanged(from: &Resolved, to: &Resolved) -> Result<(), ScenarioError> {
    let place = |one_way: &OneWay| (one_way.name.clone(), one_way.from, one_way.to);
    let same = [
        ("links", from.links.iter().map(place).eq(to.links.iter().map(place))),
        ("cells", from.cells == to.cells),
        ("flows", from.flows == to.flows),
        ("outside", from.scenario.outside == to.scenario.outside),
        ("", from.nodes == to.nodes && rest(from) == rest(to)),
    ];
    match same.into_iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((place, _)) => Err(ScenarioError::at(place, CANNOT_CHANGE)),
    }
}

const CANNOT_CHANGE: &str = "cannot change while it runs: expected the rate, slot, delay, loss, jitter, reordering or \
                             duplication of a link, or the limit of its drop-tail queue";

/// A scenario without its links.
fn rest(plan: &Resolved) -> Scenario {
    Scenario { links: Vec::new(), ..plan.scenario.clone() }
}
