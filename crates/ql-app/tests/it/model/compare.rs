//! What the public can read, compared with the model.

use std::collections::BTreeMap;

use ql_app::delivery::FeedItem;
use ql_core::id::{ContentId, RevisionId};

use super::Story;
use crate::delivery::at;

impl Story {
    /// Compares what the public can read with what was approved.
    pub(super) async fn compare(&mut self) {
        let approved: BTreeMap<ContentId, RevisionId> = self
            .items
            .iter()
            .filter_map(|item| item.live.map(|live| (item.content, live)))
            .collect();
        let listed = self.test.live(&self.test.home).await;
        let listed: BTreeMap<_, _> = listed
            .into_iter()
            .map(|page| (page.content, page.revision))
            .collect();
        assert_eq!(listed, approved, "the list");
        for item in &self.items {
            let live = item
                .drafts
                .iter()
                .find(|(revision, _)| Some(*revision) == item.live);
            for (_, slug) in &item.drafts {
                let expected = live
                    .filter(|(_, at)| at == slug)
                    .map(|(revision, _)| *revision);
                assert_eq!(
                    at(&self.test, slug, ("en", None)).await,
                    expected,
                    "by the address {slug}"
                );
            }
        }
        self.follow(&approved).await;
    }

    /// A site that follows the feed has what was approved, and one that starts anew has it too.
    async fn follow(&mut self, approved: &BTreeMap<ContentId, RevisionId>) {
        let site = &self.test.home.site;
        let changes = self
            .test
            .app
            .changes(site, self.followed, 100)
            .await
            .expect("the feed");
        self.followed = changes.next;
        for change in changes.items {
            match change {
                FeedItem::Upsert { page, .. } => self.follower.insert(page.content, page.revision),
                FeedItem::Tombstone { content, .. } => self.follower.remove(&content),
            };
        }
        assert_eq!(&self.follower, approved, "the feed, followed");
        let whole = self
            .test
            .app
            .changes(site, 0, 100)
            .await
            .expect("the feed")
            .items;
        let mut gone = 0;
        for change in whole {
            match change {
                FeedItem::Upsert { page, .. } => {
                    assert_eq!(approved.get(&page.content), Some(&page.revision));
                }
                FeedItem::Tombstone { content, .. } => {
                    assert_eq!(approved.get(&content), None);
                    gone += 1;
                }
            }
        }
        let formerly = self
            .items
            .iter()
            .filter(|item| item.live.is_none() && !item.formerly_live.is_empty());
        assert_eq!(
            gone,
            formerly.count(),
            "a tombstone for each page that is gone"
        );
    }
}
