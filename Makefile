# Everything on a fresh machine with Rust, gcc, make and Python:
#   make run     set up, build, run the main case
#   make test    set up, build, run all tests
CASE ?= cases/imperial_rig/response.toml
CARGO ?= cargo

.PHONY: run test setup lint docs check-format
run: setup
	$(CARGO) run --release --quiet -- run $(CASE)

test: setup
	$(CARGO) test --release

# HDF5 is compiled from source; its build needs a recent CMake, which pip provides without root.
setup: .tools/bin/cmake
.tools/bin/cmake:
	python3 -m venv .tools
	.tools/bin/pip install --quiet --disable-pip-version-check 'cmake>=3.26' h5py matplotlib

lint: setup
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings

docs: setup
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps --quiet
