package driver

// The names of edits that steps make.
const (
	EditKillSwitch   = "kill-switch"   // stops everything
	EditAgent        = "agent"         // registers the agent {name}, described at {source}
	EditDisable      = "disable"       // keeps the agent {name} from running
	EditAgentRuntime = "agent-runtime" // {runtime} for the agent {name}
	EditAgentModel   = "agent-model"   // {model} for the agent {name}
	EditAgentEffort  = "agent-effort"  // {effort} for the agent {name}
	EditRuntime      = "runtime"       // {runtime} for all agents
	EditModel        = "model"         // {model} for all agents
	EditEffort       = "effort"        // {effort} for all agents
	EditAllow        = "allow"         // allows what is fetched below {prefix}
	EditReactions    = "reactions"     // has the platform show by reactions how far it is
	EditOwners       = "owners"        // has OWNERS files say who may start agents
	EditPlaylist     = "playlist"      // adds {result}, a file beside the playlist, to the recorded results of the agent {name}
	EditPlayback     = "playback"      // {issue} is where the platform says which recorded results it has replayed
	EditBase         = "base"          // makes {base} the base of the harness {name}
)

// Edit is one change of a setting that the platform keeps in a file of the repository. File, Path and
// a Value that is text may hold the placeholders of the edit.
type Edit struct {
	File   string
	Format string // yaml, ini
	Path   string // keys joined by dots
	Value  any    // string, bool, int or float64
	Append bool   // Value is added to the list at Path
}

// Harness is how an agent of a scenario's own is described to the platform. {name} is the agent's name.
type Harness struct {
	File   string // path in the repository; "" is that the platform takes no agents of others
	Source string // how settings name it
	Root   string // directory of the repository below which are the files that it names
	Base   string // how it names another one of the same repository as its base
	Pinned string // how settings and bases name one of another repository: {url} and {digest}

	// HostedFile and HostedRoot are File and Root in another repository.
	HostedFile, HostedRoot string

	// Files are the keys that name a file, with what stands in it until a step says otherwise.
	Files map[string]string
}

// Metrics says where a run's figures are in its artifact. The fields are keys joined by dots, "" where
// the platform keeps no such figure.
type Metrics struct {
	File           string // base name
	Runtime        string // that ran
	RuntimeSource  string // what decided on it
	RequestedModel string
	ModelSource    string // what decided on that
	Model          string // as the provider reported it
	Turns          string
	Tokens         []string
}

// Runtime is what can drive an agent. Transcript and Stream are what it leaves, if anything.
type Runtime struct {
	Name               string
	Transcript, Stream Lines
}

// Lines are files of an artifact with one JSON document in each line. A line records a tool call if the
// text at Path, keys joined by dots, is one of Is; of a list on the way each entry counts. File is a
// pattern for the end of a path, such as "transcripts/*.jsonl"; "" is that there are none.
type Lines struct {
	File string
	Path string
	Is   []string
}
