//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/cli"
)

// executed is what a run of understudy exec came to.
type executed struct {
	code     int
	out, err string
	tmp      string
}

// onRungs runs a test on both rungs.
func onRungs(t *testing.T, test func(t *testing.T, rung string)) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("skipped: curl is not installed, so nobody met github.com")
	}
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	refused := try.Run()
	for _, rung := range []string{"proxy", "name"} {
		if rung == "name" && refused != nil {
			t.Logf("not tried by name: %v", refused)
			continue
		}
		t.Run(rung, func(t *testing.T) { test(t, rung) })
	}
}

// command is understudy exec, in an empty directory and with an environment that would mislead the program.
func command(t *testing.T, bin, rung string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, bin, append([]string{"exec", "--rung", rung}, args...)...)
	tmp := t.TempDir()
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+cmd.Dir, "GIT_CONFIG_NOSYSTEM=1", "GITHUB_TOKEN=mine", "GH_HOST=mine",
		"https_proxy=http://127.0.0.1:1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Me", "KEPT=yes",
		"UNDERSTUDY_JOB="+runner)
	return cmd, tmp
}

// execute runs a command to its end. Nothing may be left of it.
func execute(t *testing.T, bin, rung string, args ...string) executed {
	t.Helper()
	cmd, tmp := command(t, bin, rung, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if left := alive(t, tmp); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	return executed{code: cmd.ProcessState.ExitCode(), out: out.String(), err: stderr.String(), tmp: tmp}
}

func (e executed) want(t *testing.T, code int, out ...string) {
	t.Helper()
	if e.code != code {
		t.Errorf("exit code %d, want %d", e.code, code)
	}
	for _, want := range out {
		if !strings.Contains(e.out, want) {
			t.Errorf("no %q in its output", want)
		}
	}
	if t.Failed() {
		t.Logf("output:\n%s\nerror:\n%s", e.out, e.err)
	}
}

// TestExec is the example of --help, and what surrounds it.
func TestExec(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		e := execute(t, bin, rung, "--", "sh", "-c", "curl -s https://api.github.com/user; git clone https://github.com/acme/app")
		e.want(t, 0, `"login":"write"`, `"url":"https://api.github.com/users/write"`)
		if !strings.Contains(e.err, "understudy: rung "+rung) || !strings.Contains(e.err, "Cloning into 'app'") {
			t.Errorf("standard error:\n%s", e.err)
		}
		e = execute(t, bin, rung, "--actor", "triage", "--no-credential", "sh", "-ec", `
			curl -s https://api.github.com/user
			curl -s -H "Authorization: Bearer $GITHUB_TOKEN" $GITHUB_API_URL/user
			git clone -q git@github.com:acme/app
			git -C app config user.name
			curl -fsS https://raw.githubusercontent.com/acme/app/main/README.md
			echo $KEPT, $GH_HOST, $https_proxy`)
		e.want(t, 0, "Requires authentication", `"login":"triage"`, "Me\n", "# app")
		if last := e.out[strings.LastIndex(strings.TrimSpace(e.out), "\n")+1:]; !regexp.MustCompile(map[string]string{
			"proxy": `^yes, , http://127.0.0.1:\d+\n$`, "name": `^yes, ,\s*$`,
		}[rung]).MatchString(last) || strings.Contains(last, ":1\n") {
			t.Errorf("variables: %q", last)
		}
	})
}

// TestExecPushes writes with git, which asks the credential helper, and sees a workflow run.
func TestExecPushes(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		e := execute(t, bin, rung, "--no-credential", "--", "sh", "-ec", `
			git clone -q https://github.com/acme/app
			git -C app -c user.email=me@example.com commit -q --no-gpg-sign --allow-empty -m Hello
			git -C app push -q
			curl() { command curl -fsS -H "Authorization: Bearer $GITHUB_TOKEN" "$@"; }
			curl -o labels https://api.github.com/repos/acme/app/issues/1/labels -d '{"labels":["hello"]}'
			until curl https://api.github.com/repos/acme/app/issues/1/comments | grep 'really ran'; do sleep 0.1; done
			curl -L https://api.github.com/repos/acme/app/actions/jobs/1/logs | grep answering`)
		e.want(t, 0, "github-actions[bot]", "answering https://api.github.com/repos/acme/app/issues/1")
		if strings.Contains(e.err, "refused") {
			t.Errorf("standard error:\n%s", e.err)
		}
	})
}

// TestExecRefuses names what cannot be reached, once.
func TestExecRefuses(t *testing.T) {
	bin := understudy(t)
	want := map[string][]string{
		"proxy": {"understudy: refused: CONNECT example.com:443 (curl)", "understudy: refused: GET http://192.0.2.1:8080/x (curl)",
			"understudy: refused 2 times: CONNECT example.com:443 (curl)"},
		"name": {"understudy: refused: name example.com", "understudy: refused: TCP 192.0.2.1:8080", "understudy: refused: TCP 140.82.121.3:22"},
	}
	onRungs(t, func(t *testing.T, rung string) {
		script := `curl -s https://example.com/; curl -s https://example.com/; curl -s 'http://me:pw@192.0.2.1:8080/x?token=s3cret'; exit 3`
		if rung == "name" {
			script = "curl -s github.com:22; " + script
		}
		e := execute(t, bin, rung, "--", "sh", "-c", script)
		e.want(t, 3)
		for _, line := range want[rung] {
			if !slices.Contains(strings.Split(e.err, "\n"), line) {
				t.Errorf("no line %q:\n%s", line, e.err)
			}
		}
		if strings.Count(e.err, "refused: "+map[string]string{"proxy": "CONNECT", "name": "name"}[rung]) != 1 || strings.Contains(e.err, "s3cret") || strings.Contains(e.err, "me:pw") {
			t.Errorf("standard error:\n%s", e.err)
		}
	})
}

// TestExecRefusesWorkflowsToo names what a workflow of the forge tried.
func TestExecRefusesWorkflowsToo(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		e := execute(t, bin, rung, "--", "sh", "-ec", `
			git clone -q https://github.com/acme/app && cd app
			printf 'on: push\njobs:\n  out:\n    runs-on: ubuntu-latest\n    steps:\n      - run: curl -s https://example.com/\n' > .github/workflows/out.yml
			git add . && git -c user.email=me@example.com commit -q --no-gpg-sign -m Out && git push -q
			until curl -fsS https://api.github.com/repos/acme/app/actions/runs | grep -q '"conclusion":".*failure"'; do sleep 0.1; done`)
		e.want(t, 0)
		if want := "understudy: refused: CONNECT example.com:443 (curl, in a workflow)\n"; !strings.Contains(e.err, want) {
			t.Errorf("no %q in\n%s", want, e.err)
		}
	})
}

// TestExecEndsLikeTheProgram passes the exit on, whatever it is.
func TestExecEndsLikeTheProgram(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		for script, want := range map[string]int{
			"exit 0": 0, "exit 1": 1, "exit 200": 200, "kill -TERM $$": 128 + 15, "kill -KILL $$": 128 + 9, "kill -USR1 $$": 128 + 10,
			"setsid sleep 601 & sleep 602 & exit 4": 4,
		} {
			if e := execute(t, bin, rung, "--", "sh", "-c", script); e.code != want {
				t.Errorf("%s: exit code %d, want %d\n%s", script, e.code, want, e.err)
			}
		}
	})
}

// TestExecUsage holds what is known before anything starts.
func TestExecUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no program":         {nil, 2, "no program is given"},
		"not on the PATH":    {[]string{"--", "no-such-program", "ghp_secret"}, 127, `no program "no-such-program" on the PATH`},
		"no such file":       {[]string{"./no/such"}, 127, "there is no program ./no/such"},
		"not executable":     {[]string{file}, 126, "is not executable"},
		"a directory":        {[]string{"/tmp"}, 126, "is not executable"},
		"no such actor":      {[]string{"--actor", "root", "true"}, 2, "there are admin, write, triage, outsider"},
		"no such rung":       {[]string{"--rung", "top", "true"}, 2, "there are auto, proxy, name"},
		"contradiction":      {[]string{"--rung", "name", "--no-namespaces", "true"}, 2, "rules out"},
		"no such flag":       {[]string{"--rnug", "name", "true"}, 2, "unknown flag"},
		"the program's flag": {[]string{"no-such-program", "--rung", "top"}, 127, "no-such-program"},
	} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			code, out := run(t, cli.Options{Env: os.Environ()}, append([]string{"exec"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, "ghp_secret") {
				t.Errorf("exit code %d, want %d; output\n%s\nwant it to contain %q", code, tt.code, out, tt.want)
			}
			if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}

// sleeps reports whether the program sleep is among the processes of dir, with these seconds.
func sleeps(t *testing.T, dir, seconds string) bool {
	return slices.ContainsFunc(alive(t, dir), func(p string) bool {
		args := strings.Fields(p)[1:]
		return len(args) == 2 && args[0] == "sleep" && args[1] == seconds
	})
}

// TestExecLeavesNothingWhenKilled kills it in a way that it cannot see.
func TestExecLeavesNothingWhenKilled(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		cmd, tmp := command(t, bin, rung, "--", "sh", "-c", "setsid sleep 601 & sleep 602")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the program runs", func() bool {
			return sleeps(t, tmp, "601") && sleeps(t, tmp, "602")
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		eventually(t, "nothing is left", func() bool { return len(alive(t, tmp)) == 0 })
	})
}

// TestExecTwiceAtOnce runs one on each rung, each with a forge of its own.
func TestExecTwiceAtOnce(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		t.Parallel()
		e := execute(t, bin, rung, "--", "sh", "-ec", `
			curl -fsS -o one https://api.github.com/repos/acme/app/issues -d '{"title":"Second"}'
			curl -fsS https://api.github.com/repos/acme/app/issues/2
			curl -s -o none -w '%{http_code}' https://api.github.com/repos/acme/app/issues/3`)
		e.want(t, 0, `"title":"Second"`, "404")
	})
}

// TestExecPassesSignalsOn sends one to the command alone: the program gets it, once.
func TestExecPassesSignalsOn(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		cmd, tmp := command(t, bin, rung, "--", "bash", "-c", `trap 'echo int' INT; trap 'echo term; exit 9' TERM; echo up; while :; do sleep 0.1; done`)
		out := &lines{}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			seen string
			send syscall.Signal
		}{{"up\n", syscall.SIGINT}, {"up\nint\n", syscall.SIGTERM}} {
			eventually(t, step.seen, func() bool { return out.String() == step.seen })
			if err := cmd.Process.Signal(step.send); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait() // with the code that is looked at
		if code := cmd.ProcessState.ExitCode(); code != 9 || out.String() != "up\nint\nterm\n" {
			t.Errorf("exit code %d, output %q", code, out.String())
		}
		eventually(t, "nothing is left", func() bool { return len(alive(t, tmp)) == 0 })
	})
}

// TestExecWithASeed begins with the user's own acme/app, as a user of his own.
func TestExecWithASeed(t *testing.T) {
	bin := understudy(t)
	seed := filepath.Join(t.TempDir(), "seed.txtar")
	const archive = "-- seed.yaml --\nusers: {ada: {}}\norganizations: {acme: {owners: [ada]}}\nrepositories: {acme/app: {}}\n-- repos/acme/app/own.txt --\nmine\n"
	if err := os.WriteFile(seed, []byte(archive), 0o600); err != nil {
		t.Fatal(err)
	}
	onRungs(t, func(t *testing.T, rung string) {
		e := execute(t, bin, rung, "--seed", seed, "--actor", "ada", "--", "sh", "-ec",
			"curl -fsS https://api.github.com/user; curl -fsS https://raw.githubusercontent.com/acme/app/main/own.txt")
		e.want(t, 0, `"login":"ada"`, "mine")
	})
}

// as makes a command another user's: in a user namespace with that id, which has no rights outside it.
func as(cmd *exec.Cmd, id int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Getegid(), Size: 1}},
	}
}

// TestExecForAnOrdinaryUser gives the program no right that the user has not.
func TestExecForAnOrdinaryUser(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		cmd, _ := command(t, bin, rung, "--", "sh", "-c", "id -u; grep CapEff /proc/self/status; curl -s https://api.github.com/user; umount /etc/hosts 2>&1; true")
		as(cmd, 1000)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), "1000\nCapEff:\t0000000000000000\n") || !strings.Contains(string(out), `"login":"write"`) {
			t.Errorf("%v\n%s\n%s", err, out, stderr.String())
		}
	})
}

// TestExecFallsBack runs where no networks are to be had: it says so, and what would help.
func TestExecFallsBack(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		if rung == "proxy" {
			return // what it falls back to
		}
		for _, tt := range []struct {
			rung string
			code int
			want []string
		}{
			{"auto", 0, []string{"understudy: rung proxy", "is not in use: a network namespace is refused", "sysctl user.max_net_namespaces=10000"}},
			{"name", 3, []string{"understudy: error: exec: a network namespace is refused", "understudy: hint: leave out --rung name, or use sysctl user.max_net_namespaces=10000"}},
		} {
			cmd, tmp := command(t, bin, tt.rung, "--", "curl", "-s", "-o", "user", "https://api.github.com/user")
			cmd.Args = append([]string{"sh", "-c", `echo 0 > /proc/sys/user/max_net_namespaces && exec "$0" "$@"`}, cmd.Args...)
			cmd.Path = "/bin/sh"
			as(cmd, 0)
			out, _ := cmd.CombinedOutput() // its code is looked at
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("--rung %s: exit code %d, want %d\n%s", tt.rung, code, tt.code, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("--rung %s: no %q in\n%s", tt.rung, want, out)
				}
			}
			if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		}
	})
}
