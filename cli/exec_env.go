package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/network"
)

// taken reports whether a variable of the caller is kept from the program: what names or opens another
// forge, or leads past the door.
func taken(name string) bool {
	switch strings.ToUpper(name) {
	case "GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN", "GH_HOST",
		"GITHUB_API_URL", "GITHUB_SERVER_URL", "GITHUB_GRAPHQL_URL",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
		"NPM_CONFIG_PROXY", "NPM_CONFIG_HTTP_PROXY", "NPM_CONFIG_HTTPS_PROXY", "NPM_CONFIG_NOPROXY":
		return true
	}
	return strings.HasPrefix(name, "ACTIONS_") && (strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_URL"))
}

// environment is the caller's, with github.com where it is ours. proxy is "" where names lead there.
func (x *execution) environment(token, proxy string) []string {
	set := network.Trust(x.AuthorityFile)
	set["GITHUB_TOKEN"], set["GH_TOKEN"] = token, token
	set["GITHUB_SERVER_URL"], set["GITHUB_API_URL"] = x.Forge.PublicURL(), x.Forge.APIURL()
	set["GITHUB_GRAPHQL_URL"] = x.Forge.APIURL() + "/graphql"
	if proxy != "" {
		const loopback = "127.0.0.1,localhost,::1"
		for name, value := range map[string]string{"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy, "NO_PROXY": loopback} {
			set[name], set[strings.ToLower(name)] = value, value
		}
		set["NODE_USE_ENV_PROXY"] = "1" // Node.js 24 and newer
	}
	var env []string
	for _, kv := range x.o.Env {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := set[name]; !replaced && !taken(name) && !strings.HasPrefix(name, "GIT_CONFIG_COUNT") {
			env = append(env, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, name+"="+set[name])
	}
	return append(env, gitConfig(x.o.Env, x.Forge.PublicURL(), proxy)...)
}

// lending is a credential helper of git that knows one token: see gitcredentials(7).
const lending = `!f() { test "$1" = get && printf 'username=x-access-token\npassword=%s\n' "$GITHUB_TOKEN"; }; f`

// gitConfig adds to the caller's configuration by environment, which counts more than files. The
// caller's helpers are not asked, as git makes them forget what a forge refuses.
func gitConfig(caller []string, site, proxy string) []string {
	n, err := strconv.Atoi(variable(caller, "GIT_CONFIG_COUNT"))
	if err != nil || n < 0 {
		n = 0
	}
	host := strings.TrimPrefix(site, "https://")
	var env []string
	for i, kv := range [][2]string{
		{"credential.helper", ""}, // which empties the list
		{"credential." + site + ".helper", lending},
		{"http.proxy", proxy}, // "" is none
		{"http." + site + ".proxy", proxy},
		{"url." + site + "/.insteadOf", "git@" + host + ":"},
		{"url." + site + "/.insteadOf", "ssh://git@" + host + "/"},
		{"url." + site + "/.insteadOf", "git://" + host + "/"},
	} {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n+i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n+i, kv[1]))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+len(env)/2))
}
