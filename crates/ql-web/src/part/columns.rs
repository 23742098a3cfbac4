//! A chart of columns: one for each day, stacked from what they count.

use askama::Template;

use super::Tone;

/// The size that the chart is drawn in; it scales with its place.
const WIDTH: u32 = 720;
const HEIGHT: u32 = 160;
/// Room for the words under and beside the columns.
const FOOT: u32 = 20;
const SIDE: u32 = 36;

/// Counts by day, as stacked columns with the days under them and the largest count beside them.
/// The same numbers follow as a table for whoever doesn't see the picture.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "part/columns.html")]
pub struct Columns {
    /// What is counted, in words.
    pub title: String,
    /// What each part of a column is, from the bottom, with its whole count.
    pub parts: Vec<(Tone, &'static str, u64)>,
    /// The days, each with a count for every part.
    pub days: Vec<(String, Vec<u64>)>,
}

/// One rectangle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    tone: Tone,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl Columns {
    fn most(&self) -> u64 {
        let sums = self.days.iter().map(|(_, counts)| counts.iter().sum());
        sums.max().unwrap_or(0)
    }

    fn left(&self, day: usize) -> u32 {
        let days = u32::try_from(self.days.len().max(1)).unwrap_or(1);
        let day = u32::try_from(day).unwrap_or(0);
        SIDE + (WIDTH - SIDE) * day / days
    }

    fn bars(&self) -> Vec<Bar> {
        let room = u64::from(HEIGHT - FOOT - 8);
        let most = self.most().max(1);
        let mut bars = Vec::new();
        for (index, (_, counts)) in self.days.iter().enumerate() {
            let x = self.left(index);
            let width = (self.left(index + 1) - x).saturating_sub(3).clamp(1, 40);
            let mut bottom = HEIGHT - FOOT;
            for ((tone, _, _), count) in self.parts.iter().zip(counts) {
                // What is there at all is seen, however small it is beside the rest.
                let height = u32::try_from(room * count / most).unwrap_or(0);
                let height = height.max(u32::from(*count > 0));
                bottom = bottom.saturating_sub(height);
                if height > 0 {
                    bars.push(Bar {
                        tone: *tone,
                        x,
                        y: bottom,
                        width,
                        height,
                    });
                }
            }
        }
        bars
    }

    /// The days that are named under the columns: the first, the last, and few between.
    fn named(&self) -> Vec<(u32, &str)> {
        let step = self.days.len().div_ceil(5).max(1);
        let days = self.days.iter().enumerate();
        days.filter(|(index, _)| index % step == 0)
            .map(|(index, (day, _))| (self.left(index), day.as_str()))
            .collect()
    }
}

super::markup!(Columns);
