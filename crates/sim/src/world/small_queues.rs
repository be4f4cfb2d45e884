//! Senders that limit what waits in the device of their own host (TCP small queues).
//!
//! The device is the first hop of the sender's packets: a Wi-Fi station, or a link with `sender_device`. The pool holds
//! its data packets until the device has completed them: a link when its transmitter is free again, a station when the
//! frame is acknowledged or given up, a queue when it drops the packet. A sender that was held back then sends, after all
//! completions of the event and at the same instant.
//!
//! ```text
//! pacing shift   link: 10 (about 1 ms)     Wi-Fi station: 7 (about 8 ms)
//! ```
//! Source: Linux 6.18 `sk_init_common` (10), `ieee80211_alloc_hw_nm` (7, `tx_sk_pacing_shift`; a driver may set another).
//! A sender behind a router does not know the router's queue.

use airtcp_packet::Completed;
use airtcp_probe::Probe;
use airtcp_units::Narrow;

use super::World;
use super::routes::Hop;

/// `sk_pacing_shift` of a socket.
const LINK_SHIFT: u32 = 10;

/// `tx_sk_pacing_shift` of mac80211.
const WIFI_SHIFT: u32 = 7;

impl<P: Probe> World<P> {
    /// Tells the senders whose first hop is the device of their own host. After all endpoints and hops are added.
    pub(crate) fn tell_devices(&mut self) {
        for number in 0..self.endpoints.len() {
            // The two ends of a flow are adjacent.
            let [node, destination] = [number, number ^ 1].map(|end| self.endpoints[end].node);
            let shift = match self.routes.next(node, destination) {
                Some(Hop::Link(link)) if self.interfaces[link as usize].is_device => LINK_SHIFT,
                Some(Hop::Air(_)) => WIFI_SHIFT,
                Some(Hop::Link(_)) | None => continue,
            };
            let endpoint = &mut self.endpoints[number];
            endpoint.is_held = endpoint.transport.on_device(shift);
        }
    }

    /// Lets senders hear of the packets that their devices have completed.
    #[cold]
    pub(super) fn hear_completions(&mut self) {
        let mut held = std::mem::take(&mut self.held_senders);
        while self.pool.has_completed() {
            while let Some(Completed { from, bytes }) = self.pool.take_completed() {
                let endpoint = &mut self.endpoints[from.index()];
                if endpoint.transport.on_completed(u64::from(bytes)) && !held.contains(&from) {
                    held.push(from);
                }
            }
            for sender in held.drain(..) {
                self.pump(u32::narrow(sender.index()));
            }
        }
        self.held_senders = held;
    }
}
