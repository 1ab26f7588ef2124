package forge_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestRunLogs: a zip as GitHub lays it out, whatever jobs and steps are called.
func TestRunLogs(t *testing.T) {
	w := newWorld(t)
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: "w.yml", Event: "push", Actor: "ada", Status: "in_progress"})
	must(t, err)
	for _, name := range []string{"build (linux/amd64)", "../../etc/passwd", "..", "a\x00b\nc", "build (linux_amd64)", strings.Repeat("x", 300), "silent"} {
		j, err := w.admin.SaveJob(forge.Job{RunID: run.ID, Name: name, Status: "in_progress"})
		must(t, err)
		if name == "silent" {
			continue
		}
		must(t, w.admin.AppendLog(j.ID, []byte("set up\n")))
		for i, step := range []string{"Run make", "../up"} {
			j.Steps = append(j.Steps, forge.Step{Number: i + 1, Name: step, Status: "in_progress"})
			j, err = w.admin.SaveJob(j)
			must(t, err)
			must(t, w.admin.AppendLog(j.ID, []byte(step+"\n")))
			j.Steps[i].Status = "completed"
			j, err = w.admin.SaveJob(j)
			must(t, err)
		}
		must(t, w.admin.AppendLog(j.ID, []byte("clean up\n")))
	}
	got := map[string]string{}
	for name, text := range unzip(t, w.ada.want(200, "GET", actions+"/runs/1/logs", nil).body) {
		got[name] = text
	}
	want := map[string]string{}
	for _, name := range []string{"0_build (linux_amd64)", "1_.._.._etc_passwd", "2__", "3_a_b_c", "4_build (linux_amd64) (2)", "5_" + strings.Repeat("x", 90)} {
		want[name+".txt"] = "set up\nRun make\n../up\nclean up\n"
		_, dir, _ := strings.Cut(name, "_")
		want[dir+"/1_Run make.txt"], want[dir+"/2_.._up.txt"] = "Run make\n", "../up\n"
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	at := w.ada.unredirected().want(302, "GET", actions+"/runs/1/attempts/1/logs", nil).header.Get("Location")
	nobody := actor{w, ""}
	if got := unzip(t, nobody.want(200, "GET", at, nil).body); len(got) != len(want) {
		t.Errorf("logs of the attempt: %d files", len(got))
	}
	nobody.want(403, "GET", strings.Replace(at, "logs1", "logs2", 1), nil)
	nobody.want(403, "GET", actions+"/runs/1/logs", nil)
	w.ada.want(404, "GET", actions+"/runs/1/attempts/2/logs", nil)
	w.ada.want(404, "GET", actions+"/runs/7/logs", nil)
}

func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		out[f.Name] = string(text)
	}
	return out
}
