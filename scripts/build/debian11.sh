# Sourced by baseline.sh and arm64.sh, which build packages with the libraries of Debian 11: prints messages, runs build
# steps with their output in $log, and lists the required Debian packages in $packages.

say() { echo "shoal: $*" >&2; }
die() { say "package: $*"; exit 2; }
step() { # step DESCRIPTION COMMAND…: runs the command; on failure prints the end of its output and exits
  description=$1
  shift
  say "$description"
  "$@" >>"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; die "$description failed: see $log"; }
}

# Libraries that Shoal links, and libraries that SDL loads at run time if they are installed.
packages=zlib1g-dev
for library in freetype harfbuzz fribidi epoxy xxhash zstd jansson expat1 minizip webp sleef md archive wslay sodium enet asound2 pulse x11 xext xcursor xi \
  xrandr xss xfixes xkbcommon wayland egl gl gles drm gbm dbus-1 udev; do
  packages="$packages lib$library-dev"
done
