#!/bin/sh
# pinned_library.sh [--cross MACHINE | --source] NAME: builds a library that is linked into a plugin, and prints its
# folder in the user's cache (cache.sh), which contains include/, lib/libNAME.a and COPYRIGHT. NAME is chipmunk or box2d.
# It is built once for each version, compiler and target. --source: only prints the archive of the source.
#
# The libraries are static: a plugin binds their calls of sin, qsort and similar functions to Shoal's functions when it
# is linked (engine/include/shoal/math.h), and does not export their symbols. Each source is one pinned version, the one
# that Debian 12 packages. --cross: builds for another processor, such as aarch64-linux-gnu; CC and CXX are its
# compilers.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
die() { say "$title: $*"; exit 2; }
title=pinned_library.sh
. "$root/scripts/build/cache.sh"

name= cross= only_source=
while [ $# -gt 0 ]; do
  case $1 in
    --cross) cross=$2; shift ;;
    --source) only_source=yes ;;
    -*) die "unknown option '$1'" ;;
    *) name=$1 ;;
  esac
  shift
done
cc=${CC:-cc}
cxx=${CXX:-c++}
prefix=${cross:+$cross-} # of the tools for object files
# Results must be the same on every processor: no fused multiply-add, and no -ffast-math, which Chipmunk's own build has.
flags="-O2 -g0 -w -fPIC -fvisibility=hidden -ffp-contract=off"

# ---- the libraries; each function runs in the source folder of its library, and installs files in $out

# compile COMPILER FILE…: compiles the files in parallel, and links the objects into one, in lib/lib$name.a. Its global
# variables get the prefix __ and local names are removed: Shoal would warn about variables with other names when it
# loads a plugin.
compile() {
  compiler=$1
  shift
  printf '%s\n' "$@" | compiler=$compiler xargs -P "$jobs" -I % sh -c '$compiler -c -o "$(echo % | tr / _).o" %' || return 1
  "${prefix}ld" -r -o all.o ./*.o || return 1
  "${prefix}nm" all.o | sed -n 's/.* [BD] \(.*\)/\1 __\1/p' >variables
  "${prefix}objcopy" --redefine-syms=variables --discard-all all.o &&
    "${prefix}ar" rcs "$out/lib/lib$name.a" all.o
}

chipmunk() { # without the threaded space, which Shoal does not use: its results depend on the number of threads
  set --
  for file in src/*.c; do [ "$file" = src/cpHastySpace.c ] || set -- "$@" "$file"; done
  compile "$cc -std=gnu99 $flags -DNDEBUG -Iinclude" "$@" &&
    cp -r include/chipmunk "$out/include/" && cp LICENSE.txt "$out/COPYRIGHT"
}

box2d() {
  # shellcheck disable=SC2046
  compile "$cxx -std=c++11 $flags -Iinclude -Isrc" $(find src -name '*.cpp' | LC_ALL=C sort) &&
    cp -r include/box2d "$out/include/" && cp LICENSE "$out/COPYRIGHT"
}

compiler=$cc
case $name in
  chipmunk)
    title=Chipmunk package=libchipmunk-dev
    source=chipmunk_7.0.3.orig.tar.gz
    sha256=1e6f093812d6130e45bdf4cb80280cb3c93d1e1833d8cf989d554d7963b7899a
    ;;
  box2d)
    title=Box2D package=libbox2d-dev compiler=$cxx
    source=box2d_2.4.1.orig.tar.gz
    sha256=d6b4650ff897ee1ead27cf77a5933ea197cbeef6705638dd181adc2e816b23c2
    ;;
  *) die "unknown library '$name'" ;;
esac

# ---- building

inputs() { # prints everything that the result depends on
  echo "$sha256 $compiler $cross $flags"
  $compiler --version 2>/dev/null
  uname -sm
  sed -n -e "/^$name() {/,/^}/p" -e '/^compile() {/,/^}/p' "$0"
}
folder=$(inputs | cache_folder "$name")
is_built() { [ -z "$only_source" ] && [ -e "$folder/COPYRIGHT" ]; }
if is_built; then
  echo "$folder"
  exit
fi

for program in tar "${compiler%% *}" "${prefix}ld" "${prefix}objcopy"; do
  command -v "$program" >/dev/null 2>&1 || die "cannot build it: $program not found: run ./shoal deps"
done
cache_begin "$name"
if is_built; then # by another process meanwhile
  echo "$folder"
  exit
fi
cache_source "$title" "$source" "$sha256" "$package"
if [ -n "$only_source" ]; then
  echo "$archive"
  exit
fi

build() (
  out=$work/out
  flags="$flags -ffile-prefix-map=$work/source=$name"
  mkdir "$work/source" "$out" "$out/include" "$out/lib" && tar -xf "$archive" -C "$work/source" --strip-components=1 &&
    cd "$work/source" && "$name"
)
say "building $title (once, a few seconds)"
cache_run 'build it' build
cache_store "$work/out" "$folder"
echo "$folder"
