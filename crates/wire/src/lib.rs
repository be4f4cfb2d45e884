//! Packet headers as bytes.

pub mod bytes;
pub mod capture_headers;
pub mod ieee80211;
pub mod link_type;
pub mod pcapng;
pub mod radio;
pub mod radiotap;
pub mod rate;
