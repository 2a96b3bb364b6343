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

	"docent/ingest/extract"
	"docent/ingest/extract/djvu"
	"docent/ingest/extract/office"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// The limits of a document. Few documents need more than a hundredth of them.
const (
	// quickCPU is the processor time of a document in a quick worker. A
	// document that needs more is read again in a full worker, so that it does
	// not delay others.
	quickCPU = time.Second
	// quickWall is the time limit of a quick worker on a busy machine.
	quickWall = 3 * time.Second
	// quickMemory is the memory limit of a quick worker, in bytes.
	quickMemory = 224 << 20
	// fullCPU is the processor time of every document in a full worker.
	// fullCPUPerMiB is added for each MiB, up to maxCPU.
	fullCPU       = 20 * time.Second
	fullCPUPerMiB = 20 * time.Second
	maxCPU        = 3 * time.Minute
	// wallFactor is the ratio of the time limit to the limit of processor time.
	// The machine may be busy.
	wallFactor = 5
	maxWall    = wallFactor * maxCPU
	// fullMemory is the memory limit of a full worker, in bytes.
	fullMemory = 576 << 20
	// hardFactor is the ratio of the system's memory limit to that of the
	// worker. The Go runtime allocates memory in pieces of 64 MiB.
	hardFactor = 2
	// pageCPU, pageWall, and pageMemory bound displaying a page.
	pageCPU    = 20 * time.Second
	pageWall   = wallFactor * pageCPU
	pageMemory = 352 << 20
	// filesPerWorker is the number of documents that a process reads before a
	// new process replaces it. This bounds memory leaks of readers.
	filesPerWorker = 100
	// maxWaiting bounds the number of documents that wait for a full worker,
	// and maxWaitingBytes their size.
	maxWaiting      = 64
	maxWaitingBytes = 128 << 20
)

// PoolConfig configures a Pool.
type PoolConfig struct {
	// Command is the command that starts a worker. Default this program, which must
	// call [Requested] first in main.
	Command []string
	// Env is the environment of workers; default none.
	Env []string
	// CacheDir keeps the compiled PDF reader; default none.
	CacheDir string
	// Quick is the number of documents that are read at the same time with low
	// limits. Documents that exceed these limits are read again by full workers.
	// Default 0, which reads all documents in full workers.
	Quick int
	// Tools are other programs to use; default none.
	Tools Tools
	// Recognizer reads the text in pictures; default Tools.Tesseract, if that is
	// installed.
	Recognizer Recognizer
	// Languages are the languages that tesseract expects, such as eng+deu;
	// default the first few installed ones.
	Languages string
	// Full is the number of documents that are read at the same time with the full
	// limits. The default is the number of CPUs if Quick is 0, and otherwise 1.
	Full int
}

// Pool reads documents in worker processes. It starts them as needed. It is
// safe for concurrent use. Close it when done.
type Pool struct {
	cfg                PoolConfig
	cpu                time.Duration // limit for an empty document in a full worker
	quick, full, pages *lane
	tools              *toolbox
	recognizer         Recognizer // nil if pictures are not recognized
	placer             Recognizer // finds the places of words; nil without tesseract
	kept               keptFiles

	preparing sync.Mutex
	prepared  bool // the PDF reader is compiled; preparing guards it
}

// NewPool checks the configuration and returns a pool.
func NewPool(cfg PoolConfig) (*Pool, error) {
	if cfg.Quick < 0 || cfg.Full < 0 {
		return nil, errors.New("worker: PoolConfig.Quick and Full must not be negative")
	}
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

// Read reads one document. If the document is unreadable, the error is
// fault.Invalid and gives the reason in one line. Documents that exceed the
// limits are unreadable. Reading.Media is set if the type is known. The error is
// fault.Busy if too many large documents are waiting. Other errors are not caused
// by the document.
func (p *Pool) Read(ctx context.Context, src intake.Source) (intake.Reading, error) {
	reading, err := p.once(ctx, src)
	var legacy *office.LegacyError
	if errors.As(err, &legacy) && legacy.Media == djvu.Media && p.tools.Djvutxt != "" {
		return p.readDjVu(ctx, src)
	}
	if errors.As(err, &legacy) && p.tools.Soffice != "" && newer(legacy.Media) != "" {
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

// once reads a document without OCR and conversion.
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

// Edges returns the hashes of the first and last blocks of a document. They help
// to find the blocks that most documents of a folder share.
func (p *Pool) Edges(ctx context.Context, src intake.Source) (edges []uint64, err error) {
	err = p.read(ctx, request{Op: opEdges, Name: src.Name}, src.Data, func() func(reply, []byte) error {
		return func(rep reply, _ []byte) error {
			edges = rep.Edges
			return nil
		}
	})
	return edges, err
}

// MayHaveParts reports whether a source with this name and beginning may
// contain other documents.
func (p *Pool) MayHaveParts(name string, head []byte) bool { return extract.MayHaveParts(name, head) }

// Version returns the version of the reader for a media type.
func (p *Pool) Version(media string) int { return extract.Version(media) }

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

// read calls do with a quick worker, if the pool has quick workers. If the
// document exceeds their limits, it calls do again with a full worker. It also calls
// do again if the system killed the worker. It calls begin before each try.
func (p *Pool) read(ctx context.Context, req request, data []byte, begin func() func(reply, []byte) error) error {
	if err := p.prepare(ctx, data); err != nil {
		return err
	}
	if p.quick != nil {
		err := p.quick.do(ctx, req, data, limits{quickCPU, quickWall, quickMemory}, begin())
		if !errors.Is(err, errOver) && !errors.Is(err, errKilled) {
			return err
		}
		slow(ctx)
	}
	cpu := min(p.cpu+fullCPUPerMiB*time.Duration(len(data)>>20), maxCPU)
	err := p.full.do(ctx, req, data, limits{cpu, wallFactor * cpu, fullMemory}, begin())
	if errors.Is(err, errKilled) {
		err = p.full.do(ctx, req, data, limits{cpu, wallFactor * cpu, fullMemory}, begin())
	}
	var over *overError
	if errors.As(err, &over) {
		return fault.Wrap(fault.Invalid, err, "too_complex", "too complex: %s", over.safe)
	}
	return err
}

// prepare compiles the PDF reader before the first PDF, so that no document is
// charged for it. It does nothing without a folder for the compiled code.
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
	// Only this separate process may write the code, because it reads no
	// documents.
	w, err := startProcess(p.cfg, p.full.hard, true)
	if err != nil {
		return err
	}
	var failed error
	err = w.work(ctx, request{Op: opPrepare}, nil, limits{maxCPU, maxWall, fullMemory}, func(rep reply, _ []byte) error {
		failed = rep.Err.failure()
		return nil
	})
	if err != nil { // the process has already ended
		return fmt.Errorf("prepare the PDF reader: %w", err)
	}
	w.close()
	if failed != nil {
		return fmt.Errorf("prepare the PDF reader: %w", failed)
	}
	p.prepared = true
	return nil
}

// isPDF searches for the signature of a PDF.
func isPDF(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1<<10)], []byte("%PDF-"))
}

// ReadPage returns the positions of the letters on a page of a document. If the
// page is a picture and OCR is installed, OCR finds them. ReadPage fails with
// fault.NotFound if the page does not exist, and with fault.Invalid if the
// document cannot be read.
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

// DrawPage draws a page of a document as PNG, width pixels wide. It also
// returns the number of pages.
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

// lane is a group of workers with the same limits.
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

// do waits for the turn of the client, takes a worker, and calls fn with each
// reply. It returns the error of the last reply, so fn can ignore that error.
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
		return err // the worker has ended
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

// giveBack keeps a worker for the next document. It ends a worker that has read
// many documents or is being killed.
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
