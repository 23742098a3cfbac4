//! Drafts to write.

use super::super::step::{Change, Draft, Edit, Fields, New, Next, Template, Which};
use super::Choice;

/// Addresses that come up: some of titles, some that are asked for.
pub(super) const SLUGS: [&str; 6] = ["alpha", "beta", "alpha-2", "guides/one", "two", "gamma"];

const TITLES: [&str; 3] = ["Alpha", "Beta", "Gamma"];

impl Choice<'_> {
    pub(super) fn draft(&mut self) -> Draft {
        let count = self.model.items.len();
        if count == 0 || self.chance.percent(if count < 3 { 35 } else { 8 }) {
            Draft::New(self.new_item())
        } else {
            Draft::Next(self.next_draft())
        }
    }

    pub(super) fn new_item(&mut self) -> New {
        New {
            template: if self.chance.percent(2) {
                "nothing"
            } else {
                "article"
            },
            locale: self.chance.weighted(&[
                (16, None),
                (3, Some("nl")),
                (2, Some("en")),
                (1, Some("Dutch")),
            ]),
            slug: self.slug(70),
            fields: self.fields(),
        }
    }

    pub(super) fn next_draft(&mut self) -> Next {
        let item = self.among(self.model.items.len());
        let current = self.chance.percent(85);
        let base = match item {
            Which::Known(number) if current => Which::Known(self.model.items[number].draft),
            _ => self.revision_of(item),
        };
        Next {
            item,
            base,
            slug: self.slug(80),
            change: self.change(),
        }
    }

    /// Mostly one of an item's own revisions.
    pub(super) fn revision_of(&mut self, item: Which) -> Which {
        let revisions = self.model.revisions.iter().enumerate();
        let own: Vec<usize> = revisions
            .filter(|(_, revision)| Which::Known(revision.item) == item)
            .map(|(number, _)| number)
            .collect();
        if own.is_empty() || self.chance.percent(5) {
            return self.among(self.model.revisions.len());
        }
        Which::Known(self.chance.of(&own))
    }

    fn slug(&mut self, none: usize) -> Option<&'static str> {
        if self.chance.percent(none) {
            return None;
        }
        let bad = self.chance.percent(5);
        Some(if bad {
            "no slug"
        } else {
            self.chance.of(&SLUGS)
        })
    }

    /// Fields that mostly fit the template as it is.
    fn fields(&mut self) -> Fields {
        let title = self.chance.of(&TITLES);
        let mut fields = Fields::from([
            ("title", title.to_owned()),
            ("body", format!("About {title}.")),
        ]);
        let summary = match self.model.template {
            Template::Plain => 3,
            Template::WithSummary => 50,
            Template::NeedsSummary => 95,
        };
        if self.chance.percent(summary) {
            fields.insert("summary", "In short.".to_owned());
        }
        match self.chance.below(40) {
            0 => drop(fields.remove("body")),
            1 => drop(fields.insert("title", String::new())),
            2 => drop(fields.insert("colour", "blue".to_owned())),
            _ => {}
        }
        fields
    }

    fn change(&mut self) -> Change {
        match self.chance.below(8) {
            0..=4 => Change::Fields(self.fields()),
            5 | 6 => {
                let field = self
                    .chance
                    .weighted(&[(4, "body"), (2, "title"), (1, "summary")]);
                let texts = [Some("Gamma"), Some("In short."), Some("About Alpha."), None];
                Change::Patch(field, self.chance.of(&texts))
            }
            _ => Change::Edit(Edit {
                field: self
                    .chance
                    .weighted(&[(8, "body"), (2, "title"), (1, "summary")]),
                find: self.chance.of(&["About", "a", "On", "."]),
                replace: self.chance.of(&["On", "About", "e", "!"]),
                count: self.chance.weighted(&[(6, 1), (2, 2)]),
            }),
        }
    }
}
