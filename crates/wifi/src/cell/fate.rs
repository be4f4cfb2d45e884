//! Why a frame did not reach the station it was for.
//!
//! Classes of inventory 3.11: the receiver was itself sending (*transmitter-side*), other frames
//! overlapped it at the receiver (*receiver-side*, with the class of the strongest), the receiver
//! was taken over by a stronger frame (*captured away*), something that is no frame disturbed it
//! (*interferer*), or the signal was too weak.

pub use airtcp_probe::FrameLoss as Loss;

use crate::mac::Class;

/// What has happened to a transmission at its receiver so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fate {
    /// The receiver was sending during part of it.
    pub receiver_sent: bool,
    /// The receiver went over to a frame of this class.
    pub captured: Option<Class>,
    /// The strongest overlapping frame: power in mW, and class.
    pub strongest: Option<(f64, Class)>,
    /// Power in mW of an interferer that was stronger than the noise; infinite if it destroyed a
    /// frame that was right without it.
    pub interferer: Option<f64>,
}

impl Fate {
    /// Another frame is on the air beside it.
    pub(crate) fn overlap(&mut self, power: f64, class: Class) {
        if self.strongest.is_none_or(|(strongest, _)| power > strongest) {
            self.strongest = Some((power, class));
        }
    }

    /// The class of the loss, given that it was lost.
    pub fn loss(&self) -> Loss {
        if self.receiver_sent {
            Loss::TransmitterSide
        } else if let Some(class) = self.captured {
            Loss::Captured(class)
        } else {
            match (self.strongest, self.interferer) {
                (Some((other, _)), Some(power)) if power > other => Loss::Interferer,
                (Some((_, class)), _) => Loss::Collision(class),
                (None, Some(_)) => Loss::Interferer,
                (None, None) => Loss::Noise,
            }
        }
    }
}
