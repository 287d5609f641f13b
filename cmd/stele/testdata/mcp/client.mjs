// An agent with the SDK of TypeScript, which holds data to the schemas of tools. It starts the program that it is
// given on a release, calls every tool, and writes how each answer begins.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, release] = process.argv.slice(2);
const agent = new Client({ name: "test", version: "1" });
await agent.connect(new StdioClientTransport({ command, args: ["mcp", release], env: process.env }));
await agent.listTools(); // from here on it knows their schemas
for (const [name, args] of [
  ["search", { query: "do vaccines cause autism?" }], ["record", { id: "clm-mmr-and-autism" }],
  ["record", { id: "evd-paper-of-1998" }], ["record", { id: "evd-paper-of-1998", include_retracted: true }],
  ["trace", { id: "dec-putting-off-mmr" }], ["series", { indicator: "mcv1", area: "GBR" }], ["changes", {}],
]) {
  const answer = await agent.callTool({ name, arguments: args });
  console.log(answer.isError ? "error" : "answer", name, answer.content[0].text.slice(0, 40).replaceAll("\n", " "));
}
await agent.close();
