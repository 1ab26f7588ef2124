package forge

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// ArchiveVersion is the form that archives are written in. Another form is refused, never guessed.
const ArchiveVersion = 1

// maxArtifact bounds what an archive keeps of one artifact; larger ones are left out and named.
const maxArtifact = 4 << 20

// line is one line of an archive: JSON, so that text in it is text to whoever looks for secrets, and
// so that a value which somebody takes out leaves the other lines whole. One of its fields is set.
// The first is the head, the last the end.
type line struct {
	Head   *head       `json:"head,omitempty"`
	Object *objectLine `json:"object,omitempty"`
	File   *fileLine   `json:"file,omitempty"`
	Row    *rowLine    `json:"row,omitempty"`
	Image  *imageLine  `json:"image,omitempty"`
	End    *endLine    `json:"end,omitempty"`
}

type head struct {
	Version int     `json:"version"`
	Actors  []Actor `json:"actors"`
}

// Actor is who acted for a scenario.
type Actor struct {
	Name  string `json:"name"`
	Login string `json:"login"`
}

// content is bytes: as text where they are text.
type content struct {
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"`
}

func contentOf(data []byte) content {
	if utf8.Valid(data) {
		return content{Text: string(data)}
	}
	return content{Base64: data}
}

func (c content) bytes() []byte {
	if c.Text != "" {
		return []byte(c.Text)
	}
	return c.Base64
}

// objectLine is a git object of a repository, as it is without compression.
type objectLine struct {
	Repo int64  `json:"repo"`
	SHA  string `json:"sha"`
	Type string `json:"type"`
	content
}

// fileLine is a file of an artifact.
type fileLine struct {
	Artifact int64  `json:"artifact"`
	Name     string `json:"name"`
	content
}

// rowLine is a row of a table of an image; the images name it by its number.
type rowLine struct {
	Number int             `json:"number"` // from 0
	Value  json.RawMessage `json:"value"`
}

// imageLine is the state after a step: tables as numbers of rows, and what is no table.
type imageLine struct {
	Step   int                        `json:"step"`
	Tables map[string][]int           `json:"tables"`
	Rest   map[string]json.RawMessage `json:"rest"`
}

type endLine struct {
	Lines   int      `json:"lines"` // before this one
	LeftOut []string `json:"left_out,omitempty"`
}

// Archive writes what was kept: an image of the state for each step, every git object once, and the
// files of artifacts. clean takes secrets out of a text; nil takes out nothing. A git object in which it
// finds one is left out and named, as is a large artifact; the values of Actions secrets, their keys
// and digests of tokens never come in.
func (k *Keeper) Archive(w io.Writer, clean func(string) string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if clean == nil {
		clean = func(s string) string { return s }
	}
	buf := bufio.NewWriter(w)
	aw := &archiveWriter{k: k, clean: clean, enc: json.NewEncoder(buf), rows: map[string]int{}}
	aw.enc.SetEscapeHTML(false)
	if err := aw.write(); err != nil {
		return fmt.Errorf("archive the forge: %w", err)
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("archive the forge: %w", err)
	}
	return nil
}

type archiveWriter struct {
	k     *Keeper
	clean func(string) string
	enc   *json.Encoder
	lines int
	rows  map[string]int // number by text
	end   endLine
}

func (w *archiveWriter) put(l line) error {
	w.lines++
	return w.enc.Encode(l)
}

func (w *archiveWriter) leaveOut(format string, args ...any) {
	w.end.LeftOut = append(w.end.LeftOut, w.clean(fmt.Sprintf(format, args...)))
}

func (w *archiveWriter) write() error {
	if len(w.k.kept) == 0 {
		return errors.New("no step was kept")
	}
	if err := w.put(line{Head: &head{Version: ArchiveVersion, Actors: w.actors()}}); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(w.k.repos)) {
		if err := w.objects(id); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.k.arts)) {
		if err := w.artifact(id); err != nil {
			return fmt.Errorf("artifact %d: %w", id, err)
		}
	}
	for _, s := range w.k.kept {
		if err := w.image(s); err != nil {
			return fmt.Errorf("step %d: %w", s.step, err)
		}
	}
	w.end.Lines = w.lines
	return w.put(line{End: &w.end})
}

// actors are those whose tokens acted for the scenario.
func (w *archiveWriter) actors() []Actor {
	last := w.k.kept[len(w.k.kept)-1].image
	var all []Actor
	for _, t := range last.Tokens {
		if t.Kit && t.Parent == "" && t.Name != "" {
			all = append(all, Actor{Name: w.clean(t.Name), Login: w.clean(t.Login)})
		}
	}
	slices.SortFunc(all, func(a, b Actor) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Login, b.Login)) })
	return slices.Compact(all)
}

func (w *archiveWriter) objects(repo int64) error {
	err := w.k.a.git.Objects(repo, func(o gitstore.Object) error {
		if text := string(o.Data); w.clean(text) != text {
			w.leaveOut("%s %s of %s holds a secret", o.Type, o.SHA, w.repoName(repo))
			return nil
		}
		return w.put(line{Object: &objectLine{Repo: repo, SHA: o.SHA, Type: o.Type, content: contentOf(o.Data)}})
	})
	if err != nil {
		return fmt.Errorf("repository %s: %w", w.repoName(repo), err)
	}
	return nil
}

func (w *archiveWriter) repoName(id int64) string {
	for _, s := range slices.Backward(w.k.kept) {
		for _, r := range s.image.Repos {
			if r.ID == id {
				return r.Name
			}
		}
	}
	return fmt.Sprint(id)
}

// artifact writes the files of an artifact, with every known secret taken out.
func (w *archiveWriter) artifact(id int64) error {
	f, err := w.k.a.OpenArtifact(id)
	if errors.Is(err, driver.ErrNotFound) {
		return nil // deleted since: it answers as one that expired
	}
	if err != nil {
		return err
	}
	defer f.Close()
	packed, err := io.ReadAll(io.LimitReader(f, maxArtifact+1))
	if err != nil {
		return err
	}
	files, size, err := unpacked(packed)
	switch {
	case err != nil:
		w.leaveOut("artifact %d cannot be read: %v", id, err)
		return nil
	case len(packed) > maxArtifact || size > maxArtifact:
		w.leaveOut("artifact %d is larger than %d MiB", id, maxArtifact>>20)
		return nil
	}
	for _, file := range files {
		if err := w.put(line{File: &fileLine{Artifact: id, Name: w.clean(file.Name), content: contentOf([]byte(w.clean(string(file.bytes()))))}}); err != nil {
			return err
		}
	}
	return nil
}

// unpacked are the files of a zip, as far as an archive takes them.
func unpacked(packed []byte) (files []fileLine, size int64, err error) {
	if len(packed) > maxArtifact {
		return nil, int64(len(packed)), nil
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, 0, err
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, 0, err
		}
		data, err := io.ReadAll(io.LimitReader(r, maxArtifact+1-size))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, 0, err
		}
		if size += int64(len(data)); size > maxArtifact {
			return nil, size, nil
		}
		files = append(files, fileLine{Name: f.Name, content: contentOf(data)})
	}
	return files, size, nil
}

// withCleanLogs is an image in whose logs no secret is left: in JSON they are no text.
func withCleanLogs(im state.Image, clean func(string) string) state.Image {
	im.Jobs = slices.Clone(im.Jobs)
	for i := range im.Jobs {
		im.Jobs[i].Log = []byte(clean(string(im.Jobs[i].Log)))
	}
	return im
}

// blank takes out of a row what nobody may learn, wherever it stands in it.
func blank(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			blank(x)
		}
	case map[string]any:
		for key, x := range v {
			switch key {
			case "Sealing":
				v[key] = nil
			case "Secret":
				v[key] = ""
			case "Secrets":
				secrets, _ := x.([]any)
				for _, s := range secrets {
					if fields, ok := s.(map[string]any); ok {
						fields["Value"] = ""
					}
				}
			default:
				blank(x)
			}
		}
	}
}

func (w *archiveWriter) image(s keptStep) error {
	data, err := withCleanLogs(s.image, w.clean).Encode()
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	delete(fields, "Tokens")
	out := imageLine{Step: s.step, Tables: map[string][]int{}, Rest: map[string]json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !bytes.HasPrefix(fields[name], []byte("[")) {
			if out.Rest[name], err = w.cleaned(fields[name]); err != nil {
				return err
			}
			continue
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(fields[name], &rows); err != nil {
			return err
		}
		out.Tables[name] = []int{}
		for _, row := range rows {
			n, err := w.row(row)
			if err != nil {
				return err
			}
			out.Tables[name] = append(out.Tables[name], n)
		}
	}
	return w.put(line{Image: &out})
}

// row writes a row that no image before had, and returns its number.
func (w *archiveWriter) row(value json.RawMessage) (int, error) {
	if n, ok := w.rows[string(value)]; ok {
		return n, nil
	}
	n := len(w.rows)
	w.rows[string(value)] = n
	value, err := w.cleaned(value)
	if err != nil {
		return 0, err
	}
	return n, w.put(line{Row: &rowLine{Number: n, Value: value}})
}

// cleaned takes secrets out of JSON. They stand in texts, so it stays JSON. What holds none stays as it
// is, to the byte: payloads of webhooks are kept as they were sent.
func (w *archiveWriter) cleaned(value json.RawMessage) (json.RawMessage, error) {
	if bytes.Contains(value, []byte(`"Secret`)) || bytes.Contains(value, []byte(`"Sealing"`)) {
		var err error
		if value, err = blanked(value); err != nil {
			return nil, err
		}
	}
	text := w.clean(string(value))
	if !json.Valid([]byte(text)) {
		return nil, errors.New("a secret that is a number cannot be taken out")
	}
	return json.RawMessage(text), nil
}

func blanked(value json.RawMessage) (json.RawMessage, error) {
	var tree any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	blank(tree)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(tree)
	return bytes.TrimSpace(out.Bytes()), err
}
