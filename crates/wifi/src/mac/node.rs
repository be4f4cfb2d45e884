//! How stations are told apart.

/// A station (an access point is one too) in its cell, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The address of frames for everybody.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// Position in an array with a place for each station.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
