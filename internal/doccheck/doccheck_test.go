package doccheck_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// page is one Markdown file of the module.
type page struct {
	path   string // from the root
	text   string
	blocks []block
}

// block is one fenced block. Its info is the text after the fence: "sh run" is run.
type block struct {
	line int
	info string
	text string
}

var fence = regexp.MustCompile("^\\s*```(.*)$")

// pages reads all Markdown of the module.
func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "out" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out = append(out, read(name, string(data)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("only %d pages: this looks in the wrong place", len(out))
	}
	return out
}

func read(path, text string) page {
	p := page{path: path}
	var open *block
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && open == nil:
			open = &block{line: i + 1, info: strings.TrimSpace(m[1])}
		case m != nil:
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			p.text += line + "\n"
		}
	}
	return p
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code    = regexp.MustCompile("`[^`]*`")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.text, ""), -1) {
			if bad := broken(p, m[1]); bad != "" {
				t.Errorf("%s: %s: %s", p.path, m[1], bad)
			}
		}
	}
}

// broken says why a link of a page leads nowhere. Links to other sites are not followed.
func broken(p page, to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.IsAbs() {
		return ""
	}
	file := filepath.Join(root, filepath.Dir(p.path), filepath.FromSlash(u.Path))
	if u.Path == "" {
		file = filepath.Join(root, p.path)
	}
	data, err := os.ReadFile(file)
	if _, serr := os.Stat(file); serr != nil {
		return "there is no such file"
	}
	if u.Fragment == "" || err != nil {
		return ""
	}
	for _, h := range heading.FindAllStringSubmatch(read("", string(data)).text, -1) {
		if anchor(h[1]) == u.Fragment {
			return ""
		}
	}
	return "there is no such heading"
}

var unsaid = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// understudy builds the command once for a test.
func understudy(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "understudy")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/understudy")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

var (
	said = regexp.MustCompile(`(?:^|[\s$(])(?:understudy|go run \./cmd/understudy)((?: [^\s|&>;)]+)*)`)
	word = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flag = regexp.MustCompile(`^--([a-z][a-z-]*)`)
)

// TestCommandsExist holds each command that is shown to the help of the command that it names.
func TestCommandsExist(t *testing.T) {
	bin := understudy(t)
	helps := map[string]string{}
	help := func(command string) string {
		if _, ok := helps[command]; !ok {
			out, _ := exec.Command(bin, append(strings.Fields(command), "--help")...).CombinedOutput() // no such command is no help
			helps[command] = string(out)
		}
		return helps[command]
	}
	seen := 0
	for _, p := range pages(t) {
		if strings.HasPrefix(p.path, filepath.Join("docs", "decisions")) {
			continue // a decision may be about what is to come
		}
		texts := code.FindAllString(p.text, -1)
		for _, b := range p.blocks {
			if b.info == "" || strings.HasPrefix(b.info, "sh") || b.info == "console" || b.info == "yaml" {
				texts = append(texts, strings.Split(b.text, "\n")...)
			}
		}
		for _, text := range texts {
			text, _, _ = strings.Cut(strings.Trim(text, "`"), " #")
			for _, m := range said.FindAllStringSubmatch(text, -1) {
				if bad := mistake(strings.Fields(strings.ReplaceAll(m[1], `\|`, "|")), help); bad != "" {
					t.Errorf("%s: %q: %s", p.path, text, bad)
				}
				seen++
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d commands were found: this looks for the wrong thing", seen)
	}
}

// mistake says what of a command does not exist.
func mistake(args []string, help func(string) string) string {
	if len(args) == 0 || !word.MatchString(args[0]) {
		return "" // the word, not the command
	}
	command := args[0]
	text := help(command)
	if !strings.Contains(text, "understudy "+command) {
		return fmt.Sprintf("there is no command %s", command)
	}
	if len(args) > 1 && word.MatchString(args[1]) && strings.Contains(help(command+" "+args[1]), "understudy "+command+" "+args[1]) {
		text = help(command + " " + args[1])
	}
	for _, a := range args[1:] {
		if a == "--" {
			break
		}
		if m := flag.FindStringSubmatch(a); m != nil && !strings.Contains(text, "--"+m[1]) {
			return fmt.Sprintf("%s has no flag --%s", command, m[1])
		}
	}
	return ""
}

// TestMarkedBlocksRun runs each block whose fence says "sh run", those of a page one after another in one
// empty directory, as somebody would who reads it.
func TestMarkedBlocksRun(t *testing.T) {
	bin := understudy(t)
	ran := 0
	for _, p := range pages(t) {
		dir := t.TempDir()
		for _, b := range p.blocks {
			if b.info != "sh run" {
				continue
			}
			ran++
			cmd := exec.Command("bash", "-e")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(b.text)
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(bin)+string(filepath.ListSeparator)+os.Getenv("PATH"), "GITHUB_ACTIONS=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v\n%s\n%s", p.path, b.line, err, b.text, out)
			}
		}
	}
	if ran == 0 {
		t.Error("nothing is marked to be run")
	}
}
