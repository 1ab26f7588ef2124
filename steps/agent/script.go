package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	dummyagent "github.com/understudy-dev/understudy/agent/dummy"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// op is one operation of a dummy script, as `understudy-job agent dummy` reads it.
type op struct {
	Description string  `json:"description"`
	Op          string  `json:"op"`
	Args        string  `json:"args"`
	Content     *string `json:"content,omitempty"` // of write_fixture; a fixture may be empty
	Iteration   int     `json:"iteration,omitempty"`
	Fixture     string  `json:"-"` // where Content is from
}

// columns are those of a dummy agent table, all of them needed. One more may be there, iteration: an
// operation with a number in it is carried out only when the agent is asked for that time.
var columns = []string{"description", "op", "args"}

const iterationColumn = "iteration"

// scriptPath is where the script of an agent is; "" is that of every agent without one of its own.
func scriptPath(ctx context.Context, agent string) (string, error) {
	p := world.From(ctx).Drivers().Platform
	if agent == "" {
		return p.ScriptPath, nil
	}
	if _, ok := stage(p.Stages, agent); !ok && !slices.Contains(world.Harnesses(ctx), agent) {
		return "", fmt.Errorf("%q is no stage of the platform file, and no step before this one brings such an agent; there are: %s",
			agent, strings.Join(append(strings.Split(names(p.Stages), ", "), world.Harnesses(ctx)...), ", "))
	}
	return path.Join(path.Dir(p.ScriptPath), agent+path.Ext(p.ScriptPath)), nil
}

func dummyOfAll(ctx context.Context, t *suite.Table) error { return dummy(ctx, "", t) }

// dummy commits the table as the script of the next agent run, with fixtures embedded.
func dummy(ctx context.Context, agent string, t *suite.Table) error {
	w := world.From(ctx)
	to, err := scriptPath(ctx, agent)
	if err != nil {
		return err
	}
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	ops, err := operations(t, w.Drivers().Fixtures)
	if err != nil {
		return err
	}
	for i := range ops {
		// Nowhere else: a fixture or a URL may well hold this text.
		if ops[i].Op == dummyagent.CheckoutBranch {
			if ops[i].Args, err = world.WithIssue(ctx, ops[i].Args); err != nil {
				return fmt.Errorf("operation %q: %w", ops[i].Description, err)
			}
		}
	}
	if err := check(ops); err != nil {
		return err
	}
	// JSON is YAML: the script's place may well be called .yaml.
	script, err := json.MarshalIndent(map[string]any{"ops": ops}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.As(admin).Files.Commit(ctx, r, driver.NewCommit{
		Message: "Set the dummy agent's script",
		Files:   []driver.NewFile{{Path: to, Content: append(script, '\n')}},
	})
	return err
}

func operations(t *suite.Table, fixtures fs.FS) ([]op, error) {
	rows := t.Rows
	if len(rows) < 2 {
		return nil, errors.New("a dummy agent table needs a head and at least one operation")
	}
	at := map[string]int{}
	for i, c := range rows[0].Cells {
		at[c.Value] = i
	}
	for _, name := range columns {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("a dummy agent table has the columns %s; %q is missing", strings.Join(columns, ", "), name)
		}
	}
	all := len(columns)
	column, iterated := at[iterationColumn]
	if iterated {
		all++
	}
	if len(at) != all || len(rows[0].Cells) != all {
		return nil, fmt.Errorf("a dummy agent table has the columns %s, perhaps %s, and no others", strings.Join(columns, ", "), iterationColumn)
	}
	var ops []op
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		o := op{
			Description: row.Cells[at["description"]].Value, Op: row.Cells[at["op"]].Value, Args: row.Cells[at["args"]].Value,
		}
		if iterated && row.Cells[column].Value != "" {
			n, err := dummyagent.ParseIteration(row.Cells[column].Value)
			if err != nil {
				return nil, fmt.Errorf("operation %q: %w", o.Description, err)
			}
			o.Iteration = n
		}
		if o.Description == "" || seen[o.Description] {
			return nil, fmt.Errorf("each operation has a description of its own; %q is empty or used twice", o.Description)
		}
		seen[o.Description] = true
		if o.Op == dummyagent.WriteFixture {
			if err := embed(&o, fixtures); err != nil {
				return nil, fmt.Errorf("operation %q: %w", o.Description, err)
			}
		}
		ops = append(ops, o)
	}
	return ops, nil
}

// check holds the operations to what the dummy takes, before they are committed.
func check(ops []op) error {
	for _, o := range ops {
		known := dummyagent.Op{Description: o.Description, Op: o.Op, Args: o.Args}
		if o.Content != nil {
			known.Content = *o.Content
		}
		if err := known.Check(); err != nil {
			return fmt.Errorf("operation %q: %w", o.Description, err)
		}
	}
	return nil
}

// embed puts a fixture's bytes into the operation: the script must need nothing but itself.
func embed(o *op, fixtures fs.FS) error {
	dest, source, ok := strings.Cut(o.Args, ",")
	dest, source = strings.TrimSpace(dest), strings.TrimSpace(source)
	if !ok || dest == "" || source == "" {
		return fmt.Errorf("write_fixture takes `DEST, FIXTURE`, not %q", o.Args)
	}
	source = path.Clean(source)
	data, err := readFixture(fixtures, source)
	if err != nil {
		return fmt.Errorf("fixture %s %w", source, err)
	}
	content := string(data)
	o.Args, o.Content, o.Fixture = dest, &content, source
	return nil
}
