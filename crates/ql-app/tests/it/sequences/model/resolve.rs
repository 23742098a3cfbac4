//! What a payload stands for when it's proposed, and what keeps it from being carried out.

use super::super::step::{Fields, Lifecycle, Next, Payload, Publish, Which};
use super::draft::Sketch;
use super::{Mistake, Model, Resolved, State};

impl Model {
    pub(super) fn resolve(&self, payload: &Payload) -> Result<Vec<Resolved>, &'static str> {
        match payload {
            Payload::Create(new) => {
                let sketch = self.sketch(new)?;
                let slug = self.free_slug(&sketch)?;
                Ok(vec![created(sketch, slug)])
            }
            Payload::Revise(next) => self.resolve_revision(next),
            Payload::Publish(pages) => self.resolve_publication(pages),
            Payload::Lifecycle(pages) => self.resolve_lifecycle(pages),
        }
    }

    fn resolve_revision(&self, next: &Next) -> Result<Vec<Resolved>, &'static str> {
        let (item, base, fields) = self.outline(next)?;
        let stands = &self.items[item];
        if stands.archived_at.is_some() {
            return Err("archived");
        }
        if stands.draft != base {
            return Err("stale_revision");
        }
        let before = &self.revisions[base];
        let slug = next.slug.map_or_else(|| before.slug.clone(), str::to_owned);
        let holder = self.slugs.get(&(stands.locale, slug.clone()));
        if holder.is_some_and(|holder| *holder != item) {
            return Err("slug_taken");
        }
        if (&slug, &fields) == (&before.slug, &before.fields) {
            return Err("invalid_arguments");
        }
        let seen = self.seen(item, Some(base));
        Ok(vec![Resolved {
            slug,
            fields: Some(fields),
            ..seen
        }])
    }

    fn resolve_publication(&self, pages: &[Publish]) -> Result<Vec<Resolved>, &'static str> {
        let first = pages.first().and_then(|page| page.at);
        let mut sound = all_differ(pages.iter().map(|page| page.item)) && !pages.is_empty();
        let mut resolved = Vec::new();
        for page in pages {
            sound &= page.at == first;
            if page.revision.is_some() {
                sound &= page.at.is_none_or(|at| at > self.now);
                sound &= page.zone.is_none_or(|zone| zone.contains('/'));
                sound &= page.zone.is_none() || page.at.is_some();
            }
        }
        for page in pages {
            let item = self.known(page.item)?;
            let stands = &self.items[item];
            let revision = match page.revision {
                None => None,
                Some(which) => Some(self.publishable(item, which)?),
            };
            sound &= match revision {
                Some(revision) => stands.live != Some(revision),
                None => stands.live.is_some(),
            };
            resolved.push(self.seen(item, revision));
        }
        sound.then_some(resolved).ok_or("invalid_arguments")
    }

    fn publishable(&self, item: usize, which: Which) -> Result<usize, &'static str> {
        let revision = self.known(which)?;
        if self.revisions[revision].item != item {
            return Err("not_found");
        }
        if self.items[item].archived_at.is_some() {
            return Err("archived");
        }
        if self.items[item].draft != revision {
            return Err("stale_revision");
        }
        Ok(revision)
    }

    fn resolve_lifecycle(&self, pages: &[Lifecycle]) -> Result<Vec<Resolved>, &'static str> {
        let mut sound = all_differ(pages.iter().map(|page| page.item)) && !pages.is_empty();
        let mut resolved = Vec::new();
        for page in pages {
            let item = self.known(page.item)?;
            sound &= self.stale_lifecycle(item, *page).is_none();
            resolved.push(self.seen(item, None));
        }
        sound.then_some(resolved).ok_or("invalid_arguments")
    }

    /// What the proposer sees of an item.
    pub(super) fn seen(&self, item: usize, revision: Option<usize>) -> Resolved {
        let stands = &self.items[item];
        let shown = revision.or(stands.live).unwrap_or(stands.draft);
        Resolved {
            item: Some(item),
            revision,
            slug: self.revisions[shown].slug.clone(),
            locale: stands.locale,
            fields: revision.map(|revision| self.revisions[revision].fields.clone()),
            live: stands.live,
        }
    }

    /// Why an item of a proposal can't be carried out now; none where it can.
    pub(super) fn stale(&self, proposal: usize, index: usize) -> Option<&'static str> {
        if self.errs(Mistake::NothingIsStale) {
            return None;
        }
        let found = &self.proposals[proposal];
        let seen = &found.resolved[index];
        match &found.payload {
            Payload::Create(new) => self.stale_draft(&new.fields, (seen, None)),
            Payload::Revise(next) => {
                let item = seen.item?;
                if self.items[item].archived_at.is_some() {
                    return Some("archived");
                }
                if Some(self.items[item].draft) != seen.revision {
                    return Some("draft_moved");
                }
                match self.outline(next) {
                    Ok((_, _, fields)) => self.stale_draft(&fields, (seen, Some(item))),
                    Err(_) => Some("template_mismatch"),
                }
            }
            Payload::Publish(pages) => {
                let at_instant = matches!(found.state, State::Approved(..));
                self.stale_publication(pages[index], seen, at_instant)
            }
            Payload::Lifecycle(pages) => self.stale_lifecycle(seen.item?, pages[index]),
        }
    }

    fn stale_draft(
        &self,
        fields: &Fields,
        (seen, own): (&Resolved, Option<usize>),
    ) -> Option<&'static str> {
        if !self.fits(fields) {
            return Some("template_mismatch");
        }
        let holder = self.slugs.get(&(seen.locale, seen.slug.clone())).copied();
        (holder.is_some() && holder != own).then_some("slug_taken")
    }

    fn stale_publication(
        &self,
        page: Publish,
        seen: &Resolved,
        at_instant: bool,
    ) -> Option<&'static str> {
        let item = seen.item?;
        let stands = &self.items[item];
        let Some(revision) = page.revision.and(seen.revision) else {
            let moved = (stands.live != seen.live).then_some("live_moved");
            return stands.live.map_or(Some("not_live"), |_| moved);
        };
        let offered = &self.revisions[revision];
        let holder = self.slugs.get(&(stands.locale, offered.slug.clone()));
        if stands.archived_at.is_some() {
            Some("archived")
        } else if stands.live != seen.live {
            Some("live_moved")
        } else if !at_instant && stands.draft != revision {
            Some("draft_moved")
        } else if holder.is_some_and(|holder| *holder != item) {
            Some("slug_taken")
        } else {
            (!self.fits(&offered.fields)).then_some("template_mismatch")
        }
    }

    fn stale_lifecycle(&self, item: usize, page: Lifecycle) -> Option<&'static str> {
        let stands = &self.items[item];
        if stands.archived_at != page.seen || page.archive == stands.archived_at.is_some() {
            return Some("archived_state_moved");
        }
        (page.archive && stands.live.is_some()).then_some("still_live")
    }
}

fn created(sketch: Sketch, slug: String) -> Resolved {
    Resolved {
        item: None,
        revision: None,
        slug,
        locale: sketch.locale,
        fields: Some(sketch.fields),
        live: None,
    }
}

fn all_differ(mut items: impl Iterator<Item = Which> + Clone) -> bool {
    let all: Vec<Which> = items.clone().collect();
    let mut place = 0;
    items.all(|item| {
        place += 1;
        !all[place..].contains(&item)
    })
}
