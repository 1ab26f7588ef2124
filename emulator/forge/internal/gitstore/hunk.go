package gitstore

import (
	"fmt"
	"strings"
)

// DiffLine is a line of the patch of one file. Old and New are its numbers before and after, 0 where it is not.
type DiffLine struct {
	Old      int
	New      int
	Position int    // counted from the first hunk's header, which is 0
	Hunk     int    // that it is in, from 1
	Text     string // of the hunk, from its header to this line
}

// DiffLines reads the patch of a FileDiff.
func DiffLines(patch string) []DiffLine {
	var out []DiffLine
	var text strings.Builder
	old, now, hunk := 0, 0, 0
	for n, line := range strings.Split(patch, "\n") {
		if strings.HasPrefix(line, "@@ ") {
			text.Reset()
			text.WriteString(line)
			old, now = hunkStart(line)
			hunk++
			continue
		}
		if hunk == 0 || line == "" {
			continue
		}
		text.WriteString("\n" + line)
		x := DiffLine{Position: n, Hunk: hunk, Text: text.String()}
		switch line[0] {
		case '+':
			x.New, now = now, now+1
		case '-':
			x.Old, old = old, old+1
		case ' ':
			x.Old, x.New, old, now = old, now, old+1, now+1
		default: // no newline at the end of the file
			continue
		}
		out = append(out, x)
	}
	return out
}

// hunkStart reads "@@ -OLD,n +NEW,n @@".
func hunkStart(header string) (old, now int) {
	words := strings.Fields(header)
	if len(words) > 2 {
		fmt.Sscanf(words[1], "-%d", &old)
		fmt.Sscanf(words[2], "+%d", &now)
	}
	return old, now
}

// MovedLine says where a line of the old side of a patch is on the new side, or 0 when the patch changes it.
func MovedLine(patch string, line int) int {
	shift := 0
	for _, x := range DiffLines(patch) {
		if x.Old == line && x.New == 0 {
			return 0
		}
		if x.Old != 0 && x.Old >= line {
			if x.Old == line {
				return x.New
			}
			break
		}
		switch {
		case x.Old == 0:
			shift++
		case x.New == 0:
			shift--
		}
	}
	return line + shift
}
