// Visits the pages of council serve: see ../browser.
import { chromium } from "playwright-core";
import axe from "axe-core";
import { mkdirSync, readFileSync } from "node:fs";

const [address, pictures] = process.argv.slice(2);
const home = new URL(address);
const kept = pictures && pictures !== "/dev/null";
if (kept) mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
const wrong = [];

// enter opens a page of its own that was let in. Without our policy the HTML alone keeps attacks from acting.
async function enter(width, scheme, bypassCSP = false) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP });
  await context.addInitScript(() => { window.owned = () => { window.wasOwned = true; }; });
  const page = await context.newPage();
  page.setDefaultTimeout(120000); // other work may share the machine
  page.on("dialog", (d) => { wrong.push(`a dialog: ${d.message()}`); d.dismiss(); });
  page.on("pageerror", (e) => wrong.push(`${page.url()}: ${e}`));
  page.on("console", (m) => { if (m.type() === "error") wrong.push(`${page.url()}: ${m.text()}`); });
  page.on("request", (r) => { if (new URL(r.url()).host !== home.host) wrong.push(`a request to ${r.url()}`); });
  await page.goto(address);
  return page;
}

async function look(page, name) {
  if (kept && name) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: false });
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`);
  for (const v of found.violations.filter((v) => ["serious", "critical"].includes(v.impact))) {
    wrong.push(`${page.url()} at ${page.viewportSize().width}: ${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(" ")}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) wrong.push(`${page.url()} is ${wide} px wider than the window`);
}
const at = (path) => new URL(path, home).href.split("?token")[0];

// Convened on one page, watched on a second, answered on a phone.
const desk = await enter(1400, "light"), second = await enter(1400, "dark"), phone = await enter(390, "light");
await desk.goto(at("/convene"));
await desk.fill("[name=topic]", "Which queue should carry our events?");
await desk.fill("[name=options]", "NATS\nKafka\nkeep Postgres");
await desk.fill("[name=model]", "rehearsal");
await desk.fill("[name=me]", "Kim");
await desk.setInputFiles("[name=context]", { name: "costs.md", mimeType: "text/markdown", buffer: Buffer.from("NATS costs 12 USD a month.") });
await desk.click("button[value=try]");
await desk.getByText("What it would take").waitFor();
await look(desk, "convene");
await desk.click("button[value=begin]");
await desk.waitForURL("**/s/*");
const session = desk.url();
await second.goto(session);
await phone.goto(session);
for (let n = 0; n < 60; n++) {
  const over = phone.locator("#standing", { hasText: /^rehearsed/ });
  const form = phone.locator("form[action$='/answer']").first();
  await over.or(form).first().waitFor({ timeout: 120000 });
  if (await over.count()) break;
  if (n === 0) await look(phone, "answer-390");
  const kind = await form.evaluate((f) => [...f.elements].map((e) => e.name).join(" "));
  const ask = await form.locator("[name=ask]").inputValue();
  for (const [name, value] of [["text", "NATS: it is the cheapest by costs.md."], ["because", "costs.md names the price."], ["confidence", "80"]]) {
    if (kind.includes(name)) await form.locator(`[name=${name}]`).fill(value);
  }
  if (kind.includes("stance")) await form.locator("[name=stance]").fill("NATS");
  if (await form.locator("[name=ballot][type=radio]").count()) await form.locator("[name=ballot][value=yes]").check();
  else if (await form.locator("input[name=ballot]").count()) await form.locator("[name=ballot]").fill("1 > 2 > 3");
  if (kind.includes("json")) await form.locator("[name=json]").fill(/review/.test(ask)
    ? JSON.stringify({ ballot: "YES", rationale: "It is short.", criticalBlockers: [], suggestedChanges: [] }) : JSON.stringify({ action: "PASS" }));
  await form.locator("button").click();
  await phone.locator("#notice").waitFor();
  if (await phone.locator("#notice.failed").count()) { wrong.push(`${ask}: ${await phone.locator("#notice").innerText()}`); break; }
  await phone.waitForFunction((a) => !document.querySelector(`[name=ask][value="${a}"]`), ask, { timeout: 120000 });
}
await second.locator("#standing", { hasText: /rehearsed/ }).waitFor({ timeout: 120000 }); // it was never loaded again

// Approved, where there is a brief, and exported.
for (const path of await desk.goto(at("/")).then(() => desk.locator(".cards a").evaluateAll((l) => l.map((a) => a.getAttribute("href"))))) {
  await desk.goto(at(path));
  if (!(await desk.locator("form[action$='/approve']").count())) continue;
  await desk.locator("form[action$='/approve'] button").click();
  await desk.locator("#notice").waitFor();
  const said = await desk.locator("#notice").innerText();
  if (!said.startsWith("Done")) wrong.push(`approve: ${said}`);
  break;
}
await desk.goto(session);
const [file] = await Promise.all([desk.waitForEvent("download"), desk.getByText("Page", { exact: true }).click()]);
if (!readFileSync(await file.path(), "utf8").includes("Which queue should carry our events?")) wrong.push("the export is empty");

for (const [width, scheme] of [[390, "light"], [390, "dark"], [1400, "light"], [1400, "dark"]]) {
  const page = await enter(width, scheme);
  for (const [name, path] of Object.entries({ sessions: "/", session, minutes: `${session}/minutes`, drafts: `${session}/drafts`,
    memory: "/memory?told=&rehearsal=1", costs: "/costs", runs: "/runs", convene: "/convene" })) {
    await page.goto(at(path));
    await look(page, `${name}-${width}-${scheme}`);
  }
}

// Attacks: every page of every session, without the policy that would keep scripts from running.
let visited = 0;
const prey = await enter(1400, "light", true);
await prey.goto(at("/"));
const all = await prey.locator(".cards a").evaluateAll((l) => l.map((a) => a.getAttribute("href")));
for (const path of ["/", "/memory?all=1", "/memory?told=&rehearsal=1", "/runs", "/costs?by=session",
  ...all.flatMap((s) => [s, `${s}/minutes`, `${s}/minutes?part=2`, `${s}/drafts`])]) {
  await prey.goto(at(path));
  await prey.waitForTimeout(path.split("/").length === 3 ? 250 : 20); // until the page follows the session
  await prey.evaluate(() => { document.querySelectorAll("details").forEach((d) => { d.open = true; }); });
  for (const f of await prey.locator("main [tabindex='0']").all()) await f.focus();
  if (await prey.evaluate(() => window.wasOwned)) wrong.push(`${path}: an attack acted`);
  visited++;
}
await browser.close();
console.log(`${all.length} sessions, ${visited} pages with attacks, ${wrong.length} findings`);
for (const w of new Set(wrong)) console.log(w);
process.exit(wrong.length ? 1 : 0);
