package forge

// FailDisk lets every later write of a kept forge fail.
func (s *Server) FailDisk() error { return s.keeper.log.Close() }
