# A display of its own for a suite in tests/window, and what such suites share; sourced after lib.sh. The tests of one
# suite are a story: FILTER picks all of it or nothing, and tests/run counts what FILTER names.
picked "$suite: $(cat "$0")" || exit 0
FILTER=

# -noreset: a server that resets itself when its last client leaves throws out whoever connects in that moment. -r: keys
# do not repeat, however long one is held on a busy machine.
rm -f "$tmp/display"
Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -noreset -r 3>"$tmp/display" 2>/dev/null &
server=$!

cleanup() {
  [ -z "$program" ] || kill "$program" 2>/dev/null
  kill "$server" 2>/dev/null
}
trap cleanup EXIT
trap 'exit 1' INT TERM

start() { launch "$release" "$@" --log info; } # start WORD…: the program with these words
not_running() { ended "$program"; }
ended_with() { # ended_with STATUS: looks only; `over` ends it
  [ "$status" = "$1" ] || fail "exit status $status: $(tail -n 3 "$log")"
}

has_window() { # has_window TITLE
  within 20 window_named "$1" || fail "no window called $1: $(tail -n 3 "$log")"
}
window_named() { xdotool search --onlyvisible --name "$1" >"$tmp/window_id" 2>/dev/null; }
focus() {
  window=$(head -n 1 "$tmp/window_id" 2>/dev/null || echo 0)
  xdotool windowfocus "$window" 2>/dev/null
}

picture() { import -silent -window root -define png:compression-level=1 "$tmp/$1.png"; } # packed well it takes a second
# colours PICTURE [CROP]: how many there are
colours() { convert "$tmp/$1.png" ${2:+-crop "$2"} +repage -format '%k' info:; }
colourful() { picture "$1" && [ "$(colours "$1" "${2-}")" -gt 300 ]; }
# card_shown PICTURE: as many pixels of the error card's red as are in the lower half
card_shown() {
  convert "$tmp/$1.png" -crop 1280x360+0+360 +repage -fuzz 12% -fill black +opaque '#f55459' -fuzz 0 -fill white \
    +opaque black -format '%[fx:int(mean*w*h)]' info:
}
with_card() { picture "$1" && [ "$(card_shown "$1")" -gt 200 ]; }
without_card() { picture "$1" && [ "$(card_shown "$1")" -lt 20 ]; }

save() { # save FILE: from stdin into $game, the way that editors do it: beside it, then renamed over it
  cat >"$game/$1~"
  mv "$game/$1~" "$game/$1"
}

within 10 test -s "$tmp/display" || { echo "not ok has a display: Xvfb did not start"; exit 1; }
DISPLAY=:$(cat "$tmp/display")
SDL_VIDEODRIVER=x11 # or none: SDL would draw into memory if the display did not answer
export DISPLAY SDL_VIDEODRIVER
cd "$tmp" || exit 1
