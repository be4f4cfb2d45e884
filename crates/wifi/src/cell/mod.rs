//! A medium: stations of one cell or of several, their radios, and the air between them.
//!
//! Each instant has three phases: transmissions end ([`Medium::on_ends`]), stations decide
//! ([`Medium::on_timers`]), transmissions start ([`Medium::on_starts`]). Two stations whose
//! back-off ends at the same instant both decide before either transmission starts, and collide.

mod agenda;
mod aggregate;
mod aggregation_check;
mod air;
mod airtime;
mod alike;
mod ambient;
mod bands;
mod books;
mod bss;
mod build;
mod capture;
mod cells;
mod clock;
mod completions;
mod control;
mod ending;
mod ends;
mod fate;
mod fill_run;
mod given_up;
mod in_order;
mod judging;
mod levels;
mod link_red;
mod medium;
mod multi_user;
mod obss_pd;
mod occupied;
mod oracle;
mod outbox;
mod own_time;
mod packet;
mod plan;
mod powers;
mod radio;
mod reach;
mod reorder;
mod repeats;
mod report;
mod reuse;
mod starts;
mod transmission;
mod watch;
mod watched;

pub use aggregation_check::check_aggregation;
pub use airtime::ExchangeAirtime;
pub use capture::{Capture, Sensing, UnreceivedFrames};
pub use fate::{Fate, Loss};
pub use fill_run::FillRun;
pub use given_up::GivenUp;
pub use medium::Medium;
pub use occupied::noise_part;
pub use packet::{Delivery, Filling, Offered};
pub use plan::{CellPlan, Coupling, Reuse, StationPlan};
pub use report::{CategoryCounts, ClassCounts, ModeCounts, StationStats};

#[cfg(test)]
mod tests;
