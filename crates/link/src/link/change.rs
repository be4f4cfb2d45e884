//! A link that changes while it runs.
//!
//! ```text
//! rate, slot         of the transmissions that start from now on; the one under way ends as it began
//! delay, jitter,     of the packets whose transmission starts from now on; a packet never overtakes one in flight,
//! reordering         unless jitter or reordering lets it
//! loss               a new model, which begins now: its times count from here, its packets go on in number
//! duplication        as delay
//! ```
//! A rate that varies as recorded keeps the place in its file that it would have had from the start.
//!
//! Leaves out: what decides which packets a link takes at all (`mtu`, policer, link protocol, `loss_unit`), and the delay of
//! a link with a protocol, whose timers are made for it.

use airtcp_probe::ConfigError;
use airtcp_random::{Keyed, Seed};
use airtcp_units::Nanos;

use super::Link;
use super::wire::Transmitter;
use crate::loss::{Build, Load};
use crate::{Delay, Frame, JitterConfig, LinkConfig, Loss, LossModel, ReorderingConfig};

/// A change, ready to be made.
#[derive(Debug)]
pub struct LinkChange {
    transmitter: Option<Transmitter>,
    delay: Delay,
    loss: Option<Loss>,
    jitter: Option<(JitterConfig, Keyed)>,
    reordering: Option<(ReorderingConfig, Keyed)>,
    duplication: Option<(f64, Keyed)>,
}

impl LinkChange {
    /// What makes a link of one configuration one of another. Its random decisions come from `seed` under `label`, that of
    /// [`Link::new`]; those of a new loss model are told apart by `number`.
    ///
    /// # Errors
    /// If a value is impossible, or if a link in use cannot take it. The message names the key.
    pub fn new(
        from: &LinkConfig,
        to: &LinkConfig,
        seed: Seed,
        (label, number): (&str, u64),
        load: Load<'_>,
    ) -> Result<Self, ConfigError> {
        to.check()?;
        let fixed = [
            ("mtu", from.mtu == to.mtu),
            ("policer", from.policer == to.policer),
            ("loss_unit", from.loss_unit == to.loss_unit),
            ("protocol", from.protocol == to.protocol),
            ("delay", from.delay == to.delay || to.protocol.common().is_none()),
        ];
        if let Some((key, _)) = fixed.into_iter().find(|(_, same)| !same) {
            let why = if key == "delay" {
                "of a link with a protocol, whose timers fit it, "
            } else {
                ""
            };
            return Err(ConfigError::new(key, format!("{why}cannot change while the link runs")));
        }
        let keyed = |what: &str| seed.keyed(&format!("{label}/{what}"));
        let pace = from.rate != to.rate || from.slot != to.slot;
        let loss = (from.loss != to.loss).then(|| {
            let label = &format!("{label}/loss/{number}");
            let build = Build { seed, label, slot: to.slot, load };
            Loss::build(&to.loss, &build)
        });
        let duplication = to.duplication.get();
        Ok(Self {
            transmitter: pace.then(|| Transmitter::new(to)),
            delay: to.delay.clone(),
            loss: loss.transpose()?,
            jitter: to.jitter.clone().map(|jitter| (jitter, keyed("jitter"))),
            reordering: to.reordering.clone().map(|held| (held, keyed("reordering"))),
            duplication: (duplication > 0.0).then(|| (duplication, keyed("duplication"))),
        })
    }

    /// Whether the time changes that a transmission takes.
    pub const fn changes_pace(&self) -> bool {
        self.transmitter.is_some()
    }
}

impl Link {
    /// Changes the link at `now`.
    pub fn change(&mut self, now: Nanos, change: LinkChange) {
        let LinkChange { transmitter, delay, loss, jitter, reordering, duplication } = change;
        if let Some(transmitter) = transmitter {
            self.wire.transmitter = transmitter;
        }
        if let Some(model) = loss {
            self.wire.loss = Loss::custom(Since { model, begin: now });
        }
        self.wire.delay = delay.longest();
        self.delays = delay.into_steps();
        (self.jitter, self.reordering, self.duplication) = (jitter, reordering, duplication);
        self.is_regular = self.is_regular();
    }
}

/// A loss model that began at a time.
#[derive(Debug)]
struct Since {
    model: Loss,
    begin: Nanos,
}

impl LossModel for Since {
    fn loses(&mut self, frame: &Frame) -> bool {
        let now = Nanos(frame.now.0.saturating_sub(self.begin.0));
        self.model.loses(&Frame { now, ..*frame })
    }

    fn mean_loss(&self) -> Option<f64> {
        self.model.mean_loss()
    }

    fn is_independent_of_traffic(&self) -> bool {
        self.model.is_independent_of_traffic()
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Packet, Pool, Segment, Side};
    use airtcp_probe::{EventSource, NoProbe, PoolCx};

    use super::*;

    fn config(text: &str) -> LinkConfig {
        toml::from_str(text).unwrap()
    }

    fn changed(from: &str, to: &str) -> Result<LinkChange, ConfigError> {
        let load = |name: &str| Err(name.to_owned());
        LinkChange::new(&config(from), &config(to), Seed::new(1), ("l", 0), &load)
    }

    /// When packets of 1250 bytes arrive, in ms, that are handed over whenever the link is ready; lost ones do not. The
    /// link changes before packet `at` is handed over.
    fn arrivals(from: &str, to: &str, at: u64, count: u64) -> Vec<(u64, u64)> {
        let load = |name: &str| Err(name.to_owned());
        let mut link = Link::new(&config(from), Seed::new(1), "l", &load).unwrap();
        let (mut pool, mut probe, mut now) = (Pool::new(), NoProbe, Nanos(0));
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Link(0));
        let (mut seen, mut sent) = (Vec::new(), 0);
        while now < Nanos(10_000_000_000) && (sent < count || link.next_timer() < Nanos::NEVER) {
            while let Some(id) = link.poll(now, &mut cx) {
                seen.push((u64::from(cx.pool.remove(id).segment.seq.0), now.0 / 1_000_000));
            }
            if sent < count && link.is_ready(now) {
                if sent == at {
                    link.change(now, changed(from, to).unwrap());
                }
                let to = EndpointId::new(0, Side::Server);
                let number = u32::try_from(sent).unwrap();
                let id = cx.pool.insert(Packet { to, segment: Segment::datagram(number, 1_222) });
                link.handle(now, id, &mut cx);
                sent += 1;
            }
            link.set_waiting(sent < count);
            now = link.next_timer().max(now);
        }
        seen
    }

    #[test]
    fn the_pace_of_what_starts_later() {
        let seen = arrivals("rate = \"10 Mb/s\"", "rate = \"1 Mb/s\"", 2, 4);
        assert_eq!(seen, [(0, 1), (1, 2), (2, 12), (3, 22)]);
        let seen = arrivals("rate = \"10 Mb/s\"", "slot = \"5 ms\"", 2, 4);
        assert_eq!(seen, [(0, 1), (1, 2), (2, 7), (3, 12)]);
    }

    #[test]
    fn nothing_overtakes_on_a_shorter_way() {
        let from = "rate = \"10 Mb/s\"\ndelay = \"50 ms\"";
        let seen = arrivals(from, "rate = \"10 Mb/s\"\ndelay = \"10 ms\"", 2, 45);
        assert_eq!(seen[..4], [(0, 51), (1, 52), (2, 52), (3, 52)]);
        assert_eq!(seen.last(), Some(&(44, 55)));
    }

    #[test]
    fn a_new_loss_model_begins_at_the_change() {
        let blackout = "rate = \"10 Mb/s\"\n\
                        loss = { model = \"blackout\", period = \"100 ms\", duration = \"5 ms\", phase = \"0 s\" }";
        let seen = arrivals("rate = \"10 Mb/s\"", blackout, 30, 60);
        let lost: Vec<u64> = (0..60).filter(|n| !seen.iter().any(|(id, _)| id == n)).collect();
        assert_eq!(lost, [30, 31, 32, 33, 34]);
    }

    #[test]
    fn what_a_link_in_use_cannot_take_is_named() {
        for (to, key, part) in [
            ("mtu = \"1000 B\"", "mtu", "cannot change while"),
            ("protocol = { kind = \"ll-arq\" }", "protocol", "cannot change"),
            ("policer = { rate = \"1 Mb/s\", burst = \"9 kB\" }", "policer", "cannot change"),
            ("slot = \"0 s\"", "slot", "impossible"),
            ("loss = { model = \"trace\", path = \"none\", slot = \"1 ms\" }", "", "none"),
        ] {
            let error = changed("", to).unwrap_err();
            assert!(key.is_empty() || error.key == key, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
        let arq =
            |delay: u32| format!("delay = \"{delay} ms\"\nprotocol = {{ kind = \"ll-arq\" }}");
        assert!(changed(&arq(1), &arq(2)).unwrap_err().message.contains("timers"));
        assert!(changed(&arq(1), &arq(1)).is_ok());
    }
}
