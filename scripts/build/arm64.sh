#!/bin/sh
# arm64.sh FOLDER [TARGET…]: cross-compiles the program and its plugins for arm64 with Debian's cross compiler. Headers
# and libraries come from Debian 11's arm64 packages, unpacked into FOLDER/system, so that packages run with glibc 2.31;
# libraries that are too old in Debian 11 are built from the sources of Debian 12 (libraries.sh). Does not change the
# installed packages and does not need root. The libraries are built once (several minutes), the program whenever its
# sources change. Output: FOLDER/stripped, FOLDER/release and FOLDER/system/usr/local. Also builds the TARGETs, such as
# the unit tests (tests/scenarios/arm64.sh).
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
system=$folder/system
log=$folder/log.txt

. "$root/scripts/build/debian11.sh"

cross=aarch64-linux-gnu
host=$(dpkg --print-architecture)
for program in $cross-gcc $cross-g++ tclsh apt-get dpkg dpkg-source dpkg-deb; do
  command -v "$program" >/dev/null ||
    die "--for linux-arm64: $program not found: apt-get install g++-$cross tcl dpkg-dev"
done

packages="$packages libc6-dev libstdc++-10-dev wayland-protocols libcmocka-dev" # libcmocka-dev is for the tests

# Configures apt for another processor and release, in separate folders.
configure_apt() {
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  : >"$folder/apt/status"
  printf 'deb [arch=arm64,%s] %s bullseye main\ndeb-src %s bookworm main\n' "$host" "$1" "$1" >"$folder/apt/sources.list"
  cat >"$folder/apt/conf" <<END
Dir::State "$folder/apt";
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
APT::Architecture "arm64";
APT::Architectures { "arm64"; "$host"; };
APT::Sandbox::User "root";
END
}

# Unpacks a package and writes its dpkg file list, in which package.sh looks up licences.
unpack() { # unpack FILE.deb
  dpkg-deb -x "$1" "$system.tmp" || return 1
  dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's|^\./|/|; s|/$||' \
    >"$system.tmp/var/lib/dpkg/info/$(dpkg-deb -f "$1" Package).list"
}

unpack_all() {
  mkdir -p "$system.tmp/var/lib/dpkg/info"
  for package in "$folder"/apt/cache/archives/*.deb; do unpack "$package" || return 1; done
}

# Makes absolute links relative, so that they stay inside the system's folder.
make_links_relative() {
  find "$system.tmp" -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$system.tmp$(readlink "$link")")" "$link"
  done
}

private_apt() { APT_CONFIG=$folder/apt/conf apt-get "$@"; }

# SDL's build runs the Wayland scanner on this machine; its version must match the target's library.
download_scanner() (
  cd "$folder/apt" && private_apt download "libwayland-bin:$host" && dpkg-deb -x libwayland-bin_*.deb scanner &&
    cp scanner/usr/bin/wayland-scanner "$system.tmp/usr/bin/"
)

make_system() {
  from=$(sh "$root/scripts/build/baseline.sh" --mirror)
  [ -n "$from" ] || die "no Debian mirror found in apt's sources: set DEBIAN_MIRROR to its URL"
  rm -rf "$system" "$system.tmp" "$folder/release" "$folder/apt"
  : >"$log"
  configure_apt "$from"
  step "updating the package lists for arm64" private_apt update -q
  # shellcheck disable=SC2086
  step "downloading libraries for arm64" private_apt install -y -q --download-only --no-install-recommends $packages
  step "unpacking libraries for arm64" unpack_all
  make_links_relative
  step "downloading the Wayland scanner" download_scanner
  mv "$system.tmp" "$system"
  mkdir -p "$system/etc/apt" "$system/usr/local"
  mv "$folder/apt/sources.list" "$system/etc/apt/"
  rm -rf "$folder/apt"
  echo "$packages" >"$system/.made"
}

if [ "$packages" != "$(cat "$system/.made" 2>/dev/null)" ]; then make_system; fi

# Restricts pkg-config and the compiler to the target's files.
lib=$system/usr/lib/$cross
export PKG_CONFIG_SYSROOT_DIR="$system" PKG_CONFIG_SYSTEM_LIBRARY_PATH="$lib" \
  PKG_CONFIG_LIBDIR="$system/usr/local/lib/pkgconfig:$lib/pkgconfig:$system/usr/share/pkgconfig"
# The packaged cross compiler includes a newer libc, whose headers, startup files and libraries must not be used: only
# the compiler's own headers are added to the search path.
sysroot="--sysroot=$system -nostdinc"
headers=
for place in "$($cross-gcc -print-file-name=include)" "$system/usr/include/$cross" "$system/usr/include"; do
  headers="$headers -isystem $place"
done
library_paths="-B$lib -L$lib -L$system/lib/$cross"
export CC="$cross-gcc $sysroot$headers $library_paths"
cxx=$system/usr/include/c++/10
export CXX="$cross-g++ $sysroot -nostdinc++ -isystem $cxx -isystem $system/usr/include/$cross/c++/10$headers $library_paths \
-L$system/usr/lib/gcc/$cross/10"
sh "$root/scripts/build/libraries.sh" "$system/usr/local" --old --cross "$cross" "$system" || exit 2

SHOAL_LUAJIT=$(sh "$root/scripts/build/luajit.sh" --cross "$cross") || exit 2
SHOAL_CHIPMUNK=$(sh "$root/scripts/build/pinned_library.sh" --cross "$cross" chipmunk) || exit 2
SHOAL_BOX2D=$(sh "$root/scripts/build/pinned_library.sh" --cross "$cross" box2d) || exit 2
SHOAL_MIXER=$(sh "$root/scripts/build/pinned_library.sh" --cross "$cross" sdl_mixer) || exit 2
export SHOAL_LUAJIT SHOAL_MIXER SHOAL_CHIPMUNK SHOAL_BOX2D

# ---- the program

# rpath-link: folders of indirect dependencies. lrt: in glibc 2.31, timers are in librt.
export LDFLAGS="-Wl,--no-as-needed,-lrt -L$system/usr/local/lib -Wl,-rpath-link,$system/usr/local/lib:$lib:$system/lib/$cross"
export C_INCLUDE_PATH="$system/usr/local/include:$system/usr/local/include/stb"
export CPLUS_INCLUDE_PATH="$C_INCLUDE_PATH"
export SHOAL_BUILD="${folder#"$root"/}" SHOAL_SYSROOT="$system"
build() (
  cd "$root" || exit 1
  premake=premake4
  if command -v premake5 >/dev/null; then premake=premake5; fi
  flags=$(cksum premake5.lua; echo "$SHOAL_LUAJIT $SHOAL_MIXER $SHOAL_CHIPMUNK $SHOAL_BOX2D"; find engine tests -name '*.c*' | sort)
  if [ "$flags" != "$(cat "$folder/.flags" 2>/dev/null)" ]; then
    rm -rf "$folder"/release/lib "$folder"/release/obj "$folder"/plugin_*.make # archives would keep members of deleted sources
    "$premake" --file=premake5.lua gmake || exit 1
    echo "$flags" >"$folder/.flags"
  fi
  plugins=$(cd "$folder" && for makefile in plugin_*.make; do echo "${makefile%.make}"; done) # plugins that can be built
  # shellcheck disable=SC2086
  make --no-print-directory -C "$folder" -j"$(nproc)" config=release "CC=$CC" "CXX=$CXX" AR=$cross-ar shoal $plugins "$@"
)
step "building the program for arm64" build "$@"

mkdir -p "$folder/stripped/plugins"
# Removes the build id too, which depends on the path of the build folder.
$cross-strip -R .note.gnu.build-id -o "$folder/stripped/shoal" "$folder/release/bin/shoal"
for plugin in "$folder"/release/plugins/*.so; do
  $cross-strip -R .note.gnu.build-id --strip-unneeded -o "$folder/stripped/plugins/$(basename "$plugin")" "$plugin"
done
