package forge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// maxArchive bounds what is read of an archive.
const maxArchive = 1 << 30

// ErrArchiveVersion says that an archive was written by a version of the kit that this one cannot read.
var ErrArchiveVersion = errors.New("unknown archive version")

// Archive is what a Keeper wrote, as read: forges as they were after the steps of a scenario.
type Archive struct {
	Actors  []Actor  // who acted; they need tokens anew
	LeftOut []string // what is not in it because it held a secret or was too large

	objects map[int64][]objectLine // by repository
	files   map[int64][]fileLine   // by artifact
	rows    []json.RawMessage
	images  []imageLine
}

// OpenArchive reads an archive. It trusts nothing in it: what is not whole, does not belong together or
// is not known is an error. An archive of another form is ErrArchiveVersion.
func OpenArchive(r io.Reader) (*Archive, error) {
	a := &Archive{objects: map[int64][]objectLine{}, files: map[int64][]fileLine{}}
	if err := a.read(r); err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	return a, nil
}

func (a *Archive) read(r io.Reader) error {
	dec := json.NewDecoder(io.LimitReader(r, maxArchive))
	if err := readHead(dec, a); err != nil {
		return err
	}
	dec.DisallowUnknownFields()
	for n := 1; ; n++ {
		var l line
		if err := dec.Decode(&l); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("it ends after %d lines and is not whole", n)
		} else if err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		if l.End != nil {
			return a.finish(dec, l, n)
		}
		if err := a.take(l); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
}

// readHead reads the first line, in whatever form: the version says whether the others can be read.
func readHead(dec *json.Decoder, a *Archive) error {
	var first struct {
		Head *head `json:"head"`
	}
	if err := dec.Decode(&first); err != nil || first.Head == nil {
		return errors.New("it does not begin like one")
	}
	if v := first.Head.Version; v != ArchiveVersion {
		return fmt.Errorf("%w %d; this understudy reads %d", ErrArchiveVersion, v, ArchiveVersion)
	}
	a.Actors = first.Head.Actors
	return nil
}

func (a *Archive) finish(dec *json.Decoder, l line, n int) error {
	switch {
	case l.End.Lines != n:
		return fmt.Errorf("it has %d lines and should have %d", n, l.End.Lines)
	case dec.More():
		return errors.New("something follows its end")
	case len(a.images) == 0:
		return errors.New("there is no step in it")
	}
	a.LeftOut = l.End.LeftOut
	return nil
}

func (a *Archive) take(l line) error {
	switch {
	case l.Object != nil:
		a.objects[l.Object.Repo] = append(a.objects[l.Object.Repo], *l.Object)
	case l.File != nil:
		a.files[l.File.Artifact] = append(a.files[l.File.Artifact], *l.File)
	case l.Row != nil:
		if l.Row.Number != len(a.rows) {
			return fmt.Errorf("row %d stands in the place of row %d", l.Row.Number, len(a.rows))
		}
		a.rows = append(a.rows, l.Row.Value)
	case l.Image != nil:
		if n := len(a.images); n > 0 && a.images[n-1].Step >= l.Image.Step {
			return fmt.Errorf("step %d follows step %d", l.Image.Step, a.images[n-1].Step)
		}
		if _, err := a.image(*l.Image); err != nil {
			return err
		}
		a.images = append(a.images, *l.Image)
	default:
		return errors.New("it says nothing")
	}
	return nil
}

// image puts an image together from its rows.
func (a *Archive) image(l imageLine) (state.Image, error) {
	fields := map[string]any{}
	for name, value := range l.Rest {
		fields[name] = value
	}
	for name, numbers := range l.Tables {
		rows := make([]json.RawMessage, len(numbers))
		for i, n := range numbers {
			if n < 0 || n >= len(a.rows) {
				return state.Image{}, fmt.Errorf("there is no row %d", n)
			}
			rows[i] = a.rows[n]
		}
		fields[name] = rows
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return state.Image{}, err
	}
	return state.DecodeImage(data)
}

// Steps are the numbers of the steps after which the forge was kept, rising.
func (a *Archive) Steps() []int {
	steps := make([]int, len(a.images))
	for i, im := range a.images {
		steps[i] = im.Step
	}
	return steps
}
