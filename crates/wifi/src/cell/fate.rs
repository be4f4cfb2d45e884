//! Cause of the loss of a frame at its receiver.
//!
//! The receiver was itself transmitting (*transmitter-side*), other frames
//! overlapped it at the receiver (*receiver-side*, with the class of the strongest), the receiver
//! switched to a stronger frame (*captured away*), an interferer disturbed it (*interferer*), or
//! the signal was too weak.

pub use airtcp_probe::FrameLoss as Loss;

use crate::mac::Class;

/// Events at the receiver of a transmission so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fate {
    /// The receiver was transmitting during part of it.
    pub receiver_sent: bool,
    /// The receiver switched to a frame of this class.
    pub captured: Option<Class>,
    /// The strongest overlapping frame: power in mW, and class.
    pub strongest: Option<(f64, Class)>,
    /// Power in mW of an interferer stronger than the noise; infinite if it destroyed a frame that
    /// the receiver would have decoded.
    pub interferer: Option<f64>,
}

impl Fate {
    /// Records an overlapping frame.
    pub(crate) fn overlap(&mut self, power: f64, class: Class) {
        if self.strongest.is_none_or(|(strongest, _)| power > strongest) {
            self.strongest = Some((power, class));
        }
    }

    /// Cause of the loss, given that the frame was lost.
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
