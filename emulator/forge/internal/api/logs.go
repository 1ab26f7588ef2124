package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxLogName is how many characters of a job's or a step's name stand in the names of its files.
const maxLogName = 90

func (a *API) runLogs(c *call) (answer, error) {
	id, err := c.number("id")
	n := 0
	if err == nil && c.param["attempt"] != "" {
		id, n, err = c.attempt()
	}
	if err != nil {
		return answer{}, err
	}
	if n, err = a.State.SeeLogs(c.who, c.repo(), id, n); err != nil {
		return answer{}, err
	}
	return a.redirect(c, signedLogs+strconv.Itoa(n), id)
}

func (a *API) zipLogs(run int64, attempt string) (answer, error) {
	n, err := strconv.Atoi(attempt)
	if err != nil {
		return answer{}, wire.NotFound()
	}
	logs, err := a.State.Logs(run, n)
	if err != nil {
		return answer{}, err
	}
	data, err := zipOf(logs)
	return answer{status: http.StatusOK, raw: data, kind: "application/zip"}, err
}

// zipOf lays logs out as GitHub does: a file for each job, and beside it a folder with one for each step.
func zipOf(logs []state.JobLog) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name string, text []byte) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	taken := map[string]bool{}
	for i, l := range logs {
		name := fileName(l.Name)
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s (%d)", fileName(l.Name), n)
		}
		taken[strings.ToLower(name)] = true
		if err := put(fmt.Sprintf("%d_%s.txt", i, name), l.Text); err != nil {
			return nil, err
		}
		for _, s := range l.Steps {
			if err := put(fmt.Sprintf("%s/%d_%s.txt", name, s.Number, fileName(s.Name)), s.Text); err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// fileName makes of a name that people chose one that every file system takes, and that leads nowhere.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if runes := []rune(name); len(runes) > maxLogName {
		name = string(runes[:maxLogName])
	}
	name = strings.TrimRight(name, ". ")
	if strings.Trim(name, ".") == "" {
		return "_"
	}
	return name
}
