// The list: filter, search, permalinks, opening.

const form = document.querySelector("form.filter");
const find = form.querySelector("input");
const chips = [...form.querySelectorAll("[data-verdict], [data-mixed]")];
const none = document.querySelector("[data-none]");
const openAll = form.querySelector("[data-all]");
const heat = [...document.querySelectorAll(".heat a")];
const groups = [...document.querySelectorAll(".rule"), ...document.querySelectorAll(".feature")].map((dom) => ({
  dom,
  cases: [...dom.querySelectorAll("details.case")].map((d) => byDOM.get(d)),
}));
form.hidden = cases.length === 0;

const pressed = (b) => b.getAttribute("aria-pressed") === "true";
const shown = () => cases.filter((c) => !c.dom.hidden);

function apply() {
  const verdicts = chips.filter((b) => b.dataset.verdict && pressed(b)).map((b) => b.dataset.verdict);
  const mixed = chips.some((b) => !b.dataset.verdict && pressed(b));
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const c of cases) {
    const fits = (verdicts.length === 0 || verdicts.includes(c.verdict)) && (!mixed || c.mixed) && words.every((w) => c.text.includes(w));
    if (c.dom.hidden === fits) c.dom.hidden = !fits;
    heat[c.at]?.classList.toggle("out", !fits);
    n += fits;
  }
  for (const g of groups) g.dom.hidden = !g.cases.some((c) => !c.dom.hidden);
  none.hidden = n > 0 || cases.length === 0;
  form.querySelector("output").textContent = `${n} of ${cases.length} scenarios`;
}

for (const b of chips) {
  b.addEventListener("click", () => {
    b.setAttribute("aria-pressed", String(!pressed(b)));
    apply();
  });
}
find.addEventListener("input", apply);
form.addEventListener("submit", (e) => e.preventDefault());

// Many at once are opened a few per frame, so that the page stays alive meanwhile.
function setOpen(all, to) {
  const rest = [...all];
  const some = () => {
    for (const c of rest.splice(0, 20)) c.dom.open = to;
    if (rest.length > 0) requestAnimationFrame(some);
  };
  some();
}
openAll.addEventListener("click", () => {
  const all = shown();
  const to = all.some((c) => !c.dom.open);
  setOpen(all, to);
  openAll.textContent = to ? "Close all" : "Open all";
});
document.querySelector("main").addEventListener("toggle", (e) => {
  const c = byDOM.get(e.target);
  if (c && c.dom.open) open(c);
}, true);

// Where there are several cells, an id without one means the first that has it.
const named = (id) => cases.find((c) => c.dom.id === id) ?? cases.find((c) => c.dom.id.replace(/^c\d+-/, "") === id);

// A link to a scenario opens it and shows it, whatever the filter is; "/2" at its end is a trial.
async function jump() {
  const id = decodeURIComponent(location.hash.slice(1));
  let c = named(id);
  if (!c) {
    const trial = /^(.*)\/(\d+)$/.exec(id);
    c = trial && named(trial[1]);
    if (!c) return;
    c.trial = Number(trial[2]);
    if (c.trials) fill(c);
  }
  if (c.dom.hidden) {
    find.value = "";
    for (const b of chips) b.setAttribute("aria-pressed", "false");
    apply();
  }
  c.dom.open = true;
  await open(c);
  c.dom.scrollIntoView();
  c.dom.querySelector("summary").focus({ preventScroll: true });
}
addEventListener("hashchange", jump);
addEventListener("click", (e) => {
  const a = e.target.closest("a[href^='#']");
  if (a && a.hash === location.hash) jump(); // no change, and yet it may have been closed
});

// The first that did not pass stand open. The others that did not pass are unpacked ahead, because
// printing does not wait.
const wrong = cases.filter((c) => c.verdict === "failed" || c.verdict === "broken");
for (const c of wrong.slice(0, 5)) c.dom.open = true;
ready.then(async () => {
  apply();
  for (const c of wrong) await load(c);
  document.body.dataset.printable = "true";
}).catch(() => {});
jump();

let before = [];
addEventListener("beforeprint", () => {
  before = cases.map((c) => c.dom.open);
  for (const c of wrong) {
    if (c.dom.hidden || !c.trials) continue;
    if (!c.dom.querySelector(".body")) fill(c);
    c.dom.open = true;
  }
});
addEventListener("afterprint", () => cases.forEach((c, i) => (c.dom.open = before[i])));
