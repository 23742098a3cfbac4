// A fault of the server, met by either SDK's client. See lib/faults.py.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin });

/** Meets the fault with `client`, is shown the server's text, and goes on with the same call. */
export async function faultSide(client) {
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return [result.content[0].text, result.isError];
  };
  // A client that validates results fetches the list first.
  await client.listTools();
  const [begun] = await call("querylayer_begin_run", {
    run_type: "interop-fault", input: {}, required_outputs: [], completion_conditions: [],
  });
  const args = {
    run_id: JSON.parse(begun).run_id, key: "summary", media_type: "text/plain",
    body: "Written once.", idempotency_key: randomUUID(),
  };
  await pause("take");
  const [text, isError] = await call("querylayer_record_artifact", args);
  await pause("give back");
  assert.match(text, /The server failed to carry out the call\..*idempotency_key/);
  assert.equal(isError, true);
  const [after] = await call("querylayer_record_artifact", args);
  assert.equal(JSON.parse(after).ok, true, after);
  lines.close();
}

/** Asks the one who runs this to do something to the server, and waits until it is done. */
function pause(what) {
  const answered = new Promise((resolve) => lines.once("line", resolve));
  console.log(what);
  return answered;
}
