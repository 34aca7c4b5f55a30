// A program with the client that @hey-api/openapi-ts makes of /openapi.json: it starts the
// workflow that it is told, follows the run and prints what that puts out.
import { client } from "./api/client.gen.js";
import { followRun, getRun, listWorkflows, runWorkflow } from "./api/sdk.gen.js";

const [id, inputs] = process.argv.slice(2);
client.setConfig({ baseUrl: process.env.SVC_URL!, auth: process.env.SVC_API_KEY!, throwOnError: true });

async function main(): Promise<void> {
  const stored = await listWorkflows({ throwOnError: true });
  const meta = stored.data.find((one) => one.id === id);
  if (!meta?.valid) throw new Error(`${id} is not there, or not valid`);
  const started = await runWorkflow({ path: { id }, body: { inputs: JSON.parse(inputs), async: true }, throwOnError: true });
  if (!("runId" in started.data)) throw new Error("an asynchronous run has an id");
  const { runId } = started.data;
  let events = 0;
  const { stream } = await followRun({ path: { id: runId }, onSseEvent: (event) => {
    if (Number(event.id) !== ++events) throw new Error(`event ${event.id} comes as the number ${events}`);
  } });
  for await (const _ of stream) { /* up to the end */ }
  const { data: run } = await getRun({ path: { id: runId }, throwOnError: true });
  console.log(JSON.stringify({ runId, events, status: run.status, outputs: run.result?.outputs, error: run.result?.error?.message }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
