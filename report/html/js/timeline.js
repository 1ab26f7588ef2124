// A timeline of a trial. Its axis is the order in which things happened, as the journal numbers them:
// shown time stands still while things happen, so it is written below where it moves.

function flatten(nodes, up, out = []) {
  for (const n of nodes) {
    if (n.q) out.push({ n, up });
    if (n.c) flatten(n.c, n, out);
  }
  return out;
}

function lanesOf(all) {
  const lanes = [{ name: "steps", marks: [] }, { name: "events", marks: [] }, { name: "calls", marks: [] }];
  const own = new Map();
  for (const { n } of all) {
    if (n.k !== "run" && n.k !== "job") continue;
    const lane = { name: `${n.id} ${n.t ?? ""}`, cls: n.k, marks: [n] };
    own.set(n, lane);
    lanes.push(lane);
  }
  for (const { n, up } of all) {
    if (n.k === "step") lanes[0].marks.push(n);
    else if (n.k === "event") lanes[1].marks.push(n);
    else if (n.k === "request" || n.k === "note") (own.get(up) ?? lanes[2]).marks.push(n);
  }
  return lanes.filter((l) => l.marks.length > 0);
}

// scale gives every number of the journal that is shown a place of the same width.
function scale(all) {
  const places = [...new Set(all.flatMap(({ n }) => n.q.filter(Boolean)))].sort((a, b) => a - b);
  const rank = new Map(places.map((q, i) => [q, i]));
  const width = 100 / Math.max(places.length, 1);
  return { at: (q) => rank.get(q) * width, end: 100, width };
}

function describe(n, trial) {
  const time = n.to ? `${n.at} to ${n.to}` : n.at;
  const times = n.x ? `${n.x} times` : "";
  return [`${n.id ?? ""} ${title(n, trial)}`.trim(), n.s, n.note, n.who && `by ${n.who}`, times, n.d, time].filter(Boolean).join(" · ");
}

function place(e, from, to) {
  e.style.left = `${from}%`;
  e.style.width = `${Math.max(to - from, 0)}%`;
  return e;
}

// pieces gives the parts of a mark: a step lasts until the next one, a run or job first waits, then runs.
function pieces(n, i, lane, x) {
  const from = x.at(n.q[0]);
  if (n.k === "step") {
    const next = lane.marks[i + 1];
    return [["piece", from, next ? x.at(next.q[0]) : x.end]];
  }
  if (n.k !== "run" && n.k !== "job") return [["tick", from, from + x.width]];
  const end = n.q[2] ? x.at(n.q[2]) + x.width : x.end;
  const began = n.q[1] ? x.at(n.q[1]) : end;
  return [["piece queued", from, began], ["piece", began, end]].filter(([, a, b]) => b > a);
}

function mark(n, i, lane, x, trial) {
  return pieces(n, i, lane, x).map(([cls, from, to], part) => {
    const m = place(el("span", [cls, n.k, n.bad && "bad", n.r && "quiet"].filter(Boolean).join(" ")), from, to);
    if (n.k === "step") {
      const s = trial.steps?.find((s) => `step ${s.n}` === n.id);
      if (s) m.classList.add(s.v);
      m.append(n.id.slice(5));
    }
    const waits = cls === "piece queued" ? " · queued" : "";
    m.dataset.about = describe(n, trial) + waits;
    m.setAttribute("role", "img");
    m.setAttribute("aria-label", m.dataset.about);
    m.tabIndex = -1;
    m.dataset.from = String(from + part / 1000);
    return m;
  });
}

function axis(all, x) {
  const line = el("div", "axis");
  let last = -20;
  let time;
  for (const { n } of [...all].sort((a, b) => a.n.q[0] - b.n.q[0])) {
    const at = x.at(n.q[0]);
    if (!n.at || n.at.slice(0, 8) === time || at - last < 11 || at > 92) continue;
    time = n.at.slice(0, 8);
    last = at;
    line.append(place(el("span", "", time), at, at));
  }
  return line;
}

function timeline(trial) {
  const all = flatten(trial.tree);
  const x = scale(all);
  const about = el("p", "about", "Point at a bar, or walk along with the arrow keys.");
  const rows = lanesOf(all).flatMap((lane) => [
    el("div", `lane ${lane.cls ?? ""}`, lane.name),
    el("div", "track", ...lane.marks.flatMap((n, i) => mark(n, i, lane, x, trial))),
  ]);
  const box = el("div", "timeline", ...rows, el("div", "lane", "shown time"), axis(all, x));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Timeline");
  walk(box, about);
  return el("div", "", box, about);
}

function walk(box, about) {
  const marks = [...box.querySelectorAll("[data-from]")].sort((a, b) => a.dataset.from - b.dataset.from);
  if (marks.length > 0) marks[0].tabIndex = 0;
  const tell = (e) => {
    const m = e.target.closest("[data-about]");
    if (m) about.textContent = m.dataset.about;
  };
  box.addEventListener("pointerover", tell);
  box.addEventListener("focusin", (e) => {
    tell(e);
    for (const m of marks) m.tabIndex = m === e.target ? 0 : -1;
  });
  box.addEventListener("keydown", (e) => {
    const at = marks.indexOf(e.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[e.key];
    if (at < 0 || to === undefined || !marks[to]) return;
    e.preventDefault();
    marks[to].focus();
  });
}
