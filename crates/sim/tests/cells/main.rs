//! Cells of 802.11 in whole runs.

#[path = "../common/mod.rs"]
mod common;

mod aggregation;
mod boundary;
mod by_receiver;
mod cell;
mod cell_lifetime;
mod cell_parts;
mod cell_results;
mod chain_goodput;
mod chains;
mod interference;
mod link_red;
mod mixed;
mod modern_cells;
mod ofdma;
mod order;
mod overload;
mod rates;
mod schemes;
mod shared_medium;
mod small_queues;
mod speed;
mod stations;
mod timeline;
mod without;
