# epsbench: `make demo` and `make check` do everything, set-up included; `make help` lists the rest.

VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=

# SAN=1: address + undefined behaviour sanitizers; SAN=thread: the thread sanitizer. Each builds in its own folder.
SAN ?=
ifeq ($(SAN),)
BUILD ?= build
SANFLAGS :=
else ifeq ($(SAN),thread)
BUILD ?= build/tsan
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
else
BUILD ?= build/asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

CC      ?= cc
PKG     := jansson nettle sqlite3 readline ncursesw zlib libzip
HDF5PKG := $(shell pkg-config --exists hdf5-serial 2>/dev/null && echo hdf5-serial || echo hdf5)

# _GNU_SOURCE: eventfd, sched_getaffinity, qsort_r. No contraction: the truth is one fma where the text says fma, and
# nowhere else.
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifneq ($(WERROR),)
WARN     += -Werror
endif
CPPFLAGS += -D_GNU_SOURCE -Isrc -I.
CFLAGS   ?= -O2 -g
EB_CFLAGS = -std=c17 -pthread -ffp-contract=off $(WARN) $(SANFLAGS) $(CFLAGS) $(PKGCFLAGS)
PKGCFLAGS = $(shell pkg-config --cflags $(PKG) $(HDF5PKG) 2>/dev/null)
PKGLIBS   = $(shell pkg-config --libs $(PKG) $(HDF5PKG) 2>/dev/null)
LDLIBS    = $(PKGLIBS) $(CUDALIBS) -lm -ldl -lrt

# Files named *_simd.c are compiled once per instruction set; EB_ISA tells the text which one it is.
ISA_base   := -DEB_ISA=base
ISA_avx2   := -DEB_ISA=avx2 -mavx2 -mfma -mf16c
ISA_avx512 := -DEB_ISA=avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mprefer-vector-width=512

# A room is a folder of folders.
in_room = $(wildcard $(addprefix $(1)/,$(addsuffix $(2),*. */*.)))

# CUDA: with nvcc the .cu units are built, without it kernels/device/absent.c stands in and says so.
NVCC ?= $(shell command -v nvcc 2>/dev/null || { test -x /usr/local/cuda/bin/nvcc && echo /usr/local/cuda/bin/nvcc; })
ifneq ($(NVCC),)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDALIBS  := $(firstword $(wildcard $(CUDA_HOME)/lib64/libcudart_static.a $(CUDA_HOME)/targets/x86_64-linux/lib/libcudart_static.a)) -lstdc++
# sm_80's PTX goes along, so that GPUs newer than both get code too.
GENCODE   := -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=sm_90a
NVCCFLAGS := -std=c++17 -O3 -lineinfo -Isrc -I. $(GENCODE) -Xcompiler -Wall,-Wextra
# Device code knows no sanitizers: one copy serves all builds.
KERNELS   := $(patsubst %,build/cuda/%.o,$(call in_room,kernels,cu)) $(BUILD)/kernels/device/counter_table.c.o
CPPFLAGS  += -DEB_HAVE_CUDA
else
CUDALIBS  :=
KERNELS   := $(BUILD)/kernels/device/absent.c.o $(BUILD)/kernels/device/counter_table.c.o
endif

objects = $(patsubst %,$(BUILD)/%.o,$(filter-out %_simd.c,$(call in_room,$(1),c) $(call in_room,$(1),S)))
simd    = $(foreach isa,base avx2 avx512,$(patsubst %.c,$(BUILD)/%.$(isa).o,$(filter %_simd.c,$(call in_room,$(1),c))))

CORE    := $(call objects,src/core)
DRAW    := $(call objects,src/draw)
IO      := $(call objects,src/io)
CPU     := $(call objects,src/cpu) $(call simd,src/cpu)
SHELL_O := $(call objects,src/shell)
STORE   := $(call objects,store)
UI      := $(call objects,ui)
ENGINES := $(BUILD)/src/engines.c.o
ALL     := $(CORE) $(DRAW) $(IO) $(CPU) $(SHELL_O) $(STORE) $(ENGINES) $(KERNELS)

ROOMS := core draw io cpu store shell ui
lib_core := $(BUILD)/libcore.a
lib_draw := $(BUILD)/libdraw.a
lib_io   := $(BUILD)/libio.a
lib_cpu  := $(BUILD)/libcpu.a
lib_store := $(BUILD)/libstore.a
lib_shell := $(BUILD)/libshell.a
lib_ui := $(BUILD)/libui.a

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/epsbench $(BUILD)/epsbench.1

$(BUILD)/epsbench: $(BUILD)/src/main.c.o $(lib_ui) $(ALL)
	$(CC) $(SANFLAGS) -pthread -o $@ $^ $(LDLIBS)

$(lib_core): $(CORE)
$(lib_draw): $(DRAW)
$(lib_io): $(IO)
$(lib_cpu): $(CPU)
$(lib_store): $(STORE)
$(lib_shell): $(SHELL_O) $(ENGINES) $(KERNELS)
$(lib_ui): $(UI)
$(BUILD)/lib%.a:
	rm -f $@ && ar rcs $@ $^

$(BUILD)/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(EB_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/%.S.o: %.S
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -MMD -MP -c -o $@ $<
# What .incbin takes in, the preprocessor does not see.
$(BUILD)/store/schema.S.o: store/views.sql $(wildcard store/migrations/*.sql)
build/cuda/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -MMD -MF $(@:.o=.d) -c -o $@ $<
define simd_rule
$$(BUILD)/%_simd.$(1).o: %_simd.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(EB_CFLAGS) -O3 $$(ISA_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,base avx2 avx512,$(eval $(call simd_rule,$(isa))))

# What identifies a build in the log.
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$(shell git diff --quiet HEAD 2>/dev/null || echo +)
$(BUILD)/src/main.c.o: CPPFLAGS += -DEB_VERSION='"$(VERSION)"' -DEB_COMMIT='"$(COMMIT)"' -DEB_FLAGS='"$(strip $(CFLAGS) $(SANFLAGS))"'

-include $(shell find $(BUILD) build/cuda -name '*.d' 2>/dev/null)

# ---- tests: a unit test says by its name which rooms it needs: test_ROOM_*.c ----
TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
needs_core  := $(lib_core)
needs_draw  := $(lib_draw) $(lib_core)
needs_io    := $(lib_io) $(lib_core)
needs_cpu   := $(lib_cpu) $(lib_core)
needs_store := $(lib_store) $(lib_core)
needs_shell := $(lib_shell) $(lib_store) $(lib_draw) $(lib_io) $(lib_cpu) $(lib_core)
needs_ui    := $(lib_ui) $(needs_shell)
define test_rule
$$(BUILD)/tests/test_$(1)_%: $$(BUILD)/tests/unit/test_$(1)_%.c.o $$(needs_$(1))
	@mkdir -p $$(@D)
	$$(CC) $$(SANFLAGS) -pthread -o $$@ $$< -Wl,--start-group $$(needs_$(1)) -Wl,--end-group -lcmocka $$(LDLIBS)
endef
$(foreach room,$(ROOMS),$(eval $(call test_rule,$(room))))

units: $(TESTS)

check:
	@scripts/setup check
	@$(MAKE) --no-print-directory all units
	@tests/run $(BUILD)

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
	@$(MAKE) --no-print-directory all $(BUILD)/bench_cpu
	@BUILD=$(BUILD) tests/bench/run

$(BUILD)/bench_cpu: $(BUILD)/tests/bench/bench_cpu.c.o $(needs_shell)
	$(CC) $(SANFLAGS) -pthread -o $@ $< -Wl,--start-group $(needs_shell) -Wl,--end-group $(LDLIBS)

# ---- on a machine with a GPU; what is built here may be run there ----
GPU_TESTS := $(patsubst tests/gpu/%.c,$(BUILD)/tests-gpu/%,$(wildcard tests/gpu/test_*.c))
$(BUILD)/tests-gpu/%: $(BUILD)/tests/gpu/%.c.o $(needs_shell)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) -pthread -o $@ $< -Wl,--start-group $(needs_shell) -Wl,--end-group -lcmocka $(LDLIBS)

gpu: $(GPU_TESTS) $(BUILD)/bench_gpu

check-gpu: setup
	@$(MAKE) --no-print-directory all gpu
	@tests/gpu/run $(BUILD)

bench-gpu: setup
	@$(MAKE) --no-print-directory $(BUILD)/bench_gpu
	$(BUILD)/bench_gpu

$(BUILD)/bench_gpu: $(BUILD)/tests/bench/bench_gpu.c.o $(needs_shell)
	$(CC) $(SANFLAGS) -pthread -o $@ $< -Wl,--start-group $(needs_shell) -Wl,--end-group $(LDLIBS)

# The manual's COMMANDS section comes from the command table.
$(BUILD)/epsbench.1: man/epsbench.1.in $(BUILD)/epsbench
	$(BUILD)/epsbench --man-commands | sed -e '/@COMMANDS@/{r /dev/stdin' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' man/epsbench.1.in > $@

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 755 $(BUILD)/epsbench $(DESTDIR)$(PREFIX)/bin/epsbench
	install -m 644 $(BUILD)/epsbench.1 $(DESTDIR)$(PREFIX)/share/man/man1/epsbench.1
	install -m 644 man/epsbench-log.5 $(DESTDIR)$(PREFIX)/share/man/man5/epsbench-log.5

lint:
	@scripts/setup check lint
	@$(MAKE) --no-print-directory all
	@scripts/lint

format:
	@scripts/setup lint
	@git ls-files -z '*.[ch]' '*.cu' '*.cuh' | xargs -0 .cache/clang-format/bin/clang-format -i

clean:
	rm -rf build

help:
	@echo 'make              build $(BUILD)/epsbench'
	@echo 'make demo         set up, build, run the main job on the built-in data'
	@echo 'make check        set up, build, run all tests (SAN=1, SAN=thread: with sanitizers)'
	@echo 'make fuzz         10^6 iterations of every fuzzer (FUZZ_RUNS=N)'
	@echo 'make screenshots  write man/pictures/*.svg, the pictures of the README'
	@echo 'make bench        measure, beside FAISS when it is installed'
	@echo 'make check-gpu    the CUDA engines against the CPU, under compute-sanitizer too; make bench-gpu measures them'
	@echo 'make lint         clang-format, clang-tidy, cppcheck, shellcheck, mandoc; make format writes it as the first wants it'
	@echo 'make install      PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'

.PHONY: all units check fuzz setup demo screenshots bench gpu check-gpu bench-gpu install lint format clean help
