//! The applications at the two ends of a flow.

use airtcp_units::{BitRate, Bytes, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Writes a message at equal intervals.
    #[schemars(title = "constant-rate")]
    ConstantRate {
        /// Payload rate.
        rate: BitRate,
        /// Payload of one message (for UDP: of one datagram).
        #[serde(default = "default_message")]
        message: Bytes,
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
        /// Payload rate while on.
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
            | Self::RequestResponse { start, .. } => *start,
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
            Self::ConstantRate { message, start, stop, .. } => {
                later(*start, *stop).or_else(|| positive("message", *message))
            }
            Self::OnOff { message, on, off, start, stop, .. } => later(*start, *stop)
                .or_else(|| positive("message", *message))
                .or_else(|| {
                    (on.0 == 0 || off.0 == 0).then(|| {
                        ("on", "and off must both be longer than 0 s; for a steady source use kind = \"constant-rate\"".to_owned())
                    })
                }),
            Self::RequestResponse { request, response, .. } => {
                positive("request", *request).or_else(|| positive("response", *response))
            }
        }
    }
}
