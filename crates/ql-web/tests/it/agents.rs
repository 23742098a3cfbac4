//! Agents and their connections, runs, and the rules of the site.

use http::StatusCode;
use ql_core::bundle::{Held, verify};
use ql_core::role::Role;
use ql_testkit::TestApp;

use crate::browser::{Browser, Shown};

fn secret(page: &Shown) -> Option<String> {
    let elements = page.elements();
    let secret = elements.iter().find(|e| e.get("id") == Some("secret"));
    secret.map(|e| e.text.clone())
}

#[tokio::test]
async fn an_agent_is_registered_connected_seen_and_revoked() {
    let test = TestApp::new().await;
    let mut admin = Browser::member(&test, Role::Admin).await;
    let form = admin.get("/sites/site/agents/new").await;
    let fields = [("name", "Link checker"), ("harness", "codex")];
    let connect = admin.submit(&form, "/sites/site/agents/new", &fields).await;
    assert_eq!(connect.heading(), "New connection for Link checker");
    let action = connect
        .elements()
        .into_iter()
        .find_map(|e| {
            e.get("action")
                .filter(|a| a.ends_with("/connect"))
                .map(str::to_owned)
        })
        .expect("a form");
    let none = admin.submit(&connect, &action, &[]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    let made = admin
        .submit(&none, &action, &[("name", "build server")])
        .await;
    let token = secret(&made).expect("the secret, this once");
    assert!(token.starts_with("qla_") && token.len() == 40, "{token}");
    assert!(made.html.contains("https://ql.example/mcp"));
    assert!(made.says("Waiting for the first call."));
    let lamp = made
        .elements()
        .into_iter()
        .find(|e| e.get("id") == Some("lamp"))
        .expect("a lamp");
    let address = lamp
        .get("hx-get")
        .expect("an address that is asked again")
        .to_owned();
    let again = admin.get(&address).await;
    assert!(secret(&again).is_none() && !again.html.contains(&token));

    test.app
        .authenticate_connection(&token)
        .await
        .expect("a living connection");
    for _ in 0..200 {
        if admin.get(&address).await.says("Connected.") {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(admin.get(&address).await.says("Connected."));

    let confirm = admin.get(&format!("{address}/revoke")).await;
    assert!(confirm.says("Its very next call is refused."));
    let ended = admin
        .submit(&confirm, &format!("{address}/revoke"), &[])
        .await;
    assert!(
        ended.says("Nothing can call with it any more."),
        "{}",
        ended.words()
    );
    assert!(test.app.authenticate_connection(&token).await.is_err());
}

#[tokio::test]
async fn a_rotated_connection_has_a_new_secret_and_the_old_one_ends() {
    let test = TestApp::new().await;
    let mut admin = Browser::member(&test, Role::Admin).await;
    let address = format!(
        "/sites/site/connections/{}",
        test.home.connection.connection.id
    );
    let confirm = admin.get(&format!("{address}/rotate")).await;
    let rotated = admin
        .submit(&confirm, &format!("{address}/rotate"), &[])
        .await;
    let token = secret(&rotated).expect("a new secret");
    assert!(test.app.authenticate_connection(&token).await.is_ok());
    let old = test.home.connection.secret.expose();
    assert!(test.app.authenticate_connection(old).await.is_err());
}

#[tokio::test]
async fn permissions_that_are_taken_away_show_on_the_connection() {
    let test = TestApp::new().await;
    let mut admin = Browser::member(&test, Role::Admin).await;
    let agent = format!("/sites/site/agents/{}", test.home.agent.id);
    let page = admin.get(&agent).await;
    assert!(page.says("8 scopes"), "{}", page.words());
    let action = format!("{agent}/permissions");
    let mut kept = page.filled(&action, &[]);
    kept.retain(|(_, value)| value != "publish:request");
    let sent = admin.post(&action, &kept).await;
    let after = admin.get(&sent.location()).await;
    assert!(after.says("7 of 8 scopes work"), "{}", after.words());
    let renamed = admin
        .submit(&after, &format!("{agent}/rename"), &[("name", "Scribe")])
        .await;
    assert_eq!(renamed.heading(), "Scribe");
}

#[tokio::test]
async fn a_run_shows_what_it_did_and_what_is_missing() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let begun = ql_app::run::BeginRun {
        run_type: "refresh-article".into(),
        input: serde_json::json!({"why": "old"}),
        required_outputs: vec!["report".into()],
        completion_conditions: vec!["Every link answers.".into()],
    };
    let run = test
        .app
        .begin_run(&agent, begun, None)
        .await
        .expect("a run")
        .run_id;
    test.draft(&agent, run, "Opening hours").await;
    let record = ql_app::run::RecordArtifact {
        run,
        key: "notes".into(),
        media_type: "text/html".into(),
        body: "<script>alert('artifact')</script>".into(),
        sha256: None,
        affected: vec![],
    };
    test.app
        .record_artifact(&agent, record, None)
        .await
        .expect("an artifact");
    let mut viewer = Browser::member(&test, Role::Viewer).await;
    let open = viewer.get(&format!("/sites/site/runs/{run}")).await;
    assert!(
        open.says("Not yet") && open.says("Every link answers."),
        "{}",
        open.words()
    );
    test.app
        .finish_run(
            &agent,
            (run, ql_core::run::Outcome::Completed),
            ql_core::run::FinishRequest {
                summary: "All done.".into(),
                reasons: vec![],
            },
            None,
        )
        .await
        .expect("a finished run");
    let page = viewer.get(&format!("/sites/site/runs/{run}")).await;
    assert!(
        page.says("1 of 1 promised outputs is missing."),
        "{}",
        page.words()
    );
    assert!(
        page.says("Asked for completed, stored as blocked"),
        "{}",
        page.words()
    );
    let artifact = viewer.get(&page.link("/artifacts/")).await;
    assert!(artifact.says("<script>alert('artifact')</script>"));
    assert!(!artifact.html.contains("<script>alert"));
    assert_eq!(
        viewer.visit(&format!("/runs/{run}")).await.heading(),
        "refresh-article"
    );
}

#[tokio::test]
async fn members_are_added_given_roles_and_removed() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let page = owner.get("/sites/site/members").await;
    let fields = [
        ("name", "Ada Quill"),
        ("email", "ada@acme.example"),
        ("role", "reviewer"),
    ];
    let added = owner.submit(&page, "/sites/site/members", &fields).await;
    let link = added
        .elements()
        .into_iter()
        .find(|e| e.get("id") == Some("link"))
        .expect("a link");
    let path = link
        .text
        .trim_start_matches("https://ql.example")
        .to_owned();
    let mut ada = Browser::new(&test);
    assert!(ada.get(&path).await.says("You are signed in as Ada Quill."));
    let twice = owner.submit(&added, "/sites/site/members", &fields).await;
    assert_eq!(twice.status, StatusCode::UNPROCESSABLE_ENTITY);
    let row = |page: &Shown, part: &str| {
        let elements = page.elements();
        let mut forms = elements.iter().filter_map(|e| e.get("action"));
        forms
            .rfind(|a| a.ends_with(part))
            .expect("a form")
            .to_owned()
    };
    let set = owner
        .submit(&twice, &row(&twice, "/role"), &[("role", "editor")])
        .await;
    assert!(set.says("Saved."));
    let gone = owner.submit(&set, &row(&set, "/remove"), &[]).await;
    assert!(
        gone.says("All of its sessions ended.") && !gone.says("Ada Quill"),
        "{}",
        gone.words()
    );
    assert_eq!(ada.get("/").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn settings_and_policy_are_changed_and_checked() {
    let test = TestApp::new().await;
    let mut admin = Browser::member(&test, Role::Admin).await;
    let page = admin.get("/sites/site/settings").await;
    let action = "/sites/site/settings";
    let wrong = admin
        .submit(&page, action, &[("time_zone", "Mars/Olympus")])
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.says("time_zone"), "{}", wrong.words());
    let saved = admin
        .submit(&wrong, action, &[("time_zone", "Asia/Kathmandu")])
        .await;
    assert!(saved.says("Saved."));
    let policy = "/sites/site/settings/policy";
    let kept = admin.submit(&saved, policy, &[]).await;
    assert!(
        kept.says("version 1") || kept.says("version 0"),
        "{}",
        kept.words()
    );
    let two = admin
        .submit(
            &kept,
            policy,
            &[("publish_lifecycle.medium.approvals", "2")],
        )
        .await;
    assert!(two.says("The new policy is in force."), "{}", two.words());
    let zero = admin
        .submit(&two, policy, &[("publish_lifecycle.medium.approvals", "0")])
        .await;
    assert_eq!(zero.status, StatusCode::UNPROCESSABLE_ENTITY);
    let form = admin.get("/sites/site/settings/new-site").await;
    let fields = [
        ("name", "Seeds"),
        ("slug", "seeds"),
        ("base_url", "https://seeds.example"),
    ];
    let made = admin
        .submit(&form, "/sites/site/settings/new-site", &fields)
        .await;
    assert_eq!(made.heading(), "Templates");
}

#[tokio::test]
async fn the_audit_trail_is_read_filtered_and_verified() {
    let test = TestApp::new().await;
    test.live_article(&test.home, "Opening hours").await;
    let mut viewer = Browser::member(&test, Role::Viewer).await;
    let page = viewer.get("/sites/site/audit").await;
    assert!(
        page.says("proposal.executed") && page.says("run.begun"),
        "{}",
        page.words()
    );
    let narrowed = viewer.get("/sites/site/audit?kind=run&actor=agent:").await;
    assert!(!narrowed.says("proposal.executed") && narrowed.says("run.begun"));
    let checked = viewer.submit(&page, "/sites/site/audit/verify", &[]).await;
    assert!(checked.says("chains verify."), "{}", checked.words());
    let exported = viewer.submit(&page, "/sites/site/audit/export", &[]).await;
    assert_eq!(
        exported.header("content-disposition"),
        "attachment; filename=\"site.qlbundle\""
    );
    let report = verify(exported.html.as_bytes(), &Held::default()).expect("it proves itself");
    assert_eq!(report.subject, test.home.site.id.to_string());
    let organization = viewer.get("/sites/site/audit?of=organization").await;
    assert!(
        organization.says("member.signed_in"),
        "{}",
        organization.words()
    );
}

#[tokio::test]
async fn a_personal_token_is_made_once_and_revoked() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let page = editor.get("/account").await;
    let made = editor
        .submit(&page, "/account/tokens", &[("name", "export")])
        .await;
    let token = secret(&made).expect("a secret");
    assert!(test.app.authenticate_personal_token(&token).await.is_ok());
    let revoke = made.elements().into_iter().find_map(|e| {
        e.get("action")
            .filter(|a| a.ends_with("/revoke"))
            .map(str::to_owned)
    });
    editor.submit(&made, &revoke.expect("a form"), &[]).await;
    assert!(test.app.authenticate_personal_token(&token).await.is_err());
}
