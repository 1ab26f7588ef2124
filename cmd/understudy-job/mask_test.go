package main_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// Values that a masker by pattern, by order or by line would let through.
var hostile = map[string]string{
	"REGEX": `a.*(b)[$^\d+|`, "SHORT": "abcde", "LONG": "abcdefgh", "PERCENT": "50%25off%0Anow", "QUOTED": `say "it's"`,
	"LINES": "first of them\n{\nsecond of them\r\n", "TINY": "q7", "EMPTY": "", "BLANK": "  ", "OVER": "fghijklm",
}

// TestHostileSecrets: what GitHub's runner hides, and what it does not.
func TestHostileSecrets(t *testing.T) {
	env := "\n  env: {"
	for name := range hostile {
		env += name + ": '${{ secrets." + name + " }}', "
	}
	env += "}\n"
	for name, tc := range map[string]struct{ script, want string }{
		"regex characters":     {`printf '%s\n' "$REGEX" aXXbX`, "***\naXXbX\n"},
		"a prefix":             {`echo "$LONG $SHORT ${LONG}$OVER ${SHORT}fg"`, "*** *** *** ***fg\n"},
		"overlapping":          {`echo "abcdefghijklm!"`, "***!\n"},
		"percent signs":        {`printf '%s\n' "$PERCENT"; printf '::error::%s\n' 50%2525off%250Anow`, "***\n##[error]***\n"},
		"quotes":               {`printf '{"k": "%s"}\n' 'say \"it'"'"'s\"'`, "***\"k\": \"***\"}\n"}, // a brace is a line of LINES
		"lines":                {`printf '%s' "$LINES"; echo "only second of them"`, "***\n***\n***\nonly ***\n"},
		"of two letters":       {`echo "a${TINY}b"`, "a***b\n"},
		"empty and blank":      {`echo "<$EMPTY><$BLANK>  x"`, "<><  >  x\n"},
		"in two writes":        {`printf abcd; printf 'efgh\n'`, "***\n"},
		"base64":               {`printf %s "$LONG" | base64; printf %s "x:$REGEX" | base64`, "***\neDph***\n"},
		"reversed":             {`echo hgfedcba`, "hgfedcba\n"},
		"a trace":              {`set -x; : "$LONG" "$REGEX"`, "+ : *** '***'\n"},
		"colours around it":    {`printf '\033[31m%s\033[0m\n' "$LONG"`, "\x1b[31m***\x1b[0m\n"},
		"carriage returns":     {`printf "10%%\r20%% $LONG\r\n"`, "10%\n20% ***\n"},
		"in an annotation":     {`echo "::warning file=abcdefgh.go,line=3::see $LONG"`, "##[warning]see ***\n"},
		"in no UTF-8":          {`printf "\377$LONG\376\n"`, "\uFFFD***\uFFFD\n"},
		"zero bytes":           {`printf "\0$LONG\0\n"`, "\x00***\x00\n"},
		"masks from now on":    {`echo new-one; echo ::add-mask::new-one; echo new-one; printf %s new-one | base64`, "new-one\n***\n***\n"},
		"a mask behind space":  {`echo "  ::add-mask::new-one"; echo new-one`, "***\n"},
		"a mask with escapes":  {`echo "::add-mask::100%25%0Anext line"; echo "100% next line"`, "*** ***\n"},
		"an escape of escapes": {`echo "::add-mask::a%250Ab"; echo 'a%0Ab a b'`, "*** a b\n"},
		"an empty mask":        {`echo "::add-mask::"; echo "a b"`, "##[warning]Can't add secret mask for empty string in ##[add-mask] command.\na b\n"},
		"no commands": {`echo "::stop-commands::pause"; echo "::add-mask::kept"; echo "::error::$LONG"; echo "::pause::"; echo kept; echo ::add-mask::kept; echo kept`,
			"::stop-commands::pause\n::add-mask::kept\n::error::***\n::pause::\nkept\n***\n"},
		"of a megabyte": {`head -c 1048570 /dev/zero | tr '\0' x; echo "$LONG"; head -c 1048000 /dev/zero; echo`,
			strings.Repeat("x", 1048570) + "***\n" + strings.Repeat("\x00", 1048000) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(t, workflow("", "- run: |\n"+indent(tc.script, "    ")+env))
			s.Secrets = hostile
			r := run(t, s)
			if got := strings.ReplaceAll(r.log(1), "##[error]Process completed with exit code 1.\n", ""); got != tc.want {
				t.Errorf("%.2000q, want %.2000q", got, tc.want)
			}
		})
	}
}

// What leaves a job goes without secrets: names, outputs, also those of masks that the job added itself.
func TestSecretsDoNotLeaveTheJob(t *testing.T) {
	s := spec(t, workflow("outputs: {plain: \"${{ steps.s.outputs.plain }}\", coded: \"${{ steps.s.outputs.coded }}\", added: \"${{ steps.s.outputs.added }}\", fine: \"${{ steps.s.outputs.fine }}\"}", `
- name: deploy ${{ secrets.LONG }} to ${{ secrets.TINY }}
  id: s
  run: |
    echo "::add-mask::made-here"
    { echo "plain=x-$L"; echo "coded=$(printf %s "$L" | base64)"; echo "added=made-here"; echo fine=fine; } >> "$GITHUB_OUTPUT"
    echo "# $L" >> "$GITHUB_STEP_SUMMARY"
  env: {L: "${{ secrets.LONG }}"}
- name: after made-here
  run: test "${{ steps.s.outputs.plain }}" = "x-$L"
  env: {L: "${{ secrets.LONG }}"}
`))
	s.Secrets = hostile
	r := run(t, s)
	if r.last().Conclusion != "success" {
		t.Error("steps of one job do not see the secret in outputs", r.log(1), r.log(2))
	}
	if diff := cmp.Diff(map[string]string{"fine": "fine"}, r.last().Outputs); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, e := range r.events {
		if e.Type == jobwire.StepCompleted {
			names = append(names, e.Name)
		}
	}
	if diff := cmp.Diff([]string{"deploy *** to ***", "after ***"}, names); diff != "" {
		t.Error(diff)
	}
	all, err := json.Marshal(r.events)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"abcdefgh", "made-here", base64.StdEncoding.EncodeToString([]byte("abcdefgh"))} {
		if strings.Contains(string(all), secret) {
			t.Errorf("%q is in the events: %s", secret, all)
		}
	}
	if n := strings.Count(r.log(0)+r.log(1)+r.log(2), "since it may contain secret."); n != 3 {
		t.Errorf("%d outputs were said to be skipped: %q", n, r.log(0))
	}
}

// A flood, in lines or in one, ends with a word about it; the job goes on.
func TestLogFlood(t *testing.T) {
	r := run(t, spec(t, workflow("", `
- run: yes "$(head -c 5000 /dev/zero | tr '\0' y)" | head -c 200000000
- run: head -c 40000000 /dev/zero | tr '\0' z; echo; echo 'n=1' >> "$GITHUB_OUTPUT"
`)))
	if r.last().Conclusion != "success" {
		t.Fatalf("%+v %.300s", r.last(), r.stderr)
	}
	log := r.log(1)
	if len(log) > 64<<20 || !strings.HasSuffix(log, "\n##[warning]The log ends here: it is larger than 60 MiB.\n") {
		t.Errorf("%d bytes, at the end %q", len(log), log[len(log)-200:])
	}
}
