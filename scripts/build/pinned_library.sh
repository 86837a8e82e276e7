#!/bin/sh
# pinned_library.sh [--cross MACHINE | --target windows | --source] NAME: builds a library that is linked into the
# program (sdl_mixer) or a plugin (chipmunk, box2d), and prints its folder in the user's cache (cache.sh), which
# contains include/, lib/libNAME.a and COPYRIGHT. It is built once for each version, compiler and target. --source: only
# prints the archive of the source.
#
# The libraries are static: a plugin binds their calls of sin, qsort and similar functions to Shoal's functions when it
# is linked (engine/include/shoal/math.h), and does not export their symbols. Each source is one pinned version, the one
# that Debian 12 packages. --cross: builds for another processor, such as aarch64-linux-gnu; CC, CXX and pkg-config
# belong to the target. --target windows: builds for Windows with the compiler in target.sh. The program for Windows
# links all libraries statically; static_libraries.sh contains the sources and builds of the additional ones.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
die() { say "$title: $*"; exit 2; }
title=pinned_library.sh
. "$root/scripts/build/cache.sh"

name= cross= target=linux only_source= fixes=
while [ $# -gt 0 ]; do
  case $1 in
    --cross) cross=$2; shift ;;
    --target) target=$2; shift ;;
    --source) only_source=yes ;;
    -*) die "unknown option '$1'" ;;
    *) name=$1 ;;
  esac
  shift
done
cc=${CC:-cc}
cxx=${CXX:-c++}
prefix=${cross:+$cross-} # prefix of the tools for object files
# Results must be the same on every processor: no fused multiply-add, and no -ffast-math, which Chipmunk's own build
# uses.
flags="-O2 -g0 -w -fPIC -fvisibility=hidden -ffp-contract=off"
if [ "$target" != linux ]; then
  assignments=$(sh "$root/scripts/build/target.sh" "$target") || exit
  eval "$assignments"
  prefix=$cross- flags="-O2 -g0 -w -ffp-contract=off $code_flags"
fi

# ---- the libraries; each function runs in the source folder of its library, and installs files in $out

# compile COMPILER FILE…: compiles the files in parallel, and links the objects into one, in lib/lib$name.a. Its global
# variables get the prefix __ and local names are removed: Shoal would warn about variables with other names when it
# loads a plugin.
compile() {
  compiler=$1
  shift
  printf '%s\n' "$@" | compiler=$compiler xargs -P "$jobs" -I % sh -c 'eval "$compiler" -c -o "$(echo % | tr / _).o" %' || return 1
  "${prefix}ld" -r -o all.o ./*.o || return 1
  "${prefix}nm" all.o | sed -n 's/.* [BD] \(.*\)/\1 __\1/p' >>renamed
  "${prefix}objcopy" --redefine-syms=renamed --discard-all all.o &&
    "${prefix}ar" rcs "$out/lib/lib$name.a" all.o
}

chipmunk() { # omits the threaded space, whose results depend on the number of threads
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

# Writes a header that is included first in each file of SDL2_mixer. Its calls of SDL use the functions that
# engine/media/platform/sdl.h loads, and there is no audio device, so that the library only decodes.
write_sdl_calls() {
  cat <<'END'
#include "platform/sdl.h"
static inline void *allocate(size_t bytes) { return sdl()->malloc(bytes); }
static inline void *allocate_zeros(size_t count, size_t bytes) { return sdl()->calloc(count, bytes); }
static inline void *reallocate(void *memory, size_t bytes) { return sdl()->realloc(memory, bytes); }
static inline void release(void *memory) { sdl()->free(memory); }
#define SDL_malloc allocate
#define SDL_calloc allocate_zeros
#define SDL_realloc reallocate
#define SDL_free release
static inline SDL_AudioDeviceID open_device(const SDL_AudioSpec *desired, SDL_AudioSpec *obtained) {
  *obtained = *desired;
  obtained->silence = 0;
  obtained->size = (Uint32)desired->samples * desired->channels * SDL_AUDIO_BITSIZE(desired->format) / 8;
  return 2;
}
#define SDL_WasInit(flags) (flags)
#define SDL_InitSubSystem(flags) 0
#define SDL_OpenAudioDevice(name, is_capture, desired, obtained, changes) open_device(desired, obtained)
#define SDL_CloseAudioDevice(device) ((void)(device))
#define SDL_PauseAudioDevice(device, pause) ((void)(device))
#define SDL_LockAudioDevice(device) ((void)(device))
#define SDL_UnlockAudioDevice(device) ((void)(device))
END
  for function in $(sed -n '/^#define SDL_FUNCTIONS/,/^\/\/ clang-format on/p' "$root/engine/media/platform/sdl.h" | grep -o 'X([A-Za-z_0-9]*)' | tr -d 'X()'); do
    case $function in
      X | WasInit | InitSubSystem | *AudioDevice | malloc | calloc | realloc | free) ;;
      *) echo "#define SDL_$function (sdl()->$function)" ;;
    esac
  done
}

# Builds SDL2_mixer with the decoders in its source. libopusfile, for Opus, is opened at run time. The first command
# corrects stb_vorbis, which reads the interleaved residue of more than two channels as if there were two, so that 5.1
# sounds become noise.
sdl_mixer() {
  sed -i 's/rtype == 2 ? n\*2 : n;/rtype == 2 ? n*ch : n;/' src/codecs/stb_vorbis/stb_vorbis.h
  grep -q 'rtype == 2 ? n\*ch : n;' src/codecs/stb_vorbis/stb_vorbis.h || return 1
  # shellcheck disable=SC2046
  set -- $(pkg-config --cflags sdl2) -Iinclude -Isrc -Isrc/codecs -I"$root/engine/core" -I"$root/engine/media" \
    -DMUSIC_OGG -DOGG_USE_STB -DMUSIC_FLAC_DRFLAC -DMUSIC_MP3_DRMP3
  # shellcheck disable=SC2046
  [ -z "$opus" ] || set -- "$@" $(pkg-config --cflags opusfile) -DMUSIC_OPUS '-DOPUS_DYNAMIC=\"libopusfile.so.0\"'
  write_sdl_calls >sdl_calls.h
  for function in abs atof atoi cos exp floor isdigit log memcmp memcpy memmove memset pow qsort scalbn sin \
    snprintf strcasecmp strchr strcmp strlen strncasecmp strrchr strtol strtoll; do
    echo "SDL_$function $function"
  done >renamed # names of C library functions, and their replacements
  echo "SDL_strtokr strtok_r" >>renamed
  compile "$cc -std=gnu11 $flags -include ./sdl_calls.h $*" src/mixer.c src/music.c src/utils.c src/effect_position.c \
    src/effect_stereoreverse.c src/effects_internal.c src/codecs/load_aiff.c src/codecs/load_voc.c src/codecs/mp3utils.c \
    src/codecs/music_drflac.c src/codecs/music_drmp3.c src/codecs/music_ogg_stb.c src/codecs/music_opus.c &&
    mkdir "$out/include/SDL2" && cp include/SDL_mixer.h "$out/include/SDL2/" && cp LICENSE.txt "$out/COPYRIGHT"
}

[ "$target" = linux ] || . "$root/scripts/build/static_libraries.sh" # also replaces compile

compiler=$cc opus=
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
  sdl_mixer)
    title=SDL2_mixer package=libsdl2-mixer-dev
    source=libsdl2-mixer_2.6.2+dfsg.orig.tar.xz
    sha256=648d9545a92a4839b5edecc775d54608516bc8963d609a8d2193df94518ca072
    if [ "$target" != linux ]; then dependencies=sdl2; elif pkg-config --exists opusfile; then opus=yes; fi
    ;;
  *) [ "$target" != linux ] && choose_library "$name" || die "unknown library '$name'" ;;
esac

# ---- building

inputs() { # prints everything that the result depends on
  echo "$sha256 $compiler $cross $flags $opus"
  [ "$target" = linux ] || static_inputs
  $compiler --version 2>/dev/null
  uname -sm
  sed -n -e "/^$name() {/,/^}/p" -e '/^compile() {/,/^}/p' "$0"
  [ "$name" != sdl_mixer ] || write_sdl_calls
}
folder=$(inputs | cache_folder "$name")
is_built() { [ -z "$only_source" ] && [ -e "$folder/COPYRIGHT" ]; }
if is_built; then
  echo "$folder"
  exit
fi

[ "$target" = linux ] || [ -n "$only_source" ] || build_dependencies
for program in tar "${compiler%% *}" "${prefix}ld" "${prefix}objcopy"; do
  command -v "$program" >/dev/null 2>&1 || die "cannot build it: $program not found: run ./shoal deps"
done
cache_begin "$name"
if is_built; then # another process has built it meanwhile
  echo "$folder"
  exit
fi
[ -z "$fixes" ] || { cache_source "$title's corrections" "$fixes" "$fixes_sha256" "$package" && fixes=$archive; }
cache_source "$title" "$source" "$sha256" "$package" "${origin-}"
if [ -n "$only_source" ]; then
  echo "$archive"
  exit
fi

build() (
  out=$work/out
  flags="$flags -ffile-prefix-map=$work/source=$name"
  mkdir "$work/source" "$out" "$out/include" "$out/lib" && tar -xf "$archive" -C "$work/source" --strip-components=1 &&
    cd "$work/source" && { [ "$target" = linux ] || correct_source; } && "$name"
)
say "building $title (once, a few seconds)"
cache_run 'build it' build
cache_store "$work/out" "$folder"
echo "$folder"
