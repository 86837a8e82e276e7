-- idle.seconds: time since the title screen appeared or the player last used a menu; games show a demo after a while.
return { idle = shoal.types.single { seconds = 0 } }
