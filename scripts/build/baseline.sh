#!/bin/sh
# baseline.sh FOLDER: builds the program, its plugins and its libraries in a chroot of Debian 11 in FOLDER/system, so
# that packages run with glibc 2.31. Libraries that are too old in Debian 11 are built from the sources of Debian 12
# (libraries.sh). The chroot is set up once (several minutes); the program is rebuilt whenever the tree changes. Output:
# FOLDER/system/shoal/build/stripped and FOLDER/system/usr/local.
# baseline.sh --mirror prints the Debian mirror in use.
set -eu

# Prints the Debian mirrors in apt's sources.
mirror() {
  [ -z "${DEBIAN_MIRROR-}" ] || { echo "$DEBIAN_MIRROR"; return; }
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed -n 's/^URIs: *\([^ ]*\/debian\/\{0,1\}\)\( .*\)*$/\1/p' "$file"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\/debian\/\{0,1\}\) .*/\2/p' "$file"
  done
}
if [ "${1-}" = --mirror ]; then
  mirror | head -n 1
  exit 0
fi

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
system=$folder/system
log=$folder/log.txt

. "$root/scripts/build/debian11.sh"
packages="$packages g++" # builds plugins

[ "$(id -u)" = 0 ] || die "--baseline requires root, to set up Debian 11 in a folder: use sudo ./shoal package …"
[ "$(uname -m)" = x86_64 ] || die "--baseline requires an x86-64 machine, got $(uname -m)"
for program in debootstrap unshare; do
  command -v "$program" >/dev/null || die "--baseline: $program not found: apt-get install debootstrap util-linux"
done

# inside COMMAND…: runs a command in the chroot, with /proc mounted until it exits.
inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$system" "$@"
}

install_inside() { inside apt-get install -y -q --no-install-recommends "$@"; }

make_system() {
  from=$(mirror | head -n 1)
  [ -n "$from" ] || die "no Debian mirror found in apt's sources: set DEBIAN_MIRROR to its URL"
  rm -rf "$system" "$system.tmp"
  : >"$log"
  step "setting up Debian 11 in $system (takes several minutes)" debootstrap --variant=minbase \
    --include=gcc,libc6-dev,make,pkg-config,premake4,dpkg-dev,tcl,wayland-protocols,libwayland-bin \
    bullseye "$system.tmp" "$from"
  mv "$system.tmp" "$system"
  printf 'deb %s bullseye main\ndeb-src %s bookworm main\n' "$from" "$from" >"$system/etc/apt/sources.list"
  step "updating the package lists" inside apt-get update -q
}

[ -e "$system/.made" ] || make_system
if [ "$packages" != "$(cat "$system/.made" 2>/dev/null)" ]; then # true on the first run, and if the list has changed
  # shellcheck disable=SC2086
  step "installing libraries" install_inside $packages
  echo "$packages" >"$system/.made"
fi

# Makes pkg-config and the compiler prefer the libraries built in /usr/local.
cat >"$system/within.sh" <<END
export XDG_CACHE_HOME=/usr/local/cache
export PKG_CONFIG_PATH=/usr/local/lib/pkgconfig C_INCLUDE_PATH=/usr/local/include:/usr/local/include/stb
exec nice "\$@"
END

# Copies the tree's sources with their modification times, so that unchanged files are not rebuilt.
mkdir -p "$system/shoal"
find "$system/shoal" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
cp -a "$root/engine" "$root/premake5.lua" "$system/shoal/"
mkdir -p "$system/shoal/scripts"
cp -a "$root/scripts/shoal" "$root/scripts/build" "$system/shoal/scripts/"
mkdir -p "$system/sources"
luajit=$(sh "$root/scripts/build/luajit.sh" --source) || exit 2
chipmunk=$(sh "$root/scripts/build/pinned_library.sh" --source chipmunk) || exit 2
box2d=$(sh "$root/scripts/build/pinned_library.sh" --source box2d) || exit 2
mixer=$(sh "$root/scripts/build/pinned_library.sh" --source sdl_mixer) || exit 2
cp "$luajit" "$mixer" "$chipmunk" "$box2d" "$system/sources/"
inside sh /within.sh sh /shoal/scripts/build/libraries.sh /usr/local --old || exit 2
inside ldconfig

cat >"$system/build.sh" <<END
set -eu
cd /shoal
export SHOAL_SOURCES=/sources
SHOAL_LUAJIT=\$(sh scripts/build/luajit.sh)
SHOAL_MIXER=\$(sh scripts/build/pinned_library.sh sdl_mixer)
SHOAL_CHIPMUNK=\$(sh scripts/build/pinned_library.sh chipmunk)
SHOAL_BOX2D=\$(sh scripts/build/pinned_library.sh box2d)
export SHOAL_LUAJIT SHOAL_MIXER SHOAL_CHIPMUNK SHOAL_BOX2D
export LDFLAGS=-Wl,--no-as-needed,-lrt # in glibc 2.31, timers are in librt
mkdir -p build
flags=\$(echo "$packages"; cksum premake5.lua; echo "\$SHOAL_LUAJIT \$SHOAL_MIXER \$SHOAL_CHIPMUNK \$SHOAL_BOX2D"; find engine -name '*.c*' | sort)
if [ "\$flags" != "\$(cat build/.flags 2>/dev/null)" ]; then
  rm -rf build/release/lib build/release/obj build/plugin_*.make
  premake4 --file=premake5.lua gmake
  echo "\$flags" >build/.flags
fi
plugins=\$(cd build && for makefile in plugin_*.make; do echo "\${makefile%.make}"; done) # plugins that can be built there
make --no-print-directory -C build -j"\$(nproc)" config=release shoal \$plugins
mkdir -p build/stripped/plugins
strip -R .note.gnu.build-id -o build/stripped/shoal build/release/bin/shoal
for plugin in build/release/plugins/*.so; do
  strip -R .note.gnu.build-id --strip-unneeded -o "build/stripped/plugins/\$(basename "\$plugin")" "\$plugin"
done
build/release/bin/shoal compile build/stripped/shoal.code
END
step "building the program in Debian 11" inside sh /within.sh sh /build.sh
