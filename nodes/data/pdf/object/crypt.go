package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // the format prescribes it
	"crypto/rc4" //nolint:gosec // the format prescribes it
	"crypto/sha256"
	"crypto/sha512"
	"errors"
)

// ErrPassword means that a file cannot be opened without a password.
var ErrPassword = errors.New("it can be opened with a password only; save it without one")

// errEncryption means that a file is encrypted in a way that is not known.
var errEncryption = errors.New("it is encrypted in a way that is not read; save it without encryption")

// method is how the bytes of a stream or string are encrypted.
type method int

const (
	plain method = iota
	methodRC4
	methodAES128
	methodAES256
)

// crypt decrypts the objects of a file that opens with an empty user password.
type crypt struct {
	secret         []byte
	streams, texts method
	plainMetadata  bool
	dict           Ref // where the encryption dictionary is, whose strings are plain
}

// key decrypts the data of one object.
type key struct {
	secret []byte
	method method
}

// padding completes passwords (ISO 32000, algorithm 2).
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// openCrypt reads the encryption dictionary of the file.
func (f *File) openCrypt() error {
	if f.trailer["Encrypt"] == nil {
		return nil
	}
	d, _ := f.Resolve(f.trailer["Encrypt"]).(Dict)
	if d == nil {
		return nil // the reference leads nowhere: nothing can be encrypted with it
	}
	c := &crypt{}
	c.dict, _ = f.trailer["Encrypt"].(Ref)
	if filter, _ := f.Resolve(d["Filter"]).(Name); filter != "Standard" && filter != "" {
		return errEncryption
	}
	if err := f.chooseMethods(c, d); err != nil {
		return err
	}
	if c.streams == plain && c.texts == plain {
		return nil // only files that are attached are encrypted
	}
	revision := Int(f.Resolve(d["R"]))
	text := func(name Name) []byte { s, _ := f.Resolve(d[name]).(String); return []byte(s) }
	if revision >= 5 {
		c.secret = secretAES256(revision, text("U"), text("UE"), text("O"), text("OE"))
	} else {
		c.secret = f.secretRC4(c, d, revision, text("O"), text("U"))
	}
	if c.secret == nil {
		return ErrPassword
	}
	f.crypt = c
	clear(f.cache) // what was read so far was not decrypted
	return nil
}

func (f *File) chooseMethods(c *crypt, d Dict) error {
	if meta, is := f.Resolve(d["EncryptMetadata"]).(bool); is {
		c.plainMetadata = !meta
	}
	switch version := Int(f.Resolve(d["V"])); version {
	case 1, 2, 3:
		c.streams, c.texts = methodRC4, methodRC4
	case 4, 5, 6:
		filters, _ := f.Resolve(d["CF"]).(Dict)
		for use, to := range map[Name]*method{"StmF": &c.streams, "StrF": &c.texts} {
			name, _ := f.Resolve(d[use]).(Name)
			if name == "" || name == "Identity" {
				continue
			}
			filter, _ := f.Resolve(filters[name]).(Dict)
			switch cfm, _ := f.Resolve(filter["CFM"]).(Name); cfm {
			case "V2":
				*to = methodRC4
			case "AESV2":
				*to = methodAES128
			case "AESV3":
				*to = methodAES256
			case "None", "":
			default:
				return errEncryption
			}
		}
	default:
		return errEncryption
	}
	return nil
}

// secretRC4 returns the key of a file up to revision 4, or nil if it needs a password
// (algorithms 2, 4 and 5).
func (f *File) secretRC4(c *crypt, d Dict, revision int, owner, user []byte) []byte {
	length := Int(f.Resolve(d["Length"]))
	if length < 40 || length > 128 || length%8 != 0 {
		length = 40
		if Int(f.Resolve(d["V"])) == 4 {
			length = 128
		}
	}
	if revision < 3 {
		length = 40
	}
	if c.streams == methodAES128 {
		length = 128
	}
	size := length / 8
	permissions := uint32(int64(Float(f.Resolve(d["P"]))))
	var id String
	if ids, is := f.Resolve(f.trailer["ID"]).(Array); is && len(ids) > 0 {
		id, _ = f.Resolve(ids[0]).(String)
	}
	h := md5.New() //nolint:gosec // the format prescribes it
	h.Write([]byte(padding))
	h.Write(owner[:min(32, len(owner))])
	h.Write([]byte{byte(permissions), byte(permissions >> 8), byte(permissions >> 16), byte(permissions >> 24)})
	h.Write([]byte(id))
	if revision >= 4 && c.plainMetadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	secret := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(secret[:size]) //nolint:gosec // the format prescribes it
			secret = sum[:]
		}
	}
	secret = secret[:size]
	if revision < 3 {
		if !bytes.Equal(rc4Of(secret, []byte(padding)), user) {
			return nil
		}
		return secret
	}
	sum := md5.Sum([]byte(padding + string(id))) //nolint:gosec // the format prescribes it
	check := rc4Of(secret, sum[:])
	for i := byte(1); i < 20; i++ {
		mixed := make([]byte, len(secret))
		for k := range mixed {
			mixed[k] = secret[k] ^ i
		}
		check = rc4Of(mixed, check)
	}
	if len(user) < 16 || !bytes.Equal(check, user[:16]) {
		return nil
	}
	return secret
}

func rc4Of(secret, data []byte) []byte {
	out := make([]byte, len(data))
	c, err := rc4.NewCipher(secret) //nolint:gosec // the format prescribes it
	if err != nil {
		return nil
	}
	c.XORKeyStream(out, data)
	return out
}

// secretAES256 returns the key of a file of revision 5 or 6, or nil if it needs a password
// (algorithm 2.A). The empty password may be the user's or the owner's.
func secretAES256(revision int, user, userKey, owner, ownerKey []byte) []byte {
	if len(user) < 48 || len(userKey) < 32 {
		return nil
	}
	if bytes.Equal(hash256(revision, user[32:40], nil), user[:32]) {
		return unwrap(hash256(revision, user[40:48], nil), userKey[:32])
	}
	if len(owner) >= 48 && len(ownerKey) >= 32 && bytes.Equal(hash256(revision, owner[32:40], user[:48]), owner[:32]) {
		return unwrap(hash256(revision, owner[40:48], user[:48]), ownerKey[:32])
	}
	return nil
}

func unwrap(secret, wrapped []byte) []byte {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil
	}
	out := make([]byte, len(wrapped))
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, wrapped)
	return out
}

// hash256 is algorithm 2.B for the empty password.
func hash256(revision int, salt, user []byte) []byte {
	first := sha256.Sum256(append(bytes.Clone(salt), user...))
	k := first[:]
	if revision < 6 {
		return k
	}
	for round := 0; ; round++ {
		k1 := bytes.Repeat(append(bytes.Clone(k), user...), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := make([]byte, len(k1))
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, k1)
		rest := 0
		for _, b := range e[:16] {
			rest += int(b)
		}
		switch rest % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		default:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}

// keyOf returns the key of an object (algorithm 1).
func (c *crypt) keyOf(at Ref, how method) *key {
	if how == plain {
		return nil
	}
	if how == methodAES256 {
		return &key{c.secret, how}
	}
	mixed := append(bytes.Clone(c.secret), byte(at.Num), byte(at.Num>>8), byte(at.Num>>16), byte(at.Gen), byte(at.Gen>>8))
	if how == methodAES128 {
		mixed = append(mixed, "sAlT"...)
	}
	sum := md5.Sum(mixed) //nolint:gosec // the format prescribes it
	return &key{sum[:min(16, len(c.secret)+5)], how}
}

func (k *key) decrypt(data []byte) ([]byte, error) {
	if k.method == methodRC4 {
		return rc4Of(k.secret, data), nil
	}
	if len(data) < aes.BlockSize {
		return nil, nil
	}
	vector, body := data[:aes.BlockSize], data[aes.BlockSize:]
	var damage error
	if len(body)%aes.BlockSize != 0 {
		body, damage = body[:len(body)-len(body)%aes.BlockSize], errors.New("the encrypted data is damaged")
	}
	block, err := aes.NewCipher(k.secret)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(body))
	cipher.NewCBCDecrypter(block, vector).CryptBlocks(out, body)
	if n := len(out); n > 0 && out[n-1] >= 1 && out[n-1] <= aes.BlockSize {
		out = out[:n-int(out[n-1])]
	}
	return out, damage
}

// decrypted decrypts the strings of an object, and gives a stream its key.
func (c *crypt) decrypted(o any, at Ref) any {
	if at == c.dict && c.dict != (Ref{}) {
		return o
	}
	s, is := o.(*Stream)
	if !is {
		return c.plainTexts(o, c.keyOf(at, c.texts), 0)
	}
	kind, _ := s.Dict["Type"].(Name)
	if kind == "XRef" || kind == "Metadata" && c.plainMetadata || identity(s.Dict) {
		return s
	}
	s.Dict, _ = c.plainTexts(s.Dict, c.keyOf(at, c.texts), 0).(Dict)
	s.key = c.keyOf(at, c.streams)
	return s
}

// identity reports whether a stream has a crypt filter that does nothing.
func identity(d Dict) bool {
	filters, is := d["Filter"].(Array)
	if name, one := d["Filter"].(Name); one {
		filters, is = Array{name}, true
	}
	return is && len(filters) > 0 && filters[0] == Name("Crypt")
}

func (c *crypt) plainTexts(o any, k *key, depth int) any {
	if k == nil || depth > maxDepth {
		return o
	}
	switch o := o.(type) {
	case String:
		out, _ := k.decrypt([]byte(o))
		return String(out)
	case Array:
		for i := range o {
			o[i] = c.plainTexts(o[i], k, depth+1)
		}
	case Dict:
		for name := range o {
			o[name] = c.plainTexts(o[name], k, depth+1)
		}
	}
	return o
}
