-- Sounds. Nothing comes back into the simulation: a voice is only good for stopping or changing it.
local need = ...
local abi = need("abi")
local C, A = abi.C, abi.audio

local M = {}

function M.play(name, options)
  options = options or {}
  return C.audio_play(A, name, options.volume or 1, options.pan or 0, options.loop == true)
end

function M.stop(voice)
  C.audio_stop(A, voice or 0)
end

function M.set(voice, options)
  C.audio_set(A, voice, options.volume or 1, options.pan or 0)
end

function M.playing(voice)
  return C.audio_playing(A, voice or 0)
end

function M.music(name, volume, fade_s)
  C.audio_music(A, name or "", volume or 1, fade_s or 0.5)
end

function M.volume(master)
  C.audio_set_volume(A, master)
end

return M
