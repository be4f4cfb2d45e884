//! Real frames through the world of a scenario, without a system call and without a clock.
//!
//! ```text
//! enter        a frame has arrived at a port, with the kernel's stamp
//! run_until    the model runs; call it with the present, as late and as seldom as it comes
//! next_event   when to call it next
//! leave        frames to write, each with its time in the model
//! take_fate    what became of each packet
//! change       the scenario takes other values, now
//! ```
//! The model holds records; the bytes of a frame wait beside them, and leave as they came but for a mark of congestion.
//! Time is that of the model: a packet enters at its stamp, so that a late call changes no fate, only when a frame is
//! written. A stamp before the model's time, which is possible only if a frame was read after a call that ran past it, is
//! counted ([`Counts::clamped`]), and the packet enters at the model's time. ARP and neighbour discovery pass beside the
//! model, at once, unless [`Emulation::between`] says otherwise. With more than two ports, frames go to the port with their destination address, and those to groups to
//! all others.

mod again;
mod change;
mod core;
mod fates;
mod flows;
mod frame;
mod lateness;
mod record;
mod tracker;
mod wired;

pub use again::{AgainError, replay};
pub use change::{LONGEST_LINE, Set};
pub use core::{Emulation, Leaving, Mac, SHORTEST};
pub use fates::{Counts, Fate, HEADER};
pub use flows::SLOTS;
pub use frame::{Ends, SNAP};
pub use lateness::{Lateness, Validity};
pub use record::{
    Arrival, RECORD_BETWEEN, RECORD_HEADER, RecordError, Recorded, is_between, read_arrivals,
};
pub use tracker::Tracker;
pub use wired::as_on_wire;
