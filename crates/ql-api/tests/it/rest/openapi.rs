//! The published description is the table that is served.

use std::collections::BTreeSet;

use axum::body::Body;
use ql_api::rest;
use serde_json::Value;

use super::person::Api;

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").iter();
        methods.map(move |(method, operation)| {
            (method.to_uppercase(), path.clone(), operation.clone())
        })
    });
    all.collect()
}

#[tokio::test]
async fn it_names_every_route_and_no_other() {
    let api = Api::new().await;
    let served = api.anonymous().get("/openapi.json").await;
    assert_eq!(served.json(), rest::openapi());
    let described: BTreeSet<(String, String)> = operations(&rest::openapi())
        .into_iter()
        .map(|(method, path, _)| (method, format!("/api/v1{path}")))
        .collect();
    let routes: BTreeSet<(String, String)> = rest::table().into_iter().collect();
    assert_eq!(described, routes);
    assert_eq!(routes.len(), rest::table().len(), "no route stands twice");
    for (method, path) in routes {
        let path = path.trim_start_matches("/api/v1").replace(['{', '}'], "");
        let reply = api.anonymous().send(&method, &path, Body::empty()).await;
        assert_eq!(reply.status, 401, "{method} {path} is served");
    }
}

#[test]
fn every_operation_says_what_it_does_takes_and_gives() {
    let document = rest::openapi();
    let mut names = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let place = format!("{method} {path}");
        assert!(
            names.insert(operation["operationId"].to_string()),
            "{place}"
        );
        assert!(
            operation["summary"]
                .as_str()
                .is_some_and(|text| text.len() > 5),
            "{place}"
        );
        let declared: BTreeSet<&str> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|parameter| {
                assert!(parameter["description"].is_string(), "{place}: {parameter}");
                parameter["name"].as_str().expect("a name")
            })
            .collect();
        for part in path.split('/').filter_map(|part| part.strip_prefix('{')) {
            assert!(declared.contains(part.trim_end_matches('}')), "{place}");
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if !body.is_null() {
            jsonschema::draft202012::meta::validate(body).expect("a sound schema");
        }
        let responses = operation["responses"].as_object().expect("responses");
        for (status, response) in responses.iter().filter(|(status, _)| *status != "204") {
            let media = response["content"].as_object();
            let schema = media.and_then(|media| media.values().next()?.get("schema"));
            assert!(
                status == "default" || schema.is_some_and(serde_json::Value::is_object),
                "{place} {status}"
            );
        }
    }
}

/// One operation as it is published, whole.
#[test]
fn a_decision_is_described_to_its_last_field() {
    let document = rest::openapi();
    let mut operation = document["paths"]["/proposals/{id}/decisions"]["post"].clone();
    operation["responses"] = "…".into();
    insta::assert_snapshot!(format!("{operation:#}"), @r#"
    {
      "operationId": "decide_proposal",
      "parameters": [
        {
          "description": "The id.",
          "in": "path",
          "name": "id",
          "required": true,
          "schema": {
            "type": "string"
          }
        }
      ],
      "requestBody": {
        "content": {
          "application/json": {
            "schema": {
              "properties": {
                "comment": {
                  "description": "Why; needed unless it approves.",
                  "maxLength": 4000,
                  "type": "string"
                },
                "decision": {
                  "description": "What is decided.",
                  "enum": [
                    "approve",
                    "reject",
                    "request_changes"
                  ],
                  "type": "string"
                },
                "digest": {
                  "description": "The digest that the proposal showed.",
                  "pattern": "^[0-9a-f]{64}$",
                  "type": "string"
                }
              },
              "required": [
                "decision",
                "digest"
              ],
              "type": "object"
            }
          }
        },
        "required": true
      },
      "responses": "…",
      "summary": "Decides a proposal on the digest that was seen; the approval that suffices carries it out",
      "tags": [
        "proposals"
      ]
    }
    "#);
}
