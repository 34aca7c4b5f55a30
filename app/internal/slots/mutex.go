package slots

import "sync"

// KeyedMutex is a mutex for each key. Its zero value is ready for use.
type KeyedMutex struct {
	mu   sync.Mutex
	held map[string]*sharedMutex
}

// sharedMutex is the mutex of a key that somebody holds or waits for.
type sharedMutex struct {
	sync.Mutex
	users int
}

// Lock locks the mutex of a key and returns the function that unlocks it.
func (k *KeyedMutex) Lock(key string) (unlock func()) {
	k.mu.Lock()
	if k.held == nil {
		k.held = map[string]*sharedMutex{}
	}
	m, ok := k.held[key]
	if !ok {
		m = &sharedMutex{}
		k.held[key] = m
	}
	m.users++
	k.mu.Unlock()
	m.Lock()
	return func() {
		m.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if m.users--; m.users == 0 {
			delete(k.held, key)
		}
	}
}
