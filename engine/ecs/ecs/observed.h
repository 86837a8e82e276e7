// The lists of an observer (ecs/changes.h), in the order in which they are reported. The values are part of
// bindings/abi.h.
#ifndef SHOAL_ECS_OBSERVED_H
#define SHOAL_ECS_OBSERVED_H

typedef enum observed_t { OBSERVED_LEAVE, OBSERVED_ENTER, OBSERVED_CHANGED, OBSERVED_KINDS } observed_t;

#endif
