package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// pullDiff is what a pull request changes up to one of its commits.
type pullDiff struct {
	commit string
	files  map[string]gitstore.FileDiff
}

// pullDiff asks git, when lines are to be looked up.
func (a *API) pullDiff(c *call, p state.Pull, commit string, lines bool) (pullDiff, error) {
	if !lines {
		return pullDiff{commit: commit}, nil
	}
	return diffOf(c.Request, a.Git.Open(p.Repo.ID), p.Facts.Common, commit)
}

func diffOf(r *http.Request, g *gitstore.Repo, from, to string) (pullDiff, error) {
	files, err := g.DiffBetween(lasting(r), from, to)
	d := pullDiff{commit: to, files: map[string]gitstore.FileDiff{}}
	for _, f := range files {
		d.files[f.Path] = f
	}
	return d, err
}

const thread = "pull_request_review_thread."

func threadError(field, code, message string) wire.FieldError {
	return wire.FieldError{Resource: "PullRequestReviewComment", Code: code, Field: thread + field, Message: message}
}

// find says what a new comment points at, or what is wrong with it.
func (d pullDiff) find(in draftComment) (state.Anchor, []wire.FieldError) {
	at := state.Anchor{Path: in.Path, Side: in.Side, StartSide: in.StartSide, Line: in.Line, StartLine: in.StartLine, Commit: d.commit}
	if at.Side == "" {
		at.Side = "RIGHT"
	}
	noHunk := threadError("diff_hunk", "missing_field", "")
	f, found := d.files[in.Path]
	if !found {
		return at, []wire.FieldError{threadError("path", "invalid", ""), noHunk}
	}
	switch in.SubjectType {
	case "file":
		at.OfFile, at.Line, at.StartLine, at.StartSide = true, 0, 0, ""
		return at, nil
	case "", "line":
	default:
		return at, []wire.FieldError{threadError("subject_type", "invalid", "")}
	}
	lines := gitstore.DiffLines(f.Patch)
	if in.Line == 0 {
		return atPosition(at, lines, in.Position)
	}
	return spot(at, lines)
}

// spot finds the lines of a comment in the patch of their file.
func spot(at state.Anchor, lines []gitstore.DiffLine) (state.Anchor, []wire.FieldError) {
	if at.Side != "LEFT" && at.Side != "RIGHT" {
		return at, []wire.FieldError{threadError("side", "invalid", "")}
	}
	end, found := lineAt(lines, at.Side, at.Line)
	if !found {
		return at, []wire.FieldError{threadError("line", "custom", thread+"line must be part of the diff"), threadError("diff_hunk", "missing_field", "")}
	}
	at.Position, at.Hunk = end.Position, end.Text
	if at.StartLine == 0 {
		at.StartSide = ""
		return at, nil
	}
	at.StartSide = cmp.Or(at.StartSide, at.Side)
	start, found := lineAt(lines, at.StartSide, at.StartLine)
	switch {
	case !found || start.Hunk != end.Hunk:
		return at, []wire.FieldError{threadError("start_line", "custom", thread+"start_line must be part of the same hunk as the line.")}
	case start.Position >= end.Position:
		return at, []wire.FieldError{threadError("start_line", "custom", thread+"start_line must precede the end line.")}
	}
	return at, nil
}

// atPosition is spot for those who count in the diff.
func atPosition(at state.Anchor, lines []gitstore.DiffLine, position int) (state.Anchor, []wire.FieldError) {
	for _, x := range lines {
		if position != 0 && x.Position == position {
			at.Side, at.Line, at.Position, at.Hunk = "RIGHT", x.New, x.Position, x.Text
			if x.New == 0 {
				at.Side, at.Line = "LEFT", x.Old
			}
			return at, nil
		}
	}
	if position == 0 {
		return at, []wire.FieldError{threadError("line", "missing_field", ""), threadError("diff_hunk", "missing_field", "")}
	}
	return at, []wire.FieldError{threadError("position", "invalid", ""), threadError("diff_hunk", "missing_field", "")}
}

func lineAt(lines []gitstore.DiffLine, side string, n int) (gitstore.DiffLine, bool) {
	for _, x := range lines {
		if n != 0 && (side == "RIGHT" && x.New == n || side == "LEFT" && x.Old == n) {
			return x, true
		}
	}
	return gitstore.DiffLine{}, false
}

// sentence says in words, as reviews do, what is wrong with a comment of theirs.
func sentence(problems []wire.FieldError) string {
	var all []string
	for _, p := range problems {
		what := strings.ReplaceAll(strings.TrimPrefix(p.Field, thread), "_", " ")
		switch p.Code {
		case "invalid":
			what += " is invalid"
		case "missing_field":
			what += " can't be blank"
		default:
			what = strings.ReplaceAll(strings.TrimPrefix(p.Message, thread), "_", " ")
		}
		all = append(all, "Pull request review thread "+what)
	}
	return strings.Join(all, " and ")
}

// followComments says where the comments of a pull request are in its new head. One whose line was changed, or is
// no longer in the diff, is outdated.
func (a *API) followComments(r *http.Request, g *gitstore.Repo, p state.Pull, head, common string) error {
	placed := a.State.PlacedComments(p.Repo.FullName, p.Number)
	if len(placed) == 0 {
		return nil
	}
	now, err := diffOf(r, g, common, head)
	if err != nil {
		return err
	}
	since := map[string]pullDiff{}
	at := map[int64]state.Anchor{}
	for _, x := range placed {
		if x.Commit == head {
			continue
		}
		if _, known := since[x.Commit]; !known {
			if since[x.Commit], err = diffOf(r, g, x.Commit, head); err != nil {
				return err
			}
		}
		at[x.ID] = follow(x, since[x.Commit], now)
	}
	a.State.PlaceComments(p.Repo.FullName, p.Number, at)
	return nil
}

func follow(x state.ReviewComment, since, now pullDiff) state.Anchor {
	f, found := now.files[x.Path]
	if x.OfFile {
		if found {
			return state.Anchor{Commit: now.commit}
		}
		return state.Anchor{}
	}
	at := state.Anchor{Side: x.Side, StartSide: x.StartSide, Line: x.Line, StartLine: x.StartLine, Commit: now.commit}
	if moved, changed := since.files[x.Path]; changed {
		if moved.Patch == "" {
			return state.Anchor{}
		}
		if x.Side == "RIGHT" {
			at.Line = gitstore.MovedLine(moved.Patch, x.Line)
		}
		if x.StartSide == "RIGHT" {
			at.StartLine = gitstore.MovedLine(moved.Patch, x.StartLine)
		}
	}
	if at.Line == 0 || x.StartLine != 0 && at.StartLine == 0 {
		return state.Anchor{}
	}
	at, problems := spot(at, gitstore.DiffLines(f.Patch))
	if len(problems) > 0 {
		return state.Anchor{}
	}
	return at
}
