-- idle.seconds: time since the title screen appeared or the player last used a menu; games show a demo after a while.
-- settling.seconds: time for which the buttons of a menu still ignore input. backdrop: tag of the words and figures of
-- a title screen; they are hidden while the options, which would cover half of them, are open.
return { idle = shoal.types.single { seconds = 0 }, settling = { seconds = 1 }, backdrop = {} }
