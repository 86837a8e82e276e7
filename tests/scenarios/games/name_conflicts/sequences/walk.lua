return { { wait = 0.1 }, { say = "Hello", who = "me" } }
