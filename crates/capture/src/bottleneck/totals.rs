//! Sums over the transmissions of a transfer: goodput, median round-trip time, flight, and late data.

use super::levels::median;
use super::transmissions::{Fate, Transmission, Transmissions};

pub(super) fn goodput_bps(sent: &Transmissions) -> f64 {
    let delivered = sent.list.iter().filter(|packet| packet.fate == Fate::Delivered);
    8.0 * delivered.map(|packet| packet.payload).sum::<f64>() / sent.duration_s().max(1e-9)
}

pub(super) fn rtt_p50_s(sent: &Transmissions) -> f64 {
    let triggers = sent.list.iter().filter(|packet| packet.is_trigger);
    median(triggers.filter_map(Transmission::rtt_s))
}

/// Late data, and the median of what their round-trip times exceed those beside them by.
pub(super) fn late_data(sent: &Transmissions) -> (u64, f64) {
    let mut before = sent.least_rtt_s;
    let mut extra = Vec::new();
    for packet in &sent.list {
        let Some(rtt) = packet.rtt_s() else { continue };
        if packet.is_trigger {
            before = rtt;
        } else if packet.is_late {
            extra.push((rtt - before).max(1e-4));
        }
    }
    (extra.len() as u64, median(extra.into_iter()))
}

/// Most bytes between sender and ACK; what was lost counts for the median round-trip time.
pub(super) fn flight_bytes(sent: &Transmissions) -> f64 {
    let usual_s = rtt_p50_s(sent);
    let mut changes: Vec<(f64, f64)> = Vec::with_capacity(2 * sent.list.len());
    for packet in &sent.list {
        changes.push((packet.sent_s, packet.payload));
        changes.push((packet.acked_s.unwrap_or(packet.sent_s + usual_s), -packet.payload));
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut bytes, mut most) = (0.0f64, 0.0f64);
    for (_, change) in changes {
        bytes += change;
        most = most.max(bytes);
    }
    most
}
