package html_test

import (
	"testing"
)

// TestPage looks at pages in a real browser: what runs, what is shown, keys, links, print, speed.
func TestPage(t *testing.T) {
	b := start(t)
	for name, look := range map[string]func(*testing.T, *browser){
		"nothing runs":                  nothingRuns,
		"policy is kept":                policyIsKept,
		"failures stand open":           failuresStandOpen,
		"search and filter":             searchAndFilter,
		"keys":                          keys,
		"permalinks":                    permalinks,
		"several cells":                 severalCells,
		"along a timeline":              along,
		"trials side by side":           trialsSideBySide,
		"printing":                      printing,
		"without unpacking":             withoutUnpacking,
		"thousand scenarios do not lag": thousandScenariosDoNotLag,
	} {
		t.Run(name, func(t *testing.T) {
			b.tab(t)
			look(t, b)
		})
	}
}

// Nothing of a record runs, in the list or in what is made when a scenario is opened.
func nothingRuns(t *testing.T, b *browser) {
	b.call("Page.setBypassCSP", map[string]any{"enabled": true}, nil) // the policy must not be what saves us
	b.open(hostile(), "")
	b.until(`document.querySelector(".case .timeline")`)
	b.eval(`[...document.querySelectorAll(".tabs button")].at(-1).click()`, nil)
	b.eval(`new Promise((done) => setTimeout(done))`, nil)
	b.is(`window.ran === undefined`, true)
	b.is(`document.querySelectorAll("img, iframe, svg:not(.bar), script:not([type]) ~ script").length`, 0)
	b.is(`[...document.querySelectorAll(".body a")].filter((a) => a.protocol !== "file:").length`, 0)
	b.is(`document.querySelectorAll(".body a").length > 0`, true)
	for _, place := range []string{".case .name", ".problem pre", ".steps .text", ".steps pre", ".seen code", ".tree .title", ".files a", ".words pre", ".lane.run"} {
		b.is(`document.querySelector(`+"`"+place+"`"+`).textContent.includes("<img src=x")`, true)
	}
}

func policyIsKept(t *testing.T, b *browser) {
	b.open(sample(t, "red"), "")
	b.until(`document.querySelector(".case .timeline")`) // its own script and style do run
	b.is(`getComputedStyle(document.querySelector(".timeline")).display`, "grid")
	b.eval(`const s = document.createElement("script"); s.textContent = "window.ran = 1"; document.body.append(s)`, nil)
	b.is(`window.ran === undefined`, true)
}

func failuresStandOpen(t *testing.T, b *browser) {
	b.open(sample(t, "red"), "")
	b.until(`document.querySelectorAll(".case[open] .body").length === 4`)
	b.is(`[...document.querySelectorAll(".case[open]")].map((d) => d.id).join(" ")`, "triage.feature:6 triage.feature:26 output.feature:5 egress.feature:4")
	b.is(`document.querySelector(".words pre").textContent.split("\n")[0]`, "Validation failed: FAIL: output/agent-result.json not found")
	b.is(`document.querySelectorAll(".timeline .job.queued").length > 0`, true)
	b.is(`document.querySelector(".tree .job.bad a").textContent`, "log")
	b.is(`document.querySelector(".files a").target`, "_blank")
}

func searchAndFilter(t *testing.T, b *browser) {
	b.open(sample(t, "red"), "")
	b.until(`document.querySelector("output").textContent === "6 of 6 scenarios"`)
	shown := `[...document.querySelectorAll(".case:not([hidden])")].map((d) => d.id).join(" ")`
	find := func(words string) {
		b.eval(`(() => { const i = document.querySelector("input"); i.value = "`+words+`"; i.dispatchEvent(new Event("input")); })()`, nil)
	}
	find("@triage right") // a tag and a name
	b.is(shown, "triage.feature:26")
	find("ANSWERS with") // a step
	b.is(shown, "triage.feature:6")
	find("ready-for-triage dispatch") // a label and a job
	b.is(shown, "triage.feature:6 triage.feature:26 egress.feature:4")
	find("zebra")
	b.is(shown, "")
	b.is(`document.querySelector("[data-none]").hidden`, false)
	find("")
	b.eval(`document.querySelector("[data-verdict=skipped]").click()`, nil)
	b.is(shown, "egress.feature:12")
	b.is(`document.querySelectorAll(".feature:not([hidden])").length`, 1)
	b.is(`document.querySelectorAll(".heat a:not(.out)").length`, 1)
}

func keys(t *testing.T, b *browser) {
	b.open(sample(t, "green"), "")
	b.until(`document.querySelector("output").textContent !== ""`)
	at := `(document.activeElement.closest(".case")?.id ?? document.activeElement.tagName)`
	first, second := `document.querySelectorAll(".case")[0]`, `document.querySelectorAll(".case")[1]`
	b.key("j")
	b.is(at+` === `+first+`.id`, true)
	b.key("j")
	b.is(at+` === `+second+`.id`, true)
	b.key("k")
	b.is(at+` === `+first+`.id`, true)
	b.key("o")
	b.until(first + `.querySelector(".body")`)
	b.key("o")
	b.is(first+`.open`, false)
	b.key("/")
	b.is(at, "INPUT")
	b.key("j")
	b.is(`document.querySelector("input").value`, "j")
	b.key("Escape")
	b.is(`document.querySelector("input").value`, "")
	b.is(at, "BODY")
	b.key("?")
	b.is(`document.getElementById("help").open`, true)
}

func permalinks(t *testing.T, b *browser) {
	b.open(sample(t, "red"), "#triage.feature:20")
	b.until(`document.getElementById("triage.feature:20").querySelector(".body")`)
	b.until(`document.activeElement.closest(".case")?.id === "triage.feature:20"`)
	b.is(`document.querySelector(".case[id='triage.feature:6'] a.id").getAttribute("href")`, "#triage.feature:6")
	b.eval(`document.querySelector("[data-verdict=failed]").click(); location.hash = "#egress.feature:12"`, nil)
	b.until(`document.getElementById("egress.feature:12").open`) // also when the filter hid it
	b.is(`document.getElementById("egress.feature:12").hidden`, false)
}

// The same scenario in two cells has two places; the short link leads to the first.
func severalCells(t *testing.T, b *browser) {
	r := sample(t, "red")
	again := sample(t, "green").Cells[0]
	again.Profile = "other"
	r.Cells = append(r.Cells, again)
	b.open(r, "#triage.feature:20")
	b.until(`document.getElementById("c1-triage.feature:20").querySelector(".body")`)
	b.is(`document.getElementById("c2-triage.feature:20").open`, false)
	b.is(`[...document.querySelectorAll(".cell")].at(-1).textContent.includes("other")`, true)
}

func along(t *testing.T, b *browser) {
	b.open(sample(t, "red"), "")
	b.until(`document.querySelector(".case .timeline")`)
	b.eval(`document.querySelector(".timeline [tabindex='0']").focus()`, nil)
	b.is(`document.querySelector(".about").textContent.startsWith("step 1 a repository with the platform installed")`, true)
	b.key("End")
	b.is(`document.querySelector(".about").textContent`, "issue_comment.created acme/test-repo-01#1 · by crew[bot] · 09:14:02.450")
	b.key("ArrowLeft")
	b.is(`document.querySelector(".about").textContent.startsWith("POST /repos/acme/test-repo-01/issues/1/comments · 201")`, true)
	b.is(`[...document.querySelector(".timeline").querySelectorAll("[tabindex='0']")].filter((m) => m === document.activeElement).length`, 1)
}

func trialsSideBySide(t *testing.T, b *browser) {
	b.open(repeated(t), "#triage.feature:6/2")
	one := `document.getElementById("triage.feature:6")`
	b.until(one + `.querySelector(".tabs")`)
	b.is(one+`.querySelector(".tabs [aria-pressed=true]").textContent.includes("trial 2")`, true)
	b.is(`[...`+one+`.querySelectorAll("summary .marks i")].map((i) => i.className).join(" ")`, "failed passed")
	b.eval(one+`.querySelector(".tabs button").click()`, nil)
	b.until(one + `.querySelector(".problem")`)
	b.eval(`document.querySelector("[data-mixed][aria-pressed]").click()`, nil)
	b.is(one+`.hidden`, false)
}

// Printing does not wait, so what did not pass is ready by then.
func printing(t *testing.T, b *browser) {
	r := many(t, 60)
	c := r.Counts()
	b.open(r, "")
	b.until(`document.body.dataset.printable`)
	b.eval(`for (const d of document.querySelectorAll(".case")) d.open = false`, nil)
	b.eval(`dispatchEvent(new Event("beforeprint"))`, nil)
	b.is(`document.querySelectorAll(".case[open] .problem").length >= document.querySelectorAll(".case[open]").length`, true)
	b.is(`document.querySelectorAll(".case[open] .body").length`, c.Failed+c.Broken)
	b.eval(`dispatchEvent(new Event("afterprint"))`, nil)
	b.is(`document.querySelectorAll(".case[open]").length`, 0)
}

// A browser that cannot unpack still shows the list, with reasons.
func withoutUnpacking(t *testing.T, b *browser) {
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "delete window.DecompressionStream"}, nil)
	b.open(sample(t, "red"), "")
	b.until(`!document.getElementById("closed").hidden`)
	b.is(`document.querySelectorAll(".case").length`, 6)
	b.is(`document.querySelector(".case .reason").textContent.length > 10`, true)
}

// Times are printed, and machines differ; what holds on each is that a scenario is little until it is opened.
func thousandScenariosDoNotLag(t *testing.T, b *browser) {
	r := many(t, 1000)
	c := r.Counts()
	failing := c.Failed + c.Broken
	b.open(r, "")
	b.until(`document.querySelector("output").textContent === "1000 of 1000 scenarios"`)
	var got struct{ Paint, Ready, Script, Filter, Open, Next float64 }
	b.eval(`(async () => {
		const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		let sync = 0;
		const timed = async (f) => { const t = performance.now(); await f(); sync = Math.max(sync, performance.now() - t); await frame(); return performance.now() - t; };
		const find = document.querySelector("input");
		const type = (v) => () => { find.value = v; find.dispatchEvent(new Event("input")); };
		await frame();
		const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1;
		const times = [];
		for (const v of ["v", "variant 7", "", "label", "variant 999", ""]) times.push(await timed(type(v)));
		const own = sync;
		const d = document.querySelectorAll("details.case:not([open])")[500];
		const made = new Promise((done) => new MutationObserver(() => d.querySelector(".body") && done()).observe(d, {childList: true}));
		const open = await timed(async () => { d.open = true; await made; });
		const next = d.nextElementSibling;
		const again = new Promise((done) => new MutationObserver(() => next.querySelector(".body") && done()).observe(next, {childList: true}));
		const opened = await timed(async () => { next.open = true; await again; });
		return {Paint: paint, Script: own, Ready: performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart, Filter: Math.max(...times), Open: open, Next: opened};
	})()`, &got)
	t.Logf("1,000 scenarios: first paint %.0f ms, script done %.0f ms, slowest filter %.0f ms and with two frames %.0f ms, open one %.0f ms, its neighbour %.0f ms", got.Paint, got.Ready, got.Script, got.Filter, got.Open, got.Next)
	var nodes struct{ All, Bodies int }
	b.eval(`({All: document.querySelectorAll("*").length, Bodies: document.querySelectorAll(".body").length})`, &nodes)
	if nodes.All > 30*1000 || nodes.Bodies > 2+failing {
		t.Errorf("%d elements and %d bodies for 1,000 scenarios, of which two were opened and %d did not pass", nodes.All, nodes.Bodies, failing)
	}
}
