//! Packets to send: new and retransmitted symbols, combinations, probes.

use airtcp_fec::combine;
use airtcp_packet::{Ecn, Segment};
use airtcp_units::{Nanos, Narrow, Span, Wait};

use super::{Choice, Sender};
use crate::config::Coding;
use crate::content::Content;
use crate::receiver::DENSITY;
use crate::wire::{MAX_COMBINED, Packet, Payload};

impl<S: Content> Sender<S> {
    /// The next packet, if one may leave now.
    pub(crate) fn poll(&mut self, now: Nanos) -> Option<(Segment, S)> {
        self.now = self.now.max(now);
        if now < self.next_send {
            let idle = self.probes == 0 && self.lost.is_empty() && !self.has_new();
            let why = if idle { self.state_without_choice() } else { Wait::Pacing };
            return self.wait(now, why);
        }
        let payload = if self.probes > 0 {
            self.probes -= 1;
            if self.una == self.next {
                return self.wait(now, Wait::Application);
            }
            self.stats.probes += 1;
            self.probe()
        } else {
            let Some(choice) = self.choice() else {
                self.idle = true;
                return self.wait(now, self.state_without_choice());
            };
            if self.room() > now {
                return self.wait(now, Wait::WindowModel);
            }
            self.payload(choice)
        };
        Some(self.emit(now, payload))
    }

    /// Nothing leaves, for this reason. After a silence the state is the timeout until a packet is known to
    /// have arrived.
    fn wait<T>(&mut self, now: Nanos, why: Wait) -> Option<T> {
        if self.is_done() {
            self.waits.close(now);
        } else {
            self.waits.set(now, if self.silent > 0 { Wait::Timeout } else { why });
        }
        None
    }

    /// The state while there is nothing to send: with data in `pending`, `max_symbols` are outstanding.
    fn state_without_choice(&self) -> Wait {
        if S::amount(&self.pending) > 0 { Wait::SendBuffer } else { Wait::Application }
    }

    /// A probe: alternately a combination and the symbol that the peer waits for; of the first pair
    /// one each. Any answer begins a new silence. If both of the first pair were combinations that
    /// the receiver cannot use, the symbol would never leave.
    fn probe(&mut self) -> Payload {
        let combined = if self.silent <= 1 { self.probes > 0 } else { self.silent % 2 == 1 };
        if combined && self.config.coding != Coding::Off && self.next - self.una > 1 {
            return self.combination();
        }
        self.lost.remove(&self.una);
        Payload::Symbol(self.una)
    }

    fn payload(&mut self, choice: Choice) -> Payload {
        match choice {
            Choice::Again(symbol) => {
                self.lost.remove(&symbol);
                self.copy = self.is_duplicated(symbol).then_some(symbol);
                Payload::Symbol(symbol)
            }
            Choice::Copy(symbol) => {
                self.copy = None;
                Payload::Symbol(symbol)
            }
            Choice::New => {
                let symbol = S::cut(&mut self.pending, self.config.segment, self.closing);
                self.outstanding += u64::from(symbol.head().len());
                self.fin_sent |= symbol.head().fin();
                self.symbols.push_back(symbol);
                self.next += 1;
                Payload::Symbol(self.next - 1)
            }
            Choice::Combination => self.combination(),
        }
    }

    /// A combination of the data not known to have arrived, of its newest part if it is much.
    fn combination(&mut self) -> Payload {
        let from = self.mirror.complete_up_to().max(self.una).min(self.next - 1);
        let first = from.max(self.next.saturating_sub(u64::from(MAX_COMBINED)));
        self.key = self.key.wrapping_add(1);
        Payload::Combination { first, count: u16::narrow(self.next - first), key: self.key }
    }

    fn emit(&mut self, now: Nanos, payload: Payload) -> (Segment, S) {
        let new = matches!(payload, Payload::Symbol(s) if s + 1 == self.next);
        let (content, len) = match payload {
            Payload::Symbol(symbol) => {
                let symbol = self.symbols[usize::narrow(symbol - self.kept)].clone();
                let len = symbol.head().len();
                (symbol, len)
            }
            Payload::Combination { first, count, key } => {
                let from = usize::narrow(first - self.kept);
                let window = self.symbols.range(from..from + usize::from(count));
                let len = window.clone().map(|s| s.head().len()).max().unwrap_or(0);
                (combine(key, DENSITY, window).unwrap_or_default(), len)
            }
        };
        let oldest = self.oldest();
        let number = self.ledger.send(now, payload);
        match payload {
            Payload::Combination { .. } => self.stats.combinations += 1,
            Payload::Symbol(_) if new && self.stats.symbols < self.next => self.stats.symbols += 1,
            Payload::Symbol(_) => self.stats.resent += 1,
        }
        self.stats.bytes_sent += u64::from(len);
        self.last_sent = now;
        // Departures that were missed for longer are not made up.
        let gap = if self.probes > 0 { Span::ZERO } else { self.control.gap_after(number) };
        self.next_send = (self.next_send + gap).max(Nanos(now.0.saturating_sub(self.lateness.0)));
        let head = content.head();
        let mut segment = Packet { number, oldest, payload, head, len }.segment();
        segment.ecn = if self.marks.is_capable() { Ecn::Ect0 } else { Ecn::NotEct };
        (segment, content)
    }
}
