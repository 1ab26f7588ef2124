package gitstore

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Guarded is why a push may not move a ref.
type Guarded struct {
	Ref    string
	When   string // always; forced: when history is rewritten; merges: when merges come; only: others than the Refs of such, and no Ref may go
	Reason string
}

// RefusedProtected is in git's report of a push that a Guarded has stopped.
const RefusedProtected = "GH006: Protected branch update failed"

// refusedPermission likewise stands there for a ref that is not among those that alone may move.
const refusedPermission = "permission denied"

// guardHook refuses a ref for the reasons that stand in UNDERSTUDY_GUARD. git runs it before the objects of a
// push are let in.
const guardHook = `#!/bin/sh
why= only= among=
case $3 in *[!0]*) here=$1 ;; *) here= ;; esac
while IFS='	' read -r when ref reason; do
  if [ "$when" = only ]; then
    only=yes
    [ "$ref" != "$here" ] || among=yes
    continue
  fi
  [ "$ref" = "$1" ] || continue
  case $when in
  forced) case $2 in *[!0]*) ;; *) continue ;; esac; git merge-base --is-ancestor "$2" "$3" && continue ;;
  merges) case $2 in *[!0]*) ;; *) continue ;; esac; [ -n "$(git rev-list --merges -n 1 "$2..$3")" ] || continue ;;
  esac
  why="$why
- $reason
"
done <<EOF
$UNDERSTUDY_GUARD
EOF
if [ "$only" != "$among" ]; then
  printf 'error: ` + refusedPermission + ` for %s.\n' "$1" >&2
  exit 1
fi
if [ -n "$why" ]; then
  printf 'error: ` + RefusedProtected + ` for %s.\n%s' "$1" "$why" >&2
  exit 1
fi
[ -z "$UNDERSTUDY_THEN" ] || exec "$UNDERSTUDY_THEN" "$@"
`

// guards returns the directory of the hook, which is made when it is needed first.
func (s *Store) guards() (string, error) { return s.hook("guards", guardHook) }

// hook returns a directory that holds an update hook.
func (s *Store) hook(name, script string) (string, error) {
	dir := filepath.Join(s.dir, name)
	file := filepath.Join(dir, "update")
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(file); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	tmp := file + ".new"
	if err := os.WriteFile(tmp, []byte(script), 0o700); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, file)
}

// hooks are the settings by which git runs what refuses refs.
func (s *Store) hooks(refuse *NoWorkflows, guarded []Guarded) ([]string, error) {
	dir, then := "", ""
	var err error
	if refuse != nil {
		if dir, err = s.withoutWorkflows(); err != nil {
			return nil, err
		}
	}
	var env []string
	if refuse != nil {
		env = append(env, "UNDERSTUDY_TO="+refuse.To, "UNDERSTUDY_LACKS="+refuse.Lacks)
	}
	if len(guarded) > 0 {
		if dir != "" {
			then = filepath.Join(dir, "update")
		}
		if dir, err = s.guards(); err != nil {
			return nil, err
		}
		var lines []string
		for _, g := range guarded {
			lines = append(lines, g.When+"\t"+g.Ref+"\t"+g.Reason)
		}
		env = append(env, "UNDERSTUDY_GUARD="+strings.Join(lines, "\n"), "UNDERSTUDY_THEN="+then)
	}
	if dir == "" {
		return nil, nil
	}
	return append(env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0="+dir), nil
}

// maxCommands bounds how many refs a push may move where branches are protected.
const maxCommands = 10000

// ErrTooManyRefs says that a push moves more refs than anybody looks at.
var ErrTooManyRefs = fmt.Errorf("a push moves at most %d refs where a branch is protected", maxCommands)

// Commands reads which refs a push wants to move, and stands at its beginning again afterwards. What is no push
// has none: git itself refuses it. More than maxCommands are ErrTooManyRefs, so that none goes unseen.
func (sp *Spool) Commands() ([]RefMove, error) {
	var out []RefMove
	for lines := 0; ; lines++ {
		line, err := pktLine(sp.f)
		if err != nil || line == nil {
			break
		}
		if lines == maxCommands {
			_, err := sp.f.Seek(0, io.SeekStart)
			return nil, cmp.Or(err, ErrTooManyRefs)
		}
		text, _, _ := strings.Cut(string(line), "\x00")
		words := strings.Fields(text)
		if len(words) == 3 && len(words[0]) == len(zero) && len(words[1]) == len(zero) {
			out = append(out, RefMove{Before: words[0], After: words[1], Ref: words[2]})
		}
	}
	_, err := sp.f.Seek(0, io.SeekStart)
	return out, err
}

// pktLine reads one line of git's protocol; nil is a flush.
func pktLine(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil || n > 0 && n < 4 {
		return nil, fmt.Errorf("length %q", head)
	}
	if n == 0 {
		return nil, nil
	}
	line := make([]byte, n-4)
	_, err = io.ReadFull(r, line)
	return line, err
}

// declined says in git's report of a push why a hook declined, as GitHub does: a protected branch, or permission.
func declined(report []byte) []byte {
	refused := func(ref string) string {
		for text, word := range map[string]string{RefusedProtected: "protected branch hook declined", refusedPermission: refusedPermission} {
			if bytes.Contains(report, []byte(text+" for "+ref+".")) {
				return word
			}
		}
		return ""
	}
	if !bytes.Contains(report, []byte(RefusedProtected)) && !bytes.Contains(report, []byte(refusedPermission)) {
		return report
	}
	out, err := eachLine(report, func(line []byte) ([]byte, error) {
		if len(line) == 0 || line[0] != 1 {
			return line, nil
		}
		inner, err := eachLine(line[1:], func(x []byte) ([]byte, error) {
			ref, ours := strings.CutSuffix(strings.TrimPrefix(string(x), "ng "), " hook declined\n")
			if why := refused(ref); ours && why != "" {
				return []byte("ng " + ref + " " + why + "\n"), nil
			}
			return x, nil
		})
		return append([]byte{1}, inner...), err
	})
	if err != nil {
		return report
	}
	return out
}

// eachLine changes the lines of git's protocol.
func eachLine(data []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	var out bytes.Buffer
	for in := bytes.NewReader(data); in.Len() > 0; {
		line, err := pktLine(in)
		if err != nil {
			return nil, err
		}
		if line == nil {
			out.WriteString("0000")
			continue
		}
		if line, err = change(line); err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%04x%s", len(line)+4, line)
	}
	return out.Bytes(), nil
}
