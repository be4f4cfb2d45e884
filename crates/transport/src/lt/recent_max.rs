//! A maximum over a sliding window that keeps two values: that of the present interval and of the
//! one before.

/// Maximum of the present interval, and of the one before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RecentMax<T>([T; 2]);

impl<T: Copy + Default + PartialOrd> RecentMax<T> {
    /// Takes a value in the present interval.
    #[inline]
    pub(crate) fn take(&mut self, value: T) {
        if value > self.0[0] {
            self.0[0] = value;
        }
    }

    /// Ends the present interval.
    pub(crate) fn turn(&mut self) {
        self.0 = [T::default(), self.0[0]];
    }

    #[inline]
    pub(crate) fn get(&self) -> T {
        if self.0[1] > self.0[0] { self.0[1] } else { self.0[0] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lasts_through_the_next_interval() {
        let mut greatest = RecentMax::default();
        greatest.take(7);
        greatest.take(3);
        greatest.turn();
        greatest.take(5);
        assert_eq!(greatest.get(), 7);
        greatest.turn();
        assert_eq!(greatest.get(), 5);
        greatest.turn();
        assert_eq!(greatest.get(), 0);
    }
}
