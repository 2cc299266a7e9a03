# epsbench: `make demo` and `make check` do everything, set-up included; `make help` lists the rest.

VERSION := 0.1.0
comma   := ,
space   := $(subst ,, )

# A build uses all cores, unless -j is on the command line.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

PREFIX  ?= /usr/local
DESTDIR ?=

# SAN=1: address + undefined behaviour sanitizers; SAN=thread: the thread sanitizer. Each builds in its own folder.
SAN ?=
ifeq ($(SAN),)
BUILD ?= build
SANFLAGS :=
else ifeq ($(SAN),thread)
BUILD ?= build/tsan
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer -DEB_SANITIZE_THREAD
else
BUILD ?= build/asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DEB_SANITIZE_ADDRESS
endif

CC      ?= cc

# _GNU_SOURCE: eventfd, sched_getaffinity, qsort_r. No contraction: the exact result depends on fma being used where the source
# says fma, and nowhere else.
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifneq ($(WERROR),)
WARN     += -Werror
endif
CPPFLAGS += -D_GNU_SOURCE -Isrc -I.
# With sanitizers, clang takes twice as long to compile at -O2 and the code is no faster; gcc's warnings need -O2.
CFLAGS   ?= $(if $(SAN),$(if $(findstring clang,$(CC)),-O1 -g1,-O2 -g1),-O2 -g)
EB_CFLAGS = -std=c17 -pthread -ffp-contract=off $(WARN) $(SANFLAGS) $(CFLAGS) $(PKGCFLAGS)
PKGCFLAGS := $(shell scripts/libraries --cflags 2>/dev/null)
PKGLIBS   := $(shell scripts/libraries --libs 2>/dev/null)
# Several processes by MPI, if Open MPI or MPICH is installed; MPI= builds without. Only src/mpi/ sees its headers.
MPI       ?= $(shell for name in ompi-c mpich mpi-c; do pkg-config --exists $$name 2>/dev/null && echo $$name && break; done)
ifneq ($(MPI),)
MPI_CFLAGS := -DEB_HAVE_MPI $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(MPI)))
MPI_LIBS   := $(shell pkg-config --libs $(MPI))
endif
LDLIBS    = $(PKGLIBS) $(CUDALIBS) -lm -ldl -lrt

# Prints a short line for each file; V=1 prints whole commands, -s nothing.
Q   := $(if $(V),,@)
say = @$(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '  %-5s %s\n' $(1) $(2))
link = $(CC) $(SANFLAGS) -pthread -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

# Files named *_simd.c are compiled once per instruction set, which EB_ISA names; those named *_vnni.c for AVX-512 with VNNI alone.
ISA_base   := -DEB_ISA=base
ISA_avx2   := -DEB_ISA=avx2 -mavx2 -mfma -mf16c
ISA_avx512 := -DEB_ISA=avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mprefer-vector-width=512
ISA_vnni   := -DEB_ISA=vnni $(filter-out -DEB_ISA=%,$(ISA_avx512)) -mavx512vnni

# Files of a module: in its folder and in two levels below.
in_module = $(wildcard $(addprefix $(1)/,$(addsuffix $(2),*. */*. */*/*.)))

# With nvcc the .cu units are built; without it kernels/device/absent.c replaces them and reports that CUDA is missing.
NVCC ?= $(shell command -v nvcc 2>/dev/null || { test -x /usr/local/cuda/bin/nvcc && echo /usr/local/cuda/bin/nvcc; })
ifneq ($(NVCC),)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDALIBS  := $(firstword $(wildcard $(CUDA_HOME)/lib64/libcudart_static.a $(CUDA_HOME)/targets/x86_64-linux/lib/libcudart_static.a)) -lstdc++
# Code for this machine's GPUs. Without a GPU, or with CUDA_ARCHS=all: for sm_80 and sm_90a, with sm_80's PTX for other GPUs.
# CUDA_ARCHS='80 90a' names architectures.
ALL_ARCHS  := 80 90a
ifndef CUDA_ARCHS
CUDA_ARCHS := $(shell scripts/cuda_archs)
endif
ARCHS      := $(if $(filter-out all,$(CUDA_ARCHS)),$(CUDA_ARCHS),$(ALL_ARCHS))
ARCH_NAMES := $(subst $(space),$(comma) ,$(addprefix sm_,$(ARCHS)))
PTX        := $(if $(filter-out all,$(CUDA_ARCHS)),,-gencode arch=compute_80$(comma)code=compute_80)
GENCODE    := $(foreach arch,$(ARCHS),-gencode arch=compute_$(arch)$(comma)code=sm_$(arch)) $(PTX)
NVCCFLAGS  := -std=c++17 -O3 -lineinfo -Isrc -I. $(GENCODE) -Xfatbin=-compress-all -Xcompiler -Wall,-Wextra
NVCCFLAGS  += -DEB_CUDA_ARCHS='"$(ARCH_NAMES)"' $(if $(PTX),-DEB_CUDA_PTX)
# Device code has no sanitizers: all builds share it.
CUDA_BUILD := build/cuda/$(subst $(space),-,$(ARCHS))$(if $(PTX),-ptx)
KERNELS    := $(patsubst %,$(CUDA_BUILD)/%.o,$(call in_module,kernels,cu))
CPPFLAGS  += -DEB_HAVE_CUDA
else
CUDALIBS  :=
KERNELS   := $(BUILD)/kernels/device/absent.c.o
endif

objects = $(patsubst %,$(BUILD)/%.o,$(filter-out %_simd.c %_vnni.c,$(call in_module,$(1),c) $(call in_module,$(1),S)))
simd    = $(foreach isa,base avx2 avx512,$(patsubst %.c,$(BUILD)/%.$(isa).o,$(filter %_simd.c,$(call in_module,$(1),c)))) \
          $(patsubst %.c,$(BUILD)/%.o,$(filter %_vnni.c,$(call in_module,$(1),c)))

# Engines' descriptions and their CPU halves are plain C, built with or without nvcc.
KERNELS += $(filter-out %/absent.c.o,$(call objects,kernels)) $(call simd,kernels)

CORE    := $(call objects,src/core)
DRAW    := $(call objects,src/draw)
IO      := $(call objects,src/io)
SHELL_O := $(call objects,src/shell)
STORE   := $(call objects,store)
UI      := $(call objects,ui)
ENGINES := $(BUILD)/src/engines.c.o
COMMANDS := $(BUILD)/src/commands.c.o
PROGRAM := $(BUILD)/src/main.c.o $(BUILD)/src/processes.c.o $(call objects,src/mpi)

MODULES := core draw io engines store shell ui
$(foreach module,$(MODULES),$(eval lib_$(module) := $(BUILD)/lib$(module).a))

# Libraries that each module needs, its own included.
needs_core    := $(lib_core)
needs_draw    := $(lib_draw) $(lib_core)
needs_io      := $(lib_io) $(lib_core)
needs_store   := $(lib_store) $(lib_core)
needs_engines := $(lib_engines) $(lib_core)
needs_cpu     := $(needs_engines)
needs_exact   := $(needs_engines)
needs_library := $(lib_io) $(needs_engines)
needs_shell   := $(lib_shell) $(lib_store) $(lib_draw) $(needs_library)
needs_ui      := $(lib_ui) $(needs_shell)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/epsbench $(BUILD)/epsbench.1
	@echo 'built $(BUILD)/epsbench $(VERSION) ($(COMMIT)), $(if $(NVCC),with CUDA for $(ARCH_NAMES),without CUDA: no nvcc)$(if $(SAN),$(comma) $(SANFLAGS))'

# Kernels first: the build would wait for the longest of them at the end.
$(BUILD)/epsbench: $(lib_engines) $(PROGRAM) $(needs_ui) $(BUILD)/mpi.is
	$(call say,LINK,$@)
	$(Q)$(link) $(LDLIBS) $(MPI_LIBS)

# Remembers which MPI the objects were built with.
$(BUILD)/mpi.is: FORCE
	@mkdir -p $(@D)
	@echo '$(MPI)' | cmp -s - $@ || echo '$(MPI)' > $@
$(BUILD)/src/mpi/%.c.o: EB_CFLAGS += $(MPI_CFLAGS)
$(call objects,src/mpi): $(BUILD)/mpi.is

$(lib_core): $(CORE)
$(lib_draw): $(DRAW)
$(lib_io): $(IO)
$(lib_store): $(STORE)
$(lib_engines): $(KERNELS) $(ENGINES) $(BUILD)/kernels.are
$(lib_shell): $(SHELL_O) $(COMMANDS)
$(lib_ui): $(UI)
$(BUILD)/lib%.a:
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

# Records the architectures linked last: objects for other GPUs may be older than the library that must contain them.
$(BUILD)/kernels.are: FORCE
	@mkdir -p $(@D)
	@echo '$(ARCHS) $(PTX)' | cmp -s - $@ || echo '$(ARCHS) $(PTX)' > $@
FORCE:

$(BUILD)/%.c.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(EB_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/%.S.o: %.S
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CPPFLAGS) -MMD -MP -c -o $@ $<
# Units in which tests spend most time are optimised under sanitizers too.
$(BUILD)/src/core/model/%.c.o: EB_CFLAGS += $(if $(SAN),-O2)
# Loops over all coordinates: gcc makes vectors of them from -O3 on.
LOOPS := src/core/base/dtype src/core/data/bins src/core/knn/guess kernels/ref64/cpu/points kernels/ref64/cpu/quantised \
	kernels/exact/estimate kernels/certified/frame kernels/quantised/frame
$(LOOPS:%=$(BUILD)/%.c.o): EB_CFLAGS += $(if $(SAN),,-O3)
# The preprocessor does not see the file that .incbin includes.
$(BUILD)/src/io/arrow/script.S.o: src/io/arrow/arrow.py
$(BUILD)/src/shell/rules/rules.S.o: src/shell/rules/run.rules
$(BUILD)/src/shell/document/style.S.o: src/shell/document/style.css
$(BUILD)/store/schema.S.o: store/views.sql $(wildcard store/migrations/*.sql)
# Sources that NVRTC compiles at run time, with all files that they include.
JIT := kernels/fasted/cuda/kernel.cuh kernels/fasted/cuda/warpgroup.cuh $(wildcard kernels/ladder/*.cuh)
$(BUILD)/jit.bundle: $(JIT) scripts/bundle Makefile
	@mkdir -p $(@D)
	$(call say,PACK,$@)
	$(Q)CC='$(CC)' scripts/bundle $@ $(JIT)
$(BUILD)/kernels/jit/bundle.S.o: $(BUILD)/jit.bundle
$(BUILD)/kernels/jit/bundle.S.o: CPPFLAGS += -DEB_BUNDLE='"$(BUILD)/jit.bundle"'
$(BUILD)/kernels/jit/nvrtc.c.o: CPPFLAGS += -DEB_CUDA_HOME='"$(CUDA_HOME)"'

$(CUDA_BUILD)/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
# $(1): instruction set; $(2): how its objects' names end; $(3): how its files' names end
define simd_rule
$$(BUILD)/%$(2).o: %$(3).c
	@mkdir -p $$(@D)
	$$(call say,CC,'$$< $(1)')
	$$(Q)$$(CC) $$(CPPFLAGS) $$(EB_CFLAGS) -O3 $$(ISA_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,base avx2 avx512,$(eval $(call simd_rule,$(isa),_simd.$(isa),_simd)))
$(eval $(call simd_rule,vnni,_vnni,_vnni))

# Identifies a build in the log.
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$(shell git diff --quiet HEAD 2>/dev/null || echo +)
$(BUILD)/commit.is: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION) $(COMMIT)' | cmp -s - $@ || echo '$(VERSION) $(COMMIT)' > $@
$(BUILD)/src/main.c.o: $(BUILD)/commit.is
$(BUILD)/src/main.c.o: CPPFLAGS += -DEB_VERSION='"$(VERSION)"' -DEB_COMMIT='"$(COMMIT)"' -DEB_FLAGS='"$(strip $(CFLAGS) $(SANFLAGS))"'

-include $(shell find $(BUILD) $(CUDA_BUILD) -name '*.d' 2>/dev/null)

# ---- tests: one program per module, from its test_MODULE_*.c; each file's main becomes a function named after the file ----
modules_tested = $(MODULES) cpu exact library
parts_of = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_$(1)_*.c))
$(BUILD)/tests/unit/test_%.c.o: EB_CFLAGS += -Dmain=$(notdir $*) -Wno-missing-prototypes
define test_rule
$$(BUILD)/tests/unit/main.$(1).o: tests/unit/main.c $$(wildcard tests/unit/test_$(1)_*.c)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CPPFLAGS) $$(EB_CFLAGS) $$(if $$(findstring $$(lib_engines),$$(needs_$(1))),-DEB_WITH_ENGINES) \
		$$(if $$(findstring $$(lib_shell),$$(needs_$(1))),-DEB_WITH_COMMANDS) \
		'-DEB_PARTS=$$(patsubst %,X(%),$$(call parts_of,$(1)))' -c -o $$@ $$<
$$(BUILD)/tests/$(1): $$(BUILD)/tests/unit/main.$(1).o $$(patsubst %,$$(BUILD)/tests/unit/%.c.o,$$(call parts_of,$(1))) $$(needs_$(1))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(link) -lcmocka $$(LDLIBS)
endef
TESTS := $(foreach module,$(modules_tested),$(if $(call parts_of,$(module)),$(BUILD)/tests/$(module)))
$(foreach module,$(modules_tested),$(eval $(call test_rule,$(module))))
$(BUILD)/tests/cpu: LDLIBS += -Wl,--wrap=eb_thread_start

units: $(TESTS)

check:
	@scripts/setup check
	@$(MAKE) --no-print-directory all units
	@tests/run $(BUILD)

storm: all
	@tests/storm $(BUILD) $(STORM)

mutants: setup
	@$(MAKE) --no-print-directory all units
	@CC='$(CC)' WERROR='$(WERROR)' NVCC='$(NVCC)' tests/mutants $(BUILD)

# ---- fuzzers: libFuzzer, one per reader and one for the parser ----
FUZZ_CC   ?= clang
FUZZ_RUNS ?= 1000000
fuzz:
	@scripts/setup fuzz
	@tests/fuzz/run '$(FUZZ_CC)' $(FUZZ_RUNS)

# ---- the rest ----
setup:
	@scripts/setup

demo: setup
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) scripts/demo

screenshots: setup
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) scripts/screenshots

bench: setup
	@$(MAKE) --no-print-directory all $(BUILD)/bench_cpu $(if $(NVCC),$(BUILD)/bench_gpu)
	@BUILD=$(BUILD) tests/bench/run

bench-statistics: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_curve $(BUILD)/bench_verdict
	$(BUILD)/bench_curve
	$(BUILD)/bench_verdict

$(addprefix $(BUILD)/bench_,cpu gpu upload curve verdict): $(BUILD)/bench_%: $(BUILD)/tests/bench/bench_%.c.o $(needs_library)
	$(call say,LINK,$@)
	$(Q)$(link) -Wl,--as-needed $(LDLIBS)

$(BUILD)/bench_cpu: $(call simd,tests/bench)
$(BUILD)/bench_gpu: $(CUDA_BUILD)/tests/bench/cublas_peer.cu.o

# ---- on a machine with a GPU; programs built on another machine run there too ----
GPU_TESTS := $(patsubst tests/gpu/%.c,$(BUILD)/tests-gpu/%,$(wildcard tests/gpu/test_*.c))
$(BUILD)/tests-gpu/test_gpu_work: $(CUDA_BUILD)/tests/gpu/unsure_engine.cu.o $(CUDA_BUILD)/tests/gpu/bands_probe.cu.o
$(BUILD)/tests-gpu/test_gpu_model: $(CUDA_BUILD)/tests/gpu/model_probe.cu.o
$(BUILD)/tests-gpu/test_gpu_memory: $(CUDA_BUILD)/tests/gpu/hog.cu.o
$(BUILD)/tests-gpu/test_gpu_mma: $(CUDA_BUILD)/tests/gpu/mma_probe.cu.o
$(BUILD)/tests-gpu/test_gpu_tensor: $(CUDA_BUILD)/tests/gpu/tensor_probe.cu.o
$(BUILD)/tests-gpu/test_gpu_prepare: $(CUDA_BUILD)/tests/gpu/prepare_probe.cu.o
$(BUILD)/tests-gpu/%: $(BUILD)/tests/gpu/%.c.o $(needs_engines)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(link) -lcmocka -Wl,--as-needed $(LDLIBS)

gpu: $(GPU_TESTS) $(BUILD)/bench_gpu $(BUILD)/bench_upload

check-gpu: setup
	@$(MAKE) --no-print-directory all gpu
	@tests/gpu/run $(BUILD)

bench-gpu: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_gpu
	$(BUILD)/bench_gpu

# The manual's COMMANDS section comes from the command table, ENGINES from the engines' descriptions, GLOSSARY from its rows.
$(BUILD)/epsbench.1: man/epsbench.1.in $(BUILD)/epsbench
	$(call say,MAN,$@)
	@$(BUILD)/epsbench --man-engines > $(BUILD)/engines.mdoc
	@$(BUILD)/epsbench --man-terms > $(BUILD)/terms.mdoc
	@$(BUILD)/epsbench --man-commands | sed -e '/@COMMANDS@/{r /dev/stdin' -e 'd;}' -e '/@ENGINES@/{r $(BUILD)/engines.mdoc' -e 'd;}' \
		-e '/@TERMS@/{r $(BUILD)/terms.mdoc' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' man/epsbench.1.in > $@

# An installed program may move to another machine.
install:
	@$(MAKE) --no-print-directory CUDA_ARCHS=all all
	@$(MAKE) --no-print-directory put

# Lessons, and what they and `diagnose` read: what a GPU recorded, what tells a switch.
LESSONS := $(wildcard src/lessons/*.lesson src/lessons/*.tsv src/lessons/*.text)
# The part of install that builds nothing.
put:
	install -d $(DESTDIR)$(PREFIX)/bin $(addprefix $(DESTDIR)$(PREFIX)/share/man/man,1 5 7)
	install -m 755 $(BUILD)/epsbench $(DESTDIR)$(PREFIX)/bin/epsbench
	install -m 644 $(BUILD)/epsbench.1 $(DESTDIR)$(PREFIX)/share/man/man1/epsbench.1
	install -m 644 man/epsbench-log.5 man/epsbench-lesson.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 man/epsbench-scale.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/epsbench/,lessons/exercises ladder)
	install -m 644 $(LESSONS) $(DESTDIR)$(PREFIX)/share/epsbench/lessons
	install -m 644 src/lessons/exercises/* $(DESTDIR)$(PREFIX)/share/epsbench/lessons/exercises
	install -m 644 kernels/ladder/*.cu* $(DESTDIR)$(PREFIX)/share/epsbench/ladder
	install -d $(DESTDIR)$(PREFIX)/share/doc/epsbench/pictures
	install -m 644 man/*.md $(DESTDIR)$(PREFIX)/share/doc/epsbench
	install -m 644 man/pictures/*.svg $(DESTDIR)$(PREFIX)/share/doc/epsbench/pictures

# Removes exactly the files of install, and those of its folders that are epsbench's own and empty.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/epsbench $(DESTDIR)$(PREFIX)/share/man/man1/epsbench.1
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/man5/,epsbench-log.5 epsbench-lesson.5) $(DESTDIR)$(PREFIX)/share/man/man7/epsbench-scale.7
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/epsbench/lessons/,$(notdir $(LESSONS)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/epsbench/lessons/exercises/,$(notdir $(wildcard src/lessons/exercises/*)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/epsbench/ladder/,$(notdir $(wildcard kernels/ladder/*.cu*)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/doc/epsbench/,$(notdir $(wildcard man/*.md)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/doc/epsbench/pictures/,$(notdir $(wildcard man/pictures/*.svg)))
	@rmdir $(addprefix $(DESTDIR)$(PREFIX)/share/epsbench/,lessons/exercises lessons ladder) 2>/dev/null || :
	@rmdir $(DESTDIR)$(PREFIX)/share/epsbench 2>/dev/null || :
	@rmdir $(DESTDIR)$(PREFIX)/share/doc/epsbench/pictures $(DESTDIR)$(PREFIX)/share/doc/epsbench 2>/dev/null || :

lint:
	@scripts/setup check lint
	@$(MAKE) --no-print-directory all
	@scripts/lint

lint-all:
	@scripts/setup check lint
	@$(MAKE) --no-print-directory all
	@scripts/lint all

format:
	@scripts/setup lint
	@git ls-files -z '*.[ch]' '*.cu' '*.cuh' | xargs -0 .cache/clang-format/bin/clang-format -i

clean:
	rm -rf build

help:
	@echo 'make              build $(BUILD)/epsbench (V=1: whole commands)'
	@echo 'make MPI=         build without MPI, also if it is installed'
	@echo 'make demo         set up, build, run the main job on the built-in data'
	@echo 'make check        set up, build, run all tests (SAN=1, SAN=thread: with sanitizers)'
	@echo 'make storm        random terminal sessions, kills and damaged files; STORM="terminals=1600" says how many'
	@echo 'make mutants      bounds weakened one at a time, each of which a test has to find out'
	@echo 'make fuzz         10^6 iterations of every fuzzer (FUZZ_RUNS=N)'
	@echo 'make screenshots  write man/pictures/*.svg, the pictures of README.md and of man/*.md'
	@echo 'make bench        our times beside those of the programs installed: $(BUILD)/bench/index.html (BENCH=quick: a third of it);'
	@echo '                  make bench-statistics: bands and verdicts'
	@echo 'make check-gpu    the CUDA engines against the CPU, under compute-sanitizer too; make bench-gpu measures them'
	@echo 'make lint         how files hang together, clang-format, clang-tidy on what changed since the last tag (lint-all: on all), cppcheck, shellcheck, mandoc, length of sentences'
	@echo 'make format       write the code as clang-format wants it'
	@echo 'make install      PREFIX=$(PREFIX) DESTDIR=$(DESTDIR); with kernels for all GPUs (CUDA_ARCHS=all), as packages want them'
	@echo 'make uninstall    remove what install put there, with the same PREFIX and DESTDIR'

.PHONY: all put units check mutants storm fuzz setup demo screenshots bench bench-statistics gpu check-gpu bench-gpu install uninstall lint lint-all format clean help FORCE
