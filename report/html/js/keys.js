// Keys. They are the page's only while nothing is written into.

const help = document.getElementById("help");
form.querySelector("[data-help]").addEventListener("click", () => help.showModal());

function go(by, wanted = () => true) {
  const all = shown();
  const now = all.findIndex((c) => c.dom.contains(document.activeElement));
  for (let i = now < 0 && by < 0 ? all.length - 1 : now + by; i >= 0 && i < all.length; i += by) {
    if (!wanted(all[i])) continue;
    const summary = all[i].dom.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "nearest" });
    return;
  }
}

const keys = {
  "/": () => {
    find.focus();
    find.select();
  },
  j: () => go(1),
  k: () => go(-1),
  n: () => go(1, (c) => c.verdict === "failed" || c.verdict === "broken"),
  o: () => {
    const c = shown().find((c) => c.dom.contains(document.activeElement));
    if (!c) return;
    c.dom.open = !c.dom.open;
    c.dom.querySelector("summary").focus();
  },
  "?": () => help.showModal(),
};

addEventListener("keydown", (e) => {
  if (e.target === find && e.key === "Escape") {
    find.value = "";
    apply();
    find.blur();
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, textarea, select") || help.open) return;
  const key = keys[e.key];
  if (!key) return;
  e.preventDefault();
  key();
});
