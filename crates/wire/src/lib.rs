//! Packet headers as bytes.

pub mod bytes;
pub mod capture_headers;
pub mod checksum;
pub mod ieee80211;
pub mod ipv4;
pub mod ipv6;
pub mod link_type;
pub mod pcapng;
pub mod radio;
pub mod radiotap;
pub mod rate;
pub mod segment;
pub mod tcp;
pub mod udp;
