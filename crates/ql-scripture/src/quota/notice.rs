//! Whether a notice appears where it must.

use super::{Artefact, Notice, NoticeDue};
use crate::token;

/// Looks for a notice in the artefacts of each kind in which it must appear, word for word.
pub(super) fn due(notice: &Notice, work: &[Artefact<'_>]) -> Vec<NoticeDue> {
    let wanted = words(&notice.text);
    let places = notice.places.iter();
    places
        .map(|place| {
            let there = work.iter().filter(|artefact| artefact.place == place);
            let (present, missing): (Vec<_>, Vec<_>) =
                there.partition(|artefact| holds(&words(artefact.text), &wanted));
            let names = |artefacts: &[&Artefact<'_>]| {
                artefacts
                    .iter()
                    .map(|a| a.name.to_owned())
                    .collect::<Vec<_>>()
            };
            NoticeDue {
                place: place.clone(),
                text: notice.text.clone(),
                no_such_place: present.is_empty() && missing.is_empty(),
                present_in: names(&present),
                missing_in: names(&missing),
            }
        })
        .collect()
}

fn words(text: &str) -> Vec<String> {
    let (words, _) = token::words(text);
    words.into_iter().map(|(word, _)| word).collect()
}

fn holds(text: &[String], wanted: &[String]) -> bool {
    !wanted.is_empty() && text.windows(wanted.len()).any(|words| words == wanted)
}
