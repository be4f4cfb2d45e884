//! A value for each mode, in little memory: an array for the rates of 802.11a, b and g, and a range for
//! the schemes of HT, VHT and HE that a cell uses.

use super::Mode;

/// A value for each mode. Schemes of HT, VHT and HE have the default value until they get another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerMode<T> {
    old: [T; Mode::OLD],
    /// Index of the first mode in `others`.
    first: usize,
    others: Vec<T>,
    usual: T,
}

impl<T: Copy> PerMode<T> {
    /// `value` for each mode.
    pub const fn all(value: T) -> Self {
        Self { old: [value; Mode::OLD], first: 0, others: Vec::new(), usual: value }
    }

    /// The value of a mode.
    #[inline]
    pub fn get(&self, mode: Mode) -> T {
        let place = mode.index();
        if place < Mode::OLD {
            return self.old[place];
        }
        let other = place.checked_sub(self.first).and_then(|at| self.others.get(at));
        other.copied().unwrap_or(self.usual)
    }

    /// The value of a mode, to change.
    #[inline]
    pub fn get_mut(&mut self, mode: Mode) -> &mut T {
        let place = mode.index();
        if place < Mode::OLD {
            return &mut self.old[place];
        }
        self.other(place)
    }

    /// The modes of 802.11a, b and g, and those of HT, VHT and HE between the first and the last that got a value, in
    /// the order of their indices.
    pub fn modes(&self) -> impl Iterator<Item = Mode> {
        let others = self.first..self.first + self.others.len();
        (0..Mode::OLD).chain(others).filter_map(Mode::at)
    }

    #[cold]
    fn widen(&mut self, place: usize) {
        if self.others.is_empty() {
            self.first = place;
        } else if place < self.first {
            let more = self.first - place;
            self.others.splice(0..0, std::iter::repeat_n(self.usual, more));
            self.first = place;
        }
        if place - self.first >= self.others.len() {
            self.others.resize(place - self.first + 1, self.usual);
        }
    }

    #[inline(never)]
    fn other(&mut self, place: usize) -> &mut T {
        if place < self.first || place - self.first >= self.others.len() {
            self.widen(place);
        }
        &mut self.others[place - self.first]
    }
}

impl<T: Copy + Default> Default for PerMode<T> {
    fn default() -> Self {
        Self::all(T::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are those of an array over all modes, in any order of changes, and the memory is that
    /// of the range in use.
    #[test]
    fn behaves_like_an_array() {
        let mut array = vec![7; Mode::COUNT];
        let mut map = PerMode::all(7);
        let all: Vec<Mode> = Mode::all().collect();
        for step in 0..200 {
            let mode = all[(300 + step * 37) % 600];
            array[mode.index()] += step;
            *map.get_mut(mode) += step;
            assert!(all.iter().all(|m| map.get(*m) == array[m.index()]));
        }
        let mut few = PerMode::all(0);
        all[100..110].iter().for_each(|mode| *few.get_mut(*mode) = 1);
        assert!(few.others.len() <= all[109].index() - all[100].index() + 1);
        let modes: Vec<Mode> = few.modes().collect();
        assert_eq!(modes[..Mode::OLD], all[..Mode::OLD]);
        assert_eq!(modes[Mode::OLD..], all[100..110]);
        assert_eq!(PerMode::all(0).modes().count(), Mode::OLD);
    }
}
