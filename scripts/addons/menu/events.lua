-- Events for buttons: `options` opens the options, `quit` ends the program.
return { options = {}, quit = {} }
