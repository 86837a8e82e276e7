return { night = "night.ogg" }
