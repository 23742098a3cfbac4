// The agent's side of the governed story, for any client that can list and call tools.

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";

const TOOLS = [
  "querylayer_site_context", "querylayer_list_content", "querylayer_begin_run",
  "querylayer_record_artifact", "querylayer_finish_run", "querylayer_create_draft",
  "querylayer_record_claim_evidence", "querylayer_list_evidence", "querylayer_create_proposal",
  "querylayer_request_publish_approval", "querylayer_list_proposals",
];
const EXCERPT = "Horned poppies sow themselves where the shingle is left alone.";
const REFUSED = ["invalid_arguments", "not_found"];

/** Lists and calls with `client`, which is either SDK's; the names of the two are the same. */
export async function agentSide(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const tool of TOOLS) assert.ok(names.includes(tool), `${tool} is not listed`);

  const call = async (name, args) => answerOf(await client.callTool({ name, arguments: args }));
  const accepted = async (name, args) => {
    const answer = await call(name, args);
    assert.equal(answer.ok, true, `${name} was refused: ${JSON.stringify(answer)}`);
    return answer;
  };

  await reads(accepted);
  const { run_id } = await accepted("querylayer_begin_run", {
    run_type: "interop-draft",
    input: { topic: "horned poppy" },
    required_outputs: ["summary"],
    completion_conditions: ["One article is drafted and its publication is asked for."],
  });
  await refusals(call, accepted, run_id);
  const draft = await createDraft(accepted, run_id);
  await record(accepted, run_id, draft);
  await requestPublication(accepted, run_id, draft);
}

/** The answer, which must be the same in the text block and as structured content. */
function answerOf(result) {
  const answer = JSON.parse(result.content[0].text);
  assert.ok(!result.isError, `governed refusals are not errors: ${result.content[0].text}`);
  assert.deepEqual(result.structuredContent, answer);
  return answer;
}

async function reads(accepted) {
  const context = await accepted("querylayer_site_context", {});
  const templates = context.templates.map((template) => template.key);
  for (const key of ["article", "author", "landing_page"]) assert.ok(templates.includes(key), key);
  assert.ok(context.connection.effective_scopes.includes("publish:request"));
  const listed = await accepted("querylayer_list_content", { template: "article" });
  assert.ok(listed.items.length > 0, "the sample articles are missing");
}

/** Four refusals in a row, after which the client must still call. */
async function refusals(call, accepted, run_id) {
  const nowhere = { run_id: "run_none", outcome: "completed", summary: "Not a run." };
  const refused = [
    ["querylayer_create_draft", { run_id, template: "article", site_id: "another", fields: fields("x") }, /site_id/],
    ["querylayer_finish_run", nowhere, /no such run/],
    ["querylayer_record_claim_evidence", { run_id }, /claim/],
    ["querylayer_record_artifact", { run_id, key: "summary", media_type: "text/plain" }, /body/],
  ];
  for (const [tool, args, named] of refused) {
    const answer = await call(tool, args);
    assert.equal(answer.ok, false, `${tool} was carried out`);
    assert.ok(REFUSED.includes(answer.code), answer.code);
    assert.match(JSON.stringify(answer), named);
  }
  await accepted("querylayer_site_context", {});
}

function fields(mark) {
  return {
    title: `Horned poppies after the storm (${mark})`,
    summary: "The shingle moved two metres in a night, and the poppies moved with it.",
    author: "maren-oxley",
    date: "2026-12-02",
    topics: ["shingle garden"],
    body: `${EXCERPT}\n\nThe pods are as long as a hand – “curved like a grin”.`,
  };
}

async function createDraft(accepted, run_id) {
  const mark = randomUUID().slice(0, 8);
  const args = {
    run_id, template: "article", locale: "en", slug: `horned-poppy-${mark}`,
    fields: fields(mark), change_note: "First draft.", idempotency_key: mark,
  };
  const draft = await accepted("querylayer_create_draft", args);
  const again = await accepted("querylayer_create_draft", args);
  assert.equal(again.revision_id, draft.revision_id, "the repeated key made a second draft");
  return draft;
}

async function record(accepted, run_id, draft) {
  const claim = await accepted("querylayer_record_claim_evidence", {
    run_id, revision_id: draft.revision_id, pointer: "/body",
    claim: "Horned poppies sow themselves on shingle.",
    evidence: [{
      source_url: "https://flora.example/glaucium-flavum", title: "Glaucium flavum",
      publisher: "A flora", excerpt: EXCERPT, locator: "habitat",
      retrieved_at: "2026-11-30T09:00:00Z", stance: "supports",
    }],
  });
  const listed = await accepted("querylayer_list_evidence", { revision_id: draft.revision_id });
  assert.match(JSON.stringify(listed), new RegExp(claim.claim_id));
  const body = "One article was drafted – “Horned poppies after the storm”.";
  const artifact = await accepted("querylayer_record_artifact", {
    run_id, key: "summary", media_type: "text/markdown", body,
    affected_content_ids: [draft.content_id],
  });
  assert.equal(artifact.sha256, createHash("sha256").update(body).digest("hex"));
}

async function requestPublication(accepted, run_id, draft) {
  const { content_id, revision_id } = draft;
  const proposal = await accepted("querylayer_request_publish_approval", {
    run_id, rationale: "The article is complete and has its evidence.",
    items: [{ action: "publish", content_id, revision_id }],
  });
  const finished = await accepted("querylayer_finish_run", {
    run_id, outcome: "completed", summary: "Drafted, publication requested.",
  });
  assert.equal(finished.outcome, "completed");
  const { proposals } = await accepted("querylayer_list_proposals", { run_id });
  const mine = proposals.find((entry) => entry.proposal_id === proposal.proposal_id);
  assert.equal(mine?.state, "pending");
  const listed = await accepted("querylayer_list_content", { content_id });
  assert.ok(!listed.items[0].published_revision_id, "a draft went live");
}
