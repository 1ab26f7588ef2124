package page

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const (
	logPart      = 256 << 10 // bytes of a log on one sheet
	searchedLog  = 1 << 20   // bytes at the end of a log in which annotations are looked for
	mostMessages = 20        // annotations of one job
)

func (p *page) runs(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "runs")
	if err != nil {
		return err
	}
	var v struct {
		Repo string
		Runs []forge.Run
		Next int64 // the sheet below begins before it; 0 is none
	}
	v.Repo = name
	if v.Runs, err = p.view.Runs(name, number(r.URL.Query().Get("before")), window); err != nil {
		return err
	}
	if n := len(v.Runs); n == window {
		v.Next = v.Runs[n-1].ID
	}
	s.Main = v
	return p.send(w, r, http.StatusOK, "runs", s)
}

// runSheet is a run with all that it left.
type runSheet struct {
	forge.RunView
	Messages  map[int64][]logLine // annotations, by job
	Artifacts []forge.Artifact
}

func (p *page) run(w http.ResponseWriter, r *http.Request) error {
	x, err := p.view.Run(number(r.PathValue("id")))
	if err != nil {
		return orMissing(err, "run", "the runs of a repository are listed on its sheet")
	}
	s, err := p.ofRun(x.Run)
	if err != nil {
		return err
	}
	main := runSheet{RunView: x, Messages: map[int64][]logLine{}, Artifacts: p.o.Forge.Admin().Artifacts(x.Run.ID)}
	for _, j := range x.Jobs {
		if main.Messages[j.ID], err = p.messages(j.ID); err != nil {
			return err
		}
	}
	s.Main = main
	return p.send(w, r, http.StatusOK, "run", s)
}

func (p *page) ofRun(x forge.Run) (sheet, error) {
	repo, err := p.view.Repo(x.Repo)
	return sheet{Title: fmt.Sprintf("%s #%d · %s", x.Name, x.Number, x.Repo), Part: "repositories", Going: x.Status != "completed", Repo: &tabs{repo, "runs"}}, err
}

// messages finds the errors, warnings and notices that a job told with workflow commands.
func (p *page) messages(job int64) ([]logLine, error) {
	part, err := p.view.Log(job, 0, 0)
	if err == nil {
		part, err = p.view.Log(job, part.Size-searchedLog, searchedLog)
	}
	var out []logLine
	for line := range bytes.Lines(part.Text) {
		if l := readLogLine(line); l.Tone == "error" || l.Tone == "warning" || l.Tone == "notice" {
			if out = append(out, l); len(out) == mostMessages {
				break
			}
		}
	}
	return out, err
}

// jobSheet is a job with a part of its log.
type jobSheet struct {
	Run   forge.Run
	Job   forge.Job
	Jobs  []forge.Job // of the run
	Lines []logLine
	From  int // where Lines begin
	Next  int // where what follows begins
	Size  int
	Ended bool
	Prior int // where the part before begins
}

func (p *page) job(w http.ResponseWriter, r *http.Request) error {
	v, err := p.jobSheet(r)
	if err != nil {
		return err
	}
	s, err := p.ofRun(v.Run)
	if err != nil {
		return err
	}
	s.Title, s.Going, s.Main = v.Job.Name+" · "+s.Title, !v.Ended, v
	return p.send(w, r, http.StatusOK, "job", s)
}

func (p *page) jobSheet(r *http.Request) (jobSheet, error) {
	id := number(r.PathValue("id"))
	x, err := p.view.JobRun(id)
	if err != nil {
		return jobSheet{}, orMissing(err, "job", "the sheet of a run lists its jobs")
	}
	v := jobSheet{Run: x.Run, Jobs: x.Jobs}
	for _, j := range x.Jobs {
		if j.ID == id {
			v.Job = j
		}
	}
	part, err := p.view.Log(id, 0, 0)
	if err != nil {
		return v, err
	}
	from, asked := max(0, part.Size-logPart), r.URL.Query().Get("from")
	if asked != "" {
		from = int(number(asked))
	}
	if from, err = p.lineAt(id, from); err != nil {
		return v, err
	}
	text, err := p.logPart(id, from)
	v.Lines, v.From, v.Next, v.Size, v.Ended = text.lines, text.from, text.next, text.size, text.ended
	v.Prior = max(0, v.From-logPart)
	return v, err
}

// lines are whole lines of a log. A line is not told before it is whole: a secret in it could not be
// recognised in halves.
type lines struct {
	lines      []logLine
	from, next int
	size       int
	ended      bool
}

func (p *page) logPart(job int64, from int) (lines, error) {
	part, err := p.view.Log(job, from, logPart)
	if err != nil {
		return lines{}, err
	}
	text := part.Text
	out := lines{from: min(from, part.Size), size: part.Size, ended: part.Ended}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole == 0 && len(text) == logPart || part.Ended && out.from+len(text) == part.Size {
		whole = len(text)
	}
	out.next = out.from + whole
	for line := range bytes.Lines(text[:whole]) {
		out.lines = append(out.lines, readLogLine(line))
	}
	return out, nil
}

// lineAt is where the first line at or after a byte begins.
func (p *page) lineAt(job int64, from int) (int, error) {
	if from == 0 {
		return 0, nil
	}
	part, err := p.view.Log(job, from-1, logPart)
	if i := bytes.IndexByte(part.Text, '\n'); i > 0 {
		from += i
	}
	return min(from, part.Size), err
}

// log gives the lines of a log from a byte on, for who follows it; where they end is in the header.
func (p *page) log(w http.ResponseWriter, r *http.Request) error {
	text, err := p.logPart(number(r.PathValue("id")), int(number(r.URL.Query().Get("from"))))
	if err != nil {
		return orMissing(err, "job", "the sheet of a run lists its jobs")
	}
	body, err := p.render("part", "lines", text.lines)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Log-Next", strconv.Itoa(text.next))
	w.Header().Set("Log-Ended", strconv.FormatBool(text.ended && text.next == text.size))
	_, _ = w.Write(body) // who has gone does not need it
	return nil
}

// logLine is one line of a log.
type logLine struct{ Clock, Tone, Text string }

var (
	stamp   = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) ?`)
	command = regexp.MustCompile(`^##\[(error|warning|notice|group|endgroup|command|debug|section)\]`)
	colour  = regexp.MustCompile("\x1b\\[[0-9;:?]*[A-Za-z]")
)

// readLogLine takes the time and the workflow command off a line.
func readLogLine(line []byte) logLine {
	text := strings.TrimRight(string(line), "\r\n")
	var l logLine
	if m := stamp.FindStringSubmatch(text); m != nil {
		if t, err := time.Parse(time.RFC3339Nano, m[1]); err == nil {
			l.Clock, text = t.Local().Format("15:04:05"), text[len(m[0]):]
		}
	}
	if m := command.FindStringSubmatch(text); m != nil {
		l.Tone, text = m[1], text[len(m[0]):]
	}
	l.Text = colour.ReplaceAllString(text, "")
	return l
}

// artifact sends the zip of an artifact.
func (p *page) artifact(w http.ResponseWriter, r *http.Request) error {
	for _, a := range p.o.Forge.Admin().Artifacts(number(r.PathValue("id"))) {
		if strconv.FormatInt(a.ID, 10) != r.PathValue("artifact") {
			continue
		}
		zip, err := p.o.Forge.Admin().OpenArtifact(a.ID)
		if err != nil {
			return orMissing(err, "artifact", "it was deleted")
		}
		defer zip.Close()
		w.Header().Set("Content-Type", "application/zip")
		w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(a.Name) + ".zip"}))
		_, _ = io.Copy(w, zip) // who has gone does not need it
		return nil
	}
	return missing("artifact", "the sheet of a run lists its artifacts")
}

// fileName keeps of a name what every system takes in a file's name.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`/\:*?"<>|`, r) || steers(r) {
			return '_'
		}
		return r
	}, name)
}
