//! Where each five words in a row stand.

use std::ops::Range;

use super::vocabulary::WordId;

/// How many words make a key.
pub(crate) const GRAM: usize = 5;

/// The places of all five-grams, in buckets by their hash. Five-grams don't cross the end of a book.
#[derive(Debug)]
pub(crate) struct FiveGrams {
    /// Where each bucket begins in `places`; one more than there are buckets.
    starts: Vec<u32>,
    places: Vec<u32>,
    shift: u32,
}

impl FiveGrams {
    pub(super) fn new(words: &[WordId], books: &[Range<usize>]) -> Self {
        let bits = words.len().max(2).ilog2();
        let shift = u64::BITS - bits;
        let grams = || {
            let books = books.iter().flat_map(|book| {
                let words = words[book.clone()].windows(GRAM).enumerate();
                words.map(|(offset, gram)| (book.start + offset, gram))
            });
            books.map(|(place, gram)| (place, bucket(gram, shift)))
        };
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for (_, bucket) in grams() {
            starts[bucket + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut free = starts.clone();
        let mut places = vec![0_u32; total as usize];
        for (place, bucket) in grams() {
            places[free[bucket] as usize] = super::position(place);
            free[bucket] += 1;
        }
        Self {
            starts,
            places,
            shift,
        }
    }

    /// The places at which the five words may stand; the words there are to be compared.
    pub(crate) fn candidates(&self, gram: &[WordId]) -> &[u32] {
        let bucket = bucket(gram, self.shift);
        let places = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        &self.places[places]
    }

    pub(super) fn size(&self) -> usize {
        (self.starts.capacity() + self.places.capacity()) * size_of::<u32>()
    }
}

/// Which bucket five words belong to.
fn bucket(gram: &[WordId], shift: u32) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = gram.iter().fold(0_u64, |mixed, word| {
        (mixed.rotate_left(23) ^ u64::from(*word)).wrapping_mul(MIX)
    });
    usize::try_from(mixed >> shift).expect("as many bits as the table has")
}
