// Objects in C that a VM's Lua owns until its state closes: schemas, snapshots.
#ifndef SHOAL_SCRIPT_VM_OBJECTS_H
#define SHOAL_SCRIPT_VM_OBJECTS_H

#include "script/script.h"
#include "snapshot/snapshot.h"

// --- by the engine's Lua, through the FFI
// Builds a schema that the VM owns until vm_free_schemas. Returns NULL with an error if the description is invalid;
// `*wrong` is then the field's number (schema/schema_build.h).
schema_t *vm_build_schema(vm_o *vm, const schema_desc_t *desc, uint32_t *wrong, error_t *error);
void vm_free_schemas(vm_o *vm);         // after the world has taken them
snapshot_o *vm_take_snapshot(vm_o *vm); // an empty one
void vm_drop_snapshot(vm_o *vm, snapshot_o *s);
// Do the scripts use more memory than they may? Counts the VM, its snapshots and the world's strings. With `stop` the
// running script is stopped then.
bool vm_is_over_memory(vm_o *vm, bool stop);

// --- by the VM
void vm_objects_release(vm_o *vm); // when its Lua state closes
void vm_objects_fini(vm_o *vm);    // the empty lists

#endif
