// Implements the sandbox with resource limits, closed descriptors, and a seccomp filter that lists the allowed system
// calls.
#include "process/sandbox.h"

#include "base/assert.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Limits the whole address space (RLIMIT_AS). The current size is added to the limit, because it includes memory that a
// sanitizer has reserved.
void sandbox_limit_memory(uint32_t mb) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file)
    return;
  if (fscanf(file, "%lu", &pages) == 1) {
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mb << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
  }
  fclose(file);
}

// --- descriptors

#define FALLBACK_DESCRIPTORS 4096 // number of descriptors that are closed without close_range, from 0

static void close_descriptors(unsigned first, unsigned last) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0)
    return;
#endif
  for (unsigned i = first; i <= last && i < FALLBACK_DESCRIPTORS; ++i)
    close((int)i);
}

static void close_all_except(int descriptor) {
  shoal_assert(descriptor >= 0, "invalid descriptor %d", descriptor);
  if (descriptor > 0)
    close_descriptors(0, (unsigned)descriptor - 1);
  close_descriptors((unsigned)descriptor + 1, ~0u);
}

// --- system calls

#if defined(__x86_64__) || defined(__aarch64__)

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define DENY (SECCOMP_RET_ERRNO | EPERM)
#define MAX_INSTRUCTIONS 128

typedef struct filter_t {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short count;
} filter_t;

static void emit_instruction(filter_t *f, unsigned code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  shoal_assert(f->count < MAX_INSTRUCTIONS, "system call filter exceeds %d instructions: raise MAX_INSTRUCTIONS",
               MAX_INSTRUCTIONS);
  f->code[f->count++] = (struct sock_filter){.code = (unsigned short)code, .jt = if_true, .jf = if_false, .k = value};
}

static void emit_load(filter_t *f, size_t offset) {
  emit_instruction(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void emit_return(filter_t *f, uint32_t verdict) {
  emit_instruction(f, BPF_RET | BPF_K, verdict, 0, 0);
}

static void allow_call(filter_t *f, uint32_t call) {
  emit_instruction(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
  emit_return(f, SECCOMP_RET_ALLOW);
}

// Returns the offset of the low half of an argument on a little-endian processor.
static size_t argument_offset(uint32_t argument) {
  return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

static void allow_call_with_argument(filter_t *f, uint32_t call, uint32_t argument, uint32_t value) {
  emit_instruction(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  emit_load(f, argument_offset(argument));
  emit_instruction(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  emit_return(f, SECCOMP_RET_ALLOW);
  emit_return(f, DENY);
}

static void allow_call_without_flags(filter_t *f, uint32_t call, uint32_t argument, uint32_t bits) {
  emit_instruction(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  emit_load(f, argument_offset(argument));
  emit_instruction(f, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
  emit_return(f, SECCOMP_RET_ALLOW);
  emit_return(f, DENY);
}

static void install_call_filter(int pipe) {
  static const uint32_t ALLOWED_CALLS[] = {SYS_brk,          SYS_munmap,         SYS_mremap,       SYS_madvise,
                                           SYS_futex,        SYS_clock_gettime,  SYS_getpid,       SYS_gettid,
                                           SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
                                           SYS_sched_yield,  SYS_setitimer,      SYS_exit,         SYS_exit_group,
#ifdef SYS_alarm
                                           SYS_alarm
#endif
  };
  filter_t filter = {.count = 0};
  emit_load(&filter, offsetof(struct seccomp_data, arch));
  emit_instruction(&filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  emit_return(&filter, DENY);
  emit_load(&filter, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof ALLOWED_CALLS / sizeof *ALLOWED_CALLS; ++i)
    allow_call(&filter, ALLOWED_CALLS[i]);
  allow_call_without_flags(&filter, SYS_mmap, 2, PROT_EXEC);
  allow_call_without_flags(&filter, SYS_mprotect, 2, PROT_EXEC);
  allow_call_with_argument(&filter, SYS_write, 0, (uint32_t)pipe);
  allow_call_with_argument(&filter, SYS_tgkill, 0, (uint32_t)getpid()); // required by raise and abort
  emit_return(&filter, DENY);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){.len = filter.count, .filter = filter.code});
}

#else

static void install_call_filter(int pipe) {
  (void)pipe;
}

#endif

void sandbox_enter(int output_pipe, uint32_t cpu_s) {
  const struct rlimit time = {cpu_s, cpu_s}, zero = {0, 0};
  shoal_assert(cpu_s > 0, "cpu_s must not be 0");
  close_all_except(output_pipe);
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_FSIZE, &zero);
  setrlimit(RLIMIT_NOFILE, &zero);
  setrlimit(RLIMIT_NPROC, &zero);
  install_call_filter(output_pipe);
}
