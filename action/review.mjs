// The step of the action: it convenes a council on the pull request of the event, and tells what came of it. The only
// argument is the program council. Texts of the pull request and of members are never part of a command line's flags, of
// a workflow command or of an output's frame.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";

const env = process.env;
const inputs = JSON.parse(env.COUNCIL_INPUTS);
const lines = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean);

function run(program, args, stdio = ["ignore", "pipe", "inherit"]) {
  const done = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio });
  if (done.error) throw done.error;
  return done;
}

// base returns the revision against which the pull request is shown: where it left its base, as far as the history that
// was checked out tells, else the base itself, which is then fetched.
function base(sha) {
  if (!/^[0-9a-f]{40,64}$/.test(sha ?? "")) throw new Error("this is no event of a pull request: it names no base");
  if (run("git", ["cat-file", "-e", `${sha}^{commit}`], "ignore").status !== 0) {
    if (run("git", ["fetch", "--quiet", "--depth=1", "origin", sha], "inherit").status !== 0) {
      throw new Error(`the base ${sha} cannot be fetched: check out with fetch-depth: 0`);
    }
  }
  const left = run("git", ["merge-base", sha, "HEAD"], ["ignore", "pipe", "ignore"]).stdout.trim();
  return left || sha;
}

// A workflow command is a line of its own, and what stands in it must not end the line or a property.
const escaped = (text) => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
const property = (text) => escaped(text).replace(/:/g, "%3A").replace(/,/g, "%2C");

// annotate shows a text at each place that it cites, such as src/queue.go:12, if that is a file of the repository; a text
// that cites none is shown without a place if it must be.
function annotate(level, title, text, must) {
  const places = [...text.matchAll(/([\w@.+/-]+):(\d+)(?:-(\d+))?/g)].filter(([, file]) =>
    !isAbsolute(file) && !normalize(file).startsWith("..") && existsSync(file));
  const shown = must && places.length === 0 ? [[]] : places.slice(0, 3);
  for (const [, file, line, end] of shown) {
    const at = file ? `file=${property(file)},line=${line},${end ? `endLine=${end},` : ""}` : "";
    console.log(`::${level} ${at}title=${property(title)}::${escaped(text)}`);
  }
}

function output(name, value) {
  const mark = randomUUID();
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${mark}\n${value}\n${mark}\n`);
}

const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")).pull_request;
const folder = join(env.RUNNER_TEMP, `council-${randomUUID()}`);
const record = join(folder, ".council");
mkdirSync(folder);
const told = join(folder, "pull-request.md");
writeFileSync(told, `# ${event?.title ?? ""}\n\n${event?.body ?? ""}\n`);

const options = lines(inputs.options);
const args = ["convene", `--council=${inputs.council}`, `--root=${record}`, `--diff=${base(event?.base?.sha)}`,
  `--context=${told}`, "--output=documentation", "--no-wait",
  ...lines(inputs.context).map((path) => `--context=${path}`), ...options.map((option) => `--option=${option}`)];
for (const [flag, value] of [["model", inputs.model], ["pace", inputs.pace], ["budget-usd", inputs["budget-usd"]]]) {
  if (value) args.push(`--${flag}=${value}`);
}

// What members say stands in the log of the job, where a line could be a command.
const quiet = randomUUID();
console.log(`::stop-commands::${quiet}`);
let { status } = run(process.argv[2], [...args, "--", inputs.topic], ["ignore", "inherit", "inherit"]);
console.log(`\n::${quiet}::`);

const council = (...rest) => run(process.argv[2], [...rest, `--root=${record}`], ["ignore", "pipe", "ignore"]);
let decision = "", rehearsed = false;
const exported = council("export", "--format=json");
if (exported.status === 0) {
  const { files } = JSON.parse(exported.stdout);
  const { outcome } = files["session.json"];
  rehearsed = outcome.state === "rehearsed";
  decision = rehearsed ? "" : outcome.resolutions.at(-1)?.decisionIfPass ?? "";
  for (const left of files["session.json"].skipped ?? []) {
    const names = (left.files ?? []).map(({ name, lines }) => (lines ? `${name} (${lines} lines)` : name));
    const more = left.count - names.length;
    annotate("warning", "members were not shown", `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}: ${left.reason}`, true);
  }
  for (const b of outcome.unmet.blockers) {
    annotate("error", `${b.member ?? "council"}: ${b.severity}`, `${b.problem}\n${b.impact}\n${b.requiredChange}`, true);
  }
  let level = "";
  for (const line of (files["documentation.md"] ?? "").split("\n")) {
    if (line.startsWith("## ")) {
      level = { "## Must change before merging": "error", "## Required changes": "error", "## Should change soon": "warning" }[line];
    } else if (level && line.trim()) {
      annotate(level, "council", line.trim(), false);
    }
  }
  appendFileSync(env.GITHUB_STEP_SUMMARY, council("export", "--format=md").stdout.slice(0, 900_000));
}
if (status === 0 && (rehearsed || options.length > 0 && decision !== options[0])) status = 3;
output("decision", decision);
output("exit-code", status ?? 1);
output("record", record);
process.exit(status ?? 1);
