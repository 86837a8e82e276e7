#!/bin/sh
# windows.sh FOLDER CONFIG [TARGET…]: builds the program for Windows with mingw-w64, in FOLDER/CONFIG/bin/shoal.exe. All
# libraries are linked statically; they are built once per user (libraries.sh). Their licences are copied to
# FOLDER/CONFIG/bin/licences. FOLDER is absolute, or relative to the root folder. Without TARGET, builds shoal. TARGET may
# also be unit: the unit tests, except those that use functions of Linux. Plugins are not built.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "shoal: $*" >&2; }
folder=$1 config=$2
shift 2
cd "$root"

assignments=$(env -u CC -u CXX sh scripts/build/target.sh windows)
eval "$assignments"
# shellcheck disable=SC2154 # target.sh assigns cc, cxx and archive_tool
for program in "$cc" "$cxx" "$archive_tool"; do
  command -v "$program" >/dev/null || {
    say "build: $program not found: run ./shoal deps --windows"
    exit 2
  }
done

mkdir -p "$folder"
libraries=$(cd "$folder" && pwd)/libraries
sh scripts/build/libraries.sh "$libraries" --target windows
cmocka=$(sh scripts/build/pinned_library.sh --target windows cmocka)
cp -RPp "$cmocka/include" "$cmocka/lib" "$libraries/"
export PKG_CONFIG_LIBDIR="$libraries/lib/pkgconfig" SHOAL_TARGET=windows SHOAL_BUILD="$folder" SHOAL_SYSROOT="$libraries"
SHOAL_LUAJIT=$(sh scripts/build/luajit.sh --target windows)
SHOAL_MIXER=$(sh scripts/build/pinned_library.sh --target windows sdl_mixer)
SHOAL_CHIPMUNK=$(sh scripts/build/pinned_library.sh --target windows chipmunk)
SHOAL_BOX2D=none # only the plugin box2d needs it
export SHOAL_LUAJIT SHOAL_MIXER SHOAL_CHIPMUNK SHOAL_BOX2D

# The manifest of the program: UTF-8 as its code page, scaling by the program itself, and paths of any length.
mkdir -p "$folder/generated"
echo '1 24 "scripts/build/shoal.manifest"' | "$resource_tool" -o "$folder/generated/manifest.o"

premake=premake4
if command -v premake5 >/dev/null; then premake=premake5; fi
sh scripts/build/ffi_functions.sh "$folder/generated"
sources=$(cksum premake5.lua && echo "$premake $SHOAL_LUAJIT $SHOAL_MIXER" && find engine tests/unit -name '*.c' | sort)
if [ "$sources" != "$(cat "$folder/.sources" 2>/dev/null)" ]; then
  # The archives would keep members of deleted sources.
  for built in debug release; do rm -rf "${folder:?}/$built/lib" "${folder:?}/$built/obj"; done
  "$premake" --file=premake5.lua gmake >"$folder/.premake.log" 2>&1 || {
    cat "$folder/.premake.log" >&2
    exit 2
  }
  echo "$sources" >"$folder/.sources"
fi
# Licences of the libraries and of the compiler's runtime libraries, for packages. Programs for Windows use Chipmunk in
# plugins only.
licences=$folder/$config/bin/licences
rm -rf "$licences" && mkdir -p "$licences"
for file in "$libraries"/*.copyright; do
  name=$(basename "$file" .copyright)
  [ "$name" = chipmunk ] || cp "$file" "$licences/$name.txt"
done
cp "$SHOAL_LUAJIT/COPYRIGHT" "$licences/luajit.txt"
cp "$SHOAL_MIXER/COPYRIGHT" "$licences/sdl2_mixer.txt"
for package in libcglm-dev libstb-dev libxxhash-dev mingw-w64-x86-64-dev gcc-mingw-w64-x86-64-posix; do
  [ ! -e "/usr/share/doc/$package/copyright" ] || cp "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done

[ $# -gt 0 ] || set -- shoal
exec make --no-print-directory -C "$folder" -j"$(nproc)" "config=$config" "CC=$cc" "CXX=$cxx" "AR=$archive_tool" "$@"
