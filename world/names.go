package world

// The names under which step packs share what more than one of them needs.
const (
	TheRepository = "the enrolled test repository" // driver.Repo
	TheIssue      = "the issue"                    // driver.Ref
	TheStimulus   = "what sets the platform going" // driver.Cause: the last step that did
)
