//! What stands between numbers: dashes, separators, words such as "and" and "to".

use super::Punctuation;
use super::atom::Kind;
use super::cursor::{Cursor, is_dash};
use super::grammar::{By, Grammar, Level, Mode, Separator};
use super::head::undotted;
use super::lexicon::Role;

impl Grammar<'_> {
    /// Behind what a range is written with.
    pub(super) fn dash<'t>(&self, end: Cursor<'t>) -> Option<(Cursor<'t>, By)> {
        let at = end.blanks();
        let dash = at.eat(is_dash);
        let at = dash.map_or(at, |dash| dash.eat(is_dash).unwrap_or(dash).blanks());
        let word = at
            .word()
            .filter(|(word, _)| self.lexicon.word(word).is(Role::To));
        match (word, dash) {
            (Some((_, after)), _) => {
                let after = after.blanks();
                Some((after.eat(is_dash).unwrap_or(after).blanks(), By::Word))
            }
            (None, Some(_)) => Some((at, By::Dash)),
            (None, None) => None,
        }
    }

    /// What stands between two items, and where the next begins.
    pub(super) fn separator<'t>(
        &self,
        end: Cursor<'t>,
        level: Level,
    ) -> Option<(Separator, Cursor<'t>)> {
        let at = end.blanks();
        let loose = self.mode == Mode::Loose;
        let (separator, after) = match at.peek()? {
            ',' => (Separator::Comma, at.skip(1)),
            ';' => (Separator::Semicolon, at.skip(1)),
            '/' if loose => (Separator::Comma, at.skip(1)),
            '.' => return self.dot(at.skip(1), level),
            _ => (Separator::Comma, at),
        };
        let marked = after.at() > at.at();
        let (after, conjunctions) = self.conjunctions(after.blanks());
        let keyword = after.word().is_some_and(|(word, _)| self.is_keyword(word));
        (marked || conjunctions || keyword).then_some((separator, after))
    }

    /// Behind a full stop: a number that is glued to it in a list of verses, or a word such as
    /// "verse", or chapter and verse.
    fn dot<'t>(&self, after: Cursor<'t>, level: Level) -> Option<(Separator, Cursor<'t>)> {
        let glued = level == Level::Verse || self.punctuation == Punctuation::European;
        if glued && after.number().is_some() {
            return Some((Separator::Dot, after));
        }
        let at = after.blanks();
        let keyword = at.word().is_some_and(|(word, _)| self.is_keyword(word));
        let pair = || self.atom(at, level);
        let named =
            keyword || pair().is_some_and(|(atom, _)| matches!(atom.kind, Kind::ChapterVerse(..)));
        (self.mode == Mode::Loose && named).then_some((Separator::Dot, at))
    }

    /// Behind words such as "and" and "see", and whether there were any.
    pub(super) fn conjunctions<'t>(&self, mut at: Cursor<'t>) -> (Cursor<'t>, bool) {
        let mut any = false;
        for _ in 0..2 {
            let Some((word, after)) = at.piece() else {
                break;
            };
            if word != "&" && !self.lexicon.word(word).is(Role::And) {
                break;
            }
            at = undotted(after).blanks();
            any = true;
        }
        (at, any)
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        let word = self.lexicon.word(word);
        [Role::Chapter, Role::Verse, Role::Title]
            .into_iter()
            .any(|role| word.is(role))
    }
}
