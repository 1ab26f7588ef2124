package environment

import "github.com/understudy-dev/understudy/driver"

// Platform is a platform file, read: how to get, install and remove the system under test, and
// what scenarios need to know of it.
type Platform struct {
	driver.Platform
	File     string    // path of the platform file
	Get      Get       // how to build it
	Install  Command   // run once for each leased repository
	Validate []string  // paths that must exist in the repository after the install
	Remove   Command   // optional
	Defect   []string  // arguments added to Install for a seeded defect; "{name}" is its name
	Door     []Opening // hosts that programs of the platform can reach
}

// Get says how the platform's executable is made.
type Get struct {
	Dir   string   // directory to build in
	Run   []string // "{gives}" is the path of the executable to make
	Gives string   // base name of the executable
}

// Command is a program of the platform with its arguments and environment. "{repo}", "{api}",
// "{server}" and "{token:ACTOR}" are replaced.
type Command struct {
	Run []string
	Env map[string]string
}

// Opening is a host that answers behind the only door out.
type Opening struct {
	Host   string
	Status int
	Body   string
}
