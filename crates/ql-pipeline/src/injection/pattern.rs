//! Rules: what stands near what, and what it means.
//!
//! A pattern is a row of slots. `@drop|@void` is a word of one of these classes; before it `^` asks
//! for the beginning of a sentence, a line or a bracket, and after it `:` for a colon, `]` for a
//! closing bracket, `_` for an identifier that goes on, `$` for the end of the sentence. Between
//! slots, `~3` lets up to three other words stand in the sentence, and `~~3` also across its end.
//! `-@mine` forbids a class from four words before to the end of the match, `--@mine` in the four words after it.

use super::finding::{Code, Family};
use super::lexicon::{Classes, Lexicon};
use super::words::{Marks, Word};

const TABLE: &str = include_str!("../../data/injection/rules.tsv");

/// How many words before and after a match count as beside it.
const AROUND: u32 = 4;

/// A rule that is no rule.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(super) struct InvalidRule {
    line: usize,
    what: String,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) family: Family,
    pub(super) code: Code,
    pub(super) reason: &'static str,
    slots: Vec<Slot>,
    /// What must not stand before or in a match.
    without: Classes,
    /// What must not stand after one.
    without_after: Classes,
}

#[derive(Debug, Default)]
struct Slot {
    classes: Classes,
    marks: Marks,
    /// How many words may stand before it.
    gap: u32,
    /// Whether a sentence may end before it.
    crosses: bool,
}

/// All rules, by the classes of their first slot.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    by_class: Vec<Vec<usize>>,
}

impl Rules {
    /// Reads the table.
    pub(super) fn new(lexicon: &Lexicon) -> Result<Self, InvalidRule> {
        let mut rules = Vec::new();
        for (number, line) in TABLE.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let invalid = |what| InvalidRule {
                line: number + 1,
                what,
            };
            rules.push(read(line, lexicon).map_err(invalid)?);
        }
        let mut by_class = vec![Vec::new(); lexicon.classes()];
        for (number, rule) in rules.iter().enumerate() {
            for class in rule.slots[0].classes.iter() {
                by_class[class].push(number);
            }
        }
        Ok(Self { rules, by_class })
    }

    /// Every rule that holds somewhere, with its first and last word.
    pub(super) fn matches<'a>(
        &'a self,
        words: &'a [Word],
    ) -> impl Iterator<Item = (&'a Rule, usize, usize)> {
        let of_word = move |at: usize| {
            let classes = words[at].classes.iter();
            let numbers = classes.flat_map(|class| self.by_class[class].iter());
            numbers.filter_map(move |number| {
                let rule = &self.rules[*number];
                let last = rule.ends(words, at)?;
                Some((rule, at, last))
            })
        };
        (0..words.len()).flat_map(of_word)
    }
}

impl Rule {
    /// The last word of a match that begins with the given word.
    fn ends(&self, words: &[Word], first: usize) -> Option<usize> {
        if !self.slots[0].takes(&words[first]) {
            return None;
        }
        let last = self.rest(words, first, 1)?;
        self.is_allowed(words, first, last).then_some(last)
    }

    fn rest(&self, words: &[Word], at: usize, slot: usize) -> Option<usize> {
        let Some(wanted) = self.slots.get(slot) else {
            return Some(at);
        };
        let here = &words[at];
        for (next, word) in words.iter().enumerate().skip(at + 1) {
            let far = word.nth - here.nth > wanted.gap + 1;
            if far || (word.sentence != here.sentence && !wanted.crosses) {
                return None;
            }
            if wanted.takes(word)
                && let Some(last) = self.rest(words, next, slot + 1)
            {
                return Some(last);
            }
        }
        None
    }

    fn is_allowed(&self, words: &[Word], first: usize, last: usize) -> bool {
        if self.without.is_empty() && self.without_after.is_empty() {
            return true;
        }
        let (begin, end) = (&words[first], &words[last]);
        let follows = |word: &&Word| word.sentence == end.sentence && word.nth <= end.nth + AROUND;
        let mut after = words[last + 1..].iter().take_while(follows);
        if after.any(|word| word.classes.meets(&self.without_after)) {
            return false;
        }
        let is_near =
            |word: &&Word| word.sentence == begin.sentence && word.nth + AROUND >= begin.nth;
        let before = words[..first].iter().rev().take_while(is_near);
        let mut all = before.chain(&words[first..=last]);
        !all.any(|word| word.classes.meets(&self.without))
    }
}

impl Slot {
    fn takes(&self, word: &Word) -> bool {
        word.classes.meets(&self.classes) && word.marks.has(self.marks)
    }
}

/// Reads a line of the table.
fn read(line: &'static str, lexicon: &Lexicon) -> Result<Rule, String> {
    let cells: Vec<&'static str> = line.split('\t').collect();
    let [family, code, pattern, reason] = cells[..] else {
        return Err("a rule has four cells".to_owned());
    };
    let family = Family::from_name(family).ok_or_else(|| format!("no family `{family}`"))?;
    let code = match code {
        "I" => Code::InjectionSuspected,
        "E" => Code::ExfiltrationRequest,
        "C" => Code::CommandRequest,
        other => return Err(format!("no code `{other}`")),
    };
    let mut rule = Rule {
        family,
        code,
        reason,
        slots: Vec::new(),
        without: Classes::default(),
        without_after: Classes::default(),
    };
    let mut next = Slot::default();
    for part in pattern.split_whitespace() {
        if let Some(gap) = part.strip_prefix('~') {
            next.crosses = gap.starts_with('~');
            next.gap = gap
                .trim_start_matches('~')
                .parse()
                .map_err(|_| format!("no gap `{part}`"))?;
        } else if let Some(forbidden) = part.strip_prefix('-') {
            match forbidden.strip_prefix('-') {
                Some(after) => rule.without_after.add_all(classes(after, lexicon)?),
                None => rule.without.add_all(classes(forbidden, lexicon)?),
            }
        } else {
            rule.slots.push(slot(part, next, lexicon)?);
            next = Slot::default();
        }
    }
    if rule.slots.is_empty() || next.gap > 0 {
        return Err("a pattern begins and ends with a slot".to_owned());
    }
    Ok(rule)
}

fn slot(part: &str, blank: Slot, lexicon: &Lexicon) -> Result<Slot, String> {
    let mut slot = blank;
    let mut names = part;
    if let Some(rest) = names.strip_prefix('^') {
        slot.marks.add(Marks::START);
        names = rest;
    }
    let ends = [
        (':', Marks::COLON),
        (']', Marks::CLOSED),
        ('_', Marks::GOES_ON),
        ('$', Marks::LAST),
    ];
    for (sign, mark) in ends {
        if let Some(rest) = names.strip_suffix(sign) {
            slot.marks.add(mark);
            names = rest;
        }
    }
    slot.classes = classes(names, lexicon)?;
    Ok(slot)
}

fn classes(names: &str, lexicon: &Lexicon) -> Result<Classes, String> {
    let mut classes = Classes::default();
    for name in names.split('|') {
        let name = name
            .strip_prefix('@')
            .ok_or_else(|| format!("`{name}` is no class"))?;
        classes.add(
            lexicon
                .class(name)
                .ok_or_else(|| format!("no class `{name}`"))?,
        );
    }
    Ok(classes)
}
