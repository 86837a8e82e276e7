-- Escape and the gamepad's B button quit. The widgets handle all other input.
return { quit = { "key:escape", "pad:b" } }
