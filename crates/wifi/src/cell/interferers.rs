//! Start and end of interferers that make the medium busy.

use airtcp_units::{Nanos, Narrow};

use super::medium::Medium;

impl Medium {
    /// Ends interferers; their stations are notified together with those of the frames that end.
    pub(crate) fn interferers_end(&mut self, now: Nanos, touched: &mut Vec<u32>) {
        self.switch_interferers(now, false, touched);
    }

    /// Starts interferers that make the medium busy.
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
                *station += u32::narrow(bss.first);
            }
        }
    }
}
