package policy_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/policy"
)

func TestNarrow(t *testing.T) {
	hosts := []string{"a.test", "b.test:8080"}
	for _, tc := range []struct {
		name, text string
		want       []string
		err        string
	}{
		{"nothing said", "# A placeholder.\n{}\n", hosts, ""},
		{"empty file", "", hosts, ""},
		{"no host", "allowed_hosts: []\n", nil, ""},
		{"one", "allowed_hosts: [b.test:8080]\n", []string{"b.test:8080"}, ""},
		{"another", "\nallowed_hosts: [a.test, c.test]\n", nil, `policies/x.yaml:2: host "c.test" is not among the allowed_hosts of the configuration`},
		{"another port", "allowed_hosts: ['a.test:8080']\n", nil, `host "a.test:8080" is not among`},
		{"what crew does not know", "allowed_commands: [git]\n", nil, "policies/x.yaml:1: "},
		{"no list", "allowed_hosts: a.test\n", nil, "policies/x.yaml:1: "},
	} {
		f, err := policy.Parse("policies/x.yaml", []byte(tc.text))
		var got []string
		if err == nil {
			got, err = f.Narrow(hosts)
		}
		if !slices.Equal(got, tc.want) || (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: got %q, %v; want %q, %s", tc.name, got, err, tc.want, tc.err)
		}
	}
}
