//! What a probe has seen of the air so far.

use airtcp_packet::Pool;
use airtcp_probe::air::{AirAggregate, AirFrame};
use airtcp_units::{LowBits, Narrow};

use super::transmission::Transmission;
use crate::mac::{AccessState, Aggregation, Mpdu, places};

/// What a probe has seen so far of this phase.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// What stations were waiting for before it.
    access_states: Vec<AccessState>,
    /// The MPDUs of the aggregate that ends now.
    mpdus: Vec<AirFrame>,
}

impl Watch {
    /// A phase begins, before which the stations waited for this.
    pub(super) fn begin(&mut self, states: impl Iterator<Item = AccessState>) {
        self.access_states.clear();
        self.access_states.extend(states);
    }

    /// What each station was waiting for before this phase.
    pub(super) fn access_states(&self) -> &[AccessState] {
        &self.access_states
    }

    /// Another aggregate ends.
    pub(super) fn forget_mpdus(&mut self) {
        self.mpdus.clear();
    }

    /// The MPDUs of the aggregate that ends now.
    pub(super) fn mpdus(&self) -> &[AirFrame] {
        &self.mpdus
    }

    /// Those for a station, numbered.
    pub(super) fn mpdus_for(&self, station: u32) -> impl Iterator<Item = (usize, &AirFrame)> {
        self.mpdus.iter().filter(move |frame| frame.to == Some(station)).enumerate()
    }

    /// Describes the MPDUs of an A-MPDU, each with its own time on the air; the first has the preamble.
    pub(super) fn describe_mpdus(
        &mut self,
        sent: &Transmission,
        ppdu: &AirFrame,
        mpdus: &[Mpdu],
        rules: &Aggregation,
        pool: &Pool,
    ) {
        let count = u16::narrow(mpdus.len());
        let lengths = mpdus.iter().map(|mpdu| mpdu.bytes);
        for (number, (mpdu, place)) in
            (0..).zip(mpdus.iter().zip(places(lengths, rules, sent.frame.mode)))
        {
            let (from, until) = sent.times(place);
            let packet = mpdu.packet.map(|id| pool.get(id));
            let reference = u32::low_bits(sent.ordinal);
            self.mpdus.push(AirFrame {
                class: mpdu.class,
                bytes: mpdu.bytes,
                sequence: mpdu.sequence,
                retry: mpdu.transmissions > 1,
                attempt: mpdu.transmissions,
                started: if number == 0 { sent.started } else { from },
                body: from,
                ended: if number + 1 == count { sent.ends } else { until },
                content: packet.map(|packet| (packet.to, packet.segment)),
                aggregate: Some(AirAggregate { reference, number, count }),
                ..*ppdu
            });
        }
    }
}
