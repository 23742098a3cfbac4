//! The protocol versions, and how a client and the server agree on one.

use insta::assert_snapshot;
use serde_json::{Value, json};

use ql_core::scope::Scope;

use crate::actor::{Actor, Speaks};
use crate::world::World;

fn hello(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } })
}

/// Cases 19 and 20. newo-ether/Agora#78, Graylog2/graylog2-server#24701: a newer version in
/// `initialize` was answered 400. drshade/haskell-mcp-server#2: the version header was demanded on it.
#[tokio::test]
async fn initialize_negotiates_and_never_refuses_a_version() {
    for (asked, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
    ] {
        for actor in [
            Actor::writer(),
            Actor::writer().header("mcp-protocol-version", asked),
            Actor::writer().header("mcp-protocol-version", "2025-06-18"),
            Actor::writer().header("mcp-protocol-version", "2026-07-28"),
            Actor::writer().header("mcp-protocol-version", "2031-01-01"),
            Actor::writer().header("mcp-protocol-version", "none"),
        ] {
            let reply = actor.request("initialize", hello(asked)).await;
            assert_eq!(reply.status, 200, "{asked}: {reply}");
            assert_eq!(
                reply.json()["result"]["protocolVersion"],
                agreed,
                "{asked}: {reply}"
            );
        }
    }
}

#[tokio::test]
async fn initialize_describes_the_server() {
    let reply = Actor::reader()
        .request("initialize", hello("2025-11-25"))
        .await;
    let mut result = reply.json()["result"].clone();
    result["serverInfo"]["version"] = json!("[version]");
    assert!(
        result["instructions"]
            .as_str()
            .is_some_and(|text| text.len() < 2048)
    );
    result["instructions"] = json!("[instructions]");
    assert_snapshot!(result, @r#"{"capabilities":{"tools":{}},"instructions":"[instructions]","protocolVersion":"2025-11-25","serverInfo":{"name":"querylayer","title":"QueryLayer","version":"[version]"}}"#);
}

#[tokio::test]
async fn discover_describes_the_server() {
    let reply = Actor::reader()
        .speaking(Speaks::Modern)
        .request("server/discover", json!({}))
        .await;
    let mut result = reply.json()["result"].clone();
    result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] = json!("[version]");
    result["instructions"] = json!("[instructions]");
    assert_snapshot!(result, @r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"querylayer","title":"QueryLayer","version":"[version]"}},"cacheScope":"private","capabilities":{"tools":{}},"instructions":"[instructions]","resultType":"complete","supportedVersions":["2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"ttlMs":0}"#);
}

#[tokio::test]
async fn handshakes_of_the_wrong_shape_are_invalid_parameters() {
    for params in [json!({}), json!({ "protocolVersion": 5 })] {
        let reply = Actor::writer().request("initialize", params).await;
        assert_eq!(reply.json()["error"]["code"], -32602, "{reply}");
    }
}

#[tokio::test]
async fn the_handshake_is_no_method_of_the_new_lifecycle() {
    let actor = Actor::writer().speaking(Speaks::Modern);
    for params in [json!({}), hello("2026-07-28")] {
        let reply = actor.request("initialize", params).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]["code"]),
            (404, &json!(-32601))
        );
    }
}

/// Case 21. NousResearch/hermes-agent#106799: Hermes sends neither `Mcp-Method` nor `Mcp-Name`,
/// which no version before 2026-07-28 asks for.
#[tokio::test]
async fn old_versions_work_by_header_and_without_one() {
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let actor = Actor::writer().header("mcp-protocol-version", version);
        for reply in [
            actor.request("tools/list", json!({})).await,
            actor.call("querylayer_look", json!({})).await,
        ] {
            assert_eq!(reply.status, 200);
            assert!(reply.json()["result"].is_object(), "{reply}");
            assert_eq!(reply.json()["result"]["resultType"], Value::Null);
            assert_eq!(reply.json()["result"]["_meta"], Value::Null);
        }
    }
    assert_eq!(
        Actor::writer().request("ping", json!({})).await.json()["result"],
        json!({})
    );
}

#[tokio::test]
async fn an_unknown_version_is_told_which_are_spoken() {
    let reply = Actor::writer()
        .header("mcp-protocol-version", "2024-11-05")
        .request("tools/list", json!({}))
        .await;
    assert_snapshot!(reply, @r#"
    400
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"protocol version `2024-11-05` isn't spoken here","data":{"requested":"2024-11-05","supported":["2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}}}
    "#);
    let mut params = json!({});
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let reply = Actor::writer()
        .header("mcp-protocol-version", "2031-01-01")
        .header("mcp-method", "tools/list")
        .request("tools/list", params)
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]["code"]),
        (400, &json!(-32022)),
        "{reply}"
    );
}

#[tokio::test]
async fn contradictions_between_headers_and_body_are_refused() {
    let modern = || Actor::writer().speaking(Speaks::Modern);
    for (name, value) in [
        ("mcp-method", "tools/call"),
        ("mcp-method", "Tools/List"),
        ("mcp-protocol-version", "2025-11-25"),
    ] {
        let reply = modern()
            .header(name, value)
            .request("tools/list", json!({}))
            .await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]["code"]),
            (400, &json!(-32020)),
            "{name}: {reply}"
        );
    }
    let reply = modern()
        .header("mcp-name", "querylayer_write")
        .call("querylayer_look", json!({}))
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]["code"]),
        (400, &json!(-32020)),
        "{reply}"
    );
}

/// The library says these in plain text.
#[tokio::test]
async fn unreadable_headers_are_refused_in_the_protocols_shape() {
    let reply = Actor::writer()
        .header("mcp-protocol-version", "é")
        .request("tools/list", json!({}))
        .await;
    assert_eq!(reply.status, 400);
    let modern = Actor::writer().speaking(Speaks::Modern);
    for name in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
        let reply = modern
            .clone()
            .header(name, "é")
            .call("querylayer_look", json!({}))
            .await;
        assert_eq!(reply.status, 400, "{name}");
    }
}

#[tokio::test]
async fn missing_request_metadata_is_invalid_parameters() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let reply = Actor::writer().speaking(Speaks::Modern).post(body).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]["code"]),
        (400, &json!(-32602)),
        "{reply}"
    );
}

/// An encoded `Mcp-Name` is one of the things that only the protocol library reads, so it shows
/// that both ways give the same answers.
#[tokio::test]
async fn the_library_and_the_prepared_way_answer_alike() {
    let actor = Actor::writer().speaking(Speaks::Modern);
    for arguments in [
        json!({}),
        json!({ "limit": 0 }),
        json!({ "query": "refuse" }),
        json!({ "query": "fail" }),
    ] {
        let prepared = actor.call("querylayer_look", arguments.clone()).await;
        let encoded = actor
            .clone()
            .header("mcp-name", "=?base64?cXVlcnlsYXllcl9sb29r?=");
        let library = encoded.call("querylayer_look", arguments).await;
        assert_eq!(prepared.status, library.status);
        assert_eq!(prepared.json(), library.json());
    }
    let encoded = Actor::reader()
        .speaking(Speaks::Modern)
        .header("mcp-name", "=?base64?cXVlcnlsYXllcl93cml0ZQ==?=");
    let library = encoded.call("querylayer_write", json!({})).await;
    let prepared = Actor::reader()
        .speaking(Speaks::Modern)
        .call("querylayer_write", json!({}))
        .await;
    assert_eq!(prepared.json(), library.json());
}

/// The same for lists, for every scope and in both lifecycles: what is put together from prepared
/// text is what the library says. It answers where a header is sent twice, and where an old version
/// stands in the metadata too.
#[tokio::test]
async fn prepared_lists_are_what_the_library_lists() {
    let world = World::new().await;
    let every = Scope::ALL.map(|scope| vec![scope]);
    for scopes in std::iter::once(Scope::ALL.to_vec()).chain(every) {
        let actor = world.connect("some scopes", &scopes).await.actor;
        let modern = actor.clone().speaking(Speaks::Modern);
        let twice = modern.clone().repeating("mcp-protocol-version");
        let old = actor.header("mcp-protocol-version", "2025-11-25");
        let repeated =
            json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2025-11-25" } });
        for (prepared, library) in [
            (
                modern.request("tools/list", json!({})).await,
                twice.request("tools/list", json!({})).await,
            ),
            (
                old.request("tools/list", json!({})).await,
                old.request("tools/list", repeated).await,
            ),
        ] {
            assert!(prepared.json()["result"]["tools"].is_array(), "{scopes:?}");
            let start: String = library.body.chars().take(300).collect();
            assert!(prepared.json() == library.json(), "{scopes:?}: {start}");
        }
    }
}

/// The protocol asks for it on every result, not on discovery alone.
#[tokio::test]
async fn every_result_of_the_new_lifecycle_names_the_server() {
    let actor = Actor::writer().speaking(Speaks::Modern);
    let look = |query: &str| actor.call("querylayer_look", json!({ "query": query }));
    for reply in [
        actor.request("server/discover", json!({})).await,
        actor.request("tools/list", json!({})).await,
        look("words").await,
        look("refuse").await,
        look("fail").await,
        look("panic").await,
        actor.call("querylayer_look", json!({ "limit": 0 })).await,
    ] {
        let meta = &reply.json()["result"]["_meta"];
        let server = &meta["io.modelcontextprotocol/serverInfo"];
        assert_eq!(
            (&server["name"], &server["title"]),
            (&json!("querylayer"), &json!("QueryLayer")),
            "{reply}"
        );
        assert!(server["version"].is_string(), "{reply}");
    }
}

#[tokio::test]
async fn the_list_says_that_it_is_private_to_the_token() {
    let reply = Actor::reader()
        .speaking(Speaks::Modern)
        .request("tools/list", json!({}))
        .await;
    let result = &reply.json()["result"];
    assert_eq!(
        (
            &result["ttlMs"],
            &result["cacheScope"],
            &result["resultType"]
        ),
        (&json!(0), &json!("private"), &json!("complete"))
    );
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "querylayer"
    );
    assert_eq!(result["nextCursor"], Value::Null);
}
