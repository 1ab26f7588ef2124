// What is inside the scenarios, packed in script elements of type text/plain, and how to make elements
// of it. Texts of the record become text nodes and nothing else.

function el(tag, cls, ...kids) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  e.append(...kids.filter((k) => k !== "" && k !== undefined && k !== null && k !== false));
  return e;
}

async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(plain).text());
}

const cases = [...document.querySelectorAll("details.case")].map((dom, at) => ({
  dom,
  at,
  verdict: ["failed", "broken", "passed", "skipped"].find((v) => dom.classList.contains(v)),
  mixed: dom.hasAttribute("data-mixed"),
  text: dom.textContent.toLowerCase(), // until the index is there
  trial: undefined, // shown; undefined is the first that did not pass
}));
const byDOM = new Map(cases.map((c) => [c.dom, c]));

const packs = new Map();
let index;

// ready resolves when search knows all texts and scenarios can be opened.
const ready = (async () => {
  index = await unpack("index");
  let pack = -1;
  let slot = 0;
  for (const c of cases) {
    slot = index.packs[c.at] === pack ? slot + 1 : 0;
    pack = index.packs[c.at];
    c.pack = pack;
    c.slot = slot;
    c.text = index.text[c.at];
  }
})();

ready.catch((e) => {
  const note = document.getElementById("closed");
  note.textContent = `This browser cannot unpack what is inside the scenarios (${e.message}). It shows verdicts and reasons; record.json has everything.`;
  note.hidden = false;
});

// load gives the trials of a scenario, and keeps them.
async function load(c) {
  await ready;
  if (!packs.has(c.pack)) packs.set(c.pack, unpack(`pack-${c.pack}`));
  const all = await packs.get(c.pack);
  c.trials = all[c.slot];
  return c.trials;
}
