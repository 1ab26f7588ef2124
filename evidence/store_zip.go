package evidence

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
)

const zipMagic = "PK\x03\x04"

// copyZip writes the archive in r anew with every entry scrubbed: compressed bytes would hide a
// secret from the scrubber, not from a reader. What cannot be read as a zip is kept as other bytes
// are; what is too large, packed or unpacked, is replaced by a text that says so.
func (s *Store) copyZip(w io.Writer, r io.Reader) (cut int64, err error) {
	packed, err := io.ReadAll(io.LimitReader(r, s.limit))
	if err != nil {
		return 0, err
	}
	if cut, err = io.Copy(io.Discard, r); err != nil {
		return 0, err
	}
	if cut > 0 {
		_, err = io.WriteString(w, cutLine(0, cut+int64(len(packed))))
		return cut + int64(len(packed)), err
	}
	in, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return s.copyBounded(w, s.scrub.Reader(bytes.NewReader(packed)))
	}
	out := zip.NewWriter(w)
	left := s.limit
	for _, f := range in.File {
		dropped, err := s.copyEntry(out, f, &left)
		if err != nil {
			return 0, fmt.Errorf("entry %q: %w", s.scrub.String(f.Name), err)
		}
		cut += dropped
	}
	return cut, out.Close()
}

// copyEntry copies one entry; left is what the whole archive may still unpack to. Extra fields and
// comments are left behind.
func (s *Store) copyEntry(out *zip.Writer, f *zip.File, left *int64) (cut int64, err error) {
	head := &zip.FileHeader{Name: s.scrub.String(f.Name), Method: zip.Deflate, Modified: f.Modified}
	head.SetMode(f.Mode())
	w, err := out.CreateHeader(head)
	if err != nil || f.FileInfo().IsDir() {
		return 0, err
	}
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	clean := s.scrub.Reader(r)
	n, err := io.Copy(w, io.LimitReader(clean, *left))
	if err != nil {
		return 0, err
	}
	*left -= n
	if *left > 0 {
		return 0, nil
	}
	// A compressed bomb costs time even when its bytes are dropped: look one byte further only.
	if more, err := clean.Read(make([]byte, 1)); more == 0 {
		if err == io.EOF {
			err = nil
		}
		return 0, err
	}
	cut = max(1, int64(f.UncompressedSize64)-n)
	_, err = io.WriteString(w, cutLine(n, cut))
	return cut, err
}
