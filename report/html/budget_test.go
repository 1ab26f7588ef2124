package html_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

func TestPageTellsTheBudget(t *testing.T) {
	r := sample(t, "green")
	r.Ended = r.Started.Add(200 * time.Second)
	const fact = "<dt>took</dt><dd>"
	without := render(t, html.Format{}, r)
	r.Budget = &result.Budget{Limit: 2400}
	with := render(t, html.Format{}, r)
	if _, took, ok := strings.Cut(with, fact); !ok || !strings.HasPrefix(took, "200.0 s of 40 m</dd>") {
		t.Errorf("with a budget: %.60q", took)
	}
	if _, took, ok := strings.Cut(without, fact); !ok || !strings.HasPrefix(took, "200.0 s</dd>") {
		t.Errorf("without: %.60q", took)
	}
}
