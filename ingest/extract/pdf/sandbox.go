package pdf

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"docent/internal/fault"
)

// The memory of one sandbox, in pages of 64 KiB.
const (
	// readMemory is for a whole PDF that is ingested: 512 MiB.
	readMemory = 8 << 10
	// drawMemory is for a page that is shown, which anybody may ask for: 128 MiB.
	// The largest image of one takes 32, as does what is half transparent on it.
	drawMemory = 2 << 10
	// wasmPage is the binary logarithm of a page's size.
	wasmPage = 16
	// maxCopied is the largest PDF that is copied into the memory of a sandbox
	// where one page is wanted; of a larger one it fetches what it needs.
	maxCopied = 8 << 20
)

// Reader runs the PDF library in sandboxes: no files, no clock, bounded
// memory. Those that read documents and those that show pages are apart, and
// share the library's compiled code.
type Reader struct {
	code             *pdfCode
	timeout          time.Duration // of reading a document
	pageTimeout      time.Duration
	reading, drawing *sandboxes
}

// Config sets what reading PDFs may use.
type Config struct {
	// CacheDir keeps the library's compiled code between processes; "" compiles
	// it anew in each process that meets a PDF, which takes about two seconds.
	CacheDir string
	// Readers is how many PDFs are read at once; default 2.
	Readers int
	// Timeout bounds reading one PDF; default 3 minutes.
	Timeout time.Duration
	// PageTimeout bounds drawing or reading one page; default 20 seconds, as a
	// scanned page in color takes some.
	PageTimeout time.Duration
}

// New returns a reader. It starts nothing until the first PDF. Close it when done.
func New(cfg Config) (*Reader, error) {
	if cfg.Readers < 0 || cfg.Timeout < 0 || cfg.PageTimeout < 0 {
		return nil, errors.New("pdf: Readers, Timeout and PageTimeout must not be negative")
	}
	code := &pdfCode{dir: cfg.CacheDir}
	return &Reader{
		code: code, timeout: cmp.Or(cfg.Timeout, 3*time.Minute), pageTimeout: cmp.Or(cfg.PageTimeout, 20*time.Second),
		reading: &sandboxes{code: code, tokens: make(chan struct{}, cmp.Or(cfg.Readers, 2)), config: wazero.NewRuntimeConfig().WithMemoryLimitPages(readMemory)},
		drawing: &sandboxes{
			code: code, tokens: make(chan struct{}, PageDrawers), config: wazero.NewRuntimeConfig().WithMemoryLimitPages(drawMemory),
			lent: &sync.Pool{New: func() any { lent := make([]byte, drawMemory<<wasmPage); return &lent }}, maxCopied: maxCopied,
		},
	}, nil
}

// Close frees what the reader holds. Nothing may be being read.
func (r *Reader) Close(ctx context.Context) error {
	return errors.Join(r.reading.close(), r.drawing.close(), r.code.close(ctx))
}

// pdfCode is the library's compiled code, which takes long to make and is kept
// in a folder, if there is one.
type pdfCode struct {
	dir   string
	mu    sync.Mutex // guards cache
	cache wazero.CompilationCache
}

func (c *pdfCode) kept() (wazero.CompilationCache, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.cache != nil:
	case c.dir == "":
		c.cache = wazero.NewCompilationCache()
	default:
		cache, err := wazero.NewCompilationCacheWithDir(c.dir)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled code in %s: %w", c.dir, err)
		}
		c.cache = cache
	}
	return c.cache, nil
}

func (c *pdfCode) close(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cache == nil {
		return nil
	}
	err := c.cache.Close(ctx)
	c.cache = nil
	return err //nolint:wrapcheck // it says what failed
}

// sandboxes run the library, each for one piece of work. They are made ready
// with the first PDF.
type sandboxes struct {
	code      *pdfCode
	config    wazero.RuntimeConfig
	tokens    chan struct{} // one for each that works
	lent      *sync.Pool    // of memory of the largest size, see lend; nil if each has its own
	maxCopied int           // see there; 0 is any

	mu   sync.Mutex // guards pool
	pool pdfium.Pool
}

// start returns the pool they come from.
func (s *sandboxes) start() (pdfium.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool != nil {
		return s.pool, nil
	}
	cache, err := s.code.kept()
	if err != nil {
		return nil, err
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: cap(s.tokens), FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		RuntimeConfig: s.config.WithCloseOnContextDone(true).WithCompilationCache(cache),
	})
	if err != nil {
		return nil, fmt.Errorf("start the PDF reader: %w", err)
	}
	s.pool = pool
	return pool, nil
}

func (s *sandboxes) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool == nil {
		return nil
	}
	err := s.pool.Close()
	s.pool = nil
	return err //nolint:wrapcheck // it says what failed
}

// pdfWork is done on a PDF that is open in a sandbox.
type pdfWork func(ctx context.Context, p pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error

// inside opens a PDF in a sandbox of its own and works on it when it gets one of
// the tokens. What takes too long is stopped, and the sandbox with it.
func (s *sandboxes) inside(ctx context.Context, data []byte, limit time.Duration, work pdfWork) error {
	select {
	case s.tokens <- struct{}{}:
		defer func() { <-s.tokens }()
	case <-ctx.Done():
		return ctx.Err()
	}
	pool, err := s.start()
	if err != nil {
		return err
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return fmt.Errorf("get a PDF reader: %w", err)
	}
	takeBack := s.lend(instance)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.opened(limited, instance, data, work) }()
	// It is thrown away whatever it says, without another call into it: it may
	// have been left in any state.
	end := func() {
		interrupt(instance)
		_ = instance.Close()
		takeBack()
	}
	select {
	case err := <-done:
		end()
		return err
	case <-limited.Done():
		interrupt(instance)
		<-done
		end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.New(fault.Invalid, "it takes longer than %s to read", limit)
	}
}

// opened opens a PDF and works on it.
func (s *sandboxes) opened(ctx context.Context, p pdfium.Pdfium, data []byte, work pdfWork) error {
	open := &requests.OpenDocument{File: &data}
	if s.maxCopied > 0 && len(data) > s.maxCopied {
		r := bytes.NewReader(data)
		defer r.Reset(nil) // the library may keep it
		open = &requests.OpenDocument{FileReader: r, FileReaderSize: int64(len(data))}
	}
	doc, err := p.OpenDocument(open)
	if err != nil {
		return pdfFault(err)
	}
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return pdfFault(err)
	}
	return work(ctx, p, doc.Document, count.PageCount)
}

// lend puts memory that earlier sandboxes had under one that was just made, and
// takes it back when that has ended. Memory that grows by itself is copied, and
// what it was before waits to be collected: as it grows by little, that is
// several times what it is at last. The library offers nothing for it, so it is
// done to what it is made of; where a later version is made of something else,
// it grows by itself.
func (s *sandboxes) lend(instance pdfium.Pdfium) (takeBack func()) {
	memory, buffer, capacity := memoryOf(instance)
	if s.lent == nil || memory == nil {
		return func() {}
	}
	lent, _ := s.lent.Get().(*[]byte) // nothing else is in it
	own, had := buffer.Bytes(), capacity.Uint()
	if len(own) >= len(*lent) {
		return func() {}
	}
	copy(*lent, own)
	buffer.SetBytes((*lent)[:len(own)])
	capacity.SetUint(uint64(len(*lent)) >> wasmPage)
	if _, grown := memory.Grow(1); !grown { // which tells the code where it is now
		buffer.SetBytes(own)
		capacity.SetUint(had)
		return func() {}
	}
	return func() {
		used := len(buffer.Bytes())
		buffer.SetBytes(nil)
		if used <= len(*lent) { // it cannot have become more
			clear((*lent)[:used])
			s.lent.Put(lent)
		}
	}
}

// memoryOf is the memory of a sandbox with its bytes and how many pages they may
// become without being copied; nil if that is not known.
func memoryOf(instance pdfium.Pdfium) (memory api.Memory, buffer, capacity reflect.Value) {
	v := reflect.ValueOf(instance.GetImplementation())
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, v, v
	}
	if v = v.Elem().FieldByName("Module"); !v.IsValid() || !v.CanInterface() {
		return nil, v, v
	}
	module, ok := v.Interface().(api.Module)
	if !ok || module.Memory() == nil {
		return nil, v, v
	}
	if v = reflect.ValueOf(module.Memory()); v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, v, v
	}
	buffer, capacity = v.Elem().FieldByName("Buffer"), v.Elem().FieldByName("Cap")
	if !buffer.IsValid() || buffer.Type() != reflect.TypeFor[[]byte]() || !buffer.CanSet() || !capacity.IsValid() || capacity.Kind() != reflect.Uint32 || !capacity.CanSet() {
		return nil, v, v
	}
	return module.Memory(), buffer, capacity
}

// interrupt ends the call that a sandbox is in. The library's own way, Kill,
// races with that call, so the function it would call is taken from its worker;
// where a later version has none, the call is waited for.
func interrupt(instance pdfium.Pdfium) {
	v := reflect.ValueOf(instance)
	for _, field := range []string{"worker", "Cancel"} {
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			return
		}
		if v = v.Elem().FieldByName(field); !v.IsValid() {
			return
		}
	}
	if !v.CanAddr() {
		return
	}
	if cancel, ok := reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().Interface().(context.CancelFunc); ok && cancel != nil {
		cancel()
	}
}
