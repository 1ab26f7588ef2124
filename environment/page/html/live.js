// What is on the screen follows what happens: parts that are marked are exchanged when they have changed,
// and a log is read on from where it ends.
"use strict";

const pulse = document.getElementById("pulse");
const parts = new Map([...document.querySelectorAll("[data-live]")].map((el) => [el.id, el.outerHTML]));
let tag = "";

async function look() {
  const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  if (answer.status !== 200) return;
  tag = answer.headers.get("ETag") || "";
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const [id, before] of parts) {
    const now = document.getElementById(id), then = next.getElementById(id);
    if (!now || !then || then.outerHTML === before || now.contains(document.activeElement)) continue;
    parts.set(id, then.outerHTML);
    now.replaceWith(document.importNode(then, true));
  }
}

// follow adds to the log what was written since, and tells whether it has ended.
async function follow(log) {
  const answer = await fetch(`/_/job/${log.dataset.job}/log?from=${log.dataset.next}`, { cache: "no-store" });
  if (answer.status !== 200) return;
  const root = document.documentElement;
  const below = innerHeight + scrollY >= root.scrollHeight - 40;
  log.insertAdjacentHTML("beforeend", await answer.text());
  log.dataset.next = answer.headers.get("Log-Next");
  if (answer.headers.get("Log-Ended") === "true") {
    log.dataset.ended = "";
    const note = document.getElementById("follow");
    if (note) note.remove();
  }
  if (below) scrollTo(0, root.scrollHeight);
}

// again does something once it has been done, after a while, for as long as it is wanted.
function again(what, pause) {
  const turn = async () => {
    let wait = pause;
    try {
      if (!document.hidden) await what();
      pulse.textContent = "";
    } catch {
      pulse.textContent = "the forge does not answer";
      wait = 3000;
    }
    const log = document.getElementById("log");
    if (what !== look && log && "ended" in log.dataset) return;
    setTimeout(turn, wait);
  };
  setTimeout(turn, pause);
}

again(look, 1000);
const log = document.getElementById("log");
if (log && !("ended" in log.dataset)) again(() => follow(log), 300);

// A choice that stands for a form needs no button.
for (const select of document.querySelectorAll("form select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
