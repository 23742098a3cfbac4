//! What goes out beside the site, and how it's corrected and taken back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use insta::assert_snapshot;
use ql_app::director::{Ask, Asking, Director, Failure, NewExit, Provider, Recorded};
use ql_core::hash::Digest;
use ql_core::role::Role;
use ql_testkit::TempDir;
use querylayer::cmd::director::recorded::{self, Faults};
use querylayer::outbox::Outbox;
use serde_json::{Value, json};

use super::world::{World, board, changed, director_asking};

const REASON: &str = "A viewer found an error.";

/// A production whose publications go to a folder.
struct Studio {
    world: World,
    director: Director,
    folder: TempDir,
}

/// Agents that mend what a person says of a description.
struct Heeding(Recorded);

impl Provider for Heeding {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        self.0.most(ask)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move {
            let answered = self.0.ask(ask).await?;
            if ask.stage != "SEO_GENERATED" || !ask.envelope.contains(REASON) {
                return Ok(answered);
            }
            let mended = |answer: &mut Value| {
                let said = answer["output"]["title"].as_str().expect("a text");
                answer["output"]["title"] = json!(format!("{said} (corrected)"));
            };
            changed(Ok(answered), mended)
        })
    }
}

impl Studio {
    async fn new() -> Self {
        let (world, folder) = (World::new().await, TempDir::new());
        let outbox = Outbox::new(folder.path().join("outbox"), &folder.path().join("files"));
        let heeding = Arc::new(Heeding(recorded::answers(Faults::None)));
        let director = director_asking(&world.app, heeding).sending_to(Arc::new(outbox));
        Self {
            world,
            director,
            folder,
        }
    }

    async fn work(&self) -> String {
        self.director.run_due_stages().await.expect("work");
        board(&self.world.view().await)
    }

    /// Goes through everything up to the sealed release.
    async fn release(&self) -> ql_store::stage_task::Release {
        for stage in ["IDEA_PROPOSED", "TOPIC_APPROVED"] {
            self.world.approve(stage).await.expect("approved");
        }
        self.work().await;
        self.world
            .approve("SCRIPT_APPROVED")
            .await
            .expect("approved");
        self.work().await;
        self.world.view().await.release.expect("sealed")
    }

    /// A person approves what was sealed last, and everything after it is done.
    async fn publish(&self) -> String {
        let release = self.world.view().await.release.expect("sealed");
        let owner = self.world.app.member(Role::Owner).await;
        let approved = self.world.app.approve(&owner, release.proposal).await;
        approved.expect("approved");
        self.work().await
    }

    async fn leave(
        &self,
        stage: &str,
        reopen: Option<&str>,
    ) -> ql_app::Result<Option<ql_core::id::ProposalId>> {
        let owner = self.world.app.member(Role::Owner).await;
        let exit = NewExit {
            stage: stage.to_owned(),
            reason: REASON.to_owned(),
            reopen: reopen.map(str::to_owned),
        };
        self.director.take_exit(&owner, self.world.id, exit).await
    }

    fn outbox(&self) -> PathBuf {
        let outbox = self.folder.path().join("outbox");
        outbox.join(self.world.id.to_string())
    }
}

/// The files of a folder, sorted.
fn listed(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn last_lines(board: &str, count: usize) -> String {
    let lines: Vec<&str> = board.lines().collect();
    lines[lines.len() - count..].join("\n")
}

#[tokio::test]
async fn exactly_the_sealed_bytes_go_out_once_they_are_live() {
    let studio = Studio::new().await;
    let release = studio.release().await;
    assert!(
        !studio.outbox().exists(),
        "nothing goes out before it's approved"
    );
    studio.publish().await;
    let folder = studio.outbox().join("1-release");
    assert_snapshot!(listed(&folder).join(" "), @"biblical_research_completed.json hermeneutics_completed.json manifest.json production_planned.json research_completed.json script_generated.json seo_generated.json shorts_generated.json thumbnail_generated.json voice_generated.json");
    let manifest = fs::read(folder.join("manifest.json")).expect("the manifest");
    assert_eq!(Digest::of(&manifest), release.manifest_sha256);
    for document in release.manifest["documents"].as_array().expect("documents") {
        let name = format!(
            "{}.json",
            document["stage"].as_str().expect("a stage").to_lowercase()
        );
        let bytes = fs::read(folder.join(name)).expect("a document");
        assert_eq!(document["sha256"], Digest::of(&bytes).to_string());
    }
}

#[tokio::test]
async fn what_somebody_died_while_sending_is_sent_whole() {
    let studio = Studio::new().await;
    studio.release().await;
    let aside = studio.outbox().join(".1-release");
    fs::create_dir_all(&aside).expect("a folder");
    fs::write(aside.join("manifest.json"), "{\"prod").expect("half a file");
    studio.publish().await;
    assert_eq!(listed(&studio.outbox()), ["1-release"]);
}

#[tokio::test]
async fn what_was_changed_in_the_outbox_is_noticed_and_never_written_over() {
    let studio = Studio::new().await;
    studio.release().await;
    let there = studio.outbox().join("1-release");
    fs::create_dir_all(&there).expect("a folder");
    fs::write(there.join("manifest.json"), "{}").expect("a file");
    let board = studio.publish().await;
    assert_snapshot!(last_lines(&board, 5), @"
    PUBLISH_APPROVED passed
    PUBLISHED needs_review
    ANALYTICS_COLLECTED waiting
    CORRECTION_ISSUED waiting
    WITHDRAWN waiting
    ");
    assert_eq!(fs::read(there.join("manifest.json")).expect("it"), b"{}");
}

#[tokio::test]
async fn a_withdrawal_takes_the_page_off_the_site_once_people_approved_it() {
    let studio = Studio::new().await;
    studio.release().await;
    studio.publish().await;
    let home = &studio.world.app.home;
    let proposal = studio.leave("WITHDRAWN", None).await.expect("taken");
    assert_eq!(
        studio.world.app.live(home).await.len(),
        1,
        "nobody has approved it yet"
    );
    let refused = studio
        .world
        .approve("WITHDRAWN")
        .await
        .expect_err("refused");
    assert_snapshot!(refused, @"there is no such stage of a person here");
    let owner = studio.world.app.member(Role::Owner).await;
    let asked = proposal.expect("a proposal");
    studio
        .world
        .app
        .approve(&owner, asked)
        .await
        .expect("approved");
    let board = studio.work().await;
    assert_snapshot!(last_lines(&board, 2), @"
    CORRECTION_ISSUED waiting
    WITHDRAWN passed
    ");
    assert_eq!(studio.world.app.live(home).await.len(), 0);
    let told = fs::read_to_string(studio.outbox().join("1-withdrawal/withdrawn.json"));
    assert!(told.expect("a record").contains(REASON));
    let again = studio
        .world
        .reopen("SCRIPT_GENERATED")
        .await
        .expect_err("refused");
    assert_snapshot!(again, @"the input doesn't fit in 1 place(s): /production the production was ended by a way out; start another one");
    studio.world.app.verify_ledger().await;
}

#[tokio::test]
async fn a_withdrawal_before_anything_is_live_ends_everything_at_once() {
    let studio = Studio::new().await;
    studio
        .world
        .approve("IDEA_PROPOSED")
        .await
        .expect("approved");
    studio
        .world
        .approve("TOPIC_APPROVED")
        .await
        .expect("approved");
    assert_eq!(studio.leave("WITHDRAWN", None).await.expect("taken"), None);
    let board = studio.work().await;
    assert!(board.contains("RESEARCH_COMPLETED waiting"), "{board}");
    assert!(board.contains("WITHDRAWN passed"), "{board}");
    assert_eq!(studio.world.asked(), "");
    let again = studio.leave("WITHDRAWN", None).await.expect_err("refused");
    assert_snapshot!(again, @"the input doesn't fit in 1 place(s): /production the production was ended by a way out; start another one");
}

#[tokio::test]
async fn a_correction_goes_the_whole_way_again_and_replaces_what_is_live() {
    let studio = Studio::new().await;
    let first = studio.release().await;
    let early = studio
        .leave("CORRECTION_ISSUED", Some("SCRIPT_GENERATED"))
        .await;
    assert_snapshot!(early.expect_err("refused"), @"the input doesn't fit in 1 place(s): /stage this comes after `PUBLISHED`, which isn't done");
    studio.publish().await;
    let none = studio
        .leave("CORRECTION_ISSUED", Some("SEO_GENERATED"))
        .await;
    assert_eq!(
        none.expect("taken"),
        None,
        "the new release has a proposal of its own"
    );
    studio.work().await;
    let second = studio.world.view().await.release.expect("sealed");
    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(first.content, second.content);
    let done = studio.publish().await;
    assert!(done.contains("PUBLISHED passed"), "{done}");
    assert_eq!(listed(&studio.outbox()), ["1-release", "2-release"]);
    assert!(board(&studio.world.view().await).contains("CORRECTION_ISSUED passed"));
}

#[tokio::test]
async fn a_correction_that_leaves_the_page_as_it_is_is_approved_by_hand() {
    let studio = Studio::new().await;
    let first = studio.release().await;
    studio.publish().await;
    let taken = studio.leave("CORRECTION_ISSUED", Some("THUMBNAIL_GENERATED"));
    taken.await.expect("taken");
    studio.work().await;
    let second = studio.world.view().await.release.expect("sealed");
    assert_eq!((second.number, second.proposal), (2, first.proposal));
    studio
        .world
        .approve("PUBLISH_APPROVED")
        .await
        .expect("approved");
    let board = studio.work().await;
    assert!(board.contains("PUBLISHED passed"), "{board}");
    assert_eq!(listed(&studio.outbox()), ["1-release", "2-release"]);
}

#[tokio::test]
async fn only_ways_out_are_ways_out_and_only_for_those_who_decide() {
    let studio = Studio::new().await;
    let refused = studio.leave("PUBLISHED", None).await.expect_err("refused");
    assert_snapshot!(refused, @"there is no such way out here");
    let world = &studio.world;
    let exit = NewExit {
        stage: "WITHDRAWN".to_owned(),
        reason: "Why not.".to_owned(),
        reopen: None,
    };
    let mut lines = Vec::new();
    for (who, ctx) in [
        ("viewer", world.app.member(Role::Viewer).await),
        ("agent", world.app.agent().await),
        ("operator", world.app.operator().await),
        (
            "owner elsewhere",
            world.app.member_of(&world.app.foreign, Role::Owner).await,
        ),
    ] {
        let refused = studio
            .director
            .take_exit(&ctx, world.id, exit.clone())
            .await;
        lines.push(format!("{who}: {}", refused.expect_err("refused").code()));
    }
    assert_snapshot!(lines.join("\n"), @"
    viewer: role_denied
    agent: members_only
    operator: members_only
    owner elsewhere: not_found
    ");
}
