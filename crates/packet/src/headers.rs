//! Lengths of headers on the wire.

/// IPv4 header without options, in bytes.
pub const IP_HEADER: u32 = 20;
/// TCP header without options, in bytes.
pub const TCP_HEADER: u32 = 20;
/// UDP header, in bytes.
pub const UDP_HEADER: u32 = 8;
