//! What prose means where its numbers don't fit: the finder's share of the reading.

use crate::span::Span;
use crate::versification::OutOfRange;

use super::Citation;
use super::atom::{Atom, Kind};
use super::error::Reason;
use super::grammar::{By, Item, Onward};
use super::head::Head;
use super::resolve::{Point, Resolver, State, citation, start};

impl Resolver<'_> {
    /// Everything that exists of what is said of a book.
    pub(super) fn salvage(&self, head: &Head<'_>, items: &[Item<'_>]) -> Vec<Citation> {
        let mut citations: Vec<Citation> = Vec::new();
        let mut state = State::of(head.book);
        for item in items {
            state = self.take(state, item, items.len() == 1, &mut citations);
        }
        if let Some(first) = citations.first_mut() {
            first.bytes.start = head.from;
        }
        citations
    }

    fn take(
        &self,
        state: State,
        item: &Item<'_>,
        alone: bool,
        citations: &mut Vec<Citation>,
    ) -> State {
        let state = loose(state, item);
        if let Some((verse, after)) = self.mistyped(state, item) {
            citations.push(citation(Span::of(start(verse)), item));
            return after;
        }
        if let Ok((citation, after)) = self.item(state, item, alone) {
            citations.push(citation);
            return after;
        }
        let Ok((first, after)) = self.point(state, &item.from, false) else {
            return state;
        };
        let Onward::To(head, atom, _) = item.onward else {
            citations.push(citation(self.all(first), item));
            return after;
        };
        let Some((second, last)) = self.cut(head.map_or(after, |head| State::of(head.book)), &atom)
        else {
            citations.push(citation(self.all(first), item));
            return after;
        };
        match Span::new(start(first), self.end(second)) {
            Some(span) => citations.push(citation(span, item)),
            // Backwards: the two places are meant each for itself.
            None => citations.extend([first, second].map(|place| citation(self.all(place), item))),
        }
        last
    }

    /// "Ezekiel 25-16" and "John 4 - v22": a dash for a colon.
    fn mistyped(&self, state: State, item: &Item<'_>) -> Option<(Point, State)> {
        let Onward::To(None, to, by) = item.onward else {
            return None;
        };
        let (first, _) = self.point(state, &item.from, false).ok()?;
        let Point::Chapter(book, chapter) = first else {
            return None;
        };
        let verse = match to.kind {
            Kind::Verse(verse) if by == By::Dash => verse,
            Kind::Bare(number) if u32::from(chapter) > number => number,
            Kind::Bare(number) if self.chapter(book, number).is_err() => number,
            _ => return None,
        };
        let kind = Kind::ChapterVerse(chapter.into(), verse);
        self.point(State::of(book), &Atom::at(kind, to.at), false)
            .ok()
    }

    /// The end of a range, cut to what exists.
    fn cut(&self, state: State, atom: &Atom) -> Option<(Point, State)> {
        let error = match self.point(state, atom, false) {
            Ok(found) => return Some(found),
            Err(error) => error.reason,
        };
        let kind = match error {
            Reason::OutOfRange(OutOfRange::Verse { chapter, last, .. }) => {
                Kind::ChapterVerse(chapter.into(), last.into())
            }
            Reason::OutOfRange(OutOfRange::Chapter { .. }) => Kind::Book,
            _ => return None,
        };
        self.point(state, &Atom::at(kind, atom.at), false).ok()
    }

    fn all(&self, point: Point) -> Span {
        Span::new(start(point), self.end(point)).unwrap_or(Span::of(start(point)))
    }
}

/// A verse without a chapter is one of the first.
fn loose(state: State, item: &Item<'_>) -> State {
    match item.from.kind {
        Kind::Verse(_) => State {
            chapter: state.chapter.or(Some(1)),
            ..state
        },
        _ => state,
    }
}
