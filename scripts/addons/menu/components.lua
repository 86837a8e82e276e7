-- idle.seconds: time since the title screen appeared or the player last used a menu; games show a demo after a while.
-- settling.seconds: time for which a menu's buttons still ignore input. backdrop: tag of a title screen's text and
-- pictures, which are hidden while the options are open, because the options would cover half of them.
return { idle = shoal.types.single { seconds = 0 }, settling = { seconds = 1 }, backdrop = {} }
