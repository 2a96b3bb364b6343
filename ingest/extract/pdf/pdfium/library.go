// Package pdfium runs the PDFium library, compiled to WebAssembly, in sandboxes.
// A sandbox has no files, no clock, no network, and a bounded memory.
package pdfium

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/klippa-app/go-pdfium/webassembly/imports"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// wasm is the code of PDFium, which go-pdfium embeds. Its own pool of instances
// accepts no context, so it can neither bound their memory without copies nor
// stop a call.
//
//go:linkname wasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var wasm []byte

// The package must be linked for its data.
var _ = webassembly.Init

const (
	// MaxMemory is the maximum memory of a sandbox, in bytes.
	MaxMemory = 512 << 20
	// minMemory is larger than the initial memory of a sandbox.
	minMemory = 32 << 20
	// wasmPage is the binary logarithm of the size of a memory page.
	wasmPage = 16
)

// Library is the compiled code of PDFium. It is safe for concurrent use. It
// compiles or loads the code when the first sandbox starts. Close it when done.
type Library struct {
	dir         string
	interrupted bool

	mu      sync.Mutex // guards the fields below
	cache   wazero.CompilationCache
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// New returns a library. It keeps compiled code in a folder. If the folder is "",
// each process compiles the code again, which takes seconds. If interrupted is
// set, a context can stop a running call, and calls take about 2.5 times as long.
// Otherwise contexts are only checked before each call.
func New(dir string, interrupted bool) *Library { return &Library{dir: dir, interrupted: interrupted} }

// Close frees the code. No sandbox may be in use.
func (l *Library) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	if l.runtime != nil {
		errs = append(errs, l.runtime.Close(ctx))
	}
	if l.cache != nil {
		errs = append(errs, l.cache.Close(ctx))
	}
	l.runtime, l.module, l.cache = nil, nil, nil
	return errors.Join(errs...)
}

// code returns the runtime and the compiled code.
func (l *Library) code(ctx context.Context) (wazero.Runtime, wazero.CompiledModule, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.module != nil {
		return l.runtime, l.module, nil
	}
	if len(wasm) == 0 {
		return nil, nil, errors.New("the code of the PDF library is not in this program")
	}
	cache := wazero.NewCompilationCache()
	if l.dir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(l.dir); err != nil {
			return nil, nil, fmt.Errorf("open the cache of compiled code in %s: %w", l.dir, err)
		}
	}
	ctx = context.WithoutCancel(ctx) // the code outlives the first document
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(MaxMemory>>wasmPage).WithCloseOnContextDone(l.interrupted).WithCompilationCache(cache))
	module, err := compile(ctx, runtime)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start the PDF library: %w", err), runtime.Close(ctx), cache.Close(ctx))
	}
	l.cache, l.runtime, l.module = cache, runtime, module
	return runtime, module, nil
}

// compile compiles the library and provides its imported functions.
func compile(ctx context.Context, runtime wazero.Runtime) (wazero.CompiledModule, error) {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, fmt.Errorf("instantiate WASI: %w", err)
	}
	module, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	env := runtime.NewHostModuleBuilder("env")
	exporter, err := emscripten.NewFunctionExporterForModule(module)
	if err != nil {
		return nil, fmt.Errorf("find the imports: %w", err)
	}
	exporter.ExportFunctions(env)
	imports.NewFunctionExporter().ExportFunctions(env)
	i32 := api.ValueTypeI32
	env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(readBlock), []api.ValueType{i32, i32, i32, i32},
		[]api.ValueType{i32}).Export("FPDF_FILEACCESS_CB")
	if _, err := env.Instantiate(ctx); err != nil {
		return nil, fmt.Errorf("instantiate the imports: %w", err)
	}
	return module, nil
}

// Sandbox is one running instance of the library. It is not safe for concurrent
// use. Close it when done.
type Sandbox struct {
	module    api.Module
	functions map[string]api.Function
	stack     [12]uint64
	failed    error // error of the call that broke the sandbox
}

// Prepare compiles the library, or loads code that an earlier process compiled.
// Without Prepare, the first Start does so.
func (l *Library) Prepare(ctx context.Context) error {
	_, _, err := l.code(ctx)
	return err
}

// Start starts a sandbox with a memory limit in bytes. The limit is at least 32
// MiB.
func (l *Library) Start(ctx context.Context, limit int) (*Sandbox, error) {
	runtime, code, err := l.code(ctx)
	if err != nil {
		return nil, err
	}
	linear, err := newMemory(uint64(min(max(limit, minMemory), MaxMemory)))
	if err != nil {
		return nil, fmt.Errorf("get memory for a PDF: %w", err)
	}
	bounded := experimental.WithMemoryAllocator(ctx,
		experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return linear }))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	module, err := runtime.InstantiateModule(bounded, code, wazero.NewModuleConfig().
		WithStartFunctions("_initialize").WithStdout(io.Discard).WithStderr(io.Discard).WithRandSource(rand.Reader).WithName(""))
	if err != nil {
		linear.Free()
		return nil, fmt.Errorf("start a PDF sandbox: %w", err)
	}
	s := &Sandbox{module: module, functions: map[string]api.Function{}}
	if _, err := s.Call(ctx, "FPDF_InitLibrary"); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// Close frees the sandbox and its memory. It works in any state of the sandbox,
// because it does not call the sandbox.
func (s *Sandbox) Close(ctx context.Context) error {
	if err := s.module.Close(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("close a PDF sandbox: %w", err)
	}
	return nil
}

// Broken returns the error of the call that broke the sandbox, or nil.
func (s *Sandbox) Broken() error { return s.failed }

// Used returns the memory of the sandbox in bytes.
func (s *Sandbox) Used() int { return int(s.module.Memory().Size()) }

// Call calls a function of the library. A failed or canceled call breaks the
// sandbox. All later calls then return the same error.
func (s *Sandbox) Call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f := s.functions[name]
	if f == nil {
		if f = s.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("the PDF library has no function %s", name)
		}
		s.functions[name] = f
	}
	clear(s.stack[:])
	copy(s.stack[:], args)
	if err := f.CallWithStack(ctx, s.stack[:]); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		s.failed = fmt.Errorf("%s: %w", name, err)
		return 0, s.failed
	}
	return s.stack[0], nil
}

// Alloc allocates bytes in the sandbox.
func (s *Sandbox) Alloc(ctx context.Context, size int) (uint32, error) {
	at, err := s.Call(ctx, "malloc", uint64(max(size, 1)))
	if err != nil {
		return 0, err
	}
	if at == 0 {
		return 0, ErrMemory
	}
	return uint32(at), nil
}

// ErrMemory is the error of a sandbox that has run out of memory.
var ErrMemory = errors.New("the PDF needs more memory than it may have")

// Bytes returns a part of the sandbox's memory. It is valid until the next
// call.
func (s *Sandbox) Bytes(at uint32, size int) ([]byte, error) {
	if size < 0 || size > MaxMemory {
		return nil, errOutside
	}
	b, ok := s.module.Memory().Read(at, uint32(size))
	if !ok {
		return nil, errOutside
	}
	return b, nil
}

// errOutside is the error for an address outside the sandbox's memory.
var errOutside = errors.New("the PDF library returned an address outside its memory")

// fileKey is the context key of the PDF that a sandbox reads in blocks.
type fileKey struct{}

// readBlock gives the library a block of the PDF in the context. Its parameters
// are the address of an unused parameter, the position, the address of the
// buffer, and the size. It returns 0 on failure.
func readBlock(ctx context.Context, module api.Module, stack []uint64) {
	data, _ := ctx.Value(fileKey{}).([]byte)
	position, size := uint64(uint32(stack[1])), uint64(uint32(stack[3]))
	buffer := uint32(stack[2])
	stack[0] = 0
	if position+size <= uint64(len(data)) && module.Memory().Write(buffer, data[position:position+size]) {
		stack[0] = 1
	}
}
