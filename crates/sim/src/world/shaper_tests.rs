//! Tests of queue disciplines that hold packets back: links and cells must wait for their timers.

use airtcp_packet::PacketId;
use airtcp_probe::{NoProbe, PoolCx, Probe};
use airtcp_queueing::{Backlog, Qdisc, Queue, QueueConfig, Stats, Verdict};
use airtcp_random::Seed;
use airtcp_units::{Nanos, Span};

use crate::build::build;

/// A queue that releases one packet per `gap`, even if the link is ready earlier.
#[derive(Debug)]
struct Shaper {
    inner: Queue,
    gap: Span,
    next: Nanos,
}

impl Shaper {
    fn queue(gap: Span) -> Queue {
        let inner = Queue::new(&QueueConfig::default(), Seed::new(1), "shaper").unwrap();
        Queue::custom(Self { inner, gap, next: Nanos::ZERO })
    }
}

impl Qdisc for Shaper {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        self.inner.enqueue(now, id, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        if now < self.next {
            return None;
        }
        let packet = self.inner.dequeue(now, cx)?;
        self.next = now + self.gap;
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.inner.backlog()
    }

    fn next_timer(&self) -> Nanos {
        if self.inner.backlog().packets > 0 { self.next } else { Nanos::NEVER }
    }

    fn stats(&self) -> &Stats {
        self.inner.stats()
    }
}

/// A flow sends 400 datagrams per second until `stop`, and every queue releases one per 10 ms. Returns the
/// datagrams that arrive in 10 s, and the number of events.
fn run(network: &str, stop: &str) -> (u64, u64) {
    let app = format!(
        r#"{{ kind = "constant-rate", rate = "3200 kb/s", message = "1000 B", stop = "{stop}" }}"#
    );
    let text = format!("duration = \"10 s\"\n{network}\ntransport = \"udp\"\napp = {app}\n");
    let plan = airtcp_scenario::read(&text, "test", &[]).unwrap().resolve().unwrap();
    let load = |_: &str| Err(String::new());
    let mut world = build(&plan, Seed::new(1), &load, NoProbe).unwrap();
    let gap = Span::from_millis(10);
    world.interfaces.iter_mut().for_each(|i| i.replace_queue::<NoProbe>(Shaper::queue(gap)));
    world.media.iter_mut().for_each(|medium| medium.replace_queues(&|| Shaper::queue(gap)));
    // A timer in the past would never end.
    assert!(world.run_until(Nanos::from_secs_f64(10.0), 200_000), "stands at {}", world.now);
    (world.delivered, world.events)
}

#[test]
fn a_link_waits_for_its_disciplines_timer() {
    let link = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"5 ms\"\n";
    let (delivered, events) = run(&format!("{link}[[flows]]\nfrom = \"a\"\nto = \"b\""), "10 s");
    assert!((999..=1000).contains(&delivered), "{delivered}");
    // 4000 sent; 1000 released, transmitted and arrived.
    assert!(events <= 7010, "{events}");
}

/// The discipline could release a packet while the link still transmits: the end of the transmission
/// decides.
#[test]
fn a_slow_link_polls_its_discipline_when_free() {
    let link = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"411.2 kb/s\"\ndelay = \"5 ms\"\n";
    let (delivered, _) = run(&format!("{link}[[flows]]\nfrom = \"a\"\nto = \"b\""), "10 s");
    // 1028 B take 20 ms.
    assert!((498..=500).contains(&delivered), "{delivered}");
}

#[test]
fn a_station_waits_for_its_disciplines_timer() {
    let cell = "[[cells]]\nlayout = { kind = \"star\", stations = 1, radius_m = 5 }\n\
         propagation.path_loss = { model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }\n";
    let (delivered, _) = run(&format!("{cell}[[flows]]\nfrom = \"sta0\"\nto = \"ap\""), "200 ms");
    // Packets arrive until 0.6 s after the last one was sent, without arrivals that would poll the queue.
    assert_eq!(delivered, 80);
}
