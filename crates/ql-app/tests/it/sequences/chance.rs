//! Choices that a seed repeats (`SplitMix64`).

/// A stream of choices.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which isn't zero.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("below a usize")
    }

    /// True `percent` times out of a hundred.
    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// One of several, each as often as its weight says.
    pub(super) fn weighted<T: Copy>(&mut self, all: &[(usize, T)]) -> T {
        let total = all.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.below(total);
        for (weight, choice) in all {
            if rest < *weight {
                return *choice;
            }
            rest -= weight;
        }
        unreachable!("the rest is below the total")
    }
}
