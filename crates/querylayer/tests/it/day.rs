//! docs/productions.md, done: from a site without any production to one that is published.

use std::net::SocketAddr;
use std::path::Path;

use insta::assert_snapshot;
use ql_core::hash::Digest;
use ql_testkit::TempDir;
use querylayer::cmd::director::excerpt;
use reqwest::{Client, Response, Url, redirect};
use serde_json::{Value, json};

use crate::kill9::money::Biller;
use crate::process::{Server, arg, http, json as printed, said};

const ROLES: [&str; 11] = [
    "research",
    "biblical_research",
    "hermeneutics",
    "scriptwriting",
    "production",
    "voice",
    "thumbnail",
    "seo",
    "shorts",
    "publishing",
    "analytics",
];

/// The owner at the dashboard.
struct Owner {
    client: Client,
    url: String,
    cookie: String,
    csrf: String,
}

impl Owner {
    async fn sign_in(server: &Server) -> Self {
        let client = http().redirect(redirect::Policy::none()).build();
        let mut owner = Self {
            client: client.expect("a client"),
            url: server.url(),
            cookie: String::new(),
            csrf: String::new(),
        };
        let landed = owner.client.get(server.text("sign_in_url")).send().await;
        let landed = landed.expect("an answer");
        let cookie = landed.headers()["set-cookie"].to_str().expect("text");
        owner.cookie = cookie.split(';').next().expect("a pair").to_owned();
        let session = owner.read("/api/v1/session").await;
        let csrf = session["csrf_token"].as_str().expect("a token");
        csrf.clone_into(&mut owner.csrf);
        owner
    }

    async fn get(&self, path: &str) -> String {
        let asked = self.client.get(format!("{}{path}", self.url));
        let answer = asked.header("cookie", &self.cookie).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.expect("text")
    }

    async fn read(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await).expect("JSON")
    }

    /// Sends a form of the site, and answers where it leads.
    async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let fields = [&[("csrf", self.csrf.as_str())], fields].concat();
        let form = Url::parse_with_params("http://form/", fields).expect("a form");
        let form = form.query().expect("fields").to_owned();
        let asked = self
            .client
            .post(format!("{}/sites/elmsea/{path}", self.url));
        let asked = asked
            .header("cookie", &self.cookie)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        let answer = asked.send().await.expect("an answer");
        led(answer, path).await
    }

    async fn approve(&self, id: &str, stage: &str) {
        let path = format!("productions/{id}/stages/{stage}/approve");
        self.submit(&path, &[]).await;
    }

    /// Approves the only proposal that waits.
    async fn approve_publication(&self) {
        let waiting = self
            .read("/api/v1/sites/elmsea/proposals?state=pending")
            .await;
        let proposals = waiting["items"].as_array().expect("proposals");
        assert_eq!(proposals.len(), 1, "{waiting}");
        let path = format!(
            "/api/v1/proposals/{}",
            proposals[0]["id"].as_str().expect("an id")
        );
        let digest = &self.read(&path).await["digest"];
        let decision = json!({"decision": "approve", "digest": digest});
        let asked = self.client.post(format!("{}{path}/decisions", self.url));
        let asked = asked.json(&decision);
        let asked = asked
            .header("cookie", &self.cookie)
            .header("x-csrf-token", &self.csrf);
        let answer = asked.send().await.expect("an answer");
        let (status, text) = (answer.status(), answer.text().await.expect("text"));
        assert_eq!(status, 200, "{text}");
    }
}

async fn led(answer: Response, path: &str) -> String {
    let status = answer.status();
    let to = answer.headers().get("location").cloned();
    let text = answer.text().await.expect("text");
    assert_eq!(status, 303, "{path}: {text}");
    to.expect("an address").to_str().expect("text").to_owned()
}

fn write_settings(folder: &Path, address: SocketAddr) {
    let models: String = ["reasoning", "writing", "vision", "tts"]
        .map(|tier| format!("[{tier}]\nprovider = \"openai\"\nbase_url = \"http://{address}/v1\"\nmodel = \"billed\"\n\n"))
        .concat();
    let tiers = format!("{models}[image]\nprovider = \"local\"\n");
    let prices = "as_of = \"2026-12-01\"\nsource = \"a test\"\n\n[[price]]\nprovider = \"openai\"\nmodel = \"billed\"\ninput = 1_000_000\noutput = 2_000_000\nspeech = 15_000_000\n";
    std::fs::write(folder.join("tiers.toml"), tiers).expect("written");
    std::fs::write(folder.join("prices.toml"), prices).expect("written");
    std::fs::write(folder.join("kjv.tsv"), excerpt::VERSES).expect("written");
}

fn serve(folder: TempDir) -> Server {
    let within = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (tiers, prices) = (within("tiers.toml"), within("prices.toml"));
    let settings = [
        ("QUERYLAYER_POLICY", "biblical-teaching"),
        ("QUERYLAYER_TIERS", tiers.as_str()),
        ("QUERYLAYER_PRICES", prices.as_str()),
    ];
    Server::start_with(folder, &settings)
}

fn import_edition(folder: &Path) {
    let (file, data) = (folder.join("kjv.tsv"), folder.join("data"));
    said(&[
        "corpus",
        "import",
        arg(&file),
        "--id",
        "kjv",
        "--name",
        "An excerpt",
        "--language",
        "en",
        "--licence",
        "public domain",
        "--source",
        "a test",
        "--data",
        arg(&data),
    ]);
}

/// Waits until only people can go on, and answers what the production waits for.
fn watch(id: &str, data: &str) -> String {
    let told = said(&["director", "watch", id, "--data", data, "--json"]);
    let last = told.lines().last().expect("a line");
    let view: Value = serde_json::from_str(last).expect("JSON");
    let waits = view["waits"].as_array().expect("waits").iter();
    let waits: Vec<&str> = waits.filter_map(|of| of["told"].as_str()).collect();
    let done = if view["is_done"] == true {
        "done; "
    } else {
        ""
    };
    format!("{done}{}", waits.join(", "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_site_has_a_published_production() {
    let folder = TempDir::new();
    let (_biller, address, _happening) = Biller::serve(1).await;
    write_settings(folder.path(), address);
    import_edition(folder.path());
    let server = serve(folder);
    let owner = Owner::sign_in(&server).await;
    let connection = server.text("connection").to_owned();
    for role in ROLES {
        let cast = [
            ("role", role),
            ("connection", &connection),
            ("played_by", "provider"),
        ];
        owner.submit("productions/roles", &cast).await;
    }
    let new = [
        ("title", "The way"),
        ("objective", "A talk on John 14:6."),
        ("audience", "Everybody"),
        ("medium", "video"),
        ("template", "article"),
        (
            "fields",
            r#"{"author": "ana-duarte", "date": "2026-12-01"}"#,
        ),
        ("budget", "6"),
        ("task_budget", "0.60"),
    ];
    let led_to = owner.submit("productions/new", &new).await;
    let id = led_to.rsplit('/').next().expect("an id").to_owned();
    for stage in ["IDEA_PROPOSED", "TOPIC_APPROVED"] {
        owner.approve(&id, stage).await;
    }
    let data = server.data();
    let data = arg(&data);
    let mut waits = vec![watch(&id, data)];
    owner.approve(&id, "SCRIPT_APPROVED").await;
    waits.push(watch(&id, data));
    assert_eq!(live(&owner).await.len(), 0, "nothing is live by itself");
    let sealed = "a person: Publication approved";
    assert!(
        waits[1].contains(sealed),
        "{}",
        said(&["director", "status", &id, "--data", data])
    );
    owner.approve_publication().await;
    waits.push(watch(&id, data));
    assert_snapshot!(waits.join("\n"), @"
    a person: Script approved
    a person: Publication approved
    done;
    ");
    assert_eq!(live(&owner).await.len(), 1);
    let receipt = owner
        .get(&format!("/sites/elmsea/productions/{id}/receipt"))
        .await;
    let sent = server.data().join("outbox").join(&id).join("1-release");
    let manifest = std::fs::read(sent.join("manifest.json")).expect("the manifest");
    assert!(
        receipt.contains(&Digest::of(&manifest).to_string()),
        "{receipt}"
    );
    let status = printed(&["director", "status", &id, "--data", data, "--json"]);
    assert!(
        status["committed_micros"]
            .as_i64()
            .is_some_and(|spent| spent > 10_000),
        "{status}"
    );
}

/// The production's pages that the public can read.
async fn live(owner: &Owner) -> Vec<String> {
    let items = owner.read("/delivery/v1/sites/elmsea/items").await;
    let titles = items["items"].as_array().expect("items").iter();
    let titles = titles.filter_map(|item| item["fields"]["title"].as_str());
    let own = titles.filter(|title| title.contains("I am the way"));
    own.map(str::to_owned).collect()
}
