package httpapi

// Routes returns the method and the path of every route, for tests that walk
// them all.
func (s *Service) Routes() [][2]string {
	var list [][2]string
	for _, r := range s.routes {
		list = append(list, [2]string{r.method, r.path})
	}
	return list
}
