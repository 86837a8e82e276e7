// Counts the memory that the Lua code of each system allocates, for --explain.
#ifndef SHOAL_SCRIPT_GARBAGE_H
#define SHOAL_SCRIPT_GARBAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vm_o vm_o;

// Adds a run of a system. `bytes_before`: the size of the Lua heap when the run began. Only the growth of the heap
// counts: memory that the garbage collector frees during the run is subtracted.
void vm_record_garbage(vm_o *vm, uint32_t system, size_t bytes_before);
void vm_garbage_fini(vm_o *vm);

// Returns the average number of bytes that a run of the system allocates; 0 if fewer than 256 runs in Lua were
// recorded.
double vm_garbage_per_run(const vm_o *vm, uint32_t system);

// Prints a line for this system or, if `system` is "all", for each system. The line contains the bytes of garbage per
// run and per row, and the instructions that may create garbage. Omits systems that create no garbage in Lua.
void vm_print_garbage(vm_o *vm, const char *system, FILE *out);

#endif
