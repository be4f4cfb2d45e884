//! Identity of a station.

/// Number of a station or access point on its medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The broadcast address.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// Index into an array over stations.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
