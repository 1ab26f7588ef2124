package policy

import (
	"slices"

	"example.com/crew/internal/yamldoc"
)

// File is a policy of one agent, to which its harness points.
type File struct {
	doc   *yamldoc.Doc
	hosts *[]string // that it may reach; nil is those of the configuration
}

// Parse reads the text of the policy called name. Unknown keys are errors: what a policy says and nobody
// heeds would be worse than none.
func Parse(name string, data []byte) (File, error) {
	var w struct {
		AllowedHosts *[]string `yaml:"allowed_hosts"`
	}
	doc, err := yamldoc.Decode(name, data, &w)
	return File{doc, w.AllowedHosts}, err
}

// Narrow returns which of the hosts that all agents may reach this one may. A policy cannot add to them.
func (f File) Narrow(hosts []string) ([]string, error) {
	if f.hosts == nil {
		return hosts, nil
	}
	for _, h := range *f.hosts {
		if !slices.Contains(hosts, h) {
			return nil, f.doc.Errorf([]string{"allowed_hosts"}, "host %q is not among the allowed_hosts of the configuration, which a policy can only narrow", h)
		}
	}
	return *f.hosts, nil
}

// Wide returns the hosts of the policy beside the others: a seeded defect.
func (f File) Wide(hosts []string) []string {
	if f.hosts == nil {
		return hosts
	}
	return slices.Concat(hosts, *f.hosts)
}
