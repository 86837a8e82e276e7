// The commands `shoal world DB …` of operators: show and change a served world, whether or not it runs.
#ifndef SHOAL_SERVE_WORLD_COMMAND_H
#define SHOAL_SERVE_WORLD_COMMAND_H

// Runs the command; argv[1] is "world". Returns the exit status: 0 on success, 1 if the command has failed, 2 after a
// usage error or if the database cannot be read, 3 if the database is damaged.
int world_command_run(int argc, const char *const *argv);

#endif
