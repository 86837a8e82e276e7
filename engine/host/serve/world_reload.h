// The command `shoal world DB reload`: tries changed code in a copy of each room, and stores it for the rooms of the
// world. See design/0072-served-worlds.md.
#ifndef SHOAL_SERVE_WORLD_RELOAD_H
#define SHOAL_SERVE_WORLD_RELOAD_H

#define WORLD_RELOAD_USAGE                                                                                             \
  "       shoal world DB reload DIR [--try] [--note TEXT]    replace the code with the code in this folder; --try: "   \
  "only\n"                                                                                                             \
  "                                                          show what would be refused, dropped or different\n"       \
  "       shoal world DB reload --back [--drop] [--note TEXT]    return to the previous code; --drop: also if this\n"  \
  "                                                          drops values in rooms\n"

// Runs the command; argv[2] is the database, and argv[3] is "reload". Returns the exit status: 0 on success, 1 if a
// room refuses the code or nothing has changed, 2 after a usage error or if the database cannot be read, 3 if the
// database is damaged.
int world_reload_run(int argc, const char *const *argv);

#endif
