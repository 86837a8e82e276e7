#!/bin/sh
# libraries.sh FOLDER: builds SDL2 and SDL2_mixer from the sources of the Debian release that runs, into FOLDER/lib. A
# package cannot take Debian's own: these need every sound server and display that they know, while SDL built by itself
# opens what it finds on the machine, and its mixer reads WAV, Ogg Vorbis, FLAC and MP3 without another library.
# Built once; to build anew, remove the folder.
set -eu

say() { echo "shoal: $*" >&2; }
refuse() { say "$*"; exit 1; }

[ $# = 1 ] || refuse "libraries.sh needs a folder"
mkdir -p "$1"
into=$(cd "$1" && pwd)
jobs=$(nproc 2>/dev/null || echo 2)
[ ! -e "$into/.done" ] || exit 0

for program in apt-get dpkg-source make cmake "${CC:-cc}"; do
  command -v "$program" >/dev/null 2>&1 ||
    refuse "$program is missing, which building SDL2 for a package needs; --system-libraries does without"
done

# Sources from where the packages come from, with lists of its own: nothing that is installed changes.
mkdir -p "$into/apt/lists/partial" "$into/source"
rm -rf "$into/source"/*
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
done >"$into/apt/sources.list"
mkdir -p "$into/apt/parts"
for file in /etc/apt/sources.list.d/*.sources; do
  [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$into/apt/parts/$(basename "$file")"
done
sources() {
  apt-get -q -o Dir::Etc::sourcelist="$into/apt/sources.list" -o Dir::Etc::sourceparts="$into/apt/parts" \
    -o Dir::State::lists="$into/apt/lists" -o APT::Sandbox::User= "$@"
}

log=$into/log.txt
step() { # step WORDS COMMAND…
  words=$1
  shift
  say "$words"
  "$@" >>"$log" 2>&1 || { tail -n 20 "$log" >&2; refuse "$words: it failed, see $log; --system-libraries does without"; }
}

: >"$log"
cd "$into/source"
step "asking for sources" sources update
step "fetching SDL2 and SDL2_mixer" sources source --download-only libsdl2 libsdl2-mixer
for description in *.dsc; do
  step "unpacking $description" dpkg-source --no-check -x "$description" "${description%%_*}"
done

# The same bytes wherever it is built.
export CFLAGS="-O2 -g0 -ffile-prefix-map=$into=." LDFLAGS="-Wl,--build-id=none"

if [ ! -e "$into/lib/libSDL2.so" ]; then
  cd "$into/source/libsdl2"
  step "configuring SDL2" ./configure --prefix="$into" --disable-static --disable-dependency-tracking --disable-rpath \
    --disable-sndio --disable-jack --disable-esd --disable-nas --disable-fusionsound --disable-libsamplerate \
    --enable-pulseaudio --enable-alsa --enable-video-x11 --enable-video-wayland
  step "building SDL2, which takes some minutes" make -j"$jobs"
  step "installing SDL2" make install
fi

cd "$into/source/libsdl2-mixer"
mixer() { # with the decoders that it brings itself
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$into" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_PREFIX_PATH="$into" -DSDL2MIXER_SAMPLES=OFF -DSDL2MIXER_CMD=OFF -DSDL2MIXER_MOD=OFF -DSDL2MIXER_MIDI=OFF \
    -DSDL2MIXER_OPUS=OFF -DSDL2MIXER_VORBIS=STB -DSDL2MIXER_FLAC_LIBFLAC=OFF -DSDL2MIXER_FLAC_DRFLAC=ON \
    -DSDL2MIXER_MP3_DRMP3=ON
}
step "configuring SDL2_mixer" mixer
step "building SDL2_mixer" cmake --build build -j "$jobs"
step "installing SDL2_mixer" cmake --install build
for name in libsdl2 libsdl2-mixer; do
  cp "$into/source/$name/debian/copyright" "$into/$name.copyright"
done
rm -rf "$into/source" "$into/apt"
touch "$into/.done"
