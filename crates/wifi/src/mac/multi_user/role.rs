//! The part of a station in multi-user exchanges.

use super::state::MuAccess;
use super::station::MuStation;

/// Which part a station has.
#[derive(Debug, Default)]
pub(crate) enum MultiUser {
    /// None.
    #[default]
    Off,
    /// It is the access point.
    AccessPoint(Box<MuAccess>),
    /// The access point triggers it.
    Triggered(Box<MuStation>),
}

impl MultiUser {
    /// True for an access point.
    #[inline]
    pub(crate) const fn is_access_point(&self) -> bool {
        matches!(self, Self::AccessPoint(_))
    }

    /// True for a station that the access point triggers.
    #[inline]
    pub(in crate::mac) const fn is_triggered(&self) -> bool {
        matches!(self, Self::Triggered(_))
    }

    /// The state of an access point.
    #[inline]
    pub(in crate::mac) fn access_point(&self) -> Option<&MuAccess> {
        if let Self::AccessPoint(own) = self { Some(own) } else { None }
    }

    /// The state of an access point, to change it.
    #[inline]
    pub(in crate::mac) fn access_point_mut(&mut self) -> Option<&mut MuAccess> {
        if let Self::AccessPoint(own) = self { Some(own) } else { None }
    }

    /// The state of a station that the access point triggers.
    #[inline]
    pub(super) fn triggered(&self) -> Option<&MuStation> {
        if let Self::Triggered(own) = self { Some(own) } else { None }
    }

    /// The state of a station that the access point triggers, to change it.
    #[inline]
    pub(super) fn triggered_mut(&mut self) -> Option<&mut MuStation> {
        if let Self::Triggered(own) = self { Some(own) } else { None }
    }
}
