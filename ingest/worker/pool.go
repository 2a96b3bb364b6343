package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"docent/ingest/chunk"
	"docent/ingest/extract"
	"docent/ingest/extract/office"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// The limits of a document. Few need more than a hundredth of them.
const (
	// quickCPU is the processor time of a document in a quick worker: one that
	// needs more is read again in a full one, so that it holds up nobody.
	quickCPU = time.Second
	// quickWall is the same by the clock, on a busy machine.
	quickWall = 3 * time.Second
	// quickMemory is the memory of a quick worker, in bytes.
	quickMemory = 224 << 20
	// fullCPU is the processor time that every document may take, and
	// fullCPUPerMiB what it may take more for each MiB, up to maxCPU.
	fullCPU       = 20 * time.Second
	fullCPUPerMiB = 20 * time.Second
	maxCPU        = 3 * time.Minute
	// wallFactor is how much longer than its processor time a document may take
	// by the clock, as the machine may be busy.
	wallFactor = 5
	maxWall    = wallFactor * maxCPU
	// fullMemory is the memory of a full worker, in bytes.
	fullMemory = 576 << 20
	// hardFactor is the system's limit on a worker's memory, beyond its own: the
	// Go runtime takes memory in pieces of 64 MiB.
	hardFactor = 2
	// pageCPU, pageWall and pageMemory bound showing a page.
	pageCPU    = 20 * time.Second
	pageWall   = 60 * time.Second
	pageMemory = 352 << 20
	// filesPerWorker is how many documents a process reads before a new one takes
	// its place, so that what readers leak is bounded.
	filesPerWorker = 100
	// maxWaiting bounds the documents that wait for a full worker, and
	// maxWaitingBytes their size.
	maxWaiting      = 64
	maxWaitingBytes = 128 << 20
)

// PoolConfig says how a pool starts workers.
type PoolConfig struct {
	// Command starts a worker; default this program, which has to ask [Requested]
	// first thing in main.
	Command []string
	// Env is the environment of workers; default none.
	Env []string
	// Chunk sets the sizes of passages; default chunk's own.
	Chunk chunk.Config
	// CacheDir keeps the compiled PDF reader; default none.
	CacheDir string
	// Quick is how many documents are read at once with tight limits, before
	// those that need more are read by the full workers; default 0, which reads
	// all in full workers.
	Quick int
	// Tools are other programs that may be used; default none.
	Tools Tools
	// Recognizer reads the text in pictures; default Tools.Tesseract, if that is
	// installed.
	Recognizer Recognizer
	// Languages are those that tesseract expects, such as eng+deu; default the
	// first few that are installed.
	Languages string
	// Full is how many documents are read at once with the full limits; default
	// the number of CPUs without Quick, else 1.
	Full int
}

// Pool reads documents in worker processes, which it starts as they are needed.
// It is safe for concurrent use. Close it when done.
type Pool struct {
	cfg                PoolConfig
	cpu                time.Duration // of a document of no size in a full worker
	quick, full, pages *lane
	tools              *toolbox
	recognizer         Recognizer // nil if pictures are not read
	placer             Recognizer // says where words are; nil without tesseract
	kept               keptFiles

	preparing sync.Mutex
	prepared  bool // the PDF reader is compiled; guarded by preparing
}

// NewPool checks the configuration and returns a pool.
func NewPool(cfg PoolConfig) (*Pool, error) {
	if cfg.Quick < 0 || cfg.Full < 0 {
		return nil, errors.New("worker: PoolConfig.Quick and Full must not be negative")
	}
	if _, err := chunk.New(cfg.Chunk); err != nil {
		return nil, err
	}
	cfg.Chunk.Tokens = nil
	if len(cfg.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("worker: find this program: %w", err)
		}
		cfg.Command = append([]string{exe}, arguments...)
	}
	if cfg.CacheDir != "" {
		dir, err := filepath.Abs(cfg.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("worker: %w", err)
		}
		cfg.CacheDir = dir
	}
	p := &Pool{cfg: cfg, cpu: fullCPU}
	full := cmp.Or(cfg.Full, runtime.GOMAXPROCS(0))
	if cfg.Quick > 0 {
		full = cmp.Or(cfg.Full, 1)
		p.quick = newLane(&p.cfg, cfg.Quick, quickMemory)
	}
	p.full = newLane(&p.cfg, full, fullMemory)
	p.pages = newLane(&p.cfg, 1, pageMemory)
	p.tools = newToolbox(cfg.Tools, cfg.Command[0])
	if cfg.Tools.Tesseract != "" {
		p.placer = newTesseract(p.tools, cfg.Languages)
		p.recognizer = p.placer
	}
	if cfg.Recognizer != nil {
		p.recognizer = cfg.Recognizer
	}
	if cfg.CacheDir != "" {
		p.kept.dir = filepath.Join(cfg.CacheDir, "pages")
	}
	return p, nil
}

// Close ends the workers. No call may be running.
func (p *Pool) Close(context.Context) error {
	for _, l := range []*lane{p.quick, p.full, p.pages} {
		if l != nil {
			l.close()
		}
	}
	return nil
}

// Read reads one document. An error of kind fault.Invalid says in one line why
// it cannot be read, among other things because it takes too much memory or
// time; Reading.Media is set then, if the type is known. fault.Busy is that too
// many large documents are waiting. Other errors have nothing to do with the
// document.
func (p *Pool) Read(ctx context.Context, src intake.Source) (intake.Reading, error) {
	reading, err := p.once(ctx, src)
	var legacy *office.LegacyError
	if errors.As(err, &legacy) && p.tools.Soffice != "" && converted[legacy.Media] != "" {
		return p.readConverted(ctx, src, legacy.Media)
	}
	scanned := reading.Scanned
	var pictures *pdf.ScannedError
	if errors.As(err, &pictures) {
		scanned = pictures.Pages
	}
	if len(scanned) > 0 && p.recognizer != nil {
		return p.readRecognized(ctx, src, reading, scanned)
	}
	return reading, err
}

// once reads a document without other programs.
func (p *Pool) once(ctx context.Context, src intake.Source) (intake.Reading, error) {
	var reading intake.Reading
	req := request{Op: opRead, Name: src.Name, Line: src.Line, Shared: src.Shared, Recognized: src.Recognized}
	err := p.read(ctx, req, src.Data, func() func(reply, []byte) error {
		return func(rep reply, body []byte) (err error) {
			if rep.Err != nil {
				reading.Media = rep.Reading.Media
				return nil
			}
			reading, err = rep.unpack(string(body))
			return err
		}
	})
	return reading, err
}

// Edges returns hashes of the first and last blocks of a document, by which those
// that most documents of a folder share are found.
func (p *Pool) Edges(ctx context.Context, src intake.Source) (edges []uint64, err error) {
	err = p.read(ctx, request{Op: opEdges, Name: src.Name}, src.Data, func() func(reply, []byte) error {
		return func(rep reply, _ []byte) error {
			edges = rep.Edges
			return nil
		}
	})
	return edges, err
}

// MayHaveParts reports whether a source with this name and beginning may hold
// other documents.
func (p *Pool) MayHaveParts(name string, head []byte) bool { return extract.MayHaveParts(name, head) }

// Version returns the version of the reader for a media type.
func (p *Pool) Version(media string) int { return extract.Version(media) }

// Raised reports whether any format has a version above 1.
func (p *Pool) Raised() bool { return extract.Raised() }

// Parts writes the documents inside a source to a file, one after the other.
// whole reports whether the source is itself a document too.
func (p *Pool) Parts(ctx context.Context, src intake.Source, file string) (whole bool, parts []intake.Part, err error) {
	f, err := createParts(file)
	if err != nil {
		return false, nil, err
	}
	defer f.close(&err)
	err = p.read(ctx, request{Op: opParts, Name: src.Name}, src.Data, func() func(reply, []byte) error {
		f.reset() // removes what an earlier try wrote
		return func(rep reply, body []byte) error {
			if !rep.More {
				whole = rep.Whole
				return nil
			}
			return f.write(rep.Parts, body)
		}
	})
	return whole, f.parts, err
}

// read does work with a document: in a quick worker, if the pool has them, and
// if that is not enough in a full one. begin is called before each try.
func (p *Pool) read(ctx context.Context, req request, data []byte, begin func() func(reply, []byte) error) error {
	if err := p.prepare(ctx, data); err != nil {
		return err
	}
	if p.quick != nil {
		err := p.quick.do(ctx, req, data, limits{quickCPU, quickWall, quickMemory}, begin())
		if !errors.Is(err, errOver) {
			return err
		}
		slow(ctx)
	}
	cpu := min(p.cpu+fullCPUPerMiB*time.Duration(len(data)>>20), maxCPU)
	err := p.full.do(ctx, req, data, limits{cpu, wallFactor * cpu, fullMemory}, begin())
	var over *overError
	if errors.As(err, &over) {
		return fault.Wrap(fault.Invalid, err, "too_complex", "too complex: %s", over.safe)
	}
	return err
}

// prepare makes the PDF reader ready before the first PDF, so that compiling it
// counts against no document. It needs a folder to keep the compiled code in.
func (p *Pool) prepare(ctx context.Context, data []byte) error {
	if p.cfg.CacheDir == "" || !isPDF(data) {
		return nil
	}
	p.preparing.Lock()
	defer p.preparing.Unlock()
	if p.prepared {
		return nil
	}
	done, err := p.full.queue.wait(ctx, intake.ClientOf(ctx).Key, 0)
	if err != nil {
		return err
	}
	defer done()
	// A process of its own, which sees no document: it alone may write the code.
	w, err := startProcess(p.cfg, p.full.hard, true)
	if err != nil {
		return err
	}
	var failed error
	err = w.work(ctx, request{Op: opPrepare}, nil, limits{maxCPU, maxWall, fullMemory}, func(rep reply, _ []byte) error {
		failed = rep.Err.failure()
		return nil
	})
	if err != nil { // the process is gone
		return fmt.Errorf("prepare the PDF reader: %w", err)
	}
	w.close()
	if failed != nil {
		return fmt.Errorf("prepare the PDF reader: %w", failed)
	}
	p.prepared = true
	return nil
}

// isPDF looks for the signature of a PDF.
func isPDF(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1<<10)], []byte("%PDF-"))
}

// ReadPage reads where the letters of a document's page are. Where the page is a
// picture, OCR finds them, if it is installed. A page that does not exist is
// fault.NotFound, a document that cannot be read is fault.Invalid.
func (p *Pool) ReadPage(ctx context.Context, src intake.Source, page int) (*pdf.Page, error) {
	data, err := p.pdfOf(ctx, src)
	if err != nil {
		return nil, err
	}
	var read *pdf.Page
	err = p.page(ctx, request{Op: opPage, Page: page}, data, func(rep reply, _ []byte) error {
		if read = rep.Page; rep.Err == nil && read == nil {
			return errReply
		}
		return nil
	})
	if err != nil || read.HasText() || p.placer == nil {
		return read, err
	}
	png, _, err := p.draw(ctx, data, page, recognizedWidth)
	if err != nil {
		return nil, err
	}
	found, err := p.placer.Recognize(ctx, png)
	if err != nil && fault.KindOf(err) != fault.Invalid {
		return nil, err
	}
	read.AddWords(found.Words)
	return read, nil
}

// DrawPage draws a document's page in a width as PNG and returns the number of
// pages.
func (p *Pool) DrawPage(ctx context.Context, src intake.Source, page, width int) (png []byte, pages int, err error) {
	data, err := p.pdfOf(ctx, src)
	if err != nil {
		return nil, 0, err
	}
	return p.draw(ctx, data, page, width)
}

// draw draws a page of a PDF or a picture.
func (p *Pool) draw(ctx context.Context, data []byte, page, width int) (png []byte, pages int, err error) {
	err = p.page(ctx, request{Op: opDraw, Page: page, Width: width}, data, func(rep reply, body []byte) error {
		png, pages = body, rep.Pages
		return nil
	})
	return png, pages, err
}

func (p *Pool) page(ctx context.Context, req request, data []byte, fn func(reply, []byte) error) error {
	if err := p.prepare(ctx, data); err != nil {
		return err
	}
	err := p.pages.do(ctx, req, data, limits{pageCPU, pageWall, pageMemory}, fn)
	var over *overError
	if errors.As(err, &over) {
		return fault.Wrap(fault.Invalid, err, "too_complex", "too complex: %s", over.safe)
	}
	return err
}

// lane is a number of workers with the same limits.
type lane struct {
	cfg   *PoolConfig
	hard  int64
	queue *queue
	mu    sync.Mutex // guards idle
	idle  []*process
}

func newLane(cfg *PoolConfig, workers int, memory int64) *lane {
	return &lane{cfg: cfg, hard: hardFactor * memory, queue: newQueue(workers)}
}

// do gives work to a worker when it is this client's turn. fn must not keep the
// reply's error: do returns it.
func (l *lane) do(ctx context.Context, req request, data []byte, most limits, fn func(reply, []byte) error) error {
	done, err := l.queue.wait(ctx, intake.ClientOf(ctx).Key, int64(len(data)))
	if err != nil {
		return err
	}
	defer done()
	p, err := l.take()
	if err != nil {
		return err
	}
	var failed error
	err = p.work(ctx, req, data, most, func(rep reply, body []byte) error {
		if !rep.More {
			failed = rep.Err.failure()
		}
		return fn(rep, body)
	})
	if err != nil {
		return err // the worker is gone
	}
	l.giveBack(p)
	return failed
}

// take returns an idle worker or a new one.
func (l *lane) take() (*process, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		p := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return p, nil
	}
	l.mu.Unlock()
	return startProcess(*l.cfg, l.hard, false)
}

// giveBack keeps a worker for the next document, unless it has read many or is
// being killed.
func (l *lane) giveBack(p *process) {
	if p.killed || p.served >= filesPerWorker {
		p.close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, p)
}

func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.idle {
		p.close()
	}
	l.idle = nil
}
