//! Transports over links in whole runs.

#[path = "../common/mod.rs"]
mod common;

mod ack_filter;
mod adversity;
mod analytic;
mod applications;
mod capacity;
mod corruption;
mod ecn;
mod l4s;
mod laws;
mod laws_bbr;
mod laws_delay;
mod laws_growth;
mod link_protocols;
mod lt;
mod sliding;
mod small_queues;
mod tfrc;
mod token_buckets;
mod tp_lda;
mod waits;
