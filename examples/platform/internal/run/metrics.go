package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/crew/internal/selection"
)

// Metrics is metrics.json. What a runtime does not report is null, "" for its model: crew invents no
// figures.
type Metrics struct {
	Runtime          string      `json:"runtime"`
	RequestedRuntime string      `json:"requested_runtime"`
	RuntimeSource    string      `json:"runtime_source"`
	RequestedModel   string      `json:"requested_model"`
	OverrideSource   string      `json:"override_source"` // what decided on the model
	Model            string      `json:"model"`           // as the provider calls it
	Effort           string      `json:"effort"`
	NumTurns         *int64      `json:"num_turns"`
	TotalCostUSD     *float64    `json:"total_cost_usd"`
	TokenUsage       *TokenUsage `json:"token_usage"`
	Iterations       int         `json:"iterations"`
	ToolCalls        int         `json:"tool_calls"`
}

// TokenUsage counts tokens.
type TokenUsage struct {
	Input         int64 `json:"input"`
	Output        int64 `json:"output"`
	Reasoning     int64 `json:"reasoning"`
	CacheCreation int64 `json:"cache_creation"`
	CacheRead     int64 `json:"cache_read"`
}

// usageFile is where a runtime reports, below the workspace, what an iteration used. The script of
// the runtime "dummy" may write it.
const usageFile = "usage.json"

const (
	maxUsage = 1 << 16
	maxCount = 1 << 50 // of any figure, so that no sum overflows
)

// usage is what usageFile holds; what it leaves out is not known.
type usage struct {
	Model        string      `json:"model"`
	NumTurns     *int64      `json:"num_turns"`
	TotalCostUSD *float64    `json:"total_cost_usd"`
	TokenUsage   *TokenUsage `json:"token_usage"`
}

func newMetrics(s selection.Selection) Metrics {
	return Metrics{
		Runtime: s.Runtime.Value, RequestedRuntime: s.Runtime.Value, RuntimeSource: s.Runtime.Source,
		RequestedModel: s.Model.Value, OverrideSource: s.Model.Source, Effort: s.Effort.Value,
	}
}

// measure adds what the last iteration, whose files are in dir, used.
func (t *task) measure(dir string) error {
	var results struct {
		Operations []json.RawMessage `json:"operations"`
	}
	// An agent that leaves no such file, or another, made no tool calls that we know of.
	if data, err := os.ReadFile(filepath.Join(dir, resultsFile)); err == nil && json.Unmarshal(data, &results) == nil {
		t.metrics.ToolCalls += len(results.Operations)
	}
	u, err := readUsage(workspace(t.place))
	if err != nil {
		fmt.Fprintf(t.Log, "::warning::the runtime's figures are not known: %s\n", oneLine(err.Error()))
		return nil
	}
	t.metrics.add(u)
	return nil
}

func (m *Metrics) add(u usage) {
	if u.Model != "" {
		m.Model = u.Model
	}
	if u.NumTurns != nil {
		m.NumTurns = sum(m.NumTurns, *u.NumTurns)
	}
	if u.TotalCostUSD != nil {
		m.TotalCostUSD = sum(m.TotalCostUSD, *u.TotalCostUSD)
	}
	if n := u.TokenUsage; n != nil {
		if m.TokenUsage == nil {
			m.TokenUsage = &TokenUsage{}
		}
		s := m.TokenUsage
		s.Input, s.Output, s.Reasoning = s.Input+n.Input, s.Output+n.Output, s.Reasoning+n.Reasoning
		s.CacheCreation, s.CacheRead = s.CacheCreation+n.CacheCreation, s.CacheRead+n.CacheRead
	}
}

func sum[T int64 | float64](have *T, more T) *T {
	if have != nil {
		more += *have
	}
	return &more
}

// readUsage reads what a runtime reported; no file is no report.
func readUsage(workspace string) (usage, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return usage{}, err
	}
	defer root.Close()
	info, err := root.Lstat(usageFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage{}, nil
	case err != nil:
		return usage{}, err
	case !info.Mode().IsRegular():
		return usage{}, errors.New(usageFile + " is not a regular file")
	}
	f, err := root.Open(usageFile)
	if err != nil {
		return usage{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxUsage+1))
	if err != nil {
		return usage{}, err
	}
	return parseUsage(data)
}

func parseUsage(data []byte) (usage, error) {
	if len(data) > maxUsage {
		return usage{}, fmt.Errorf("%s is larger than %d bytes", usageFile, maxUsage)
	}
	var u usage
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&u); err != nil {
		return usage{}, fmt.Errorf("%s: %w", usageFile, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return usage{}, errors.New(usageFile + ": something follows the value")
	}
	var counts []int64
	if u.NumTurns != nil {
		counts = append(counts, *u.NumTurns)
	}
	if t := u.TokenUsage; t != nil {
		counts = append(counts, t.Input, t.Output, t.Reasoning, t.CacheCreation, t.CacheRead)
	}
	for _, n := range counts {
		if n < 0 || n > maxCount {
			return usage{}, fmt.Errorf("%s: %d is no count", usageFile, n)
		}
	}
	if c := u.TotalCostUSD; c != nil && (*c < 0 || *c > maxCount) {
		return usage{}, fmt.Errorf("%s: %v is no cost", usageFile, *c)
	}
	return u, nil
}
