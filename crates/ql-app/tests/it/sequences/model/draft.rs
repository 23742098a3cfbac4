//! Contract §3: drafts, their addresses, and what a draft must start from.

use std::collections::BTreeSet;

use ql_core::scope::Scope;

use super::super::facts::{Answer, Drafted};
use super::super::step::{Change, Draft, Edit, Fields, New, Next, Request, Template, Which};
use super::{Caller, EDITORS, Item, Mistake, Model, Revision};

/// A new item whose form was found sound.
pub(super) struct Sketch {
    pub(super) locale: &'static str,
    pub(super) slug: Option<String>,
    pub(super) fields: Fields,
}

impl Model {
    pub(super) fn draft(
        &mut self,
        caller: Caller,
        request: &Request,
        (run, draft): (Which, &Draft),
    ) -> Answer {
        caller.may(Scope::ContentWrite, &EDITORS)?;
        self.keyed(request, |model| match draft {
            Draft::New(new) => {
                let sketch = model.sketch(new)?;
                let run = model.open_run(caller, run)?;
                let slug = model.free_slug(&sketch)?;
                let drafted = model.create(sketch.locale, slug, sketch.fields);
                model.note(run, "draft.created");
                Ok(drafted)
            }
            Draft::Next(next) => {
                let (item, base, fields) = model.outline(next)?;
                let run = model.open_run(caller, run)?;
                let (written, facts) = model.advance((item, base), next.slug, fields)?;
                if written {
                    model.note(run, "draft.created");
                }
                Ok(facts)
            }
        })
    }

    /// Whether fields fit the template's newest version.
    pub(super) fn fits(&self, fields: &Fields) -> bool {
        let has = |field: &str| fields.contains_key(field);
        let known = |field: &&'static str| match *field {
            "title" | "body" => true,
            "summary" => self.template != Template::Plain,
            _ => false,
        };
        let titled = fields.get("title").is_some_and(|title| !title.is_empty());
        let summed = self.template != Template::NeedsSummary || has("summary");
        titled && has("body") && summed && fields.keys().all(known)
    }

    /// What the form of a new item alone decides.
    pub(super) fn sketch(&self, new: &New) -> Result<Sketch, &'static str> {
        if new.template != "article" {
            return Err("not_found");
        }
        let locale = new.locale.unwrap_or("en");
        let sound = new.slug.is_none_or(is_slug) && locale.len() == 2;
        if !sound || !self.fits(&new.fields) {
            return Err("invalid_arguments");
        }
        Ok(Sketch {
            locale,
            slug: new.slug.map(str::to_owned),
            fields: new.fields.clone(),
        })
    }

    /// What the form of a next draft and its base alone decide: the item, the base, the fields.
    pub(super) fn outline(&self, next: &Next) -> Result<(usize, usize, Fields), &'static str> {
        let item = self.known(next.item)?;
        let base = self.known(next.base)?;
        if self.revisions[base].item != item {
            return Err("not_found");
        }
        let fields = changed(&self.revisions[base].fields, &next.change);
        let sound = next.slug.is_none_or(is_slug);
        let fields = fields.filter(|fields| sound && self.fits(fields));
        Ok((item, base, fields.ok_or("invalid_arguments")?))
    }

    /// The address that was asked for, where it is free, or the first free one made from the title.
    pub(super) fn free_slug(&self, sketch: &Sketch) -> Result<String, &'static str> {
        let taken = |slug: &String| self.slugs.contains_key(&(sketch.locale, slug.clone()));
        if let Some(slug) = &sketch.slug {
            let free = Some(slug).filter(|slug| !taken(slug));
            return free.cloned().ok_or("slug_taken");
        }
        let title = sketch.fields["title"].to_lowercase().replace(' ', "-");
        let numbered = (2..).map(|number| format!("{title}-{number}"));
        let mut slugs = std::iter::once(title.clone()).chain(numbered);
        slugs.find(|slug| !taken(slug)).ok_or("slug_taken")
    }

    /// Writes the first draft of an item.
    pub(super) fn create(&mut self, locale: &'static str, slug: String, fields: Fields) -> String {
        let (item, revision) = (self.items.len(), self.revisions.len());
        self.items.push(Item {
            locale,
            created_at: self.now,
            updated_at: self.now,
            draft: revision,
            live: None,
            archived_at: None,
        });
        self.slugs.insert((locale, slug.clone()), item);
        let changes = changes(&Fields::new(), &fields);
        self.revisions.push(Revision {
            item,
            number: 1,
            slug,
            fields,
        });
        self.drafted(revision, false, changes)
    }

    /// Writes the next draft of an item, where its base is still the newest; false where it says
    /// what its base says.
    pub(super) fn advance(
        &mut self,
        (item, base): (usize, usize),
        slug: Option<&'static str>,
        fields: Fields,
    ) -> Result<(bool, String), &'static str> {
        if self.items[item].archived_at.is_some() {
            return Err("archived");
        }
        let newest = self.items[item].draft;
        if newest != base && !self.errs(Mistake::AnyBaseWillDo) {
            return Err("stale_revision");
        }
        let before = &self.revisions[base];
        let slug = slug.map_or_else(|| before.slug.clone(), str::to_owned);
        if (&slug, &fields) == (&before.slug, &before.fields) {
            return Ok((false, self.drafted(base, true, Vec::new())));
        }
        let changes = changes(&before.fields, &fields);
        let locale = self.items[item].locale;
        let holder = self.slugs.get(&(locale, slug.clone()));
        if holder.is_some_and(|holder| *holder != item) {
            return Err("slug_taken");
        }
        let left = self.revisions[newest].slug.clone();
        if left != slug && self.live_slug(item) != Some(&left) {
            self.release(locale, &left);
        }
        self.slugs.insert((locale, slug.clone()), item);
        let revision = self.revisions.len();
        let number = self.revisions[newest].number + 1;
        self.revisions.push(Revision {
            item,
            number,
            slug,
            fields,
        });
        self.items[item].draft = revision;
        self.items[item].updated_at = self.now;
        Ok((true, self.drafted(revision, false, changes)))
    }

    pub(super) fn release(&mut self, locale: &'static str, slug: &str) {
        if !self.errs(Mistake::AddressesAreNotReleased) {
            self.slugs.remove(&(locale, slug.to_owned()));
        }
    }

    pub(super) fn live_slug(&self, item: usize) -> Option<&String> {
        let live = self.items[item].live?;
        Some(&self.revisions[live].slug)
    }

    fn drafted(&self, revision: usize, unchanged: bool, changes: Vec<String>) -> String {
        let stands = &self.revisions[revision];
        let drafted = Drafted {
            item: stands.item,
            revision,
            number: stands.number,
            slug: &stands.slug,
            unchanged,
            changes,
        };
        drafted.facts()
    }
}

fn is_slug(slug: &str) -> bool {
    !slug.contains(' ')
}

/// The fields after a change; none where an edit doesn't fit.
fn changed(base: &Fields, change: &Change) -> Option<Fields> {
    let mut fields = base.clone();
    match change {
        Change::Fields(all) => return Some(all.clone()),
        Change::Patch(field, Some(text)) => drop(fields.insert(field, (*text).to_owned())),
        Change::Patch(field, None) => drop(fields.remove(field)),
        Change::Edit(Edit {
            field,
            find,
            replace,
            count,
        }) => {
            let text = fields.get_mut(field)?;
            if text.matches(find).count() != *count as usize {
                return None;
            }
            *text = text.replace(find, replace);
        }
    }
    Some(fields)
}

fn changes(before: &Fields, after: &Fields) -> Vec<String> {
    let fields: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let change = |field: &str| match (before.get(field), after.get(field)) {
        (None, _) => Some(format!("/{field} added")),
        (_, None) => Some(format!("/{field} removed")),
        (old, new) => (old != new).then(|| format!("/{field} changed")),
    };
    fields.into_iter().filter_map(change).collect()
}
