-- The keys, buttons and sticks that move the choice and make it.
return {
  up = { "key:up", "key:w", "pad:dpup", "pad:lefty-" },
  down = { "key:down", "key:s", "pad:dpdown", "pad:lefty+" },
  choose = { "key:return", "key:space", "pad:a", "pad:start" },
  click = { "mouse:left" },
  quit = { "key:escape", "pad:b" },
}
