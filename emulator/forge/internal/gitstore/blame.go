package gitstore

import (
	"context"
	"fmt"
	"strings"
)

// Blame returns the address of the author of the commit that changed a line of a file last.
func (r *Repo) Blame(ctx context.Context, commit, path string, line int) (email string, err error) {
	out, err := r.run(ctx, "blame", "--porcelain", "-L", fmt.Sprintf("%d,%d", line, line), commit, "--", path)
	if err != nil {
		return "", err
	}
	for l := range strings.Lines(out) {
		if text, ok := strings.CutPrefix(l, "author-mail "); ok {
			return strings.Trim(strings.TrimSpace(text), "<>"), nil
		}
	}
	return "", fmt.Errorf("git blame names no author of line %d", line)
}
