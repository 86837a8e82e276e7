#!/bin/sh
# install.sh [--prefix DIR]: installs the program, libshoal and libshoal-ecs with headers, pkg-config and CMake files,
# the engine's scripts, assets and plugins, and the manual pages below DIR (default: /usr/local). DESTDIR in the
# environment is prepended, for packagers. The installation can be moved as a whole: it uses only relative paths. This
# script links the libraries from the objects of the build.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
die() { say "install: $*"; exit 2; }

help() {
  cat <<'END'
./shoal install [--prefix DIR]     install the program, the libraries and their files

  --prefix DIR   destination (default: /usr/local); DESTDIR in the environment is prepended

installs bin/shoal; lib/libshoal.so and .a, lib/libshoal-ecs.so and .a; lib/shoal/plugins; include/shoal; lib/pkgconfig,
lib/cmake/shoal; share/shoal (scripts and assets); share/man. To compile a program against it, use
`pkg-config --cflags --libs shoal`, or in CMake find_package(shoal) and the target shoal::shoal.
END
}

prefix=/usr/local
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ $# -gt 1 ] || die "--prefix requires a folder"; prefix=$2; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    -h | --help) help; exit ;;
    -*)
      hint=$("$root/build/release/bin/shoal" similar "$1" --prefix --help 2>/dev/null || true)
      die "unknown option '$1' (see ./shoal install --help)$hint" ;;
    *) die "unexpected argument “$1”: use --prefix DIR" ;;
  esac
  shift
done
[ -n "$prefix" ] || die "--prefix requires a folder"
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
to=${DESTDIR-}$prefix
case $to in *[\"\'\\\$\`\|]* ) die "--prefix must not contain quotes, \$, | or \\, got $to" ;; esac
mkdir -p "$to" 2>/dev/null && [ -w "$to" ] || die "cannot write $to: choose another --prefix, or run as root"

built=$root/build/release
lib=$built/lib
cc=${CC:-cc}
version=$(sed -n 's/^#define SHOAL_VERSION "\(.*\)"/\1/p' "$root/engine/host/start/options.h")
major=${version%%.*}
[ -x "$built/bin/shoal" ] && [ -e "$lib/liblibrary.a" ] || die "the program is not built: run ./shoal build"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { # step DESCRIPTION COMMAND…: runs the command; on failure prints the end of its output and exits
  description=$1
  shift
  "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; die "$description failed: see the output above"; }
}

# ---- linking

# Modules of libshoal: all but the cockpit and its server. The module library/ is linked apart.
modules=
for layer in $(sed -n 's/^local LAYERS = {\(.*\)}.*/\1/p' "$root/premake5.lua" | tr -d '",'); do
  for folder in "$root/engine/$layer"/*/; do
    case $(basename "$folder") in
      library | server | cockpit) ;;
      *) modules="$modules $lib/lib$(basename "$folder").a" ;;
    esac
  done
done
packages=$(sed -n 's/^local PACKAGES = {\(.*\)}.*/\1/p' "$root/premake5.lua" | tr -d '",')

# C library functions that the engine replaces (EXACT in premake5.lua).
wraps="-wrap=sincos -wrap=sincosf -wrap=qsort"
for name in $(sed -n 's/^EXACT_[A-Z]*(\([a-z0-9]*\),.*/\1/p' "$root/engine/core/base/exact_names.h"); do
  wraps="$wraps -wrap=$name -wrap=${name}f"
done
wraps=$(echo "$wraps" | sed 's/-wrap/--wrap/g')

compile_prefix() { # compile_prefix FILE: compiles the prefix of the installation, which the library searches
  printf '#include "library/names.h"\nconst char library_prefix[] = "%s";\n' "$prefix" >"$work/prefix.c"
  step "compiling the prefix" "$cc" -std=c11 -O2 -fPIC -w -I "$root/engine/host" -c -o "$1" "$work/prefix.c"
}

link_shared() { # link_shared NAME PATTERN ARGUMENT…: exports only symbols that match PATTERN
  name=$1
  echo "{ global: $2; local: *; };" >"$work/$name.map"
  shift 2
  linker=
  for wrap in $wraps; do linker="$linker -Wl,$wrap"; done
  # shellcheck disable=SC2086
  step "linking $name.so" "$cc" -shared -o "$work/$name.so.$version" "-Wl,-soname,$name.so.$major" \
    "-Wl,--version-script=$work/$name.map" -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed $linker "$@"
  strip --strip-unneeded "$work/$name.so.$version"
}

# Links everything into one object, in which only symbols that match PATTERN are global.
link_static() { # link_static NAME PATTERN ARGUMENT…
  name=$1 pattern=$2
  shift 2
  # shellcheck disable=SC2086
  step "linking $name.a" "${LD:-ld}" -r -o "$work/$name.o" $wraps "$@"
  step "hiding symbols of $name.a" "${OBJCOPY:-objcopy}" --wildcard --strip-debug "--keep-global-symbol=$pattern" \
    "$work/$name.o"
  rm -f "$work/$name.a"
  step "packing $name.a" "${AR:-ar}" rcs "$work/$name.a" "$work/$name.o"
}

luajit=$(sh "$root/scripts/build/luajit.sh")/lib/libluajit-5.1.a
mixer=$(sh "$root/scripts/build/pinned_library.sh" sdl_mixer)/lib/libsdl_mixer.a
compile_prefix "$work/prefix.o"
# shellcheck disable=SC2046,SC2086
link_shared libshoal 'shoal_host_*' -Wl,--whole-archive $modules -Wl,--no-whole-archive -Wl,-u,shoal_host_create \
  -Wl,-u,shoal_host_query "$lib/liblibrary.a" "$work/prefix.o" "$luajit" "$mixer" $(pkg-config --libs $packages) -lm -ldl -lpthread
link_shared libshoal-ecs 'shoal_ecs_*' -Wl,-u,shoal_ecs_create "$lib/liblibrary.a" "$lib/libaccess.a" "$lib/libsnapshot.a" "$lib/libschedule.a" "$lib/libecs.a" "$lib/libschema.a" \
  "$lib/libprocess.a" "$lib/libbase.a" -lm
# shellcheck disable=SC2086
link_static libshoal 'shoal_host_*' -u shoal_host_create -u shoal_host_query --whole-archive $modules \
  --no-whole-archive "$lib/liblibrary.a" "$work/prefix.o" "$luajit" "$mixer"
link_static libshoal-ecs 'shoal_ecs_*' -u shoal_ecs_create "$lib/liblibrary.a" "$lib/libaccess.a" "$lib/libsnapshot.a" "$lib/libschedule.a" "$lib/libecs.a" "$lib/libschema.a" \
  "$lib/libprocess.a" "$lib/libbase.a"

# ---- installing

mkdir -p "$to/bin" "$to/lib/shoal/plugins" "$to/lib/pkgconfig" "$to/lib/cmake/shoal" "$to/include/shoal" \
  "$to/share/shoal" "$to/share/man/man1" "$to/share/man/man3"
put() { # put FILE TO: installs a stripped program or plugin
  rm -f "$2"
  install -m 755 "$1" "$2"
  strip --strip-unneeded "$2"
}
put "$built/bin/shoal" "$to/bin/shoal"
for name in libshoal libshoal-ecs; do
  install -m 755 "$work/$name.so.$version" "$to/lib/$name.so.$version"
  ln -sf "$name.so.$version" "$to/lib/$name.so.$major"
  ln -sf "$name.so.$major" "$to/lib/$name.so"
  [ ! -e "$work/$name.a" ] || install -m 644 "$work/$name.a" "$to/lib/$name.a"
done
for plugin in "$built"/plugins/*.so; do put "$plugin" "$to/lib/shoal/plugins/$(basename "$plugin")"; done
[ ! -e "$built/shoal.code" ] || install -m 644 "$built/shoal.code" "$to/lib/shoal/shoal.code" # must be newer than the program
install -m 644 "$root"/engine/include/shoal/*.h "$root"/engine/include/shoal/*.hpp "$to/include/shoal/"
rm -rf "$to/share/shoal/scripts" "$to/share/shoal/assets"
mkdir -p "$to/share/shoal/scripts"
for part in shoal addons games examples types; do cp -R "$root/scripts/$part" "$to/share/shoal/scripts/"; done
cp -R "$root/assets" "$to/share/shoal/"
chmod -R u+rwX,go+rX,go-w "$to/share/shoal"
install -m 644 "$root/engine/host/library/shoal.1" "$to/share/man/man1/shoal.1"
install -m 644 "$root/engine/host/library/libshoal.3" "$to/share/man/man3/libshoal.3"

fill() { # fill FILE: prints a template with its placeholders replaced
  sed -e "s|@VERSION@|$version|g; s|@MAJOR@|$major|g; s|@PACKAGES@|$packages|g" "$root/engine/host/library/$1.in"
}
fill shoal.pc >"$to/lib/pkgconfig/shoal.pc"
fill shoal-ecs.pc >"$to/lib/pkgconfig/shoal-ecs.pc"
fill shoal-config.cmake >"$to/lib/cmake/shoal/shoal-config.cmake"
fill shoal-config-version.cmake >"$to/lib/cmake/shoal/shoal-config-version.cmake"
echo "$to"
