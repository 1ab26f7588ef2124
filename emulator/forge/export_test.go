package forge

import "encoding/json"

// FailDisk lets every later write of a kept forge fail.
func (s *Server) FailDisk() error { return s.keeper.log.Close() }

// Still reports whether the repository of that name is the one that it was, whose id is that of then.
func (a *Admin) Still(repo string, id int64) bool {
	_, there := a.still(repo, id)
	return there
}

// Image is all that a forge knows but its journal, and where every ref is.
func (s *Server) Image() ([]byte, error) {
	image := s.admin.state.Image()
	image.Journal = 0
	refs := map[int64]map[string]string{}
	for _, r := range image.Repos {
		var err error
		if refs[r.ID], err = s.admin.git.Open(r.ID).Refs(); err != nil {
			return nil, err
		}
	}
	return json.Marshal([]any{image, refs})
}
