//! What the sender of a flow waited for.
//!
//! The shares are of the measured time in which the sender was open: from its opening until it has nothing
//! left to send and everything is acknowledged. Their sum is 1. Of the two ends, the one that sent more is
//! the sender. Keys that a transport does not have are absent: UDP waits for the application only, TFRC
//! has a rate instead of a window and no handshake, `sliding` sets its window by a model.

use airtcp_scenario::TransportKind;
use airtcp_units::{Metric, Spent, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From one line per state this macro makes the record of shares and its only constructor.
macro_rules! shares {
    ($($(#[doc = $doc:literal])+ $key:ident $wait:ident $title:literal $rank:literal;)+) => {
        /// What the sender of a flow waited for, as shares of its time.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct WaitShares {
            /// The state with the largest share, without `waits_`; absent if the sender was not open in the
            /// measured time. It is not always what limits the flow: over a full link and over a lossy one
            /// the sender waits for the same window.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub waits_most_for: Option<String>,
            $(
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schemars(extend("metric" = Metric::share($title, $rank).group("waits")))]
                pub $key: Option<f64>,
            )+
        }

        impl WaitShares {
            /// The shares of these times, of the states that the transport has.
            pub(super) fn of(transport: TransportKind, spent: &Spent) -> Self {
                let share = |wait| spent.share(wait).filter(|_| has(transport, wait));
                Self {
                    waits_most_for: spent.longest().map(|wait| wait.name().into()),
                    $($key: share(Wait::$wait),)+
                }
            }
        }
    };
}

shares! {
    /// Share of the sender's time in which it waited for the answer to its opening.
    waits_handshake Handshake "Handshake" 1;
    /// Share of the sender's time in which it waited for data of the application. With Nagle's algorithm
    /// also for the ACK before a small segment.
    waits_application Application "Application" 2;
    /// Share of the sender's time in which everything in the send buffer was sent and the application had
    /// more. With `sliding`, `max_symbols` were outstanding.
    waits_send_buffer SendBuffer "Send buffer" 3;
    /// Share of the sender's time in which it waited for room in the receiver's window.
    waits_receive_window ReceiveWindow "Receive window" 4;
    /// Share of the sender's time in which the pacing rate delayed the next segment.
    waits_pacing Pacing "Pacing" 5;
    /// Share of the sender's time in which it waited for room in a window that has not reached a limit:
    /// in slow start, or above the window before the last reduction. With TFRC, before the first loss.
    waits_window_growth WindowGrowth "Growing window" 6;
    /// Share of the sender's time in which it waited for room in a window below that before the last
    /// reduction, which a loss caused. With TFRC, from the first loss event on.
    waits_window_after_loss WindowAfterLoss "Window after a loss" 7;
    /// Share of the sender's time in which it waited for room in a window below that before the last
    /// reduction, which a congestion mark caused.
    waits_window_after_mark WindowAfterMark "Window after a mark" 8;
    /// Share of the sender's time in which it waited for room in a window that a model of the path (BBR,
    /// Vegas, `sliding`) or `max_window` bounds.
    waits_window_model WindowModel "Window by model" 9;
    /// Share of the sender's time in which the repair of losses let nothing leave.
    waits_recovery Recovery "Recovery" 10;
    /// Share of the sender's time in which it waited for the retransmission timer, from a round-trip time
    /// after the last segment or ACK on, and for the first ACK after its expiry.
    waits_timeout Timeout "Timeout" 11;
    /// Share of the sender's time in which it waited for room in the queue of its own host's device (TCP small queues).
    waits_device_queue DeviceQueue "Own device" 12;
}

/// True if a sender of this transport can be in the state.
const fn has(transport: TransportKind, wait: Wait) -> bool {
    match transport {
        TransportKind::Tcp => true,
        TransportKind::LtTcp => !matches!(wait, Wait::DeviceQueue),
        TransportKind::Udp => matches!(wait, Wait::Application),
        TransportKind::Tfrc => {
            matches!(wait, Wait::Application | Wait::WindowGrowth | Wait::WindowAfterLoss)
        }
        TransportKind::Sliding => matches!(
            wait,
            Wait::Handshake
                | Wait::Application
                | Wait::SendBuffer
                | Wait::Pacing
                | Wait::WindowModel
                | Wait::Timeout
        ),
    }
}
