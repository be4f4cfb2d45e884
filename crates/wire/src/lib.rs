//! Packet headers as bytes: each is read and written in one place.
//!
//! A header has two types, named as in other stacks. `Packet` is a view of bytes: `new_checked` looks whether they hold
//! the header, and methods read its fields. `Repr` is what the header says: `parse` takes it from a view, `emit` appends
//! it to bytes, and `buffer_len` is how many. What `emit` writes, `parse` reads as it was. Captures are cut off and
//! damaged, so a view needs no more than the header, a payload is what is there of it, and nothing panics, whatever the
//! bytes are. Checksums are written, and looked at only by `verify_checksum`.
//!
//! | module | headers |
//! |---|---|
//! | [`ipv4`], [`ipv6`], [`tcp`], [`udp`] | the Internet's, with the sums of [`checksum`] |
//! | [`segment`] | the simulator's record of a segment as a header of TCP or UDP, and back |
//! | [`ieee80211`] | frames of 802.11, block acknowledgements, bodies of management frames |
//! | [`radiotap`] | the radio header of captures; each generation of 802.11 is a file |
//! | [`capture_headers`] | all radio headers by [`link_type`] (PPI, Prism and AVS are only read), as one [`radio::Radio`] |
//! | [`pcapng`] | blocks of capture files, and a writer |
//!
//! Leaves out: state and files. What follows a header, and whether to believe it, fragments, tunnels, connections and
//! links are `capture`'s, and simulated addresses `probe`'s. Ethernet and other link layers are only read, by `capture`.

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
