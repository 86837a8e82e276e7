// `shoal supervise run DIR …`, with which ./shoal runs games: in development, when a plugin crashes, the program is
// started once more with --resume, which continues the game from the last state of the crash report without the plugin.
#ifndef SHOAL_CRASH_REPORT_SUPERVISOR_H
#define SHOAL_CRASH_REPORT_SUPERVISOR_H

// Runs the program with the arguments after `supervise`, and ends as the program has ended. If these arguments need no
// supervisor (options_restart_after_crash), the program replaces this process.
_Noreturn void supervisor_run(int argc, char **argv);

#endif
