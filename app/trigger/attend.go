package trigger

import "github.com/svcflow/svc/engine/node"

// attend begins to wait for what the source of a trigger tells, and leaves in t what ends
// that. Sources that are schedules are waited for by [Service.step], and hooks by those who
// call them. The caller holds the lock.
func (s *Service) attend(t *armed, source node.Source) {}
