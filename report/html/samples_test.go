package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

// evil would run script in any place that is not escaped.
const evil = `</script></style><img src=x onerror="window.ran=1"><svg onload="window.ran=1">"'` + "`{{.}}${window.ran=1}"

// hostile has evil in every text.
func hostile() result.Record {
	got, _ := json.Marshal(evil)
	ob := []result.Observation{{Subject: evil, Key: evil, Got: got, Want: evil, Decided: evil}}
	p := result.Problem{Verdict: result.Verdict(evil), What: evil, Where: evil, Expected: evil, Seen: evil, Hint: evil, Pending: []string{evil}, Stack: evil}
	texts := map[string]string{"text": evil, "label": evil, "decision": evil, "reason": evil, "failed_step": evil, "name": evil, "error": evil, "conclusion": evil, evil: evil}
	s := result.Scenario{ID: evil, Feature: evil, Rule: evil, Name: evil, Tags: []string{evil}, Verdict: result.Verdict(evil), Reason: evil, After: ob,
		Steps:    []result.Step{{Number: 1, Keyword: evil, Text: evil, Argument: evil, Verdict: result.Verdict(evil), Problem: &p, Observations: ob}},
		Findings: []result.Finding{{Policy: evil, Cause: evil, Problem: p}},
		Journal: []driver.Entry{{Seq: 1, Type: "step", Subject: "step:1", Detail: texts},
			{Seq: 2, Type: evil, Change: true, Cause: "step:1", Subject: evil, Actor: evil, Detail: texts},
			{Seq: 3, Type: "run.created", Change: true, Cause: "event:2", Subject: "run:1", Actor: evil, Detail: texts},
			{Seq: 4, Type: "job.created", Change: true, Cause: "run:1", Subject: "job:" + evil, Actor: evil, Detail: texts},
			{Seq: 5, Type: "request", Cause: driver.Cause("job:" + evil), Subject: evil, Actor: evil, Detail: texts},
			{Seq: 6, Type: "workflow.job", Subject: "job:" + evil, Detail: map[string]string{"digest": evil, "job": evil, "steps": "1 success"}}},
		Evidence: []evidence.Ref{{Meta: evidence.Meta{Name: "run-1-" + evil, Origin: evil, MediaType: evil}, Path: "javascript:window.ran=1"},
			{Meta: evidence.Meta{Name: evil, Origin: evil, MediaType: evil}, Link: evil}},
	}
	condition := &outline.Condition{Text: evil}
	flow := outline.File{Path: evil, Digest: evil, Permissions: map[string]string{evil: "write"}, Jobs: []outline.Job{
		{Key: evil, If: condition, Cells: []string{evil}, Steps: []outline.Step{{Name: evil, If: condition}, {Name: evil, If: condition}}}}}
	return result.Record{Workflows: []outline.File{flow}, Kit: evil, Isolation: evil, Warnings: []string{evil}, Problems: []result.Problem{p},
		Platform: result.Platform{Name: evil, Defect: evil, Digest: map[string]string{evil: evil}},
		Cells:    []result.Cell{{Suite: evil, Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{s}}, {Number: 2, Scenarios: []result.Scenario{s}}}}}}
}

// many makes a record of n scenarios of the samples. Each has its own names, digests and repository,
// and a journal as long as that of a scenario of the acceptance suite.
func many(tb testing.TB, n int) result.Record {
	tb.Helper()
	r := sample(tb, "red")
	var bases []result.Scenario
	for _, name := range []string{"green", "red", "green"} {
		for s := range sample(tb, name).Scenarios() {
			if len(s.Journal) > 0 {
				bases = append(bases, s)
			}
		}
	}
	t := &r.Cells[0].Trials[0]
	t.Scenarios = nil
	for i := range n {
		t.Scenarios = append(t.Scenarios, varied(tb, bases[i%len(bases)], i))
	}
	return r
}

func varied(tb testing.TB, s result.Scenario, i int) result.Scenario {
	tb.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	text := strings.NewReplacer("test-repo-01", fmt.Sprintf("test-repo-%02d", i%97), "login", fmt.Sprintf("login %d", i), "Login", fmt.Sprintf("Login %d", i)).Replace(string(b))
	var v result.Scenario
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		tb.Fatal(err)
	}
	v.ID = fmt.Sprintf("part%02d.feature:%d", i/25, 3+i%25*9)
	v.Feature = fmt.Sprintf("Part %d", i/25)
	v.Rule = fmt.Sprintf("Criterion %d of part %d holds", i%25/5+1, i/25)
	v.Name = fmt.Sprintf("%s, variant %d", v.Name, i)
	v.Seconds = float64(i%13) / 7
	for j := range v.Steps {
		v.Steps[j].Seconds = float64((i*7+j*3)%400) / 1000
	}
	for j := range v.Evidence {
		v.Evidence[j].Digest = fmt.Sprintf("sha256:%064x", uint64(i*31+j)*0x9e3779b97f4a7c15)
		v.Evidence[j].Path = "evidence/" + v.Evidence[j].Digest[69:] + "/" + v.Evidence[j].Digest[7:]
		v.Evidence[j].Link = fmt.Sprintf("by-scenario/part%02d.feature-%d/%s", i/25, 3+i%25*9, v.Evidence[j].Name)
	}
	last := v.Journal[len(v.Journal)-1]
	for j := len(v.Journal); j < 150; j++ {
		e := last
		e.Seq, e.Type, e.Change, e.Cause = last.Seq+uint64(j), "request", j%3 == 0, driver.Cause(fmt.Sprintf("step:%d", 1+j%5))
		if j%2 == 0 {
			e.Cause = "job:1"
		}
		e.Subject = fmt.Sprintf("POST /repos/acme/test-repo-%02d/git/blobs/%d", i%97, (i*j)%50)
		e.Detail = map[string]string{"status": "201"}
		v.Journal = append(v.Journal, e)
	}
	for j := range v.Journal {
		v.Journal[j].Detail = maps.Clone(v.Journal[j].Detail)
		if v.Journal[j].Type == "push" {
			v.Journal[j].Detail["sha"] = fmt.Sprintf("%040x", uint64(i*131+j)*0x9e3779b97f4a7c15)
		}
	}
	return v
}

func TestThousandScenariosAreSmall(t *testing.T) {
	const limit = 3_000_000
	page := render(t, html.Format{Base: "runs/20260820T091401Z-1"}, many(t, 1000))
	t.Logf("%d bytes", len(page))
	if len(page) > limit {
		t.Errorf("a page of 1,000 scenarios has %d bytes, want at most %d", len(page), limit)
	}
}

// A loop in a job must not make a scenario that nobody can open.
func TestLongJournalIsCut(t *testing.T) {
	r := sample(t, "red")
	s := &r.Cells[0].Trials[0].Scenarios[0]
	last := s.Journal[len(s.Journal)-1]
	for i := range 5000 {
		s.Journal = append(s.Journal, driver.Entry{Seq: last.Seq + 1 + uint64(i), Time: last.Time, Type: "request", Change: true, Cause: "job:2",
			Subject: fmt.Sprintf("POST /loop/%d", i), Detail: map[string]string{"status": "201"}})
	}
	s.Journal = append(s.Journal, driver.Entry{Seq: last.Seq + 6000, Time: last.Time, Type: "request", Cause: "job:2", Subject: "GET /wrong", Detail: map[string]string{"status": "500"}})
	data := unpacked(t, render(t, html.Format{}, r))["pack-0"]
	if n := strings.Count(data, "/loop/"); n == 0 || n > 300 {
		t.Errorf("%d calls of a loop are shown", n)
	}
	if !strings.Contains(data, "GET /wrong") {
		t.Error("what went wrong was cut")
	}
	if !strings.Contains(data, `"entries": 5032`) || !strings.Contains(data, `"cut": 47`) {
		t.Error("it is not told how much was cut")
	}
}

func BenchmarkThousandScenarios(b *testing.B) {
	r := many(b, 1000)
	var size bytes.Buffer
	if err := (html.Format{}).Write(&size, r); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := (html.Format{}).Write(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size.Len()), "bytes/page")
}
