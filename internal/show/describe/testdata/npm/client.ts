// A client of the service, typed by what openapi-typescript makes of openapi.json. It reads every route and prints what it found.
import createClient from "openapi-fetch";
import type { components, paths } from "./service.js";

declare const process: { argv: string[] };

const client = createClient<paths>({ baseUrl: process.argv[2]! });

// The description names the routes and the words of closed lists, so mistakes do not compile.
// @ts-expect-error: no route
type _NoRoute = paths["/api/v1/signal.json"];
// @ts-expect-error: no label
const _noLabel: components["schemas"]["Evidence"]["evidence_label"] = "very_high";
// @ts-expect-error: clients can only read
type _NoWriting = paths["/api/v1/signals.json"]["post"]["responses"];

function kept(record: components["schemas"]["ProofClaim"]): string[] {
  return [record.id, String(record.version), record.verification_date, record.claim_boundary.statement, ...record.source_links.map((l) => l.url)];
}

async function collections() {
  const answers = await Promise.all([
    client.GET("/api/v1/signals.json"),
    client.GET("/api/v1/evidence.json"),
    client.GET("/api/v1/proof.json"),
    client.GET("/api/v1/healthcare-statistics.json"),
    client.GET("/data/v2/source-objects.json"),
    client.GET("/data/v2/public-references.json"),
    client.GET("/api/v1/graph-nodes.json"),
    client.GET("/api/v1/graph-edges.json"),
    client.GET("/api/v1/changes.json"),
    client.GET("/api/v2/entities.json"),
    client.GET("/api/v2/opportunities.json"),
    client.GET("/api/v2/recommendations.json"),
    client.GET("/api/v2/decision-views.json"),
  ]);
  return answers.map(({ data }) => ({ kind: data?.kind, count: data?.count, records: data?.records.length }));
}

async function singles() {
  const claims = await client.GET("/api/v1/proof.json");
  const claim = claims.data?.records[0];
  if (!claim) throw new Error("no claims");
  const one = await client.GET("/api/v1/proof/{claim_id}.json", { params: { path: { claim_id: claim.claim_id } } });
  const evidence = await client.GET("/api/v1/evidence/{evidence_id}.json", { params: { path: { evidence_id: claim.evidence[0]!.evidence_id } } });
  const signal = await client.GET("/api/v1/signals/{signal_id}.json", { params: { path: { signal_id: "no-such-signal" } } });
  return { kept: one.data && kept(one.data), label: evidence.data?.evidence_label, unknown: signal.response.status };
}

console.log(JSON.stringify({ collections: await collections(), ...(await singles()) }));
