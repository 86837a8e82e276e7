# A sound server that starts after the game, or restarts. SDL writes the sound to a file; a missing folder stands for a
# missing server, a full disk for a server that ends, and a file for the server's socket.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/hum
mkdir -p "$game/assets"
echo 'return { title = "Hum", width = 320, height = 180, start = function()
  audio.play("hum.wav", { loop = true })
end }' >"$game/game.lua"
luajit - "$game/assets/hum.wav" <<'END'
local function le(n, v)
  local out = {}
  for i = 1, n do out[i] = string.char(v % 256) v = math.floor(v / 256) end
  return table.concat(out)
end
local samples = {}
for i = 1, 44100 do samples[i] = le(2, math.sin(i / 16) * 8000 % 65536) end
local data = table.concat(samples)
local body = "WAVEfmt " .. le(4, 16) .. le(2, 1) .. le(2, 1) .. le(4, 44100) .. le(4, 88200) .. le(2, 2) .. le(2, 16)
  .. "data" .. le(4, #data) .. data
local file = io.open(arg[1], "wb")
file:write("RIFF" .. le(4, #body) .. body)
file:close()
END

output=$tmp/server/sound.raw
export SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE="$output"
unset PULSE_SERVER PULSE_RUNTIME_PATH
server_appears() { # creates the file of the socket; without it, the game does not look for a device
  mkdir -p "$tmp/server" "$XDG_RUNTIME_DIR/pulse"
  rm -f "$XDG_RUNTIME_DIR/pulse/native"
  : >"$XDG_RUNTIME_DIR/pulse/native"
}
is_heard() { [ -e "$output" ] && [ "$(tail -c 8192 "$output" | tr -d '\0' | wc -c)" -gt 2000 ]; }

rm -rf "$tmp/server" "$XDG_RUNTIME_DIR/pulse"
start run "$game" --no-cockpit
late_server() {
  has_window Hum
  expect_log "no sound device, playing silently"
  mark_log
  server_appears
  expect_log "audio: found a sound device"
  wait_for 20 is_heard || fail "no sound: $(ls -l "$tmp/server")"
}
it "a sound that started without a sound server is heard when a server appears" late_server
stop_program

ends() { log_has "the sound device has disappeared"; }
restarted_server() {
  mkdir -p "$tmp/server"
  rm -f "$output"
  ln -s /dev/full "$output"
  start run "$game" --no-cockpit
  has_window Hum
  wait_for 20 ends || fail "the loss of the device was not noticed: $(tail -n 3 "$log")"
  rm "$output"
  mark_log
  server_appears
  expect_log "audio: found a sound device"
  wait_for 20 is_heard || fail "no sound: $(ls -l "$tmp/server")"
}
it "a sound is heard again after the sound server has restarted" restarted_server

# SDL's driver for PipeWire does not report the end of the server. Here, the driver takes 3 s for each buffer.
silent_restart() {
  stop_program
  rm -f "$output"
  launch env SDL_DISKAUDIODELAY=3000 "$release" run "$game" --no-cockpit --log info
  has_window Hum
  wait_for 20 test -e "$output" || fail "no device was opened: $(tail -n 3 "$log")"
  mark_log
  server_appears
  expect_log "audio: the sound device has disappeared" "audio: found a sound device"
}
it "a device that requests no buffers after its server has changed is opened again" silent_restart

prints_nothing() {
  stop_program
  rm -rf "$tmp/server"
  launch env ALSA_CONFIG_PATH="$tmp/none" SDL_AUDIODRIVER=alsa "$release" run "$game" --no-cockpit --log debug
  has_window Hum
  expect_log "no sound device, playing silently"
  server_appears
  expect_log "audio: still no sound device"
  ! grep "^ALSA" "$log" || fail "ALSA has printed errors"
}
it "a missing sound device causes one warning and no ALSA output" prints_nothing
