//! What Linux gives an emulator of links: namespaces, veth pairs, rings of packets, scheduling, clocks.
//!
//! System calls that no safe library wraps are called here, each block with the reason why it is sound. Nothing here
//! knows a model, a scenario or a packet header.
