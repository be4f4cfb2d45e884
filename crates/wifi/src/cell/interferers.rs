//! Interferers that somebody hears begin and end, and the stations are told.

use airtcp_units::Nanos;

use super::medium::Medium;

impl Medium {
    /// Interferers that somebody hears end; they are to be told with the frames that do.
    pub(crate) fn interferers_end(&mut self, now: Nanos, touched: &mut Vec<u32>) {
        self.switch_interferers(now, false, touched);
    }

    /// Interferers that somebody hears begin.
    pub(crate) fn interferers_begin(&mut self, now: Nanos) {
        if self.bss.iter().all(|bss| bss.ambient.next(true) > now) {
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        self.switch_interferers(now, true, &mut touched);
        for station in touched.drain(..) {
            self.sense(now, station as usize);
        }
        self.touched = touched;
    }

    fn switch_interferers(&mut self, now: Nanos, begin: bool, touched: &mut Vec<u32>) {
        for bss in &mut self.bss {
            let new = touched.len();
            bss.ambient.switch(now, begin, touched);
            for station in &mut touched[new..] {
                *station += bss.first as u32;
            }
        }
    }
}
