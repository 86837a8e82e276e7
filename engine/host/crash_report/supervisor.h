// `shoal supervise run DIR …`: the command with which ./shoal runs games. If a plugin crashes in development, the
// program is started again with --resume: it continues the game without the plugin, from the last state in the crash
// report.
#ifndef SHOAL_CRASH_REPORT_SUPERVISOR_H
#define SHOAL_CRASH_REPORT_SUPERVISOR_H

// Runs the program with the arguments after `supervise`, and exits with the same status or signal. If these arguments
// need no supervisor (options_restart_after_crash), the program replaces this process.
_Noreturn void supervisor_run(int argc, char **argv);

#endif
