// Schemas and snapshots that Lua code creates through the FFI. The VM owns them, and frees the remaining objects when
// its Lua state closes.
#ifndef SHOAL_SCRIPT_VM_OBJECTS_H
#define SHOAL_SCRIPT_VM_OBJECTS_H

#include "script/vm_desc.h"
#include "snapshot/snapshot.h"

// --- called by the engine's Lua, through the FFI

// Builds a schema, which the VM owns until vm_free_schemas. Returns the schema, or NULL with an error if the
// description is invalid; `*invalid_field` is then the index of the invalid field (schema/schema_build.h).
schema_t *vm_build_schema(vm_o *vm, const schema_desc_t *desc, uint32_t *invalid_field, error_info_t *error);
void vm_free_schemas(vm_o *vm);           // frees the built schemas; call after the world has copied them
snapshot_o *vm_create_snapshot(vm_o *vm); // creates an empty snapshot, owned by the VM
void vm_destroy_snapshot(vm_o *vm, snapshot_o *snapshot);
// Returns true if the scripts exceed their memory limit, which covers the VM, its snapshots and the world's strings.
// With `stop`, then also calls watchdog_on_memory_limit, which stops the running script unless a collection frees
// enough.
bool vm_exceeds_memory_limit(vm_o *vm, bool stop);

// --- called by the VM
void vm_objects_release(vm_o *vm); // frees all objects; call when the VM's Lua state closes
void vm_objects_fini(vm_o *vm);    // frees the lists, which must be empty

#endif
