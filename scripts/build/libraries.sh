#!/bin/sh
# libraries.sh FOLDER [--old] [--cross MACHINE SYSTEM]: builds SDL2, SDL2_mixer and HarfBuzz into FOLDER/lib, from the
# sources of the running Debian release. Packages cannot use Debian's binaries, which link every supported sound server
# and display library. Built with its default settings, SDL opens those libraries at run time if they are installed, and
# SDL2_mixer decodes WAV, Ogg Vorbis, FLAC and MP3 itself. HarfBuzz is built without GLib, whose dependencies take 2 MB.
# --old: for a system whose libraries are too old for Shoal. Also builds SQLite, Chipmunk and Box2D, from the
# sources of the system's `deb-src` lines, and takes the headers of cglm and stb from the packages of that release.
# --cross: builds for another processor, such as aarch64-linux-gnu. SYSTEM is the target's root folder and FOLDER is
# /usr/local in it; CC, CXX and pkg-config must already be set up for the target.
# Each library is built once; delete FOLDER to rebuild.
set -eu

say() { echo "shoal: $*" >&2; }
die() { say "$*"; exit 1; }

[ $# -ge 1 ] || die "libraries.sh requires a folder"
mkdir -p "$1"
into=$(cd "$1" && pwd)
shift
old= cross= system=
while [ $# -gt 0 ]; do
  case $1 in
  --old) old=yes ;;
  --cross) cross=$2 system=$3; shift 2 ;;
  *) die "libraries.sh: unknown option “$1”" ;;
  esac
  shift
done
jobs=$(nproc 2>/dev/null || echo 2)
wanted="libsdl2 libsdl2-mixer harfbuzz"
[ -z "$old" ] || wanted="$wanted sqlite3 chipmunk box2d"
[ "$wanted" != "$(cat "$into/.done" 2>/dev/null)" ] || exit 0
left=
for name in $wanted; do [ -e "$into/$name.copyright" ] || left="$left $name"; done
is_left() { case " $left " in *" $1 "*) ;; *) false ;; esac; }

cc=${CC:-cc}
cxx=${CXX:-c++}
for program in apt-get dpkg-source make cmake "${cc%% *}" "${cxx%% *}"; do
  command -v "$program" >/dev/null 2>&1 ||
    die "$program, which builds SDL2 for the package, not found: install $program, or use --system-libraries"
done

prefix=$into # path on the target, which installed files contain
[ -z "$cross" ] || prefix=/usr/local
host_cc=${cross:+gcc} # compiles build tools that run on this machine
export DESTDIR="$system"

# Downloads sources from the mirrors of the installed packages. Apt gets its own lists, so that the system's are
# unchanged.
building=$into/build.tmp
rm -rf "$building"
mkdir -p "$building/apt/lists/partial" "$building/apt/parts" "$building/source"
if [ -n "$old" ]; then
  sed -n 's/^deb-src \(.*\)/deb \1\n&/p' "$system/etc/apt/sources.list" >"$building/apt/sources.list"
else
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
  done >"$building/apt/sources.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$building/apt/parts/$(basename "$file")"
  done
fi
sources() {
  apt-get -q -o Dir::Etc::sourcelist="$building/apt/sources.list" -o Dir::Etc::sourceparts="$building/apt/parts" \
    -o Dir::State::lists="$building/apt/lists" -o APT::Sandbox::User= "$@"
}

log=$into/log.txt
step() { # step DESCRIPTION COMMAND…: runs the command; on failure prints the end of its output and exits
  description=$1
  shift
  say "$description"
  "$@" >>"$log" 2>&1 || { tail -n 20 "$log" >&2; die "$description failed: see $log, or use --system-libraries"; }
}

: >"$log"
cd "$building/source"
step "updating the source lists" sources update
# shellcheck disable=SC2086
[ -z "$left" ] || step "downloading$left" sources source --download-only $left
for description in *.dsc; do
  [ -e "$description" ] || continue # no match: nothing was downloaded
  step "unpacking $description" dpkg-source --no-check -x "$description" "${description%%_*}"
done

# built NAME: copies the licence of a library, which also marks it as built.
built() { cp "$building/source/$1/debian/copyright" "$into/$1.copyright"; }

# Reproducible builds, without fused multiply-add instructions, which some processors lack.
export CC="$cc" CFLAGS="-O2 -g0 -ffp-contract=off -ffile-prefix-map=$into=." LDFLAGS="-Wl,--build-id=none"

sdl() {
  ./configure ${cross:+--host="$cross"} --prefix="$prefix" --disable-static --disable-dependency-tracking --disable-rpath --disable-sndio \
    --disable-jack --disable-esd --disable-nas --disable-fusionsound \
    --disable-libsamplerate --enable-pulseaudio --enable-alsa --enable-video-x11 --enable-video-wayland
}
if is_left libsdl2; then
  cd "$building/source/libsdl2"
  step "configuring SDL2" sdl
  # The build runs the Wayland scanner of the target system, which must match its library.
  step "building SDL2 (takes several minutes)" make -j"$jobs" ${cross:+WAYLAND_SCANNER="$system/usr/bin/wayland-scanner"}
  step "installing SDL2" make install
  built libsdl2
fi

mixer() { # uses the decoders bundled with SDL2_mixer
  # shellcheck disable=SC2086
  cmake -S . -B build -DCMAKE_SKIP_RPATH=ON ${cross:+-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${cross%%-*}} \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$into" -DSDL2MIXER_SAMPLES=OFF -DSDL2MIXER_CMD=OFF -DSDL2MIXER_MOD=OFF -DSDL2MIXER_MIDI=OFF \
    -DSDL2MIXER_OPUS=OFF -DSDL2MIXER_VORBIS=STB -DSDL2MIXER_FLAC_LIBFLAC=OFF -DSDL2MIXER_FLAC_DRFLAC=ON \
    -DSDL2MIXER_MP3_DRMP3=ON
}
if is_left libsdl2-mixer; then
  cd "$building/source/libsdl2-mixer"
  step "configuring SDL2_mixer" mixer
  step "building SDL2_mixer" cmake --build build -j "$jobs"
  step "installing SDL2_mixer" cmake --install build
  built libsdl2-mixer
fi

# Builds HarfBuzz from its amalgamated source, without a C++ runtime library.
harfbuzz() {
  mkdir -p "$into/lib"
  # shellcheck disable=SC2046,SC2086
  $cxx -std=c++11 $CFLAGS -fno-exceptions -fno-rtti -fno-threadsafe-statics -w -fPIC -shared -DHAVE_PTHREAD=1 \
    -DHAVE_FREETYPE=1 $(pkg-config --cflags freetype2) $LDFLAGS -Wl,--as-needed -Wl,-soname,libharfbuzz.so.0 \
    -o "$into/lib/libharfbuzz.so.0" src/harfbuzz.cc $(pkg-config --libs freetype2) -lpthread
}

# Builds SQLite with the options that Shoal needs, and with those of Debian's build that queries in games may need.
sqlite() {
  # The generator of the amalgamated source runs on this machine.
  CC="${host_cc:-$cc}" ./configure --prefix="$prefix" --disable-tcl && make sqlite3.c sqlite3.h || return 1
  # shellcheck disable=SC2086
  $cc $CFLAGS -fPIC -shared -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 \
    -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_SESSION \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_UNLOCK_NOTIFY \
    -DSQLITE_USE_URI -DHAVE_ISNAN -w $LDFLAGS -Wl,-soname,libsqlite3.so.0 \
    -o "$into/lib/libsqlite3.so.0" sqlite3.c -lm -ldl -lpthread || return 1
  ln -sf libsqlite3.so.0 "$into/lib/libsqlite3.so"
  cp sqlite3.h "$into/include/"
  cp sqlite3.pc "$into/lib/pkgconfig/"
}

# Builds Chipmunk without -ffast-math, so that results are the same on every machine.
chipmunk() {
  # shellcheck disable=SC2086
  $cc -std=gnu99 $CFLAGS -DNDEBUG -w -fPIC -shared -Iinclude $LDFLAGS \
    -Wl,-soname,libchipmunk.so.7 -o "$into/lib/libchipmunk.so.7" src/*.c -lm -lpthread
  ln -sf libchipmunk.so.7 "$into/lib/libchipmunk.so"
  cp -r include/chipmunk "$into/include/"
}

# Builds Box2D with -ffp-contract=off (in CFLAGS), because its default build uses fused multiply-add on arm64.
box2d() {
  # shellcheck disable=SC2046,SC2086
  $cxx -std=c++11 $CFLAGS -w -fPIC -shared -Iinclude -Isrc $LDFLAGS -Wl,-soname,libbox2d.so.2 \
    -o "$into/lib/libbox2d.so.2" $(find src -name '*.cpp' | LC_ALL=C sort) -lm || return 1
  ln -sf libbox2d.so.2 "$into/lib/libbox2d.so"
  cp -r include/box2d "$into/include/"
  mkdir -p "$into/lib/pkgconfig"
  cat >"$into/lib/pkgconfig/box2d.pc" <<END
Name: box2d
Description: rigid bodies
Version: 2.4.1
Libs: -L$prefix/lib -lbox2d
Cflags: -I$prefix/include
END
}

# Installs the headers of cglm and stb from their packages.
headers() {
  sources download libcglm-dev libstb-dev || return 1
  for package in libcglm-dev libstb-dev; do
    dpkg-deb -x "$package"_*.deb headers || return 1
    cp "headers/usr/share/doc/$package/copyright" "$into/$package.copyright"
  done
  cp -r headers/usr/include/cglm headers/usr/include/stb "$into/include/"
}

build_library() { # build_library NAME TITLE FUNCTION: runs the function in the library's source folder
  is_left "$1" || return 0
  cd "$building/source/$1"
  step "building $2" "$3"
  built "$1"
}
build_library harfbuzz HarfBuzz harfbuzz
if [ -n "$old" ]; then
  build_library sqlite3 SQLite sqlite
  build_library chipmunk Chipmunk chipmunk
  build_library box2d Box2D box2d
  cd "$building/source"
  step "installing cglm and stb" headers
fi

find "$into/lib" -name 'lib*.so.*' -type f \( -name '*SDL2*' -o -name '*harfbuzz*' -o -name '*chipmunk*' -o -name '*box2d*' -o -name '*sqlite*' \) \
  -exec "${cross:+$cross-}strip" --strip-unneeded {} +
rm -rf "$building"
echo "$wanted" >"$into/.done"
