// Reports, once per system, why a slow system does not run as fast as it could, and once if LLVM is missing.
#ifndef SHOAL_HOST_SLOW_SYSTEMS_H
#define SHOAL_HOST_SLOW_SYSTEMS_H

typedef struct host_o host_o;

// Logs a line for each system that has run for a second, takes more than half a millisecond per tick, and does not run
// as vectorised machine code. The line is not a warning, because the times depend on the machine. Logs nothing in
// headless runs, in packaged games and with --strict. If a system could not be compiled because LLVM is not installed,
// logs one more line, also in headless runs. Call it after each tick.
void slow_systems_report(host_o *h);

#endif
