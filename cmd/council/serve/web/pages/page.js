"use strict";
// A live page: the server sends the elements that changed, by their ids, as the page itself would show them.
const live = document.getElementById("live");
if (live) {
  const source = new EventSource(live.dataset.live);
  source.onmessage = (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const old = document.getElementById(id);
      if (!old || old.innerHTML === html) continue;
      const open = [...old.querySelectorAll("details")].map((d) => d.open);
      const typed = id === "acts" && [...old.querySelectorAll("textarea, input:not([type=hidden])")].some((f) => f.value !== f.defaultValue);
      if (typed && old.querySelectorAll("form").length && html.includes(old.querySelector("form").getAttribute("action"))) continue;
      old.innerHTML = html;
      old.querySelectorAll("details").forEach((d, i) => { d.open = open[i] || false; });
    }
  };
}
document.getElementById("notice")?.focus();
