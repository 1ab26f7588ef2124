"use strict";
(() => {
  const all = [...document.querySelectorAll("details.scenario")];
  const form = document.querySelector("form.filter");
  const find = form.querySelector("input");
  const chips = [...form.querySelectorAll("[data-verdict]")];
  const none = document.querySelector("[data-none]");
  const open = form.querySelector("[data-all]");
  form.hidden = all.length === 0;

  const pressed = (c) => c.getAttribute("aria-pressed") === "true";

  function apply() {
    const on = chips.filter((c) => pressed(c)).map((c) => c.dataset.verdict);
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const s of all) {
      const fits = (on.length === 0 || on.includes(s.dataset.verdict)) && words.every((w) => s.dataset.text.includes(w));
      s.hidden = !fits;
      shown += fits;
    }
    for (const g of [...document.querySelectorAll(".rule"), ...document.querySelectorAll(".feature")]) {
      g.hidden = !g.querySelector("details.scenario:not([hidden])");
    }
    none.hidden = shown > 0 || all.length === 0;
  }

  for (const c of chips) {
    c.addEventListener("click", () => {
      c.setAttribute("aria-pressed", String(!pressed(c)));
      apply();
    });
  }
  find.addEventListener("input", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  open.addEventListener("click", () => {
    const to = all.some((s) => !s.hidden && !s.open);
    for (const s of all) if (!s.hidden) s.open = to;
    open.textContent = to ? "Close all" : "Open all";
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== find && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      find.focus();
    }
  });

  // A link to a scenario opens it, also when it passed.
  function jump() {
    const s = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (s && s.matches("details")) {
      s.open = true;
      s.scrollIntoView();
    }
  }
  addEventListener("hashchange", jump);
  jump();

  let before = [];
  addEventListener("beforeprint", () => {
    before = all.map((s) => s.open);
    for (const s of all) s.open = true;
  });
  addEventListener("afterprint", () => all.forEach((s, i) => (s.open = before[i])));
})();
