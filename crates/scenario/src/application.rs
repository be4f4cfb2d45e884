//! The applications at the two ends of a flow.

use std::sync::Arc;

use airtcp_units::{BitRate, Bytes, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schedule::Schedule;

/// Maximum number of messages in a second, a choice: each takes the simulator several events. A link of
/// 10 Gb/s carries as many of 125 B.
pub const MAX_MESSAGES_PER_SECOND: u64 = 10_000_000;

/// The application of a flow. Data go from the flow's `from` to its `to`, except in an exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Application {
    /// Sends as much as the transport accepts, until `size` is sent or `stop` is reached.
    #[schemars(title = "bulk")]
    Bulk {
        /// When to open the connection.
        #[serde(default)]
        start: Nanos,
        /// When to stop writing; never if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Nanos>,
        /// How much to send; no limit if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<Bytes>,
    },
    /// Writes messages at a constant rate.
    #[schemars(title = "constant-rate")]
    ConstantRate {
        /// Payload rate, up to 10000000 messages in a second.
        rate: BitRate,
        /// Payload of one message (for UDP: of one datagram).
        #[serde(default = "default_message")]
        message: Bytes,
        /// Times between messages.
        #[serde(default)]
        arrivals: Arrivals,
        /// When to begin.
        #[serde(default)]
        start: Nanos,
        /// When to stop; never if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Nanos>,
    },
    /// Alternates between a constant rate and silence, with periods of random or fixed length.
    #[schemars(title = "on-off")]
    OnOff {
        /// Payload rate while on, up to 10000000 messages in a second.
        rate: BitRate,
        /// Payload of one message.
        #[serde(default = "default_message")]
        message: Bytes,
        /// Mean length of an on-period.
        on: Span,
        /// Mean length of an off-period.
        off: Span,
        /// Distribution of the lengths of the periods.
        #[serde(default)]
        periods: Periods,
        /// When to begin (with an on-period).
        #[serde(default)]
        start: Nanos,
        /// When to stop; never if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Nanos>,
    },
    /// Writes messages at the times of a file.
    #[schemars(title = "trace")]
    Trace {
        /// The file, relative to the scenario: lines of a time and optionally a size in bytes, such as
        /// `0.25,1200`, in ascending order. Times are in seconds after `start`; a heading `time_ms`, `time_us` or
        /// `time_ns` sets another unit.
        path: String,
        /// Payload of one message (for UDP: of one datagram) if the file has no sizes. For TFRC: payload of a
        /// packet, into as many of which a message is divided.
        #[serde(default = "default_message")]
        message: Bytes,
        /// Time after which the arrivals repeat, not before the last of them, and up to 10000000 messages in a
        /// second; once if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeat: Option<Span>,
        /// Time 0 of the file.
        #[serde(default)]
        start: Nanos,
        /// When to stop; after the last arrival if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop: Option<Nanos>,
        /// Content of the file. The caller reads it before it resolves the scenario.
        #[serde(skip)]
        schedule: Option<Arc<Schedule>>,
    },
    /// `from` sends a request, `to` sends a response, and `from` pauses before the next request.
    #[schemars(title = "request-response")]
    RequestResponse {
        /// Size of a request.
        request: Bytes,
        /// Size of a response.
        response: Bytes,
        /// Pause between the end of a response and the next request.
        #[serde(default)]
        think: Span,
        /// Number of exchanges; no limit if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
        /// When to open the connection.
        #[serde(default)]
        start: Nanos,
    },
}

/// Times between messages of a source of constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// All equal.
    #[default]
    Equal,
    /// Exponential and independent: messages arrive as a Poisson process.
    Poisson,
}

/// Distribution of the lengths of on- and off-periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Periods {
    /// Exponential with the given means.
    #[default]
    Exponential,
    /// Always the given lengths.
    Fixed,
    /// Pareto with shape 1.5 and the given means: the sum of many such sources is self-similar.
    Pareto,
}

fn default_message() -> Bytes {
    Bytes(1000)
}

impl Default for Application {
    fn default() -> Self {
        Self::Bulk { start: Nanos::ZERO, stop: None, size: None }
    }
}

impl Application {
    /// When the application begins.
    pub const fn start(&self) -> Nanos {
        match self {
            Self::Bulk { start, .. }
            | Self::ConstantRate { start, .. }
            | Self::OnOff { start, .. }
            | Self::Trace { start, .. }
            | Self::RequestResponse { start, .. } => *start,
        }
    }

    /// Sizes of the smallest and the largest message; `None` for a stream or an exchange.
    pub fn messages(&self) -> Option<[Bytes; 2]> {
        match self {
            Self::ConstantRate { message, .. } | Self::OnOff { message, .. } => {
                Some([*message, *message])
            }
            Self::Trace { message, schedule, .. } => {
                let sizes = schedule.as_ref().and_then(|schedule| schedule.sizes());
                Some(sizes.unwrap_or([*message, *message]))
            }
            Self::Bulk { .. } | Self::RequestResponse { .. } => None,
        }
    }

    /// Payload of a TFRC packet of an application that writes messages.
    pub const fn message(&self) -> Option<Bytes> {
        match self {
            Self::ConstantRate { message, .. }
            | Self::OnOff { message, .. }
            | Self::Trace { message, .. } => Some(*message),
            Self::Bulk { .. } | Self::RequestResponse { .. } => None,
        }
    }

    /// The first impossible parameter, with an error message.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        let positive = |name, bytes: Bytes| {
            (bytes.0 == 0).then(|| (name, "is 0 B: a message has at least 1 B".to_owned()))
        };
        let later = |start: Nanos, stop: Option<Nanos>| {
            stop.filter(|stop| *stop <= start)
                .map(|stop| ("stop", format!("is {stop}, not after start ({start})")))
        };
        match self {
            Self::Bulk { start, stop, size } => {
                later(*start, *stop).or_else(|| size.and_then(|s| positive("size", s)))
            }
            Self::ConstantRate { rate, message, start, stop, .. } => later(*start, *stop)
                .or_else(|| positive("message", *message))
                .or_else(|| rate_fault(*rate, *message)),
            Self::OnOff { rate, message, on, off, start, stop, .. } => later(*start, *stop)
                .or_else(|| positive("message", *message))
                .or_else(|| rate_fault(*rate, *message))
                .or_else(|| {
                    (on.0 == 0 || off.0 == 0).then(|| {
                        ("on", "and off must both be longer than 0 s; for a steady source use kind = \"constant-rate\"".to_owned())
                    })
                })
                .or_else(|| periods_fault(*on, *off)),
            Self::Trace { path, message, repeat, start, stop, schedule } => later(*start, *stop)
                .or_else(|| positive("message", *message))
                .or_else(|| match schedule {
                    // The caller reads files first.
                    None => Some(("path", format!("is \"{path}\": the file was not read"))),
                    Some(schedule) => repeat_fault(*repeat, schedule),
                }),
            Self::RequestResponse { request, response, .. } => {
                positive("request", *request).or_else(|| positive("response", *response))
            }
        }
    }
}

/// A rate of more messages than [`MAX_MESSAGES_PER_SECOND`].
fn rate_fault(rate: BitRate, message: Bytes) -> Option<(&'static str, String)> {
    let bits = u128::from(message.0) * 8;
    let most = bits * u128::from(MAX_MESSAGES_PER_SECOND);
    (u128::from(rate.bps()) > most).then(|| {
        let found = format!(
            "is {rate}, {} messages of {message} in a second",
            u128::from(rate.bps()) / bits
        );
        let fix = "choose a lower rate or a longer message";
        ("rate", format!("{found}: expected up to {MAX_MESSAGES_PER_SECOND}; {fix}"))
    })
}

/// Periods so short that their first messages alone are more than [`MAX_MESSAGES_PER_SECOND`].
fn periods_fault(on: Span, off: Span) -> Option<(&'static str, String)> {
    let least = shortest(1);
    (on.0.saturating_add(off.0) < least.0).then(|| {
        let found = format!("is {on} and off {off}");
        (
            "on",
            format!(
                "{found}: each on-period begins with a message; expected {least} or more in all"
            ),
        )
    })
}

/// Shortest time for a number of messages.
const fn shortest(messages: u64) -> Span {
    Span(messages * 1_000_000_000 / MAX_MESSAGES_PER_SECOND)
}

/// An impossible time after which arrivals repeat.
fn repeat_fault(repeat: Option<Span>, schedule: &Schedule) -> Option<(&'static str, String)> {
    let (repeat, last) = (repeat?, schedule.last());
    let wrong = |least: String| Some(("repeat", format!("is {repeat}: {least}")));
    if repeat < last || repeat == Span::ZERO {
        return wrong(format!("the arrivals last {last}; expected this time or more, above 0 s"));
    }
    let number = schedule.arrivals().len() as u64;
    let least = shortest(number);
    if repeat < least {
        let s = if number == 1 { "" } else { "s" };
        return wrong(format!(
            "the file has {number} message{s}; expected up to {MAX_MESSAGES_PER_SECOND} in a second, \
             which is {least} or more"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(keys: &str) -> Option<String> {
        let app: Application = serde_json::from_str(&format!("{{ {keys} }}")).unwrap();
        app.fault().map(|(key, message)| format!("{key}: {message}"))
    }

    #[test]
    fn the_number_of_messages_in_a_second_is_bounded() {
        let constant = "\"kind\": \"constant-rate\"";
        assert_eq!(
            fault(&format!("{constant}, \"rate\": \"10 Gb/s\", \"message\": \"125 B\"")),
            None
        );
        let found =
            fault(&format!("{constant}, \"rate\": \"10 Gb/s\", \"message\": \"1 B\"")).unwrap();
        let wanted =
            "rate: is 10 Gb/s, 1250000000 messages of 1 B in a second: expected up to 10000000";
        assert!(found.starts_with(wanted), "{found}");
        let on_off = "\"kind\": \"on-off\", \"rate\": \"1 Mb/s\"";
        let periods = |on, off| fault(&format!("{on_off}, \"on\": \"{on}\", \"off\": \"{off}\""));
        assert_eq!(periods("50 ns", "50 ns"), None);
        assert!(periods("1 ns", "1 ns").unwrap().contains("expected 100 ns or more in all"));
    }

    #[test]
    fn arrivals_repeat_after_a_time_for_their_number() {
        let repeated = |text: &str, repeat: u64| {
            let schedule = Schedule::read(text).unwrap();
            repeat_fault(Some(Span(repeat)), &schedule).map(|(_, message)| message)
        };
        assert_eq!(repeated("0\n", 100), None);
        assert!(
            repeated("0\n", 99).unwrap().starts_with("is 99 ns: the file has 1 message; expected")
        );
        assert_eq!(repeated("0\n0\n0\n", 300), None);
        assert!(repeated("0\n0\n0\n", 299).unwrap().contains("3 messages"));
        assert!(repeated("0\n1\n", 5).unwrap().contains("the arrivals last 1 s"));
        assert!(repeated("0\n", 0).unwrap().contains("above 0 s"));
    }
}
