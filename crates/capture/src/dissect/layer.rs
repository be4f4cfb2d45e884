//! What follows a header.

use std::fmt;

use airtcp_wire::link_type;

use super::view::View;

/// Headers that a packet may have, one behind the other; VLAN tags and MPLS labels count as one header
/// each time they occur in a row.
pub(super) const MOST_HEADERS: usize = 24;

/// What can hold TCP and is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Its name.
    pub name: &'static str,
    /// The number that it is known by, if it has no name of its own.
    pub number: Option<u16>,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{} 0x{number:04x}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// What follows a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer<'a> {
    /// IP, from its header on.
    Ip(View<'a>),
    /// A frame of a link type.
    Link(u16, View<'a>),
    /// What an EtherType stands for, behind it.
    Type(u16, View<'a>),
    /// LLC (IEEE 802.2).
    Llc(View<'a>),
    /// MPLS, from the first label on.
    Mpls(View<'a>),
    /// What an IP protocol number stands for.
    Protocol(u8, View<'a>),
    /// A protocol that holds no TCP.
    Other,
    /// What can hold TCP and is not read.
    Unread(Unread),
    /// The capture cut the header off, or it is malformed.
    Unreadable,
    /// airtcp does not read this link type.
    UnknownLink(u16),
}

impl<'a> Layer<'a> {
    /// What has this name, and is not read.
    pub(super) const fn unread(name: &'static str) -> Self {
        Self::Unread(Unread { name, number: None })
    }

    /// What follows, if the capture has it.
    pub(super) fn of(behind: Option<View<'a>>, next: impl FnOnce(View<'a>) -> Self) -> Self {
        behind.map_or(Self::Unreadable, next)
    }

    /// An Ethernet frame.
    pub(super) const fn ethernet(view: View<'a>) -> Self {
        Self::Link(link_type::ETHERNET, view)
    }
}

/// IP, as a reader.
pub(super) fn ip(view: View<'_>) -> Layer<'_> {
    Layer::Ip(view)
}

/// An Ethernet frame, as a reader.
pub(super) fn ethernet(view: View<'_>) -> Layer<'_> {
    Layer::ethernet(view)
}

/// LLC, as a reader.
pub(super) fn llc(view: View<'_>) -> Layer<'_> {
    Layer::Llc(view)
}

/// MPLS, as a reader.
pub(super) fn mpls(view: View<'_>) -> Layer<'_> {
    Layer::Mpls(view)
}

/// A reader of a header: what follows it.
pub(super) type Reader = for<'a> fn(View<'a>) -> Layer<'a>;
