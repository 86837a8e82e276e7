# Sourced by package.sh --for windows: packages a game for Windows as a folder and as a .zip that contains it. The folder
# contains:
#   GAME.exe      the program, with the game's icon, title and version; all libraries are part of it
#   GAME.data     the same archive as in packages for Linux
#   licences/     licences of the program and the libraries
#   README.txt

if [ -z "$program" ]; then
  program=$root/${SHOAL_BUILD:-build}/windows/release/bin/shoal.exe
  cc=$(sh "$root/scripts/build/target.sh" windows | sed -n "s/^cc='\(.*\)'/\1/p")
  if command -v "$cc" >/dev/null; then
    say "building the program for Windows"
    sh "$root/scripts/build/windows.sh" "${SHOAL_BUILD:-build}/windows" release >&2 || exit 2
  elif [ -e "$program" ]; then
    say "package: using $program: mingw-w64, which would build it again, is not installed"
  else
    die "--for windows: mingw-w64 is not installed: run ./shoal deps --windows, or use --program with a shoal.exe of the" \
      "same version"
  fi
fi
[ -f "$program" ] || die "--program: file $program not found"
libraries=$(dirname "$program")/licences
[ -e "$libraries/luajit.txt" ] || die "$libraries: the licences of the libraries in $program are missing: copy them there"
plugin=$(fact plugin | head -n 1)
[ -z "$plugin" ] || die "--for windows: the game uses the plugin $(basename "$plugin" .so): plugins cannot be built for Windows"

into=$work/$name-$version-windows
mkdir -p "$into/licences"
[ -f "$icon" ] || icon=$root/assets/pictures/shoal.png
"$release/bin/shoal" pack-program "$program" "$into/$name.exe" "$title" "$version" "$icon" || exit 2
mv "$work/data" "$into/$name.data"
cp "$libraries"/*.txt "$into/licences/"
cp "$root/LICENSE" "$into/licences/shoal.txt"
copy_addon_licences

# Windows' editor for plain text has understood Unix line ends only since 2018.
sed 's/$/\r/' >"$into/README.txt" <<END
$title $version

To play, unpack all files of the zip file to a folder, and start "$name.exe". The game requires 64-bit Windows 10
(version 1903 or later) and OpenGL 3.3. It does not need to be installed. Press F11 to toggle fullscreen.

If Windows shows "Windows protected your PC", select "More info", then "Run anyway". Windows shows this message for
programs that are not signed.

Saved games are in %APPDATA%\\shoal\\saves\\$id, or in saved\\ next to the program if you start it with
"$name.exe --portable". Crash reports are in %APPDATA%\\shoal\\reports\\$id. "$name.exe --help" lists more options.
The licences of everything in this package are in licences\\.
END

chmod 755 "$into" "$into/licences" "$into/$name.exe"
chmod 644 "$into/$name.data" "$into/README.txt" "$into"/licences/*
find "$into" -exec touch -h -d @315532800 {} + # 1980, the earliest date in zip files: equal inputs give equal bytes
"$release/bin/shoal" pack-folder "$into" "$work/zip" || exit 2
mkdir -p "$to"
to=$(cd "$to" && pwd)
place=$to/$(basename "$into")
remove_stale "$to/$name"-*-windows*.tmp
cp "$work/zip" "$place.zip.$$.tmp"
mv "$place.zip.$$.tmp" "$place.zip"
cp -a "$into" "$place.$$.tmp"
rm -rf "$place"
mv "$place.$$.tmp" "$place"
say "$title $version: $place ($(size "$place")), with .zip ($(size "$place.zip"))"
