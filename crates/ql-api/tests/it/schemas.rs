use insta::assert_snapshot;
use serde_json::json;

use crate::actor::Actor;

#[tokio::test]
async fn a_published_tool_is_plain() {
    let list = Actor::writer()
        .request("tools/list", json!({}))
        .await
        .json();
    let tool = &list["result"]["tools"][1];
    assert_snapshot!(tool, @r#"{"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false,"title":"Write"},"description":"Gives back what it was given.","inputSchema":{"additionalProperties":false,"properties":{"fields":{"description":"Anything.","type":"object"},"main_source":{"description":"The first source again, alone.","properties":{"retrieved_at":{"description":"When it was read.","format":"date-time","type":"string"},"stance":{"description":"What it says about the claim. (supports: speaks for it; contradicts: speaks against it)","enum":["supports","contradicts"],"type":"string"},"url":{"description":"Where it is.","maxLength":20,"minLength":1,"type":"string"}},"required":["url","stance"],"type":"object"},"run_id":{"description":"The run.","pattern":"^run_[0-9a-z]{2}$","type":"string"},"sources":{"default":[],"description":"Where it's from.","items":{"description":"One source.","properties":{"retrieved_at":{"description":"When it was read.","format":"date-time","type":"string"},"stance":{"description":"What it says about the claim. (supports: speaks for it; contradicts: speaks against it)","enum":["supports","contradicts"],"type":"string"},"url":{"description":"Where it is.","maxLength":20,"minLength":1,"type":"string"}},"required":["url","stance"],"type":"object"},"maxItems":3,"type":"array"},"urgent":{"description":"Whether to hurry.","type":"boolean"}},"required":["run_id","fields"],"type":"object"},"name":"querylayer_write","outputSchema":{"properties":{"code":{"description":"stable reason, when ok is false","type":"string"},"details":{"description":"facts to go on with, when ok is false","type":"object"},"message":{"description":"which rule was met, when ok is false","type":"string"},"ok":{"description":"true when the call was carried out; false when a rule refused it","type":"boolean"},"remedy":{"description":"what to do next, when ok is false","type":"string"}},"required":["ok"],"type":"object"},"title":"Write"}"#);
}
