//! The dashboard's pages of a whole production, as a member sees them on the way.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{COOKIE, HOST};
use http_body_util::BodyExt as _;
use insta::assert_snapshot;
use ql_core::role::Role;
use ql_web::{WebConfig, router};
use tower::ServiceExt as _;

use super::world::World;

/// A member who reads the pages of one production.
struct Reader {
    router: Router,
    cookie: String,
    here: String,
}

impl Reader {
    async fn of(world: &World, role: Role) -> Self {
        let (app, place) = (&world.app.app, &world.app.home);
        let operator = world.app.operator().await;
        let link = app
            .create_sign_in_link(&operator, place.members[&role])
            .await;
        let session = app.sign_in_with_link(&link.expect("a link")).await;
        let session = session.expect("a session").secret;
        let config = WebConfig {
            public_url: "https://ql.example".into(),
            director: Some(world.director.clone()),
        };
        Self {
            router: router(app.clone(), config),
            cookie: format!("{}={session}", app.session_cookie()),
            here: format!("/sites/{}/productions/{}", place.site.slug, world.id),
        }
    }

    /// A page of the production, which must be there.
    async fn open(&self, path: &str) -> String {
        let request = Request::get(format!("{}{path}", self.here))
            .header(HOST, "ql.example")
            .header(COOKIE, &self.cookie)
            .body(Body::empty())
            .expect("a request");
        let answer = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let body = answer.into_body().collect().await.expect("a body");
        String::from_utf8(body.to_bytes().to_vec()).expect("text")
    }
}

/// The words of a page's main part from one phrase on up to another.
fn between(html: &str, from: &str, to: &str) -> String {
    let main = html.split("<main").nth(1).expect("a main part");
    let mut words = String::new();
    for piece in main.split('<') {
        words.push(' ');
        words.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = words.join(" ");
    let start = words
        .find(from)
        .unwrap_or_else(|| panic!("{from}: {words}"));
    let rest = &words[start..];
    rest[..rest.find(to).unwrap_or(rest.len())]
        .trim()
        .to_owned()
}

#[tokio::test]
async fn from_the_first_draft_to_the_receipt() {
    let world = World::new().await;
    let reader = Reader::of(&world, Role::Owner).await;
    world.begin().await;
    for stage in ["RESEARCH_COMPLETED", "BIBLICAL_RESEARCH_COMPLETED"] {
        world.reopen(stage).await.expect("reopened");
    }
    world.work().await;
    let script = reader.open("/stages/SCRIPT_GENERATED").await;
    // The wrong word is marked in the script's own text, and stands beside the edition's.
    let marked = "but through me</a></mark>.” He gives himself.";
    assert!(script.contains(marked), "{script}");
    assert!(script.contains("<ins>by</ins>") && script.contains("<del>through</del>"));
    assert_snapshot!(between(&script, "Quotations of Scripture", "John 14:5"), @"Quotations of Scripture John 14:6 · kjv I am the way, the truth, and the life: no man cometh unto the Father, but through me Blocking 2. Scripture quote mismatch not the words of John.14.6: `through` stands for `by` John 14:6 (kjv) has I am the way, the truth, and the life: no man cometh unto the Father, but by me The agent wrote I am the way, the truth, and the life: no man cometh unto the Father, but through me SCRIPTURE_QUOTE_MISMATCH · /scripture/0/quote Nobody may waive this; it's mended or it stays. Warning 3. Agent self verified only the server verifies; leave `verified` false AGENT_SELF_VERIFIED · /scripture/0/verified Waive it Why it may stand It's kept with your name, and holds for these very words alone. Waive finding 3");

    world.reopen("SCRIPT_GENERATED").await.expect("reopened");
    world.work().await;
    let approved = reader.open("/stages/SCRIPT_APPROVED").await;
    assert!(
        approved.contains("He gives himself."),
        "the script to approve stands there"
    );
    assert_snapshot!(between(&approved, "What you can do", "Attestations"), @"What you can do Complete “Script approved” Then begins: Production planned, Voice recorded, Thumbnail drawn, Title and description written, Shorts cut.");
    world.approve("SCRIPT_APPROVED").await.expect("approved");
    let release = world.work().await.release.expect("sealed");
    let waiting = reader.open("/receipt").await;
    assert_snapshot!(between(&waiting, "Receipt Sealed", "Manifest"), @"Receipt Sealed It&#39;s sealed and not live: the proposal to publish it waits. Who let it go live Nobody yet. The proposal to publish it Facts Sealed now Worth Theology verified with qualifications");

    let owner = world.app.member(Role::Owner).await;
    world
        .app
        .approve(&owner, release.proposal)
        .await
        .expect("approved");
    world.work().await;
    let receipt = reader.open("/receipt").await;
    assert!(receipt.contains(&release.manifest_sha256.to_string()));
    let sealed = release.manifest["documents"].as_array().expect("documents");
    for document in sealed {
        let hash = document["sha256"].as_str().expect("a hash");
        assert!(receipt.contains(hash), "{document}");
    }
    assert!(receipt.contains("the run that compared it") && receipt.contains("entry 26 of site_"));
    assert_snapshot!(between(&receipt, "Receipt Published", "Manifest"), @"Receipt Published Export with proof What is live was compared with what was sealed, hash by hash, and is the same. Who let it go live TO person The owner now The proposal to publish it Facts Sealed now Worth Theology verified with qualifications");
    let done = reader.open("").await;
    assert_snapshot!(between(&done, "All of it is done", "Facts"), @"All of it is done The receipt of what was sealed Budget All of it $0.13 of $6.00 By task Research completed, attempt 2 $0.01 of $0.60 Biblical research completed, attempt 2 $0.01 of $0.60 Hermeneutics completed, attempt 1 $0.01 of $0.60 Script written, attempt 2 $0.01 of $0.60 Production planned, attempt 1 $0.01 of $0.60 Voice recorded, attempt 1 $0.01 of $0.60 Thumbnail drawn, attempt 1 $0.01 of $0.60 Title and description written, attempt 1 $0.01 of $0.60 Shorts cut, attempt 1 $0.01 of $0.60 Reception collected, attempt 1 $0.01 of $0.60 Change it All of it One task Set the budget");
}
