// Reports, once per system, why a slow system does not run as fast as it could.
#ifndef SHOAL_HOST_SLOW_SYSTEMS_H
#define SHOAL_HOST_SLOW_SYSTEMS_H

typedef struct host_o host_o;

// Logs a line for each system that has run for a second, takes more than half a millisecond per tick, and does not run
// as vectorised machine code. The line is not a warning, because the times depend on the machine. Does nothing in
// headless runs, in packaged games and with --strict. Call it after each tick.
void slow_systems_report(host_o *h);

#endif
