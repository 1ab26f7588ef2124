// The inside of a scenario, made when it is opened.

const SIGN = { passed: "✓", failed: "✗", broken: "!", skipped: "–" };

function sign(verdict) {
  const s = el("span", "sign", SIGN[verdict]);
  s.title = verdict;
  return s;
}

function file(f, name) {
  const a = el("a", "", name ?? f.name);
  a.href = f.href;
  a.target = "_blank";
  a.rel = "noopener";
  return a;
}

function about(f) {
  return file(f, f.name.endsWith(".log") ? "log" : f.name);
}

function problem(p) {
  const s = el("section", `problem ${p.v}`, el("h4", "", p.head, p.place && el("span", "file", " " + p.place)));
  s.append(el("p", "", p.what, p.where && el("span", "file", " " + p.where)));
  if (p.want || p.got) {
    const side = (cls, title, text) => el("div", cls, el("dt", "", title), el("dd", "", el("pre", "", text ?? "")));
    s.append(el("dl", "versus", side("want", "expected", p.want), side("got", "seen", p.got)));
  }
  if (p.hint) s.append(el("p", "hint", p.hint));
  if (p.open) s.append(el("p", "", "Still open at the deadline:"), el("ul", "", ...p.open.map((o) => el("li", "", o))));
  if (p.stack) s.append(el("details", "", el("summary", "", "Stack"), el("pre", "", p.stack)));
  return s;
}

function words(w) {
  return el("section", "problem words", el("h4", "", "Last words of " + w.of), el("pre", "", w.text));
}

function seen(all) {
  return el("ul", "seen", ...all.map((o) => {
    const verdict = o.bad ? "failed" : "passed";
    const want = o.want ? (o.bad ? "expected " : "as expected: ") + o.want : "";
    return el("li", verdict, sign(verdict),
      el("span", "", el("span", "subject", o.s, o.key && el("i", "", " " + o.key)), " ", el("code", "", o.got), " ",
        el("span", "wanted", [want, o.notes].filter(Boolean).join(" · "))));
  }));
}

// Beside each step of a repeated scenario stands how it went in every trial.
function step(s, i, trials) {
  const line = el("li", s.v, sign(s.v), el("span", "text", el("b", "", s.k), " ", s.t));
  const end = el("span", "took", el("span", "time", s.took));
  if (trials.length > 1) {
    end.prepend(el("span", "marks", ...trials.map((t) => {
      const other = t.steps?.[i];
      const m = el("i", other ? other.v : "skipped");
      m.title = `trial ${t.n} ${other ? other.v : "did not get here"} ${other?.took ?? ""}`;
      return m;
    })));
  }
  line.append(end);
  if (s.arg) line.append(el("pre", "", s.arg));
  if (s.seen) line.append(seen(s.seen));
  return line;
}

function row(n, trial) {
  const line = el("span", "row", n.id && el("span", "nid", n.id), n.id && " ", el("span", "title", title(n, trial)));
  if (n.x) line.append(" ", el("span", "note", `${n.x} times`));
  if (n.s) line.append(" ", el("span", "status", n.s));
  const note = [n.note, n.who && `by ${n.who}`].filter(Boolean).join(" ");
  if (note) line.append(" ", el("span", "note", note));
  for (const i of n.f ?? []) line.append(" ", about(trial.files[i]));
  return line;
}

function title(n, trial) {
  if (n.k !== "step") return n.t ?? "";
  return trial.steps?.find((s) => `step ${s.n}` === n.id)?.t ?? "";
}

// What a step only prepared is folded, so that what came of the others is seen.
const MANY = 6;
const plain = (n) => !n.bad && (n.k === "request" || n.k === "event" || n.k === "note") && (n.c ?? []).every(plain);

function tree(nodes, trial) {
  return el("ul", "tree", ...nodes.filter((n) => n.k !== "step" || n.c).map((n) => {
    const line = el("li", [n.k, n.bad && "bad", n.r && "quiet"].filter(Boolean).join(" "), row(n, trial));
    if (!n.c) return line;
    const below = tree(n.c, trial);
    const fold = n.k === "step" && n.c.length > MANY && n.c.every(plain);
    line.append(fold ? el("details", "folded", el("summary", "", `${n.c.length} events and calls`), below) : below);
    return line;
  }));
}

function files(all) {
  return el("ul", "files", ...all.map((f) => {
    const about = [f.of, f.step && `step ${f.step}`, f.size].filter(Boolean).join(" · ");
    return el("li", "", file(f), " ", el("span", "", about, f.cut && " · ", f.cut && el("b", "", "cut"), f.cut && `, ${f.cut} bytes dropped`));
  }));
}

function tabs(c, shown, show) {
  return el("p", "tabs", ...c.trials.map((t) => {
    const b = el("button", t.v, el("span", "sign", t.g), ` trial ${t.n} `, el("span", "soft", t.took));
    b.type = "button";
    b.setAttribute("aria-pressed", String(t === shown));
    b.addEventListener("click", () => show(t.n));
    return b;
  }));
}

// fill makes the body of a scenario whose trials are loaded.
function fill(c) {
  const t = c.trials.find((t) => t.n === c.trial) ?? c.trials.find((t) => t.v !== "passed" && t.v !== "skipped") ?? c.trials[0];
  const body = el("div", "body");
  if (c.trials.length > 1) {
    body.append(tabs(c, t, (n) => {
      c.trial = n;
      fill(c);
      c.dom.querySelector(".tabs [aria-pressed=true]").focus();
    }));
  }
  const shown = c.trials.length > 1 ? el("div", t.v) : body;
  if (shown !== body) body.append(shown);
  const part = (title, ...kids) => shown.append(el("h4", "", title), ...kids);
  shown.append(...(t.problems ?? []).map(problem), ...(t.words ?? []).map(words));
  if (t.steps) part("Steps", el("ol", "steps", ...t.steps.map((s, i) => step(s, i, c.trials))));
  else shown.append(el("p", "empty", "This scenario was not run."));
  if (t.after) part("Seen after the steps", seen(t.after));
  if (t.tree) {
    part("Timeline", timeline(t));
    part("What led to what", el("div", "scroll", tree(t.tree, t)));
    const left = t.left ? `, ${t.left} of them reads that only the kit made, which are left out here` : "";
    const cut = t.cut ? `; ${t.cut} more calls and events are too many to show` : "";
    shown.append(el("p", "aside", `The journal of record.json has ${t.entries} entries${left}${cut}.`));
  }
  if (t.files) part("Evidence", files(t.files));
  c.dom.querySelector(".body")?.remove();
  c.dom.append(body);
}

// open fills a scenario unless that is done.
async function open(c) {
  if (c.trials && c.dom.querySelector(".body")) return;
  try {
    await load(c);
    fill(c);
  } catch (e) {
    c.dom.querySelector(".body")?.remove();
    c.dom.append(el("div", "body", el("p", "empty", `This cannot be shown here: ${e.message}. record.json has it.`)));
  }
}
