# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make help` lists the targets. The kernel's build system reads Kbuild instead.

KERNELS := 6.1 6.12 latest
# make module KERNEL=6.12: for this one only
KERNEL ?= $(KERNELS)
SHELL_KERNEL := $(if $(filter 1,$(words $(KERNEL))),$(KERNEL),6.12)

VERSION := $(shell sed -n 's/^\#define KTR_RELEASE "\(.*\)"$$/\1/p' module/compat.h)

# For install
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

all: user module

help:
	@echo 'make            build ktrctl, and the module for $(KERNELS)'
	@echo 'make user       build ktrctl and libktrace: build/user/ktrctl, build/lib'
	@echo 'make module [KERNEL=6.12]'
	@echo '                build the module: build/KERNEL/ktracer.ko'
	@echo 'make selftests  build the tests that run in a virtual machine'
	@echo 'make demo       show it: a virtual machine, the module, a traced program'
	@echo 'make check      run every test; ends with N passed, N failed, N skipped'
	@echo 'make check-native'
	@echo '                the same without virtual machines, in a few minutes'
	@echo 'make check-full everything at full size'
	@echo 'make bench      measure what tracing costs'
	@echo 'make shell [KERNEL=6.12]'
	@echo '                a shell in a virtual machine with the module loaded'
	@echo 'make install    module, ktrctl, man pages and headers, for this machine'
	@echo '                (PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) KVER=$(KVER))'
	@echo 'make uninstall  take them away again'
	@echo 'make clean      remove build/'

user:
	$(MAKE) -C user
	$(MAKE) -C lib

module:
	@for kernel in $(KERNEL); do \
		scripts/build-module --if-stale $$kernel || exit 1; \
	done

selftests:
	$(MAKE) -C selftests OUTPUT=$(CURDIR)/build/selftests stage

check:
	scripts/check-all

check-full:
	scripts/check-all --full

check-native:
	scripts/check-all --native

demo:
	scripts/demo

bench:
	scripts/deps all bench
	selftests/bench/run

shell:
	scripts/deps
	$(MAKE) user selftests
	vm/run --kernel $(SHELL_KERNEL) --shell

install: install-user install-module

install-user: user
	install -D -m 755 build/user/ktrctl $(DESTDIR)$(BINDIR)/ktrctl
	ln -sf ktrctl $(DESTDIR)$(BINDIR)/ktrace
	ln -sf ktrctl $(DESTDIR)$(BINDIR)/kdump
	install -D -m 644 -t $(DESTDIR)$(INCLUDEDIR)/ktracer uapi/*.h lib/ktrace.h
	install -D -m 755 -t $(DESTDIR)$(LIBDIR) build/lib/libktrace.so.0
	ln -sf libktrace.so.0 $(DESTDIR)$(LIBDIR)/libktrace.so
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' lib/libktrace.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/libktrace.pc
	set -e; for page in $(wildcard Documentation/*.[1-8]); do \
		install -D -m 644 $$page \
			$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; \
	done

install-module:
	scripts/install-module install $(VERSION) $(KVER) "$(KDIR)" "$(DESTDIR)"

uninstall:
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,ktrctl ktrace kdump)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libktrace.so libktrace.so.0 pkgconfig/libktrace.pc)
	rm -rf $(DESTDIR)$(INCLUDEDIR)/ktracer
	set -e; for page in $(notdir $(wildcard Documentation/*.[1-8])); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; \
	done
	scripts/install-module uninstall $(VERSION) $(KVER) "$(KDIR)" "$(DESTDIR)"

clean:
	rm -rf build

.PHONY: all help user module selftests check check-full check-native demo \
	bench shell install install-user install-module uninstall clean
