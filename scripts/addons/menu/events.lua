-- Events for buttons: `options` opens the options, `quit` ends the program, or leaves the match. player: number of the
-- player who pressed the button, in games that declare players.
return { options = { player = 0 }, quit = { player = 0 } }
