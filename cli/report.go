package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/report/junit"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/report/messages"
	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/coverage"
	"github.com/understudy-dev/understudy/trial"
)

// formats are what `understudy report` can render, with the ending of a file of each.
var formats = []struct {
	name, ending string
	format       report.Format
}{
	{"text", ".txt", text.Format{}},
	{"html", ".html", html.Format{}},
	{"junit", ".xml", junit.Format{}},
	{"messages", ".ndjson", messages.Format{}},
	{"markdown", ".md", markdown.Format{}},
	{"record", ".json", recordFormat{}},
}

func formatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

type reportFlags struct {
	format, out           string
	mixed, coverage, json bool
	trackRecord, suite    string
}

func reportCommand(o Options) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RECORD…",
		Short: "Render stored records: html, junit, messages, markdown, text",
		Long: `Render stored records. RECORD is a record.json, or the directory that holds it.

Several records are merged first: those of different scenarios are shards of one trial, those of the
same scenarios are trials. Records of another build of the platform, or of features with another
text, are refused by name; --mixed merges them nevertheless and warns in the report.

The format is taken from the ending of --out (.html .xml .ndjson .md .txt .json) unless --format
names it; "record" is the merged record itself.

--coverage says instead which jobs, steps and conditions of the workflows no scenario took, and the
least permissions that their tokens needed; with --json as JSON.

--track-record FILE makes the table of run --defects=full from the records of a clean run and of one run for each
seeded defect of the suite in --suite (run --defect NAME), which may have been made at different times.

Exit codes: 0 rendered, whatever the verdicts · 2 usage.`,
		Example: `  understudy report out/record.json --format markdown >> "$GITHUB_STEP_SUMMARY"
  understudy report shard-1/record.json shard-2/record.json --out all.html
  understudy report --coverage out
  understudy report out/runs/*/record.json --suite examples/acceptance --track-record docs/track-record.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error { return runReport(o, f, paths) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "one of "+strings.Join(formatNames(), ", "))
	fl.StringVar(&f.out, "out", "", "file to write; without it the report goes to standard output")
	fl.BoolVar(&f.mixed, "mixed", false, "merge records of different platforms or features")
	fl.BoolVar(&f.coverage, "coverage", false, "what of the workflows no scenario took, and the least permissions")
	fl.BoolVar(&f.json, "json", false, "--coverage as JSON")
	fl.StringVar(&f.trackRecord, "track-record", "", "file for what the seeded defects came to, in Markdown")
	fl.StringVar(&f.suite, "suite", "", "directory of the suite that lists them")
	cmd.MarkFlagsMutuallyExclusive("coverage", "format", "track-record")
	cmd.MarkFlagsMutuallyExclusive("out", "track-record")
	cmd.MarkFlagsRequiredTogether("suite", "track-record")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runReport(o Options, f reportFlags, paths []string) error {
	if f.trackRecord != "" {
		return runTrackRecord(f, paths)
	}
	format, err := f.pick()
	if err != nil {
		return err
	}
	var records []result.Record
	var names []string
	for _, p := range paths {
		r, file, err := readRecord(p)
		if err != nil {
			return err
		}
		base, err := evidenceBase(file, f.out)
		if err != nil {
			return err
		}
		records, names = append(records, result.Rebase(r, base)), append(names, p)
	}
	r := records[0]
	if len(records) > 1 {
		r, err = result.Merge(records, result.MergeOptions{Mixed: f.mixed, Names: names})
		if errors.Is(err, result.ErrDiffer) {
			return &hinted{err, "a report tells of one thing; --mixed merges them nevertheless"}
		}
		if err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := format.Write(&b, r); err != nil {
		return err
	}
	if f.out == "" {
		_, err := o.Stdout.Write(b.Bytes())
		return err
	}
	return replace(f.out, b.Bytes())
}

// pick takes the format that is named, else the one that out's ending says.
func (f reportFlags) pick() (report.Format, error) {
	switch {
	case f.coverage:
		return coverageFormat{f.json}, nil
	case f.json:
		return nil, &hinted{errors.New("--json belongs to --coverage"), "the record itself is --format record"}
	}
	name, ending := f.format, filepath.Ext(f.out)
	if name == "" && f.out == "" {
		name = "text"
	}
	for _, known := range formats {
		if name == known.name || name == "" && ending == known.ending {
			return known.format, nil
		}
	}
	if name == "" {
		return nil, &hinted{fmt.Errorf("the ending of --out %s says no format", f.out), "name one with --format: " + strings.Join(formatNames(), ", ")}
	}
	return nil, &hinted{fmt.Errorf("unknown format %q", name), "the formats are " + strings.Join(formatNames(), ", ")}
}

// recordFormat is the record itself, as result.Write stores it.
type recordFormat struct{}

func (recordFormat) Write(w io.Writer, r result.Record) error { return writeJSON(w, r) }

// coverageFormat is what scenarios took of the workflows.
type coverageFormat struct{ json bool }

func (f coverageFormat) Write(w io.Writer, r result.Record) error {
	c := coverage.Of(r)
	if f.json {
		return writeJSON(w, c.Told())
	}
	return c.WriteText(w)
}

// readRecord reads a record from its file, or from the directory that it lies in.
func readRecord(path string) (r result.Record, file string, err error) {
	file = path
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		file = filepath.Join(path, "record.json")
		_, err = os.Stat(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		soFar := filepath.Join(filepath.Dir(file), trial.SoFar)
		if _, err := os.Stat(soFar); err == nil {
			return r, file, &hinted{fmt.Errorf("there is no record %s: the run did not come to its end", file), "what had finished stands in " + soFar}
		}
		return r, file, &hinted{fmt.Errorf("there is no record %s", file), "understudy run keeps it as record.json in its --out directory"}
	}
	if r, err = result.Read(file); errors.Is(err, result.ErrSchema) {
		err = &hinted{err, "use the understudy that wrote it"}
	}
	return r, file, err
}

// evidenceBase is where the evidence of a record lies as seen from the report at out: beside the
// record, or, for the record at the top of a run's --out, in the directory of the same run.
func evidenceBase(record, out string) (string, error) {
	dir := filepath.Dir(record)
	if _, err := os.Stat(filepath.Join(dir, "evidence")); err != nil {
		same, err := sameRecord(record, filepath.Join(dir, "runs"))
		if err != nil {
			return "", err
		}
		if same != "" {
			dir = same
		}
	}
	from, err := filepath.Abs(filepath.Dir(out))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	return filepath.ToSlash(rel), err
}

func sameRecord(record, runs string) (string, error) {
	data, err := os.ReadFile(record)
	if err != nil {
		return "", fmt.Errorf("read record: %w", err)
	}
	dirs, err := filepath.Glob(filepath.Join(runs, "*", "record.json"))
	slices.Reverse(dirs) // the newest is the likeliest
	for _, d := range dirs {
		if other, err := os.ReadFile(d); err == nil && bytes.Equal(data, other) {
			return filepath.Dir(d), nil
		}
	}
	return "", err
}
