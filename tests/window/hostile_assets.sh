# Broken, malicious or mislabelled assets: each is refused with its message or loaded, the game continues, and SIGTERM
# ends it while a file is decoded. Their contents: hostile_assets.lua.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
export SDL_AUDIODRIVER=dummy

game=$tmp/hostile
rm -rf "$game"
mkdir -p "$game/assets/shaders" "$game/systems"
luajit "$root/tests/window/hostile_assets.lua" "$game" "$root/assets" || exit 1
mkfifo "$game/assets/pipe.png"
mkdir "$game/assets/folder.png"
ln -s circle.png "$game/assets/circle.png"
ln -s /dev/zero "$game/assets/zero.png"
truncate -s 3G "$game/assets/huge.png" "$game/assets/huge.wav"
cat >"$game/game.lua" <<'END'
local asked = require("asked")
return { title = "Hostile", plugins = { "mesh" }, start = function()
  world.spawn(nil, { lens = {} })
  for i = 1, #asked.mesh do world.spawn(nil, { pose = {}, mesh = { only = { model = asked.mesh[i] } } }) end
end }
END
cat >"$game/systems/show.lua" <<'END'
local asked = require("asked")
return { phase = "render", update = function()
  for i = 1, #asked.image do draw.image(asked.image[i], 10 * i, 10, 0, 0.1) end
  for i = 1, #asked.font do
    draw.font(asked.font[i])
    draw.text("Hostile", 10, 20 * i, 16)
  end
end }
END
cat >"$game/music.lua" <<'END'
local pieces = {}
for tick, file in pairs(require("asked").music) do pieces["m" .. tick] = file end
return pieces
END
cat >"$game/systems/hear.lua" <<'END'
local asked = require("asked")
return { update = function()
  local tick = world.tick
  if asked.sound[tick] then audio.play(asked.sound[tick]) end
  if asked.music[tick] then music.play("m" .. tick) end
  if tick == #asked.sound + 5 then log.info("all is asked for") end
end }
END

start run "$game"
all_asked() { wait_for 60 log_has_or_exited "all is asked for" && log_has "all is asked for" || fail "$(tail -n 5 "$log")"; }
it "a game that has loaded hostile files continues" all_asked
cp "$log" "$tmp/heard"

lines_of() { grep -E "(^|[ /])$1(:| with|\$)" "$tmp/heard"; }
answered() { # NAME MESSAGE
  lines=$(lines_of "$1")
  case $2 in
    taken) [ -z "$lines" ] || fail "$lines" ;;
    any) [ "$(echo "$lines" | wc -l)" = 1 ] || fail "$lines" ;;
    *)
      [ "$(echo "$lines" | grep -c .)" = 1 ] || fail "not one line: $lines"
      echo "$lines" | grep -qF -- "$2" || fail "not '$2': $lines"
      case $1 in *.frag | *.vert | *.obj) return ;; esac
      echo "$lines" | grep -qE "(systems/(show|hear)|music).lua:[0-9]+" || fail "it does not say who asked: $lines"
      ;;
  esac
}
while IFS='|' read -r name words; do
  it "$name: $words" answered "$name" "$words"
done <"$game/expected"

kept() { # NAME FILE: replaces NAME by FILE; the previous version must stay in use
  mark_log
  save "assets/$1" <"$game/assets/$2"
  wait_for 20 log_has "assets/$1 cannot be loaded (the previous version stays in use)" || fail "no line: $(log_since_mark)"
}
it "a hostile image does not replace a valid one" kept good.png scans.jpg
it "a hostile sound does not replace a valid one" kept good.wav channels0.wav
it "a hostile sound that only the decoder rejects does not replace a valid one" kept good.mp3 alone.ogg
it "a hostile font does not replace a valid one" kept good.ttf doubling.ttf
stop_program
it "a game that has loaded hostile files exits with status 0" expect_exit 0

# ---- SIGTERM while a file is decoded

decodes() { [ -n "$(pgrep -P "$program")" ]; }
ends_while() { # ends_while FILE SYSTEM
  mkdir -p "$tmp/slow/assets" "$tmp/slow/systems"
  echo 'return { title = "Slow" }' >"$tmp/slow/game.lua"
  cp "$game/assets/$1" "$tmp/slow/assets/"
  echo "$2" >"$tmp/slow/systems/ask.lua"
  start run "$tmp/slow"
  wait_for 30 decodes || fail "it decodes nothing: $(tail -n 3 "$log")"
  expect_prompt_exit
}
draws() { echo "return { phase = 'render', update = function() draw.image('$1', 0, 0) end }"; }
it "SIGTERM terminates the program while a decompression bomb is decoded" ends_while bomb.png "$(draws bomb.png)"
it "SIGTERM terminates the program while a JPEG with 64 scans is decoded" ends_while scans64.jpg "$(draws scans64.jpg)"
