// Restricts a child process that reads untrusted files, so that malicious files that exploit its code cannot do harm.
// The process can compute, allocate memory up to a limit, and write to one pipe. It cannot open, read or create files,
// use a different inherited descriptor, start programs, make memory executable, or signal other processes.
//
// POSIX resource limits and closed descriptors apply on Linux, where a seccomp filter (x86-64, arm64) also denies
// unlisted system calls with EPERM; on kernels without seccomp only the limits apply. On Windows, a job limits memory
// and CPU time, and denies new processes; the process can still open files. Wine 8 does not apply these limits.
#ifndef SHOAL_PROCESS_SANDBOX_H
#define SHOAL_PROCESS_SANDBOX_H

#include <stdint.h>

// Limits memory to `mb` MiB more than the process currently uses.
void sandbox_limit_memory(uint32_t mb);

// Restricts this process permanently. Only the descriptor `output_pipe` remains open. The process is killed after
// `cpu_s` seconds of CPU time.
void sandbox_enter(int output_pipe, uint32_t cpu_s);

#endif
