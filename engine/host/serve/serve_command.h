// The command `shoal serve GAME`: reads its options and the game's rooms, and runs the world (served_world.h).
#ifndef SHOAL_SERVE_SERVE_COMMAND_H
#define SHOAL_SERVE_SERVE_COMMAND_H

// Runs the command; argv[1] is "serve". Returns the exit status: 0 after SIGTERM or SIGINT, 1 if the game cannot start,
// 2 after a usage error or if the database or the port cannot be opened, 3 if the database is damaged, 4 if a different
// process owns the world.
int serve_command_run(int argc, const char *const *argv);

#endif
