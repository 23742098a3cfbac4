// The official TypeScript client 2.x, in the era named by the first argument (auto or legacy).

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { faultSide } from "./fault.mjs";
import { agentSide } from "./scenario.mjs";
import { version } from "./version.mjs";

const headers = { Authorization: `Bearer ${process.env.QUERYLAYER_TOKEN}` };
const url = new URL(process.env.QUERYLAYER_URL);
const options = process.argv[2] === "auto" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "querylayer-interop", version: "1" }, options);
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
await (process.argv.includes("fault") ? faultSide : agentSide)(client);
await client.close();
console.log(version("@modelcontextprotocol/client"));
