// A client in the types that openapi-typescript makes of /openapi.json. It is
// compiled and then run against a server.
import type { components, operations, paths } from "./api";

const server = process.env.SVC_URL!;
const key = process.env.SVC_API_KEY!;

type Workflow = components["schemas"]["WorkflowDefinition"];
type Event = components["schemas"]["ExecutionStreamMessage"];
type Started = operations["startRun"]["responses"][202]["content"]["application/json"];
type Refused = operations["startRun"]["responses"][503]["content"]["application/problem+json"];
type Page = operations["listRuns"]["responses"][200]["content"]["application/json"];
type Saved = paths["/workflows"]["post"]["responses"][201]["content"]["application/json"];

const greet: Workflow = {
  id: "greet",
  nodes: [
    { id: "who", type: "io.input", config: { name: "who", type: "string", default: "World" } },
    { id: "fmt", type: "text.format", config: { template: "Hello, {name}!" } },
    { id: "out", type: "io.output", config: { name: "greeting" } },
  ],
  connections: [
    { fromNodeId: "who", fromPort: "value", toNodeId: "fmt", toPort: "name" },
    { fromNodeId: "fmt", fromPort: "result", toNodeId: "out", toPort: "value" },
  ],
};

async function call<T>(method: string, path: keyof paths, body?: unknown): Promise<T> {
  const response = await fetch(server + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) {
    const problem = (await response.json()) as Refused;
    const code: Refused["code"] = problem.code;
    throw new Error(code === "run_limit" ? "try again later" : problem.detail);
  }
  return (await response.json()) as T;
}

async function follow(runId: string): Promise<Event[]> {
  const response = await fetch(`${server}/executions/${runId}/events`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map((m) => JSON.parse(m[1]) as Event);
}

async function main(): Promise<void> {
  const meta = await call<Saved>("POST", "/workflows", greet);
  const run = await call<Started>("POST", "/executions", greet);
  const last = (await follow(run.runId)).at(-1)!;
  const page = await call<Page>("GET", "/executions");
  if (!("result" in last) || last.result.status !== "completed" || page.items[0].runId !== run.runId || !meta.valid) {
    throw new Error(JSON.stringify({ meta, last, page }));
  }
  console.log(last.result.outputs["greeting"]);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
