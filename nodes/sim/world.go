package sim

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Post is a published post.
type Post struct {
	ID         string // 19 digits: more than a float64 can hold
	Author     string // ID of an account or of an organisation
	Text       string
	Created    time.Time
	Media      []string // names of its images and videos
	LikedBy    []string // IDs of accounts, in order
	RepostedBy []string

	likes, comments, shares int // initial counts, from the seed
}

// Message is a message from one account to another.
type Message struct {
	ID, From, To, Text string
}

// image is an uploaded image, or one whose upload is registered.
type image struct {
	owner string // URN
	bytes []byte
}

// world is the state of a network.
type world struct {
	accounts []*Account
	posts    []*Post // the oldest first
	messages []Message
	trends   []Trend
	media    map[string]bool
	images   map[string]*image
	pages    map[string]page // by page token
	lastID   int64
}

// page is the position in a list that a page token refers to.
type page struct {
	list string // call, account and query of the list
	past string // ID of the last post on the page before
}

// firstID is larger than 2^53, as the networks' ids are: clients must not parse ids as
// float64.
const firstID = 1_800_000_000_000_000_000

func newWorld(seed Seed) (*world, error) {
	w := &world{trends: seed.Trends, media: map[string]bool{}, images: map[string]*image{}, pages: map[string]page{}, lastID: firstID}
	for i := range seed.Accounts {
		w.accounts = append(w.accounts, &seed.Accounts[i])
	}
	for _, id := range seed.Media {
		w.media[id] = true
	}
	now := time.Now().UTC()
	for _, p := range seed.Posts {
		if w.account(p.Author) == nil {
			return nil, fmt.Errorf("a post of %q, who has no account", p.Author)
		}
		created := now.Add(-time.Duration(p.MinutesAgo) * time.Minute)
		w.posts = append(w.posts, &Post{
			ID: w.nextID(), Author: p.Author, Text: p.Text, Created: created,
			likes: p.Likes, comments: p.Comments, shares: p.Shares,
		})
	}
	return w, nil
}

func (w *world) nextID() string {
	w.lastID++
	return strconv.FormatInt(w.lastID, 10)
}

func (w *world) account(id string) *Account {
	i := slices.IndexFunc(w.accounts, func(a *Account) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return w.accounts[i]
}

func (w *world) post(id string) *Post {
	i := slices.IndexFunc(w.posts, func(p *Post) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return w.posts[i]
}

// twin returns the author's post with the same text, or nil.
func (w *world) twin(author, text string) *Post {
	i := slices.IndexFunc(w.posts, func(p *Post) bool { return p.Author == author && p.Text == text })
	if i < 0 {
		return nil
	}
	return w.posts[i]
}

// postsOf counts the posts of an author.
func (w *world) postsOf(author string) int {
	count := 0
	for _, p := range w.posts {
		if p.Author == author {
			count++
		}
	}
	return count
}

func (w *world) publish(author, text string, media []string) *Post {
	p := &Post{ID: w.nextID(), Author: author, Text: text, Created: time.Now().UTC(), Media: media}
	w.posts = append(w.posts, p)
	return p
}

func (w *world) send(from, to, text string) Message {
	m := Message{w.nextID(), from, to, text}
	w.messages = append(w.messages, m)
	return m
}

// newest returns the posts that contain every word of query, ignoring case, the newest
// first.
func (w *world) newest(query string) []*Post {
	var found []*Post
	words := strings.Fields(strings.ToLower(query))
	for _, p := range slices.Backward(w.posts) {
		text := strings.ToLower(p.Text)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			found = append(found, p)
		}
	}
	return found
}

// add appends an id to a list unless it is there already. It reports whether it was added.
func add(list *[]string, id string) bool {
	if slices.Contains(*list, id) {
		return false
	}
	*list = append(*list, id)
	return true
}

// turn returns a new page token.
func (w *world) turn(to page) string {
	token := strings.ToLower(rand.Text())
	w.pages[token] = to
	return token
}
