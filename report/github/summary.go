package github

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode"
)

// maxSummary is what GitHub takes of one step.
const maxSummary = 1 << 20

const cutNote = "\n\n… cut: GitHub takes 1 MiB of a step. The record and the page have all of it.\n"

// AppendSummary appends Markdown to the file that GITHUB_STEP_SUMMARY names, which is there already and
// may hold something: what does not fit is cut at a line, and a note says so.
func AppendSummary(file string, markdown []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("append job summary: %s is no file", file)
	}
	if _, err := f.Write(fitting(markdown, maxSummary-info.Size())); err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	return nil
}

// fitting cuts text to the room there is, at a line, with a note when there is room for one.
func fitting(text []byte, room int64) []byte {
	if int64(len(text)) <= room {
		return text
	}
	if room -= int64(len(cutNote)); room < 0 {
		return nil
	}
	text = text[:room]
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return append(bytes.ToValidUTF8(text, nil), cutNote...)
}

// clean takes out what would steer a terminal or hide text: the log of a job is shown on one.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
