//! Maps, briefs and strategies, as tests need them.

use ql_app::strategy::{Filter, Imported};
use ql_core::id::{BriefId, OpportunityId};
use ql_core::opportunity::Media;
use ql_core::page::PageRequest;
use ql_core::role::Role;

use crate::{Draft, Place, TestApp, setup};

impl TestApp {
    /// The version of a place's map.
    pub async fn map_version(&self, place: &Place) -> i64 {
        let owner = self.member_of(place, Role::Owner).await;
        let whole = self.app.get_topical_map(&owner).await;
        whole.expect("a map").map.version
    }

    /// A pillar, a cluster and a page are added to a place's map; answers the page's brief.
    pub async fn briefed(&self, place: &Place, name: &str) -> BriefId {
        let version = self.map_version(place).await;
        self.carry_out(place, setup::small_map(version, name)).await;
        let owner = self.member_of(place, Role::Owner).await;
        let page = PageRequest::default();
        let briefs = self.app.list_briefs(&owner, None, &page).await;
        briefs.expect("briefs").items[0].brief.id
    }

    /// The draft that answered a brief.
    pub async fn answered(&self, place: &Place, brief: BriefId) -> Draft {
        let owner = self.member_of(place, Role::Owner).await;
        let state = self.app.get_brief(&owner, brief).await.expect("a brief");
        let draft = state.draft.expect("a draft");
        Draft {
            content: draft.content,
            revision: draft.revision,
        }
    }

    /// An owner imports an artifact.
    pub async fn imported(&self, place: &Place, media: Media, artifact: &[u8]) -> Imported {
        let owner = self.member_of(place, Role::Owner).await;
        let new = setup::strategy(media);
        let begun = self.app.begin_strategy_import(&owner, new).await;
        let mut import = begun.expect("an import");
        import.push(artifact).await.expect("readable");
        import.finish().await.expect("complete")
    }

    /// A place's opportunities, newest first, at most a hundred.
    pub async fn opportunities(&self, place: &Place) -> Vec<OpportunityId> {
        let owner = self.member_of(place, Role::Owner).await;
        let (filter, page) = (Filter::default(), PageRequest::new(Some(100), None));
        let listed = self.app.list_opportunities(&owner, &filter, &page).await;
        let items = listed.expect("opportunities").items;
        items.into_iter().map(|found| found.id).collect()
    }
}
