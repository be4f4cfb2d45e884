//! Why a frame did not reach the station it was for.
//!
//! Classes of inventory 3.11: the receiver was itself sending (*transmitter-side*), other frames
//! overlapped it at the receiver (*receiver-side*, with the class of the strongest), the receiver
//! was taken over by a stronger frame (*captured away*), or the signal was too weak.

use crate::mac::Class;

/// Why a transmission was lost at the station it was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The receiver was sending during part of it.
    TransmitterSide,
    /// The strongest frame that overlapped it was of this class.
    Collision(Class),
    /// The receiver went over to a stronger frame of this class.
    Captured(Class),
    /// No other frame was involved: too weak, or noise.
    Noise,
}

/// What has happened to a transmission at its receiver so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fate {
    /// The receiver was sending during part of it.
    pub receiver_sent: bool,
    /// The receiver went over to a frame of this class.
    pub captured: Option<Class>,
    /// The strongest overlapping frame: power in mW, and class.
    pub strongest: Option<(f64, Class)>,
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
        } else if let Some((_, class)) = self.strongest {
            Loss::Collision(class)
        } else {
            Loss::Noise
        }
    }
}
