// The official TypeScript SDK 1.x.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { faultSide } from "./fault.mjs";
import { agentSide } from "./scenario.mjs";
import { version } from "./version.mjs";

const headers = { Authorization: `Bearer ${process.env.QUERYLAYER_TOKEN}` };
const url = new URL(process.env.QUERYLAYER_URL);
const client = new Client({ name: "querylayer-interop", version: "1" });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
await (process.argv.includes("fault") ? faultSide : agentSide)(client);
await client.close();
console.log(version("@modelcontextprotocol/sdk"));
