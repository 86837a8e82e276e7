#!/bin/sh
# libraries.sh FOLDER [--old] [--cross MACHINE SYSTEM | --target windows]: installs SDL2 and HarfBuzz in FOLDER, built
# from the sources of the running Debian release. Packages cannot use Debian's binaries, which link every supported
# sound server and display library. Built with its default settings, SDL opens those libraries at run time if they are
# installed. HarfBuzz is built without GLib, whose dependencies take 2 MB.
# --old: for a system whose libraries are too old for Shoal. Also builds SQLite, from the sources of the system's
# `deb-src` lines, and takes the headers of cglm and stb from the packages of that release.
# --cross: builds for another processor, such as aarch64-linux-gnu. SYSTEM is the target's root folder and FOLDER is
# /usr/local in it; CC, CXX and pkg-config must already be set up for the target.
# --target windows: installs all libraries except LuaJIT, SDL2_mixer and Box2D as static libraries (pinned_library.sh),
# with files for pkg-config, and copies the headers of cglm, stb, xxHash and libarchive.
# Each library is built once per user (cache.sh) for each version, compiler and target, and then copied.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
die() { say "package: $*"; exit 2; }
. "$root/scripts/build/cache.sh"

[ $# -ge 1 ] || die "libraries.sh requires a folder"
mkdir -p "$1"
into=$(cd "$1" && pwd)
shift
old= cross= system= target=linux
while [ $# -gt 0 ]; do
  case $1 in
  --old) old=yes ;;
  --cross) cross=$2 system=$3; shift 2 ;;
  --target) target=$2; shift ;;
  *) die "libraries.sh: unknown option “$1”" ;;
  esac
  shift
done

[ -n "$old" ] || hint="$hint, or use --system-libraries"
cc=${CC:-cc}
cxx=${CXX:-c++}
host_cc=${cross:+gcc} # compiles build tools that run on this machine
# Reproducible builds, without fused multiply-add instructions, which some processors lack.
flags="-O2 -g0 -ffp-contract=off"
link_flags=-Wl,--build-id=none
prefix=/usr/local # path that installed files contain

# ---- sources

# Downloads sources from the mirrors of the installed packages. Apt uses separate lists, so the system's lists do not
# change.
with_lists() { # with_lists PROGRAM ARGUMENTS…: runs a program of apt with these lists
  program=$1
  shift
  "$program" -q -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts="$work/apt/parts" \
    -o Dir::State::lists="$work/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User= "$@"
}

update_lists() {
  mkdir -p "$work/apt/lists/partial" "$work/apt/parts" "$work/source"
  if [ -n "$old" ]; then
    sed -n 's/^deb-src \(.*\)/deb \1\n&/p' "$system/etc/apt/sources.list" >"$work/apt/sources.list"
  else
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
      [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
    done >"$work/apt/sources.list"
    for file in /etc/apt/sources.list.d/*.sources; do
      [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/parts/$(basename "$file")"
    done
  fi
  with_lists apt-get update
}

# Runs before the first library is built.
begin() {
  [ -z "${work-}" ] || return 0
  for program in apt-get dpkg-source make "${cc%% *}" "${cxx%% *}"; do
    command -v "$program" >/dev/null 2>&1 ||
      die "$program, which builds SDL2 for the package, not found: install $program, or use --system-libraries"
  done
  cache_begin libraries
  cache_run "download the list of sources" update_lists
}

# choose_version NAME: sets $version to the installed version of the library or, if it is not installed or cannot be
# downloaded, to the newest version.
choose_version() {
  available=$(with_lists apt-cache showsrc --only-source "$1" 2>>"$work/log" | sed -n 's/^Version: //p' | sort -V)
  case " $(echo "$available" | tr '\n' ' ') " in
  *" ${version:-none} "*) ;;
  *) version=$(echo "$available" | tail -n 1) ;;
  esac
  [ -n "$version" ] || die "the sources of $1 are not in apt's mirrors: check /etc/apt, or use --system-libraries"
}

# ---- building; each function runs in the source folder of its library, and installs files in $out

sdl() {
  ./configure ${cross:+--host="$cross"} --prefix="$prefix" --disable-static --disable-dependency-tracking \
    --disable-rpath --disable-sndio --disable-jack --disable-esd --disable-nas --disable-fusionsound \
    --disable-libsamplerate --enable-pulseaudio --enable-alsa --enable-video-x11 --enable-video-wayland || return 1
  # The build runs the Wayland scanner of the target system, which must match its library.
  make -j"$jobs" ${cross:+WAYLAND_SCANNER="$system/usr/bin/wayland-scanner"} && make install
}

# Builds HarfBuzz from its amalgamated source, without a C++ runtime library.
harfbuzz() {
  # shellcheck disable=SC2046,SC2086
  $cxx -std=c++11 $flags -fno-exceptions -fno-rtti -fno-threadsafe-statics -w -fPIC -shared -DHAVE_PTHREAD=1 \
    -DHAVE_FREETYPE=1 $(pkg-config --cflags freetype2) $link_flags -Wl,--as-needed -Wl,-soname,libharfbuzz.so.0 \
    -o "$out/lib/libharfbuzz.so.0" src/harfbuzz.cc $(pkg-config --libs freetype2) -lpthread
}

# Builds SQLite with the options that Shoal needs, and with options of Debian's build that queries in games may need.
sqlite() {
  # The generator of the amalgamated source runs on this machine.
  CC="${host_cc:-$cc}" ./configure --prefix="$prefix" --disable-tcl && make sqlite3.c sqlite3.h || return 1
  # shellcheck disable=SC2086
  $cc $flags -fPIC -shared -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 \
    -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_SESSION \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_UNLOCK_NOTIFY \
    -DSQLITE_USE_URI -DHAVE_ISNAN -w $link_flags -Wl,-soname,libsqlite3.so.0 \
    -o "$out/lib/libsqlite3.so.0" sqlite3.c -lm -ldl -lpthread || return 1
  ln -sf libsqlite3.so.0 "$out/lib/libsqlite3.so" && cp sqlite3.h "$out/include/" && cp sqlite3.pc "$out/lib/pkgconfig/"
}

# Builds a library in $work/out$prefix, in a subshell.
build() ( # build NAME FUNCTION
  flags="$flags -ffile-prefix-map=$work=."
  export DESTDIR="$work/out" CC="$cc" CFLAGS="$flags" LDFLAGS="$link_flags"
  out=$work/out$prefix
  rm -rf "$work/out"
  mkdir -p "$out/lib/pkgconfig" "$out/include" && cd "$work/source" || exit 1
  with_lists apt-get source --download-only "$1=$version" && dpkg-source --no-check -x "$1"_*.dsc "$1" || exit 1
  cd "$1" && "$2" || exit 1
  find "$out/lib" -name 'lib*.so.*' -type f -exec "${cross:+$cross-}strip" --strip-unneeded {} + &&
    cp debian/copyright "$out/$1.copyright"
)

inputs() { # inputs NAME FUNCTION: prints everything that the library depends on
  echo "$1 $version $cc $cxx $flags $link_flags $old $cross"
  "${cc%% *}" --version
  "${cxx%% *}" --version
  uname -sm
  sed -n -e "/^$2() {/,/^}/p" -e '/^build() (/,/^)/p' "$0"
}

# ---- the libraries

# library NAME TITLE FUNCTION PACKAGE TIME: copies a library from the cache to $into, and builds it first if it is
# missing. PACKAGE is the package of the running system whose version is built. Sets $folder to the library in the
# cache.
library() {
  version=
  [ -n "$old" ] || version=$(dpkg-query -W -f '${source:Version}' "$4" 2>/dev/null || true)
  folder=$(inputs "$1" "$3" 2>/dev/null | cache_folder "$1")
  if [ -z "$version" ] || ! cache_has "$folder" "$1.copyright"; then
    begin
    choose_version "$1"
    folder=$(inputs "$1" "$3" 2>/dev/null | cache_folder "$1")
  fi
  if ! cache_has "$folder" "$1.copyright"; then
    say "building $2 $version (once, takes $5)"
    cache_run "build $2" build "$1" "$3"
    cache_store "$work/out$prefix" "$folder"
  fi
  cp -RPp "$folder/." "$into/" || die "cannot write $into: free some space on the disk"
}

# Installs the headers of cglm and stb from their packages.
headers() (
  mkdir -p "$into/include" && cd "$work/source" && with_lists apt-get download libcglm-dev libstb-dev || exit 1
  for package in libcglm-dev libstb-dev; do
    dpkg-deb -x "$package"_*.deb headers || exit 1
    cp "headers/usr/share/doc/$package/copyright" "$into/$package.copyright" || exit 1
  done
  cp -r headers/usr/include/cglm headers/usr/include/stb "$into/include/"
)

# Installs the static libraries for $target.
static_libraries() {
  mkdir -p "$into/include" "$into/lib"
  for name in zlib minizip zstd sqlite jansson expat libmd fribidi freetype harfbuzz webp sodium sdl2 epoxy \
    wslay sleef chipmunk; do
    folder=$(sh "$root/scripts/build/pinned_library.sh" --target "$target" "$name") || exit
    cp -RPp "$folder/include" "$folder/lib" "$into/" && cp "$folder/COPYRIGHT" "$into/$name.copyright" ||
      die "cannot write $into: free some space on the disk"
  done
  # libarchive is opened at run time.
  cp -r /usr/include/cglm /usr/include/stb /usr/include/xxhash.h /usr/include/archive.h /usr/include/archive_entry.h \
    "$into/include/" || die "the headers of cglm, stb, xxHash or libarchive are missing: run ./shoal deps"
}
if [ "$target" != linux ]; then
  static_libraries
  exit
fi

wanted="SDL2 HarfBuzz SQLite cglm stb"
[ -z "$old" ] || [ "$wanted" != "$(cat "$into/.done" 2>/dev/null)" ] || exit 0
library libsdl2 SDL2 sdl libsdl2-dev "several minutes"
library harfbuzz HarfBuzz harfbuzz libharfbuzz-dev "a minute"
if [ -n "$old" ]; then
  library sqlite3 SQLite sqlite - "a minute"
  cache_run "download cglm and stb" headers
  echo "$wanted" >"$into/.done"
fi
